"""P[A] <= 2 P[B]: a closed form, a class in which everything can be counted, and twins that must fall."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from assay.data.synthetic import JointTable, gaussian_classes
from assay.errors import BadData, BadParameter
from assay.lab import ghost_sample
from tests.refusals import refuses


def constant(label):
    return lambda X: np.full(len(X), label)


THRESHOLDS = [lambda X, t=t: (X[:, 0] >= t).astype(int) for t in range(11)]
LINE = JointTable([[1, 0]] * 5 + [[0, 1]] * 5)


def test_one_rule_has_a_closed_form():
    """Of one rule with error p > eps: P[A] = (1 - p)^m, and P[B] = P[A] P[Bin(m, p) >= eps m / 2]."""
    p, m, eps = 0.25, 5, 0.2
    coin = JointTable([[1 - p, p]])
    game = ghost_sample([constant(0)], coin, m, eps, trials=8_000, random_state=0)
    bad = (1 - p) ** m
    assert game.bad.covers(bad)
    assert game.ghost.covers(bad * binom.sf(0, m, p))
    assert game.swapped.covers(bad * binom.sf(0, m, p))
    assert game.holds


def test_without_the_factor_two_it_would_be_false():
    game = ghost_sample(
        [constant(0)], JointTable([[0.9, 0.1]]), 11, 0.095, trials=8_000, random_state=0
    )
    assert game.holds
    # The interval of P[B] - P[A] lies below zero: twice is needed.
    assert game.ghost.high < game.bad.low


def test_a_second_sample_of_no_rows_to_speak_of_would_not_do():
    """Below 1 / accuracy rows the argument fails, and the experiment says so."""
    with refuses("rows must be at least 1 / accuracy, which is 10, but is 9."):
        ghost_sample(THRESHOLDS, LINE, 9, 0.1)


def test_thresholds_and_the_count_of_their_labellings():
    game = ghost_sample(THRESHOLDS, LINE, 20, 0.15, random_state=3)
    assert game.holds
    assert game.bad.value <= 2 * game.ghost.value <= 2 * game.counted.value
    # 2^(-ceil(20 * 0.15 / 2)) = 1/4 times at most eleven labellings, but never more than one.
    assert 0.25 <= game.counted.value <= 1.0
    long = ghost_sample(THRESHOLDS, LINE, 80, 0.15, trials=200, random_state=3)
    assert long.counted.value <= 11 * 2.0**-6
    assert "P[A] <= 2 P[B]" in str(long)


def test_infinitely_many_points():
    source = gaussian_classes(1, 2, bayes_error=0.1, random_state=0)
    rules = [lambda X, j=j: np.where(X[:, j] >= 0, *source.classes[::-1]) for j in range(2)]
    game = ghost_sample(rules, source, 10, 0.2, trials=300, at=500, random_state=1)
    assert game.holds
    assert game.rules == 2


def test_refusals():
    with refuses("rules must be a list of at least one function of rows."):
        ghost_sample([], LINE, 10, 0.2)
    with pytest.raises(
        BadData, match=r"^A rule must give one label for each of 10 rows, but gives \(\)\.$"
    ):
        ghost_sample([lambda X: 1], LINE, 10, 0.2)
    with pytest.raises(
        BadParameter, match=r"^source must have sample and classes and probabilities, "
    ):
        ghost_sample(THRESHOLDS, object(), 10, 0.2)
