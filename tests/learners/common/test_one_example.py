"""One example at a time: vectors and dicts, features that come later, refusals that leave nothing behind."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import BernoulliNB, GaussianNB, load, play, save
from assay.errors import BadData

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] + 0.3 * RNG.normal(size=60) > 0


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


@pytest.mark.parametrize("kind", [GaussianNB, BernoulliNB])
def test_the_same_bits_as_chunks_of_one(kind):
    one, chunks, named = kind(), kind(), kind()
    assert one.predict_one(X[0]) is None
    for row, label in zip(X, Y, strict=True):
        one.learn_one(row, label)
        named.learn_one(dict(zip("dcba", row, strict=True)), bool(label))
        chunks.partial_fit(row[None], [label], classes=[False, True])
    assert one.predict_proba(X).tobytes() == chunks.predict_proba(X).tobytes()
    assert named.feature_names_in_.tolist() == list("abcd")
    for row, label in zip(X, chunks.predict(X), strict=True):
        assert one.predict_one(row) == label
        assert named.predict_one(dict(zip("dcba", row, strict=True))) == label


@pytest.mark.parametrize("kind", [GaussianNB, BernoulliNB])
def test_a_feature_that_comes_later_was_zero_before(kind):
    rows = [{"a": 1.0}, {"a": 0.0, "b": 2.0}, {"c": -1.0}, {"a": 3.0, "c": 1.0}]
    labels = ["x", "y", "x", "y"]
    table = np.array([[row.get(name, 0.0) for name in "abc"] for row in rows])
    grown, whole = kind(), kind()
    for row, line, label in zip(rows, table, labels, strict=True):
        grown.learn_one(row, label, classes=["x", "y"])
        whole.partial_fit(line[None], [label], classes=["x", "y"])
    assert grown.n_features_in_ == 3
    np.testing.assert_allclose(
        [grown.predict_joint_log_proba(_frame(table))], [whole.predict_joint_log_proba(table)]
    )
    assert grown.predict_one({"a": 3.0, "never": 7.0}) == whole.predict([[3.0, 0, 0]])[0]


def _frame(table):
    import pandas as pd

    return pd.DataFrame(table, columns=list("abc"))


def test_files_between(tmp_path):
    model = GaussianNB()
    for i, (row, label) in enumerate(zip(X, Y, strict=True)):
        model.learn_one(dict(zip("abcd"[: 1 + i % 4], row.tolist(), strict=False)), bool(label))
        if i % 20 == 0:
            save(model, tmp_path / "a.assay")
            again = load(tmp_path / "a.assay")
            assert again.feature_index_ == model.feature_index_
            model = again
    assert model.rows_ == 60


def test_games():
    assert play(GaussianNB(), X, Y).mistakes < 20
    rows = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]
    assert play(BernoulliNB(), rows, Y).mistakes < 25


def test_refusals_leave_nothing_behind():
    model = GaussianNB()
    with refuses("classes must be given with the first example: all labels there are."):
        model.learn_one([1.0], "a")
    with refuses("x['a'] must be a number, but is 'one'."):
        model.learn_one({"a": "one"}, True)
    with refuses("x[1] must be a finite number, but is nan."):
        model.learn_one([1.0, np.nan], True)
    assert not hasattr(model, "classes_")
    model.learn_one([1.0, 2.0], True)
    with refuses("x must have 2 features, but has 1."):
        model.predict_one([1.0])
    with refuses(
        "x names a feature 'z', but this learner knows its features by their numbers, 0 to 1."
    ):
        model.learn_one({"z": 1.0}, True)
    with refuses("y holds the label 'a', which is none of the classes False, True."):
        model.learn_one([1.0, 2.0], "a")
    assert (model.rows_, model.n_features_in_) == (1, 2)
