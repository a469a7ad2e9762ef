"""Approximation and estimation error: exact sums, closed forms, the promise and one that is too small."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import error_decomposition
from assay.data.synthetic import JointTable, NoisyFunction, gaussian_classes
from assay.errors import BadData, BadParameter

POINTS = 8
TABLE = np.array([[1, 4], [1, 4], [4, 1], [1, 4], [4, 1], [4, 1], [1, 4], [4, 1]])
SOURCE = JointTable(TABLE)


def threshold(at, flipped=False):
    return lambda X: ((X[:, 0] >= at) != flipped).astype(int)


RULES = [threshold(at, flipped) for at in (0, 2, 7, 3, 5, 1, 4, 6) for flipped in (False, True)]
CLASSES = [RULES[:1], RULES[:4], RULES]


def truth(rule):
    """By hand: the weight of the label that is not predicted, at every point."""
    said = rule(np.arange(POINTS)[:, None])
    return sum(TABLE[x, 1 - said[x]] for x in range(POINTS)) / TABLE.sum()


def test_classes_of_rules():
    found = error_decomposition(CLASSES, SOURCE, rows=30, trials=60, random_state=0)
    assert found.least == pytest.approx(0.2)
    for step, rules in zip(found.steps, CLASSES, strict=True):
        assert step.size == len(rules)
        assert step.approximation == pytest.approx(min(map(truth, rules)))
        assert step.error.value == pytest.approx(step.approximation + step.estimation.value)
        assert 0 <= step.estimation.value <= step.largest <= step.promised
        assert step.broken == 0
    falling = [step.approximation for step in found.steps]
    assert falling == sorted(falling, reverse=True)
    assert found.steps[0].estimation.value == 0
    assert found.steps[-1].estimation.value > 0
    assert found.best in found.steps
    lines = str(found).splitlines()
    assert lines[0] == "After 30 rows, 60 samples; no rule errs less than 0.2:"
    assert lines[1].split() == ["rules", "error", "approximation", "estimation", "promised"]
    assert len(lines) == 5


def test_more_rows_lessen_estimation_but_not_approximation():
    few, many = (
        error_decomposition(CLASSES, SOURCE, rows=m, trials=60, random_state=0).steps[-1]
        for m in (10, 400)
    )
    assert many.approximation == few.approximation
    assert many.estimation.value < few.estimation.value / 3


def test_the_promise_is_kept_and_a_tenth_of_it_is_not():
    found = error_decomposition(CLASSES, SOURCE, rows=12, trials=300, random_state=1).steps[-1]
    assert found.broken == 0
    assert found.largest > found.promised / 10


def test_rules_on_a_distribution_of_infinitely_many_points():
    source = gaussian_classes(1, 2, bayes_error=0.1, random_state=0)
    turned = [
        lambda X, a=a: np.where(X @ [np.cos(a), np.sin(a)] >= 0, 1.0, -1.0)
        for a in np.arange(0, 2 * np.pi, np.pi / 8)
    ]
    found = error_decomposition([turned[:4], turned], source, rows=40, trials=20, random_state=0)
    assert found.least == pytest.approx(0.1, abs=0.01)
    assert found.steps[1].approximation == pytest.approx(0.1, abs=0.02)
    assert found.steps[0].approximation >= found.steps[1].approximation >= found.least - 1e-12


def test_polynomials():
    source = NoisyFunction(lambda x: np.sin(3 * x), noise=0.3)
    found = error_decomposition([0, 1, 3], source, rows=25, trials=400, random_state=0)
    # The mean of the sample: off by the variance of y over the rows.
    spread = 0.5 - np.sin(6) / 12
    flat = found.steps[0]
    assert flat.approximation == pytest.approx(0.09 + spread, rel=1e-9)
    assert flat.estimation.covers((spread + 0.09) / 25)
    assert found.least == pytest.approx(0.09)
    assert found.kind == "degree"
    for step in found.steps:
        assert step.promised is None
        assert step.estimation.value > 0
        assert step.error.value == pytest.approx(step.approximation + step.estimation.value)
    assert found.best.size == 3


def test_a_polynomial_is_learned_without_noise():
    source = NoisyFunction(lambda x: 1 - 2 * x**2, noise=0.0, low=0.0, high=3.0)
    first, second = error_decomposition([1, 2], source, rows=10, trials=3, random_state=0).steps
    assert first.approximation > 1
    assert second.error.value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("classes", "kind", "sentence"),
    [
        ([], BadParameter, "classes must be a list of at least one class, but is []."),
        (
            [RULES, RULES[:1]],
            BadParameter,
            "Class 1 must begin with the rules of class 0: each class holds the one before.",
        ),
        ([[1]], BadParameter, "Class 0 must be a list of at least one function of rows."),
        ([[lambda X: 1]], BadData, "A rule must give one label for each of 8 rows, but gives ()."),
    ],
)
def test_refusals(classes, kind, sentence):
    with pytest.raises(kind, match=f"^{re.escape(sentence)}$"):
        error_decomposition(classes, SOURCE, rows=5)


def test_refused_degrees():
    source = NoisyFunction(np.sin)
    with pytest.raises(
        BadParameter, match=r"^classes must be degrees of at least 0 that rise, but is \[3, 1\]\.$"
    ):
        error_decomposition([3, 1], source, rows=10)
    with pytest.raises(
        BadParameter, match=r"^rows must be more than the largest degree 3, but is 3\.$"
    ):
        error_decomposition([1, 3], source, rows=3)
    with pytest.raises(BadParameter, match="but JointTable has no best_polynomial"):
        error_decomposition([1, 3], SOURCE, rows=5)
