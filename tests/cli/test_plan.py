import json

from tests.cli.runner import run


def test_zero_errors_at_five_percent():
    found = run("plan", "--error", "0.05", "--delta", "0.05")
    assert found.code == 0
    assert found.out.startswith("Buy 59 labelled rows for the holdout.\n")


def test_with_an_expected_error_and_power():
    found = run("plan", "--error", "0.05", "--expected", "0.02", "--power", "0.9")
    assert "Buy 311 labelled rows" in found.out
    assert "at most 9 of them wrong" in found.out


def test_json():
    found = json.loads(run("plan", "--error", "0.05", "--expected", "0.02", "--json").out)
    assert (found["rows"], found["errors_allowed"], found["textbook"]["rows"]) == (311, 9, 1665)


def test_training_rows():
    assert "680 training rows are enough" in run("plan", "--error", "0.1", "--vc", "3").out
    assert (
        "2,120 training rows"
        in run("plan", "--error", "0.1", "--class-size", "1000", "--agnostic").out
    )


def test_bad_input_is_one_sentence_and_exit_code_2():
    for value in ("0", "1", "nan", "-1", "five"):
        found = run("plan", "--error", value)
        assert (found.code, found.out) == (2, "")
        assert (
            found.err
            == f"assay: --error must be a number strictly between 0 and 1, but is {value!r}.\n"
        )
