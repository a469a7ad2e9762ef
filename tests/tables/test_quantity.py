"""Quantities from a table: what the target is taken for, what is learned, promised, kept and told."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from assay import compare_table, fit_table, load, predict_table, verify
from assay.errors import BadData, BadParameter
from assay.tables.candidates import REGRESSORS, Shape, candidates_for
from assay.tables.quantity import ByAbsoluteError
from assay.tables.story import story_of
from assay.tables.task import task_of
from tests.soundness import assert_sound, assert_unsound


def table(rows=300, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2))
    kind = rng.choice(["new", "old"], rows)
    y = 3 * x[:, 0] + np.where(kind == "new", 2.0, 0.0) + noise * rng.normal(size=rows)
    return pa.table({"size": x[:, 0], "depth": x[:, 1], "kind": kind, "price": np.round(y, 3)})


@pytest.fixture(scope="module")
def fitted():
    return fit_table(table(), "price", learner="ridge", range=(-40, 40))


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.arange(101.0), "quantity"),
        (np.tile(np.arange(101), 20), "quantity"),
        (np.tile(np.arange(100), 20), "classes"),
        (np.tile([0.5, 1.5, 2.5], 20), "classes"),
        (np.arange(40) / 7, "quantity"),
        (np.arange(20) / 7, "classes"),
        (np.array(["a", "b"] * 30), "classes"),
        (np.array([True, False] * 30), "classes"),
    ],
)
def test_what_a_target_is_taken_for(values, task):
    assert task_of(values, "auto", "'y'", "t.csv") == task
    assert task_of(values, "classes", "'y'", "t.csv") == "classes"


def test_naming_a_regressor_or_the_task_decides():
    few = pa.table({"a": np.arange(60.0), "y": np.arange(60) % 5})
    assert fit_table(few, "y", learner="decision-tree-classifier").task == "classes"
    assert fit_table(few, "y", learner="decision-tree-regressor").task == "quantity"
    assert fit_table(few, "y", learner="ridge", task="quantity").task == "quantity"
    with pytest.raises(BadParameter, match="ridge predicts numbers, not classes"):
        fit_table(few, "y", learner="ridge", task="classes")


def test_what_is_promised_is_verified_from_the_data(fitted):
    off, mean = fitted.certificate.claims
    assert off.theorem == "tolerance-limit"
    assert mean.theorem == "bounded-betting"
    seen = fitted.evidence.quantities
    assert np.mean(np.abs(seen.truth - seen.predicted) <= off.promised) > 0.9
    assert mean.promised * 80 > seen.mean_absolute
    assert verify(fitted.certificate, y_true=seen.truth, y_pred=seen.predicted)
    moved = np.where(np.arange(len(seen)) == 3, seen.predicted + 9, seen.predicted)
    assert not verify(fitted.certificate, y_true=seen.truth, y_pred=moved)


def test_it_is_told_in_the_unit_of_the_numbers(fitted):
    story = story_of(fitted, figures=True)
    learned, promised = story.summary
    assert "it is off by 0." in learned
    assert "R² 0.9" in learned
    assert "at least 90 % of new rows are within ±" in promised
    assert story.panels[0].title == "True and predicted"
    assert fitted.error == fitted.evidence.quantities.mean_absolute


def test_the_model_file_predicts_the_same(fitted, tmp_path):
    rows = table(20, seed=5)
    named = fitted.save(tmp_path / "m.assay")
    assert named.certificate.document["subject"]["model"] is not None
    again = load(tmp_path / "m.assay")
    first, second = (
        np.concatenate([batch.column("prediction") for batch in predict_table(model, rows)])
        for model in (fitted.model, again)
    )
    assert first.tolist() == second.tolist()
    assert np.abs(first - rows["price"].to_numpy()).mean() < 1


def test_a_learner_is_chosen_by_its_mean_absolute_error():
    found = fit_table(table(200), "price", learner="ridge,k-neighbors-regressor")
    by_name = {str(one.candidate): one.off for one in found.choice.tried}
    assert found.learner == "ridge"
    assert found.choice.chosen.off == min(by_name.values())
    # A promise about the holdout alone: the choice was made without it.
    assert [claim.theorem for claim in found.certificate.claims] == ["tolerance-limit"]


def test_the_judge_never_takes_what_predicts_no_number():
    judge = ByAbsoluteError()
    assert judge.weight(judge.cost(np.array([1.0, 4.0]), np.zeros(2)), 2, 5) == 2.5
    assert judge.cost(np.array([np.nan, 0.0]), np.zeros(2)) == np.inf


def test_candidates_are_a_prefix_free_code():
    for shape in (Shape(10, task="quantity"), Shape(10, texts=True, task="quantity")):
        assert sum(2.0**-one.bits for one in candidates_for(shape)) <= 1
    assert {"ridge", "random-forest-regressor", "kernel-ridge"} <= {c.learner for c in REGRESSORS}


def test_too_few_rows_promise_less_of_them():
    small = fit_table(table(100), "price", learner="ridge")
    assert small.certificate.claims[0].of.numbers == ("0.2",)
    with pytest.raises(BadData, match="must have at least 5 rows for a promise about half"):
        fit_table(table(24), "price", learner="ridge", holdout=4)


def test_learners_side_by_side():
    found = compare_table(table(200), "price", learners=["k-neighbors-regressor", "ridge"])
    assert [row.learner for row in found.rows] == ["ridge", "k-neighbors-regressor"]
    assert found.task == "quantity"
    assert {claim.delta for row in found.rows for claim in row.certificate.claims} == {"0.025"}
    within = compare_table(table(200), "price", learners=["ridge"], within=1)
    assert within.rows[0].errors == within.rows[0].certificate.claims[0].inputs["errors"]


def test_units_and_ledgers_take_a_limit(tmp_path):
    units = table().append_column("who", pa.array(np.arange(300) // 3))
    by_unit = fit_table(units, "price", learner="ridge", unit="who", within=1)
    assert by_unit.certificate.claims[0].theorem == "unit-mean-betting"
    with pytest.raises(BadParameter, match="Say how far off a row may be, as within"):
        fit_table(units, "price", learner="ridge", unit="who")
    with pytest.raises(BadParameter, match="Only a count can be charged to a ledger"):
        fit_table(table(), "price", learner="ridge", ledger=tmp_path / "l.db", range=(-9, 9))
    looks = [
        fit_table(
            table(), "price", learner="ridge", ledger=tmp_path / "l.db", within=1, random_state=seed
        )
        for seed in (0, 1)
    ]
    first, second = (look.certificate.claims[0] for look in looks)
    assert float(second.delta) < float(first.delta) / 10
    # Nothing is told but what was charged for.
    assert "off by 0." not in story_of(looks[1]).summary[0]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"range": (0, 9)}, "must hold numbers from 0 to 9 in column 'price', the declared range"),
        ({"range": (9, 0)}, "range must be a pair of numbers, the lower first"),
        ({"range": (0,)}, "range must be a pair of numbers"),
        ({"coverage": 1}, "coverage must be a number strictly between 0 and 1"),
        ({"within": -1}, "within must be"),
        ({"coverage": 0.999}, "coverage must be lower for so few rows"),
        ({"learner": "svc"}, "svc predicts classes, but column 'price' is a quantity"),
        ({"task": "number"}, "task must be 'auto', 'classes' or 'quantity'"),
    ],
)
def test_what_cannot_be_promised(asked, sentence):
    with pytest.raises((BadData, BadParameter), match=sentence.replace("(", r"\(")):
        _ = fit_table(table(150), "price", **{"learner": "ridge"} | asked).certificate


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0] * 60, "nothing but 1.0 in column 'y'"),
        ([*range(59), 1e60], r"between -1e50 and 1e50 in column 'y', but holds 1e\+60"),
        ([*range(59), np.inf], "holds inf in column .y., row 60"),
        (["a", "b"] * 30, "must hold numbers in column 'y' for a quantity to be learned"),
    ],
)
def test_targets_that_are_no_quantity(values, sentence):
    odd = pa.table({"a": np.arange(60.0), "b": np.arange(60.0) % 7, "y": pa.array(values)})
    with pytest.raises(BadData, match=sentence):
        fit_table(odd, "y", learner="ridge")


def promises(trials, limit):
    """How often fewer than nine tenths of new rows are within what a fit of a skewed quantity promises."""
    broken = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        # Predicted by a tree of one leaf, errors are those of a constant: heavy on one side, with ties.
        y = np.ceil(4 * rng.exponential(size=60)) / 4
        rows = pa.table({"a": rng.normal(size=60), "b": rng.normal(size=60), "y": y})
        made = fit_table(
            rows,
            "y",
            task="quantity",
            learner="decision-tree-regressor",
            parameters={"max_leaf_nodes": 2, "min_samples_leaf": 10},
            holdout=40,
            random_state=seed,
            order="none",
        )
        numbers = made.evidence.quantities
        t = limit(made, np.sort(numbers.scores))
        fresh = np.ceil(4 * rng.exponential(size=4000)) / 4
        new = pa.table({"a": rng.normal(size=4000), "b": rng.normal(size=4000)})
        told = np.concatenate([b.column("prediction") for b in predict_table(made.model, new)])
        share = np.mean(np.abs(fresh - told) <= t)
        broken += bool(share < 0.9 - 0.02)
    return broken


@pytest.mark.guarantees
def test_fits_of_quantities_keep_their_promise_and_the_usual_quantile_does_not():
    assert_sound(promises(300, lambda made, s: made.certificate.claims[0].promised), 300, 0.05)
    assert_unsound(promises(300, lambda made, s: s[34]), 300, 0.05)


def test_the_command_line_tells_the_same(tmp_path):
    import pyarrow.csv as pacsv

    from tests.cli.runner import run

    pacsv.write_csv(table(), tmp_path / "t.csv")
    told = json.loads(
        run("fit", tmp_path / "t.csv", "--target", "price", "--learner", "ridge", "--within", "1",
            "--range=-40,40", "--json").out
    )  # fmt: skip
    assert told["task"] == "quantity"
    assert 0.3 < told["mean_absolute_error"] < 0.6 < told["r_squared"]
    assert [c["quantity"] for c in told["certificate"]["claims"]] == [
        "beyond",
        "mean-absolute-error",
    ]
