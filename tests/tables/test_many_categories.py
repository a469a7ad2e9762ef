"""Columns of many categories, from a table to predictions: learned where they tell, harmless where they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay import compare_table, fit_table, load, predict_table
from assay.data.target_statistics import Counted


def noise(seed, rows=1200, zips=400):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    y = np.where(x + rng.normal(size=rows) > 0, "yes", "no")
    return pa.table({"x": x, "zip": [f"z{i}" for i in rng.integers(zips, size=rows)], "y": y})


def signal(seed, rows=2000, zips=100):
    rng = np.random.default_rng(seed)
    place, x = rng.integers(zips, size=rows), rng.normal(size=rows)
    height = x + 2 * rng.normal(size=zips)[place] + rng.normal(size=rows) / 2
    columns = {"x": x, "zip": [f"z{i}" for i in place], "height": height}
    return pa.table(columns | {"y": np.where(height > 0, "yes", "no")})


def error(table, target="y", **terms):
    given = {"learner": "logistic-regression", "order": "none"} | terms
    return fit_table(table, target, **given).error


def harm(seed):
    """By how much noise that looks like zip codes makes predictions worse."""
    table = noise(seed)
    return error(table) - error(table, drop=["zip"])


def broken(monkeypatch):
    """Every row meets its own outcome, and the mean of all weighs as much as one row."""
    counted = Counted.of

    def unsmoothed(*given):
        made = counted(*given)
        return replace(made, strength=np.ones_like(made.strength))

    monkeypatch.setattr(Counted, "of", unsmoothed)
    monkeypatch.setattr(Counted, "of_others", lambda self, codes, outcomes: self.statistics[codes])


def test_noise_does_no_harm_and_the_broken_twin_does(monkeypatch):
    assert np.mean([harm(seed) for seed in range(4)]) < 0.02
    broken(monkeypatch)
    assert np.mean([harm(seed) for seed in range(4)]) > 0.05


def training_error(seed):
    """Of a tree that is shown zip codes of two rows each, and a target that is a coin."""
    rng = np.random.default_rng(seed)
    table = pa.table({"zip": [f"z{i // 2}" for i in range(1000)], "y": rng.integers(0, 2, 1000)})
    compared = fit_table(
        table,
        "y",
        learner="decision-tree-classifier",
        parameters={"max_depth": 2},
        overlap="keep",
        order="none",
        categories=["zip", "y"],
    )
    return compared.model.record_.errors / compared.train_rows


def test_training_rows_do_not_look_known_and_in_the_broken_twin_they_do(monkeypatch):
    assert training_error(1) > 0.4
    broken(monkeypatch)
    assert training_error(1) < 0.3


def test_the_choice_is_not_taken_in_by_noise(monkeypatch):
    """With nothing to be learned, no candidate looks better than guessing on the rows that judge."""
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=1000), "zip": [f"z{i}" for i in rng.integers(200, size=1000)]}
    table = pa.table(columns | {"y": np.where(rng.random(1000) < 0.5, "yes", "no")})
    chosen = fit_table(
        table, "y", learner=["logistic-regression", "gaussian-nb"], order="none"
    ).choice.chosen
    assert chosen.errors / chosen.rows > 0.4


def test_zip_codes_that_tell_are_learned_by_classifiers():
    table = signal(1).drop_columns(["height"])
    for learner in ("logistic-regression", "hist-gradient-boosting-classifier"):
        terms = {"learner": learner}
        assert error(table, **terms) < error(table, drop=["zip"], **terms) - 0.1


def test_zip_codes_that_tell_are_learned_by_regressors():
    table = signal(2).drop_columns(["y"])
    fitted = fit_table(table, "height", learner="ridge", order="none")
    assert fitted.preparation.features == ("x", "mean by zip")
    assert fitted.error < 0.6 * error(table, "height", learner="ridge", drop=["zip"])


def test_compare_shows_them_to_all():
    compared = compare_table(
        signal(1).drop_columns(["height"]),
        "y",
        learners=["logistic-regression", "decision-tree-classifier", "gaussian-nb"],
        order="none",
    )
    assert all(one.errors / compared.holdout_rows < 0.3 for one in compared.rows)


def test_a_model_file_knows_them_and_unknown_ones_are_watched(tmp_path):
    table = signal(3).drop_columns(["height"])
    fitted = fit_table(table, "y", learner="logistic-regression", order="none")
    fitted.save(tmp_path / "model")
    model = load(tmp_path / "model")
    rows = pa.table({"zip": ["z1", "z2", "never seen", None], "x": [0.0] * 4})
    [batch] = predict_table(model, rows, proba=True)
    shares = batch.column("probability of yes").to_pylist()
    known = {c.name: c for c in fitted.preparation.columns}["zip"]
    by_zip = dict(zip(known.categories, known.statistics, strict=True))
    assert (shares[0] > shares[1]) == (by_zip["z1"] > by_zip["z2"])
    assert min(shares[:2]) < shares[2] < max(shares[:2]) or shares[2] == pytest.approx(0.5, abs=0.2)


@pytest.mark.parametrize(
    "terms", [{"holdout": "last"}, {"time": "day"}, {"unit": "person"}, {"overlap": "keep"}]
)
def test_they_are_learned_whatever_is_held_out(terms):
    table = signal(4).drop_columns(["height"])
    table = table.append_column("day", pa.array(np.arange(2000) // 3))
    table = table.append_column("person", pa.array(np.arange(2000) // 2))
    given = {"learner": "logistic-regression", "drop": ["day", "person"]} | terms
    given["drop"] = [name for name in given["drop"] if name not in terms.values()]
    if not {"holdout", "time", "unit"} & set(terms):
        given["order"] = "none"
    assert fit_table(table, "y", **given).error < 0.25


def test_a_table_of_the_column_alone_is_learned_where_equal_rows_are_separate_draws():
    table = signal(5).select(["zip", "y"])
    assert error(table, overlap="keep") < 0.3


def test_old_model_files_have_no_such_columns():
    """A preparation as it was written before there were any."""
    from assay.data import encoder_from_json

    document = {
        "encoder": "preparation",
        "columns": [{"name": "a", "kind": "category", "categories": ["x", "y"]}],
        "unknown": "other",
        "missing": "nan",
        "words": 0,
        "flagged": [],
        "mean": [],
        "deviation": [],
        "scaled": True,
        "sparse": False,
    }
    assert encoder_from_json(document).features == ("a=x", "a=y", "a=(other)")
