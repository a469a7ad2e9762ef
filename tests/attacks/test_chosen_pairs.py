"""Pairs of rows and the coins of ties derive from the order of the rows: whoever may choose that, chooses them.

No score has to be seen for it. A model that scores all rows alike ranks nothing, and is promised to rank well where an
order was looked for whose coins all fall one way. So the condition behind the promise speaks of that too.
"""

from __future__ import annotations

import numpy as np
import pytest

from assay import certify
from assay.evidence.pairs import disjoint_pairs
from assay.theory.tail.binomial_many import holdout_exact_many
from tests.guarantees.case import DELTA
from tests.soundness import assert_sound, assert_unsound


def promised(truth, scores):
    made = certify(y_true=truth, score=scores, rates=["auc"], positive=1, delta=DELTA)
    return made.claims[0]


def test_an_order_that_was_looked_for_promises_what_ranks_nothing():
    rng, many = np.random.default_rng(0), 8
    orders = (rng.permutation(np.repeat([0, 1], many)) for _ in range(20_000))
    truth = next(order for order in orders if disjoint_pairs(order == 1).coin.all())
    claim = promised(truth, np.full(2 * many, 0.5))
    assert claim.promised == pytest.approx(DELTA ** (1 / many))
    [order] = [a for a in claim.assumptions if a.id == "order-before-scores"]
    assert order.status == "not asked"
    assert "not chosen for the pairs that it makes" in order.name


def broken(trials, rows, best_of=1):
    """How often a score that takes three values and ranks nothing is promised to rank better than chance."""
    rng = np.random.default_rng([rows, best_of])
    lows = {m: 1 - holdout_exact_many(np.arange(m, -1, -1), m, DELTA) for m in range(1, rows)}
    wrong = 0
    for _ in range(trials):
        right = []
        for _ in range(best_of):
            truth, score = rng.random(rows) < 0.3, rng.integers(0, 3, rows).astype(float)
            pairs = disjoint_pairs(truth)
            many = len(pairs.coin)
            right.append(lows[many][pairs.concordant(score)] if many else 0.0)
        wrong += max(right) > 0.5 + 1e-12
    return wrong


def test_orders_that_were_drawn_keep_the_promise():
    truth, score = np.array([0, 1, 1, 0, 1, 0]), np.array([1.0, 2, 1, 0, 0, 1])
    many, right = 3, disjoint_pairs(truth == 1).concordant(score)
    low = float(1 - holdout_exact_many(np.array([many - right]), many, DELTA)[0])
    assert promised(truth, score).promised == pytest.approx(low)
    assert_sound(broken(1500, 40), 1500, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("rows", [12, 40, 150])
def test_orders_that_were_drawn_keep_the_promise_at_length(rows):
    assert_sound(broken(20_000, rows), 20_000, DELTA)
    assert_unsound(broken(1500, rows, best_of=20), 1500, DELTA)
