import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.theory.regret.fixed_share import (
    best_share,
    fixed_share_mixable_regret,
    fixed_share_rate,
    fixed_share_regret,
)
from tests.naive.fixed_share import best_sequence, fixed_share
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)

ROUNDING = 1e-9


def test_ten_experts_ten_thousand_rounds_four_switches():
    """484 in the published comparison of fixed share with Hedge on drifting experts."""
    assert round(fixed_share_regret(10_000, 10, 4)) == 484


def test_without_switches_and_share_near_zero_it_is_hedge():
    assert fixed_share_regret(100, 10, 0) == pytest.approx(math.sqrt(50 * math.log(10)))
    near = fixed_share_regret(100, 10, 0, learning_rate=0.5, share="1e-12")
    assert near == pytest.approx(2 * math.log(10) + 6.25)


@pytest.mark.parametrize("seed", range(40))
def test_promises_hold(seed):
    rng = np.random.default_rng(seed)
    t, k = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    table = (rng.random((t, k)) < 0.5).astype(float).tolist()
    rate, share = float(rng.uniform(0.1, 3)), float(rng.uniform(0.01, 0.5))
    run = fixed_share(table, rate, share)
    for switches in range(min(t, 4)):
        regret = run.loss - best_sequence(table, switches)
        assert regret <= fixed_share_regret(t, k, switches, rate, share) + ROUNDING


def drift(parts, length):
    """The one good expert changes after every part."""
    return np.repeat(1.0 - np.eye(parts), length, axis=0).tolist()


def test_dropped_terms_are_rejected():
    """With one expert after the other, each switch costs what the bound says, up to a factor."""
    parts, length = 6, 40
    table, t = drift(parts, length), parts * length
    share = (parts - 1) / (t - 1)
    rate = fixed_share_rate(t, parts, parts - 1, share)
    run = fixed_share(table, rate, share)
    regret = run.loss  # the best sequence loses nothing
    assert regret <= fixed_share_regret(t, parts, parts - 1, rate, share)
    # Neither a bound for no switch at all, nor one that forgets what the share costs.
    assert regret > fixed_share_regret(t, parts, 0)
    forgets = (math.log(parts) * parts) / rate
    assert regret > forgets / parts


def test_a_weighted_average_with_square_loss_obeys_the_mixable_bound():
    rng = np.random.default_rng(0)
    for _ in range(30):
        t, k = int(rng.integers(2, 8)), int(rng.integers(2, 4))
        said, told = rng.random((t, k)).round(), rng.random(t).round()
        losses = (said - told[:, None]) ** 2
        run = fixed_share(losses.tolist(), 0.5, 0.2)
        guesses = [np.dot(v, row) for v, row in zip(run.weights, said, strict=False)]
        own = float(np.sum((np.array(guesses) - told) ** 2))
        for s in range(2):
            regret = own - best_sequence(losses.tolist(), s)
            assert regret <= fixed_share_mixable_regret(t, k, s, 0.2) + ROUNDING


def test_at_twice_the_rate_the_mixable_bound_would_break():
    """Experts at the ends and outcomes in turn: the square loss is no longer exp-concave."""
    said, told = [[0.0, 1.0]] * 2, [1.0, 0.0]
    losses = [[(y - x) ** 2 for x in row] for row, y in zip(said, told, strict=True)]
    run = fixed_share(losses, 8.0, 1e-9)
    own = sum((np.dot(v, x) - y) ** 2 for v, x, y in zip(run.weights, said, told, strict=False))
    cost = math.log(2) / 8
    assert own - 1.0 > cost


@given(
    st.integers(1, 10**6),
    st.integers(1, 1000),
    st.integers(0, 50),
    st.floats(1e-3, 10),
    st.floats(1e-6, 0.99),
)
def test_never_below_the_exact_value(t, k, s, rate, share):
    assume(s <= t - 1)
    with mpmath.workdps(50):
        log, n, a = mpmath.log(k), mpmath.mpf(repr(rate)), mpmath.mpf(repr(share))
        cost = (s + 1) * log + s * mpmath.log(1 / a) + (t - 1 - s) * mpmath.log(1 / (1 - a + a / k))
        exact = cost / n + n * t / 8
        parts = [p * mpmath.log(mpmath.mpf(t - 1) / p) for p in (s, t - 1 - s) if p]
        tuned = mpmath.sqrt(t * ((s + 1) * log + mpmath.fsum(parts)) / 2)
        mixed = 2 * cost
        # The oracle itself is rounded, to 50 digits.
        least = [value * (1 - mpmath.mpf(10) ** -40) for value in (exact, tuned, mixed)]
    assert least[0] <= fixed_share_regret(t, k, s, rate, share) <= exact * (1 + 1e-12)
    assert least[1] <= fixed_share_regret(t, k, s) <= tuned * (1 + 1e-12)
    assert least[2] <= fixed_share_mixable_regret(t, k, s, share) <= mixed * (1 + 1e-12) + 1e-12


@given(st.integers(2, 10**5), st.integers(1, 100), st.integers(0, 40))
def test_monotone_and_tuned(t, k, s):
    assume(s + 1 <= t - 1)
    here = fixed_share_regret(t, k, s, 0.5, 0.1)
    assert here <= fixed_share_regret(t, k, s + 1, 0.5, 0.1)
    assert here <= fixed_share_regret(t + 1, k, s, 0.5, 0.1)
    assert here <= fixed_share_regret(t, k + 1, s, 0.5, 0.1)
    share = best_share(t, s)
    rate = fixed_share_rate(t, k, s, share)
    at_best = fixed_share_regret(t, k, s, rate, share)
    assert at_best <= fixed_share_regret(t, k, s, 2 * rate, share) * (1 + 1e-9)


def test_refusals():
    good = {"rounds": 10, "experts": 2, "switches": 1, "share": 0.1}
    f = fixed_share_mixable_regret
    assert_refuses_all(f, good, "rounds", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(f, good, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(f, good, "switches", COUNT, NOT_COUNTS)
    assert_refuses_all(f, good, "share", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("switches must be at most the rounds less one, 9, but is 10."):
        f(**good | {"switches": 10})
    with refuses(
        "learning_rate must be at most 1/2, where the loss is still exp-concave, but is 0.6."
    ):
        f(**good, learning_rate=0.6)
    with refuses("loss must be 'square' or 'entropic', but is 'absolute'."):
        f(**good, loss="absolute")
    good |= {"learning_rate": 1, "largest_loss": 1}
    assert_refuses_all(fixed_share_regret, good, "learning_rate", POSITIVE, NOT_POSITIVE[:2])
    assert_refuses_all(fixed_share_regret, good, "largest_loss", POSITIVE, NOT_POSITIVE)
    with refuses(
        "share must be given together with the learning rate, or neither of them, but is None."
    ):
        fixed_share_regret(10, 2, 1, learning_rate=0.5)
