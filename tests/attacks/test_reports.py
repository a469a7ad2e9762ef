"""Reports that would say too much: ids under many units, groups that vanish, judges that are right, equal rivals."""

import json

import numpy as np
import pandas as pd
import pytest

from assay import certify, certify_difference, certify_judged, verify
from assay.errors import BadData, BadParameter
from tests.cli.runner import run

ROWS = 200
TRUTH = np.array([0, 1] * (ROWS // 2))
GUESS = np.where(np.arange(ROWS) < 10, 1 - TRUTH, TRUTH)
OLD = np.where(np.arange(ROWS) < 40, 1 - TRUTH, TRUTH)
IDS = [f"q{i // 2}" for i in range(ROWS)]
ALONE = np.arange(ROWS)


def of_units(claim):
    [known] = [a for a in claim.assumptions if a.id == "independent-units"]
    return known.status, known.evidence


# Copies, each in a unit of its own.


def test_an_id_that_stands_in_several_units_is_told():
    said = ("assumed", "though 100 of 100 'ids' stand in several units")
    made = certify(y_true=TRUTH, y_pred=GUESS, unit=ALONE, ids=IDS)
    assert of_units(made.claims[0]) == said
    assert verify(made, y_true=TRUTH, y_pred=GUESS, unit=ALONE).ok
    compared = certify_difference(
        y_true=TRUTH, y_pred=GUESS, baseline=OLD, unit=ALONE, ids=[i.upper() for i in IDS]
    )
    assert of_units(compared.claims[0]) == said
    assert verify(compared).ok
    whole = certify(y_true=TRUTH, y_pred=GUESS, unit=ALONE // 2, ids=IDS)
    assert of_units(whole.claims[0]) == ("assumed", "")


def test_so_it_is_of_files(tmp_path):
    table = {"user_id": IDS, "turn": ALONE, "row": ALONE, "y": TRUTH, "guess": GUESS}
    new, old = tmp_path / "new.csv", tmp_path / "old.csv"
    pd.DataFrame(table).to_csv(new, index=False)
    pd.DataFrame(table | {"guess": OLD}).to_csv(old, index=False)
    columns = ("--truth", "y", "--prediction", "guess", "--unit", "turn")
    for told in (run("certify", new, *columns), run("compare", old, new, "--on", "row", *columns)):
        assert told.code == 0, told.err
        assert "though 100 of 100 'user_id' stand in several units" in told.out
    alone = run("certify", new, *columns[:-1], "user_id")
    assert alone.code == 0
    assert "several units" not in alone.out


@pytest.mark.parametrize("unit", [[np.nan, *range(1, ROWS)], [None, *["a"] * (ROWS - 1)]])
def test_rows_without_a_unit_are_refused(unit):
    with pytest.raises(BadData, match="unit has no value in row 1"):
        certify(y_true=TRUTH, y_pred=GUESS, unit=unit)


def test_one_unit_promises_nothing():
    assert certify(y_true=TRUTH, y_pred=TRUTH, unit=np.zeros(ROWS)).claims[0].vacuous
    compared = certify_difference(y_true=TRUTH, y_pred=TRUTH, baseline=OLD, unit=np.zeros(ROWS))
    assert compared.claims[0].vacuous


# Groups.


def test_groups_with_commas_and_quotes_are_what_they_are(tmp_path):
    levels = ["a, b", "c = 'd'", 'e"; f', "x*y"] * (ROWS // 4)
    path = tmp_path / "t.csv"
    pd.DataFrame({"s, t": levels, "y": TRUTH, "guess": GUESS}).to_csv(path, index=False)
    told = run(
        *("certify", path, "--truth", "y", "--prediction", "guess", "--by", "s, t", "--json")
    )
    claims = json.loads(told.out)["certificate"]["claims"]
    groups = [claim["group"] for claim in claims if "group" in claim]
    assert sorted(level for [[_, level]] in groups) == sorted(set(levels))
    made = certify(y_true=TRUTH, y_pred=GUESS, groups={"s, t": levels})
    assert verify(made).ok


def test_a_category_without_rows_is_no_group():
    """Nothing is said of it: a gate is about the groups that are named, and so many are."""
    levels = pd.Categorical(["a", "b"] * (ROWS // 2), categories=["a", "b", "c"])
    made = certify(y_true=TRUTH, y_pred=GUESS, groups={"s": levels}, every_group=True)
    assert made.claims[0].of == "error of the worst of 2 groups"
    assert made.claims[0].inputs["rows"] == [100, 100]


def test_the_same_groups_under_two_names_are_paid_for_twice():
    halves = ["a", "b"] * (ROWS // 2)
    one = certify(y_true=TRUTH, y_pred=GUESS, groups={"s": halves}).claims[1]
    two = certify(y_true=TRUTH, y_pred=GUESS, groups={"s": halves, "t": halves}).claims[1]
    assert float(two.delta) == float(one.delta) / 2
    assert two.promised > one.promised


# Rivals, judges and numbers at their ends.


def test_equal_rivals_pay_as_others_do():
    rivals = {"a": OLD, "b": OLD}
    made = certify_difference(y_true=TRUTH, y_pred=GUESS, baseline=rivals, margin=0.05)
    alone = certify_difference(y_true=TRUTH, y_pred=GUESS, baseline=OLD, margin=0.05)
    assert all(c.promised <= alone.claims[0].promised for c in made.claims)
    assert verify(made).ok
    itself = certify_difference(y_true=TRUTH, y_pred=GUESS, baseline={"a": GUESS, "b": OLD})
    assert itself.claims[0].promised < 0


def test_a_judge_that_is_always_right_promises_no_more_than_labels_show():
    verdicts = ["bad" if wrong else "good" for wrong in GUESS != TRUTH]
    every = certify_judged(verdicts, dict(enumerate(verdicts)), wrong="bad")
    assert every.claims[0].promised == 10
    few = {i: verdicts[i] for i in (*range(0, 10, 2), *range(10, ROWS, 10))}
    assert certify_judged(verdicts, few, wrong="bad", at_random=True).claims[0].promised > 10
    with pytest.raises(BadParameter, match="at most the population 10, but is 20"):
        certify_judged(labels=[(20, 1)], population=[10])
    for place in (-1, ROWS, True, 1.0):
        with pytest.raises(BadParameter, match="a key of labels must be a place from 0 to 199"):
            certify_judged(verdicts, {place: "bad", 5: "good"}, wrong="bad")


def test_scores_that_are_all_tied_rank_nothing():
    made = certify(y_true=TRUTH, score=np.full(ROWS, 0.5), rates=["auc"]).claims[0]
    assert made.promised < 0.6
    with pytest.raises(BadData, match="score has no value in row 1"):
        certify(y_true=TRUTH, score=np.full(ROWS, np.nan), rates=["auc"])
    with pytest.raises(BadData, match="quantities must lie between"):
        certify(y_true=TRUTH, score=np.full(ROWS, np.inf), rates=["auc"])


@pytest.mark.parametrize("loss", [-1e-300, 1.0000000000000002, np.nan, np.inf])
def test_losses_beyond_the_range_are_refused(loss):
    with pytest.raises(BadData):
        certify(loss=[0.5, loss])
    with pytest.raises(BadData):
        certify_difference(loss=[0.5, loss], baseline_loss=[0.5, 0.5])
