"""Promises about rows that come in units, from labels and units to a certificate that is verified."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.errors import BadData, BadParameter
from assay.theory.tail.unit_ratio import unit_ratio_betting
from tests.cli.runner import run
from tests.refusals import refuses

RNG = np.random.default_rng(0)
UNIT = RNG.integers(0, 90, 600)
TRUTH = RNG.choice(["a", "b", "c"], 600)
GUESS = np.where(RNG.random(600) < 0.1, "a", TRUTH)
ROWS = {"y_true": TRUTH, "y_pred": GUESS, "unit": UNIT}
BY_ROWS = {"over": "rows", "most_rows": 15}


def of_rows(e_and_r):
    """Truth, prediction and unit of units with so many errors among so many rows."""
    truth, guess, unit = [], [], []
    for errors, rows, many in e_and_r:
        for _ in range(many):
            unit += [max(unit, default=-1) + 1] * rows
            truth += [0] * rows
            guess += [1] * errors + [0] * (rows - errors)
    return {"y_true": [*truth, 1], "y_pred": [*guess, 1], "unit": [*unit, max(unit) + 1]}


def test_the_golden_numbers():
    golden = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 14)]
    seen = of_rows(golden)
    # One unit of one row more holds the second label, and is right.
    expected = unit_ratio_betting([*golden, (0, 1, 1)], 10, 0.05)
    made = certify(**seen, over="rows", most_rows=10, delta=0.05)
    assert made.claims[0].promised == pytest.approx(expected, rel=1e-15)
    whole = certify(**of_rows([(0, 5, 189), (1, 5, 4), (5, 5, 6)]), over="whole-units").claims[0]
    assert whole.promised == pytest.approx(0.08333515106637197, rel=1e-14)
    assert (whole.of.quantity, whole.observed) == ("unit-any-error", 0.05)


@pytest.mark.parametrize("asked", [{}, BY_ROWS, {"over": "whole-units"}])
def test_issued_and_verified_from_the_file_and_beside_the_data(asked):
    made = certify(**ROWS, **asked)
    assert verify(made)
    assert verify(made, **ROWS)
    assert not verify(made, **(ROWS | {"y_pred": TRUTH}))
    assert not verify(made, **(ROWS | {"unit": UNIT[::-1]}))
    numbers = {"y_true": np.arange(600.0), "y_pred": np.arange(600) + RNG.normal(size=600)}
    within = certify(**numbers, unit=UNIT, within=1, **asked)
    assert verify(within, **numbers, unit=UNIT)


def test_metrics_of_the_rows_of_units():
    names = ["accuracy", "precision", "recall", "specificity", "jaccard", "f1"]
    made = certify(**ROWS, **BY_ROWS, rates=names, positive="a")
    plain = certify(y_true=TRUTH, y_pred=GUESS, rates=names, positive="a")
    by_units = {claim.of: claim for claim in made.claims[1:]}
    for claim in plain.claims[1:]:
        # What was seen is what was seen without units; what is promised is less.
        assert by_units[claim.of].observed == pytest.approx(claim.observed, abs=1e-15)
        assert by_units[claim.of].promised < claim.promised
    assert verify(made, **ROWS)
    assert [claim.delta for claim in made.claims] == ["0.025", *["0.0041666666666666666"] * 6]


def resealed(made, change):
    document = json.loads(json.dumps(made.to_json()))
    change(document["claims"])
    document["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in document["claims"]]
    return verify(Certificate(sealed(document)))


def test_claims_that_do_not_fit_each_other_are_refused():
    made = certify(**ROWS, **BY_ROWS, rates=["accuracy", "recall"], positive="a")
    plain = certify(y_true=TRUTH, y_pred=GUESS, rates=["class", "recall"], positive="a").to_json()

    def other_sizes(claims):
        claims[2]["inputs"]["most_rows"] = 16

    def row_wise(claims):
        claims[2] = plain["claims"][-1]

    def by_class(claims):
        claims[1:] = plain["claims"][1:4]

    def error_of_rows(claims):
        claims[:] = [claims[0], plain["claims"][0]]

    def more_units(claims):
        claims[2]["inputs"]["units"][0][2] += 60

    def larger(claims):
        claims[0]["inputs"]["units"][0][1] += 20

    assert resealed(made, lambda claims: None)
    assert "other sizes of units" in resealed(made, other_sizes).reason
    assert "units and of rows" in resealed(made, row_wise).reason
    assert "units and of rows" in resealed(made, by_class).reason
    assert "units and of rows" in resealed(made, error_of_rows).reason
    assert not resealed(made, more_units)
    assert not resealed(made, larger)


def test_the_largest_unit_that_was_seen_is_no_bound_and_a_smaller_one_is_refused():
    with refuses(
        "most_rows must be given for a promise over rows: how many a unit can have at most, which is declared "
        "beforehand and not read off these units."
    ):
        certify(**ROWS, over="rows")
    largest = int(np.bincount(UNIT).max())
    with refuses(
        f"most_rows must be at least {largest}, the rows of the largest of these units, but is {largest - 1}."
    ):
        certify(**ROWS, over="rows", most_rows=largest - 1)
    listed = {a.id: a.status for a in certify(**ROWS, **BY_ROWS).claims[0].assumptions}
    assert listed["units-of-at-most-so-many-rows"] == "declared"


def test_refusals():
    with refuses("over must be left out unless rows come in units, but is 'whole-units'."):
        certify(y_true=TRUTH, y_pred=GUESS, over="whole-units")
    with refuses("over must be one of 'units', 'rows', 'whole-units', but is 'row'."):
        certify(**ROWS, over="row")
    with refuses("most_rows must be left out unless the promise is over rows of units, but is 9."):
        certify(**ROWS, most_rows=9)
    why = "Rows of one unit depend on each other."
    with refuses(
        "rates must be some of accuracy, precision, recall, specificity, jaccard, f1 with units, but is "
        f"'macro-f1'. {why}"
    ):
        certify(**ROWS, **BY_ROWS, rates=["macro-f1"])
    with refuses(
        f"rates must be left out with units, but is ['f1']. {why} Metrics of the rows of units are promised with "
        "over='rows'."
    ):
        certify(**ROWS, rates=["f1"], positive="a")
    with refuses(
        "The recall of 'd' is not defined for these rows: none of them counts towards it.", BadData
    ):
        certify(
            **(ROWS | {"y_pred": np.where(UNIT == 0, "d", GUESS)}),
            **BY_ROWS,
            rates=["recall"],
            positive="d",
            labels=["a", "b", "c", "d"],
        )


def test_a_ledger_charges_for_every_histogram():
    seen = of_rows([(0, 2, 3), (1, 2, 1)])
    with Ledger(":memory:") as book:
        asked = {"over": "rows", "most_rows": 2, "rates": ["recall"], "positive": 0}
        made = certify(**seen, **asked, ledger=book)
        # Four units of two rows, and one of one: how many are wrong; and of how many rows that count how many.
        errors = math.comb(4 + 2, 2) * math.comb(1 + 1, 1)
        parts = math.comb(4 + 5, 5) * math.comb(1 + 2, 2)
        assert int(book.entries()[0].answers, 16) == errors * parts
        assert verify(made, **seen, ledger=book).adds_up


# Names of rows that come again.

IDS = np.repeat(np.arange(300), 2)


def status(made):
    return next(a for a in made.claims[0].assumptions if a.id == "independent-draws")


def test_ids_that_come_again_void_the_promise_until_something_is_said():
    rows = {"y_true": TRUTH, "y_pred": GUESS}
    with pytest.warns(UserWarning, match="say what rows belong to, with unit="):
        void = certify(**rows, ids=IDS)
    assert (status(void).status, void.claims[0].promised) == ("violated", None)
    assert status(void).evidence == "300 of 600 rows repeat an id"
    assert verify(void).verdict == "promises nothing"
    none = certify(**rows, ids=IDS, unit="none")
    assert (status(none).status, none.claims[0].applies) == ("declared", True)
    assert "though 300 of 600 rows repeat an id" in status(none).evidence
    assert certify(**rows, ids=np.arange(600)).claims[0].applies
    assert certify(**rows, ids=IDS, unit=IDS).claims[0].of.quantity == "unit-mean-error"
    with refuses("unit must be a column, or 'none', but is 'user'."):
        certify(**rows, unit="user")
    with refuses("ids must be left out with counts, but is 'given'."):
        certify(errors=1, rows=9, ids=[1])


def test_ids_void_every_promise_about_rows():
    with pytest.warns(UserWarning, match="Nothing is promised"):
        scores = certify(
            y_true=TRUTH == "a", score=RNG.random(600), rates=["auc", "brier"], ids=IDS
        )
    assert [claim.promised for claim in scores.claims] == [None, None]
    with pytest.warns(UserWarning, match="say unit='none'"):
        assert certify(loss=RNG.random(600), ids=IDS).claims[0].promised is None
    with pytest.warns(UserWarning, match="Nothing is promised"):
        numbers = certify(y_true=np.arange(600.0), y_pred=np.zeros(600), within=5, ids=IDS)
    assert numbers.claims[0].promised is None


class Constant:
    """Says the same of every row."""

    def predict(self, X):
        return np.full(len(X), "a")


def test_columns_of_a_table_that_are_ids_by_their_names_are_looked_at():
    table = pd.DataFrame({"patient_id": IDS, "size": np.arange(600.0)})
    with pytest.warns(
        UserWarning, match="the column 'patient_id' repeats itself in 300 of 600 rows"
    ):
        assert certify(Constant(), table, TRUTH).claims[0].promised is None
    assert certify(Constant(), table, TRUTH, unit="none").claims[0].applies
    assert certify(Constant(), table, TRUTH, unit=table["patient_id"]).claims[0].applies
    assert certify(Constant(), table[["size"]], TRUTH).claims[0].applies
    # Copies of a row do not count, so that their ids do not come again either.
    copies = pd.DataFrame({"id": IDS, "size": IDS / 2})
    made = certify(Constant(), copies, TRUTH)
    assert (made.rows, made.claims[0].applies) == (300, True)


def test_the_command(tmp_path):
    table = pd.DataFrame({"user_id": UNIT, "truth": TRUTH, "guess": GUESS})
    table.to_csv(tmp_path / "t.csv", index=False)
    columns = ("--truth", "truth", "--prediction", "guess")
    out = tmp_path / "t.cert.json"
    void = run("certify", tmp_path / "t.csv", *columns)
    assert (void.code, "--unit user_id" in void.out) == (1, True)
    asked = (*columns, "--unit", "user_id", "--over", "rows", "--most-rows", "15")
    found = run(
        "certify", tmp_path / "t.csv", *asked, "--rate", "f1", "--positive", "a", "--out", out
    )
    assert found.code == 0
    assert "Of all rows of new units, the share that is wrong is at most" in found.out
    checked = run("verify", out, "--data", tmp_path / "t.csv", *columns, "--unit", "user_id")
    assert checked.code == 0
    whole = run(
        "certify", tmp_path / "t.csv", *columns, "--unit", "user_id", "--over", "whole-units"
    )
    assert "The chance that a new unit has a wrong row is at most" in whole.out
    assert run("certify", tmp_path / "t.csv", *columns, "--over", "rows").code == 2
    assert (
        run("certify", tmp_path / "t.csv", *columns, "--unit", "user_id", "--over", "all").code == 2
    )


def test_a_stream_promises_nothing_of_new_rows_where_an_id_comes_again(tmp_path):
    a, b = RNG.random(600), RNG.random(600)
    table = pd.DataFrame({"user_id": IDS, "a": a, "b": b, "y": np.where(a > b, "p", "n")})
    table.to_csv(tmp_path / "s.csv", index=False)
    out = tmp_path / "s.cert.json"
    asked = ("stream", tmp_path / "s.csv", "--target", "y", "--learner", "perceptron")
    asked = (*asked, "--column", "a", "--column", "b")
    found = run(*asked, "--independent", "--certificate", out)
    assert "the column 'user_id' repeats itself in 300 of 600 rows" in found.out
    first, second, *_ = Certificate.load(out).claims
    # What is promised of each next row does not ask how rows are drawn.
    assert (first.applies, second.promised) == (True, None)
    assert verify(out)
    declared = run(*asked, "--independent", "--unit", "none", "--certificate", out)
    assert declared.code == 0
    assert all(claim.applies for claim in Certificate.load(out).claims)
    plain = run(*asked, "--certificate", out)
    assert "nobody declared" in plain.out
    assert run(*asked, "--unit", "user_id").code == 2
    with pytest.raises(BadParameter):
        certify(**ROWS, over="rows", most_rows="many")
