"""Rows scaled by the rows so far: the same whole, in chunks and one at a time, and nothing learned in vain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy import sparse

from assay import Perceptron, load, read_table, save
from assay.data import RunningScale
from assay.errors import BadData
from tests.data.reading import refuses
from tests.naive.running_scale import running_scale

DATA = Path(__file__).parents[3] / "examples" / "data"
X = np.random.default_rng(3).normal(3.0, 5.0, size=(300, 4))


def state(scale):
    return scale.rows, scale.mean.tobytes(), scale.squares.tobytes()


def test_like_the_definition():
    assert RunningScale().transform(X[:50]) == pytest.approx(
        np.array(running_scale(X[:50].tolist())), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("size", [1, 7, 100])
def test_whole_in_chunks_and_one_at_a_time(size):
    whole, parts = RunningScale(), RunningScale()
    scaled = whole.transform(X)
    found = [parts.transform(X[start : start + size]) for start in range(0, len(X), size)]
    assert np.concatenate(found).tobytes() == scaled.tobytes()
    assert state(parts) == state(whole)
    assert parts.rows == 300


def test_asked_not_to_learn_it_changes_nothing():
    scale = RunningScale()
    scaled = scale.transform(X)
    before = state(scale)
    assert scale.transform(X, learn=False)[-1].tobytes() == scaled[-1].tobytes()
    expected = (X - X.mean(axis=0)) / X.std(axis=0)
    assert scale.transform(X, learn=False) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert state(scale) == before
    with refuses("No row has been seen that others could be scaled by. Learn some first."):
        RunningScale().transform(X, learn=False)


def test_features_that_do_not_vary_are_zero():
    constant = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    scale = RunningScale()
    assert not scale.transform(constant)[:, 0].any()
    assert not scale.transform(constant + 9, learn=False)[:, 0].any()
    assert scale.deviation.tolist() == [0.0, pytest.approx(np.sqrt(2))]


def test_the_given_rows_stay_and_any_numbers_do():
    whole = X.round().astype(int)
    kept = whole.copy()
    scaled = RunningScale().transform(whole)
    assert scaled.dtype == np.float64
    assert (whole == kept).all()
    for same in (whole.astype(np.float32), np.asfortranarray(whole), whole.tolist()):
        assert RunningScale().transform(same).tobytes() == scaled.tobytes()


def test_a_frame_stays_one():
    frame = pandas.DataFrame(X[:9], columns=list("abcd"), index=range(5, 14))
    scale = RunningScale()
    for learn in (True, False):
        scaled = scale.transform(frame, learn=learn)
        assert scaled.columns.tolist() == list("abcd")
        assert scaled.index.tolist() == list(range(5, 14))
    assert scaled.to_numpy().tobytes() == scale.transform(X[:9], learn=False).tobytes()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (np.nan, "row 8, column 1 holds NaN"),
        (-np.inf, "row 8, column 1 holds infinity"),
        (1e141, "row 8 is too large to be learned from"),
    ],
)
def test_a_bad_cell_is_named_and_nothing_learned(value, why):
    scale = RunningScale()
    scale.transform(X[:20])
    before = state(scale)
    bad = X[20:40].copy()
    bad[8, 1] = value
    for learn in (True, False):
        with refuses(f"X cannot be standardized: {why}."):
            scale.transform(bad, learn=learn)
        assert state(scale) == before
    scaled, refusal = scale.copy().until_refused(bad)
    assert str(refusal) == f"X cannot be standardized: {why}."
    assert scaled.tobytes() == scale.transform(bad[:8]).tobytes()


def test_other_refusals():
    scale = RunningScale()
    scale.transform(X)
    with refuses(
        "Sparse rows cannot be standardized, since centring would fill in all their zeros."
    ):
        scale.transform(sparse.csr_array(X))
    with refuses("X has 3 features, but the rows before had 4."):
        scale.transform(X[:, :3])
    with refuses("X must have rows and columns, but has the shape (4,)."):
        scale.transform(X[0])
    with pytest.raises(BadData, match="must hold numbers"):
        scale.transform([["a", "b", "c", "d"]])


def test_a_copy_goes_on_by_itself():
    scale = RunningScale()
    scale.transform(X[:10])
    other = scale.copy()
    other.transform(X[10:])
    assert (scale.rows, other.rows) == (10, 300)
    assert scale.mean == pytest.approx(X[:10].mean(axis=0))


def test_elec2_is_predicted_better_by_a_third():
    elec2 = read_table(DATA / "elec2.parquet", target="target")
    rows, labels = elec2.X, elec2.y
    raw = Perceptron().partial_fit(rows, labels, classes=[0, 1])
    model = Perceptron().partial_fit(RunningScale().transform(rows), labels, classes=[0, 1])
    assert 0.095 < model.record_.mistakes / len(labels) < 0.099
    assert raw.record_.mistakes / len(labels) > 0.14
    assert all(g.holds for g in model.guarantees())


# In a model file


def scaled_model():
    scale = RunningScale()
    model = Perceptron().partial_fit(scale.transform(X), X[:, 0] > 3, classes=[False, True])
    model.scale_ = scale
    return model


def test_it_goes_with_its_learner(tmp_path):
    model, path = scaled_model(), tmp_path / "m.assay"
    save(model, path)
    again = load(path)
    assert state(again.scale_) == state(model.scale_)
    more, other = (m.scale_.transform(X + 1) for m in (model, again))
    assert more.tobytes() == other.tobytes()
    assert state(again.scale_) == state(model.scale_)


@pytest.mark.parametrize(
    "changed",
    [
        {"rows": 0},
        {"rows": -1},
        {"rows": 1.5},
        {"mean": np.zeros(3)},
        {"mean": np.zeros(3), "squares": np.zeros(3)},
        {"mean": np.full(4, np.nan)},
        {"mean": np.full(4, 1e141)},
        {"mean": np.zeros(4, dtype=np.float32)},
        {"squares": np.full(4, -1.0)},
        {"squares": np.full(4, np.inf)},
        {"squares": [1.0, 1.0, 1.0, 1.0]},
    ],
)
def test_one_that_could_not_be_is_refused_in_a_model_file(tmp_path, changed):
    model, path = scaled_model(), tmp_path / "m.assay"
    for name, value in changed.items():
        setattr(model.scale_, name, value)
    save(model, path)
    with pytest.raises(BadData, match="damaged or was changed"):
        load(path)
