"""Rows that a stream scales by the rows so far: what is learned, what is said, what a bad row leaves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay import Perceptron, verify
from assay.certificates.issue.stream import SCALED
from assay.data import Examples, RunningScale
from assay.errors import BadData, Where
from assay.guarantees.assumption import Assumption
from assay.play.stream import Stream
from assay.play.turns import Player
from tests.data.reading import refuses

RNG = np.random.default_rng(2)
X = RNG.normal(size=(600, 5))
TWO = np.where((X[:, 0] + X[:, 2] > 0) ^ (RNG.random(600) < 0.1), "spam", "ham").astype(object)
THREE = np.digitize(X[:, 0], [-0.5, 0.5])


def learn_all(stream, X, y, size=64):
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        stream.learn(Examples(X[part], y[part], list("abcde"), "kind", None, start + 1))
    stream.close()


def streamed(learner, X, y, size=64, **terms):
    stream = Stream(learner, source="mails.csv", **terms)
    learn_all(stream, X, y, size)
    return stream


def test_scaled_rows_are_those_that_are_learned():
    scale = RunningScale()
    stream = streamed(Perceptron(), X * 100 + 7, TWO, size=50, scale=scale)
    scaled = RunningScale().transform(X * 100 + 7)
    same = Perceptron().partial_fit(scaled, TWO, classes=["ham", "spam"])
    assert stream.learner.coef_.tobytes() == same.coef_.tobytes()
    assert stream.errors == same.record_.mistakes
    assert stream.learner.scale_ is scale
    assert scale.rows == 600
    for claim in stream.certificate().claims:
        assert Assumption(SCALED, "by construction") in claim.assumptions
    assert verify(stream.certificate()).ok
    assert not any(
        a.name == SCALED
        for claim in streamed(Perceptron(), X, TWO).certificate().claims
        for a in claim.assumptions
    )


def test_several_classes_are_scaled_too():
    stream = streamed(Perceptron(), X, THREE, scale=RunningScale())
    same = Perceptron().partial_fit(RunningScale().transform(X), THREE, classes=[0, 1, 2])
    assert stream.learner.coef_.tobytes() == same.coef_.tobytes()


@pytest.mark.parametrize("size", [1, 64, 1000])
@pytest.mark.parametrize(
    ("row", "value", "why"),
    [
        (300, np.nan, "mails.csv: X cannot be standardized: row 301, column 'c' holds NaN."),
        (0, np.inf, "mails.csv: X cannot be standardized: row 1, column 'c' holds infinity."),
        (
            300,
            1e141,
            "mails.csv: X cannot be standardized: row 301 is too large to be learned from.",
        ),
    ],
)
def test_a_row_that_cannot_be_scaled_ends_the_stream(size, row, value, why):
    bad = X.copy()
    bad[row, 2] = value
    stream = Stream(Perceptron(), labels=["ham", "spam"], source="mails.csv", scale=RunningScale())
    with refuses(why):
        learn_all(stream, bad, TWO, size)
    assert stream.rows == stream.scale.rows == row
    assert hasattr(stream.learner, "scale_") == (row > 0)


def test_a_row_that_cannot_be_learned_leaves_no_trace_in_the_scale(monkeypatch):
    """The learner stops in the middle of a chunk that the scale has seen to its end."""

    def teach(player, examples, start, stop, labels):
        block = examples.block(start, start + 10)
        player.learner.partial_fit(block, labels[start : start + 10], classes=player.classes)
        raise BadData(Where(row=10), " of X is too large to be learned from.")

    monkeypatch.setattr(Player, "teach_rows", teach)
    stream = Stream(Perceptron(), labels=["ham", "spam"], source="mails.csv", scale=RunningScale())
    with refuses("mails.csv: Row 11 of X is too large to be learned from."):
        learn_all(stream, X, TWO, 50)
    expected = RunningScale()
    expected.transform(X[:10])
    assert (stream.rows, stream.scale.rows) == (10, 10)
    assert stream.learner.scale_ is stream.scale
    assert stream.scale.mean.tobytes() == expected.mean.tobytes()
    assert stream.scale.squares.tobytes() == expected.squares.tobytes()


def test_sparse_rows_are_not_scaled():
    stream = Stream(Perceptron(), labels=["ham", "spam"], scale=RunningScale())
    with refuses(
        "Sparse rows cannot be standardized, since centring would fill in all their zeros."
    ):
        learn_all(stream, sparse.csr_array(X), TWO)
    assert stream.rows == stream.scale.rows == 0
