"""Groups on the command line: tables, gates, files that are compared again."""

import csv
import json

import pytest

from tests.cli.runner import run

PLACES = {"a": (300, 9), "b": (200, 10), "": (60, 12)}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "guesses.csv"
    rows = [
        (place, i % 2, i % 70, 1, int(i >= wrong))
        for place, (many, wrong) in PLACES.items()
        for i in range(many)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("place", "old", "age", "truth", "guess"), *rows])
    return path


def certify(table, *more):
    return run("certify", table, "--truth", "truth", "--prediction", "guess", *more)


def test_groups_of_a_table_from_file_to_verification(table, tmp_path):
    out = tmp_path / "a.cert.json"
    found = certify(table, "--by", "place", "--by", "place*old", "--out", out)
    assert found.code == 0, found.err
    assert "place missing" in found.out
    assert "Note      place has no value in 60 rows; these are a group of their own." in found.out
    assert "12 of 60" in found.out
    again = ("--data", table, "--truth", "truth", "--prediction", "guess")
    checked = run("verify", out, *again)
    assert checked.code == 0
    assert "the groups" not in checked.out.splitlines()[-2]
    assert run("verify", out, *again, "--by", "place").code == 1  # the crossed columns are missing
    alone = run("verify", out)
    assert "the groups" in alone.out
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("\na,", "\nz,", 1))
    assert (
        "the data count place = 'a' differently"
        in run("verify", out, "--data", other, *again[2:]).out
    )


def test_a_gate_of_every_group(table):
    passed = certify(table, "--by", "place", "--every-group", "--max-error", "0.35")
    assert passed.code == 0
    assert (
        "Gate      PASS: an error of at most 0.35 can be promised in every group.\n" in passed.out
    )
    failed = certify(table, "--by", "place", "--every-group", "--max-error", "0.25")
    assert failed.code == 1
    assert (
        "Gate      FAIL: an error of at most 0.25 cannot be promised in every group.\n"
        in failed.out
    )
    assert "          place missing (12 of 60 wrong) needs about" in failed.out
    untold = ("--by", "place", "--every-group", "--answer", "pass-fail", "--max-error")
    assert certify(table, *untold, "0.35").code == 0
    refused = certify(table, *untold, "0.25")
    assert refused.code == 1
    assert "12" not in refused.err
    summary = certify(table, "--by", "place", "--every-group", "--max-error", "0.25", "--summary")
    assert "❌ **FAIL**: an error of at most 0.25 cannot be promised in every group" in summary.out
    assert "place missing (12 of 60 wrong) needs about" in summary.out


def test_a_gate_of_all_rows_names_the_groups_that_miss_it(table):
    found = certify(table, "--by", "place", "--max-error", "0.1")
    assert found.code == 0
    gate = found.out[found.out.index("Gate") :].splitlines()
    assert gate[:2] == [
        "Gate      PASS: an error of at most 0.1 can be promised.",
        "          Of these groups, 0.1 cannot be promised each:",
    ]
    assert gate[2].startswith("          place = 'b' (10 of 200 wrong) needs about")
    assert (
        gate[3]
        == "          place missing (12 of 60 wrong) is wrong too often for any number of rows."
    )
    assert (
        "cannot be promised each" not in certify(table, "--by", "place", "--max-error", "0.5").out
    )


def test_for_scripts(table):
    answer = json.loads(certify(table, "--by", "place", "--json").out)
    [worst, *_] = answer["groups"]
    assert worst["group"] == {"place": None}
    assert (worst["errors"], worst["rows"], worst["observed"]) == (12, 60, "0.2")
    assert float(worst["promised"]) > 0.2
    assert "groups" not in json.loads(certify(table, "--json").out)


def test_one_bit_of_a_ledger(table, tmp_path):
    book = tmp_path / "looks.ledger"
    asked = ("--by", "place", "--every-group", "--max-error", "0.4", "--answer", "pass-fail")
    assert certify(table, *asked, "--ledger", book).code == 0
    again = certify(table, *asked, "--ledger", book)
    assert "after 1.000 bits about it were told" in again.out


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (("--by", "age"), "age holds numbers of more than 50 different values"),
        (("--by", "job"), "guesses.csv has no column 'job'."),
        (("--by", "place*job"), "guesses.csv has no column 'job'."),
        (("--by", "place", "--by", "place"), "--by must be by other columns each time"),
        (("--every-group",), "--every-group needs --by: say what divides"),
        (("--by", "place", "--population", "9000"), "population must be left out with groups"),
        (("--by", "place", "--method", "kl"), "method must be left out, or 'exact', with groups"),
        (("--by", "place", "--within", "1"), "--by must be left out with --coverage"),
    ],
)
def test_refusals(table, options, refusal):
    found = certify(table, *options)
    assert found.code == 2
    assert refusal in found.err
    assert "Traceback" not in found.err


def test_by_needs_a_table(table):
    found = run("certify", "--errors", "3", "--rows", "90", "--by", "place")
    assert found.code == 2
    assert "--by names a column of a table, but no table is given." in found.err
    found = run("certify", table, "--loss", "guess", "--by", "place")
    assert "--by is for --truth and --prediction, not for losses." in found.err


def test_an_id_that_comes_again_is_seen_although_it_makes_groups(tmp_path):
    path = tmp_path / "visits.csv"
    with path.open("w", newline="") as file:
        rows = [(f"p{i % 9}", 1, int(i > 3)) for i in range(90)]
        csv.writer(file).writerows([("patient_id", "truth", "guess"), *rows])
    found = certify(path, "--by", "patient_id")
    assert found.code == 1
    assert "repeats itself" in found.out
    assert certify(path, "--by", "patient_id", "--unit", "none").code == 0


def test_names_and_levels_cannot_act_on_a_terminal(tmp_path):
    path, odd = tmp_path / "odd.csv", "a\x1b[2J"
    with path.open("w", newline="") as file:
        rows = [(odd if i % 3 else "", 1, int(i > 3)) for i in range(90)]
        csv.writer(file).writerows([(odd, "truth", "guess"), *rows])
    for more in (
        (),
        ("--every-group", "--max-error", "0.01"),
        ("--max-error", "0.01"),
        ("--summary",),
    ):
        found = certify(path, "--by", odd, *more)
        assert "\x1b" not in found.out + found.err
    assert "\x1b" not in certify(path, "--by", odd, "--by", "b" + odd).err
