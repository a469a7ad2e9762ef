import json
from html import escape

import pytest

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


def test_each_kind_of_plan():
    assert (
        "Buy 996 labelled rows"
        in run(
            *(
                "plan",
                "--better-by",
                "0",
                "--only-old-rate",
                "0.04",
                "--only-new-rate",
                "0.02",
                "--power",
                "0.8",
            )
        ).out
    )
    gate = run("plan", "--gate", "0.01", "0.05").out
    assert "Buy 344 labelled rows." in gate
    assert "passes with probability 99.1 %" in gate
    assert "--max-error 0.05 --delta 0.01." in gate
    judged = json.loads(
        run(
            *("plan", "--error", "0.11", "--power", "0.8", "--json"),
            *("--judge", "flagged=1000:0.8", "--judge", "passed=9000:0.01"),
        ).out
    )
    assert judged["parts"] == [{"name": "flagged", "rows": 110}, {"name": "passed", "rows": 401}]
    assert judged["textbook"] == {"theorem": "holdout-finite-population", "rows": 1123}
    units = run(
        "plan", "--error", "0.1", "--expected", "0.05", "--unit-rows", "4", "--correlation", "0.3"
    )
    assert (units.code, "units of 4 rows" in units.out) == (0, True)
    groups = run(
        "plan", "--error", "0.1", "--expected", "0.05", "--group", "a=0.7", "--group", "b=0.3"
    )
    assert "The smallest group, 'b' (30 % of the rows), needs the most." in groups.out
    f1 = run("plan", "--f1", "0.8", "--expected", "0.95,0.85", "--prevalence", "0.3")
    assert "If the model's precision and recall are 95 % and 85 %" in f1.out
    assert run("plan", "--recall", "0.9", "--expected", "0.95").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            (),
            "A plan takes one of --error, --better-by, --precision, --recall, --specificity, --f1, --gate, but was "
            "given nothing.",
        ),
        (("--error", "0.1", "--judge", "a=3"), "--judge must be NAME=ITEMS:SHARE, but is 'a=3'."),
        (("--error", "0.1", "--group", "a=0.5", "--group", "a=0.5"), "--group names 'a' twice."),
        (
            ("--better-by", "0", "--only-old-rate", "0.04"),
            "A difference is planned from a guess: --only-old-rate and --only-new-rate (how often only the one model "
            "is wrong), or --expected and --discordance (the difference, and how often exactly one is wrong).",
        ),
        (
            ("--error", "0.1", "--bits", "3", "--class-size", "8"),
            "The class is given by one of --class-size, --bits, --vc, not by --class-size, --bits.",
        ),
        (
            ("--gate", "0.05", "0.01"),
            "--gate must be two errors, the smaller one first, but is ('0.05', '0.01').",
        ),
    ],
)
def test_what_makes_no_plan_is_one_sentence(options, sentence):
    found = run("plan", *options)
    assert (found.code, found.out, found.err) == (2, "", f"assay: {sentence}\n")


EACH_KIND = {
    "holdout": "--error 0.1 --expected 0.05",
    "difference": "--better-by 0 --only-old-rate 0.3 --only-new-rate 0.1",
    "metric": "--f1 0.6 --expected 0.9,0.8 --prevalence 0.4",
    "units": "--error 0.2 --expected 0.05 --unit-rows 2 --correlation 1",
    "groups": "--error 0.2 --expected 0.05 --group a=0.5 --group b=0.5",
    "judges": "--error 0.3 --judge a=100:0.2",
    "gate": "--gate 0.05 0.2",
}


@pytest.mark.parametrize("kind", EACH_KIND)
def test_each_kind_has_a_figure_of_its_power(kind, tmp_path):
    page = tmp_path / "plan.html"
    found = run("plan", *EACH_KIND[kind].split(), "--report", str(page))
    text = page.read_text()
    assert (found.code, found.err) == (0, "")
    assert escape(found.out.split("\n")[0]) in text
    assert found.out.endswith(f"Saved {page}; open it in a browser.\n")
    assert "How likely other numbers of rows are to suffice" in text
    assert '"name": "planned"' in text


def test_rows_to_learn_from_have_no_power_to_draw(tmp_path):
    page = tmp_path / "plan.html"
    assert run("plan", "--error", "0.1", "--bits", "10", "--report", str(page)).code == 0
    assert "training rows are enough" in page.read_text()
    assert "How likely" not in page.read_text()


def test_the_power_beside_rivals_is_that_of_each():
    given = ("--better-by", "-0.01", "--only-old-rate", "0.04", "--only-new-rate", "0.02")
    alone = run("plan", *given).out
    assert "is higher by at most 1 point, with 95 % confidence. That succeeds" in alone
    several = run("plan", *given, "--rivals", "3").out
    assert "on which all 4 models predict." in several
    assert "for 3 old models at once, with 95 % confidence. With each of them that" in several
