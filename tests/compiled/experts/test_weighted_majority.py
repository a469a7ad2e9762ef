from fractions import Fraction

import numpy as np
import pytest

from assay.compiled.experts.weighted_majority import SMALLEST, weighted_majority_pass
from tests.naive.weighted_majority import weighted_majority


def played(advice, outcomes, beta, weights=None, mistakes=None, first=0, draws=False):
    n, k = advice.shape
    weights = np.ones(k) if weights is None else weights
    mistakes = np.zeros(k) if mistakes is None else mistakes
    guess, share = np.empty(n), np.empty(n)
    chosen = np.empty(n if draws else 0, dtype=np.int64)
    done = weighted_majority_pass(
        advice, outcomes, weights, mistakes, beta, first, np.uint64(1), guess, share, chosen
    )
    return done, weights, mistakes, guess, share, chosen


@pytest.mark.parametrize("beta", [0.5, 0.25, 0.9, 0.3])
@pytest.mark.parametrize("seed", range(20))
def test_like_the_exact_naive_twin(beta, seed):
    rng = np.random.default_rng(seed)
    advice = rng.choice([-1.0, 1.0], (40, int(rng.integers(1, 9))))
    outcomes = rng.choice([-1.0, 1.0], 40)
    done, weights, mistakes, guess, share, _ = played(advice, outcomes, beta)
    twin = weighted_majority(advice.astype(int).tolist(), outcomes.tolist(), Fraction(repr(beta)))
    assert done == 40
    assert (guess != outcomes).tolist() == twin.erred
    assert mistakes.tolist() == twin.expert_mistakes
    assert weights == pytest.approx([float(w) for w in twin.w], rel=1e-12)
    # The total falls to 1 - (1 - beta) F of itself.
    fell = [float(b / a) for a, b in zip(twin.totals, twin.totals[1:], strict=False)]
    assert 1 - (1 - beta) * share == pytest.approx(fell, rel=1e-12)


def test_weights_are_made_afresh_and_nobody_is_lost():
    """The first errs a thousand times, then everybody else does."""
    advice, outcomes = np.ones((2200, 3)), np.ones(2200)
    advice[:1000, 0] = -1
    advice[1000:, 1:] = -1
    _, weights, mistakes, guess, _, _ = played(advice, outcomes, 0.5)
    assert mistakes.tolist() == [1000, 1200, 1200]
    assert weights[0] > SMALLEST
    assert weights[1] / weights[0] == pytest.approx(2.0**-200)
    assert guess[1000:2000].tolist() == [-1.0] * 1000  # the two others still have more weight
    assert guess[2001:].tolist() == [1.0] * 199


def test_parts_give_the_same_bits():
    rng = np.random.default_rng(3)
    advice, outcomes = rng.choice([-1.0, 1.0], (90, 5)), rng.choice([-1.0, 1.0], 90)
    whole = played(advice, outcomes, 0.01, draws=True)
    weights, mistakes = np.ones(5), np.zeros(5)
    parts = [
        played(advice[t : t + 1], outcomes[t : t + 1], 0.01, weights, mistakes, t, draws=True)
        for t in range(90)
    ]
    assert weights.tobytes() == whole[1].tobytes()
    for place in (3, 4, 5):
        assert np.concatenate([part[place] for part in parts]).tobytes() == whole[place].tobytes()


def test_stops_before_what_is_no_vote():
    advice = np.ones((4, 2))
    advice[2, 1] = np.nan
    assert played(advice, np.ones(4), 0.5)[0] == 2
