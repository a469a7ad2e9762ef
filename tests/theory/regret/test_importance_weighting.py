import math
import re
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.regret.importance_weighting import importance_weighting_unbiased

share = st.fractions(Fraction(1, 100), 1, max_denominator=100)
loss = st.fractions(0, 1, max_denominator=100)


@st.composite
def arms(draw):
    k = draw(st.integers(1, 5))
    parts = [draw(share) for _ in range(k)]
    return [draw(loss) for _ in range(k)], [part / sum(parts) for part in parts]


@given(arms())
def test_moments_over_the_draw_of_one_arm(case):
    """The same expectations, taken over which arm is drawn."""
    losses, v = case
    k = len(v)
    moments = importance_weighting_unbiased(losses, v)
    estimate = [[losses[i] / v[i] if i == a else 0 for i in range(k)] for a in range(k)]
    assert moments.mean == tuple(sum(v[a] * estimate[a][i] for a in range(k)) for i in range(k))
    assert moments.mean == tuple(losses)
    squares = [[e**2 for e in row] for row in estimate]
    assert moments.square == tuple(sum(v[a] * squares[a][i] for a in range(k)) for i in range(k))
    weighted = sum(v[a] * v[i] * squares[a][i] for a, i in product(range(k), repeat=2))
    assert moments.weighted_square == weighted == sum(x**2 for x in losses) <= k


@given(arms())
def test_without_the_division_the_estimate_is_biased(case):
    losses, v = case
    moments = importance_weighting_unbiased(losses, v)
    careless = tuple(p * x for p, x in zip(v, losses, strict=True))
    biased = any(x > 0 and p < 1 for p, x in zip(v, losses, strict=True))
    assert (careless != moments.mean) == biased


def test_the_sample_mean_of_an_arm_replayed_only_after_luck_is_biased():
    """Play a fair coin, again only after a 0, twice at most: its mean of .5 reads .625 on average."""
    outcomes = {(1,): Fraction(1, 2), (0, 0): Fraction(1, 4), (0, 1): Fraction(1, 4)}
    expected = sum(p * Fraction(sum(seen), len(seen)) for seen, p in outcomes.items())
    assert expected == Fraction(5, 8)


def test_the_top_of_a_range_from_one_draw():
    """Uniform on 1..10: the draw has mean 5.5, twice it minus one has mean 10."""
    draws = range(1, 11)
    assert Fraction(sum(draws), 10) == Fraction(11, 2)
    assert Fraction(sum(2 * x - 1 for x in draws), 10) == 10


@pytest.mark.parametrize(
    ("losses", "probabilities", "sentence"),
    [
        ([], [], "losses must be a sequence of at least one number, but is []."),
        (3, [1], "losses must be a sequence of numbers, but is 3."),
        ([1], 0.5, "probabilities must be a sequence of numbers, but is 0.5."),
        ([1, 1], [1], "probabilities must be a sequence as long as the losses, 2, but is [1]."),
        ([1], [0], "probabilities[0] must be a finite number above zero, but is 0."),
        ([1], [-0.5], "probabilities[0] must be a finite number above zero, but is -0.5."),
        ([1], [1.5], "probabilities[0] must be at most 1, but is 1.5."),
        ([1], [True], "probabilities[0] must be a finite number above zero, but is True."),
        ([0, -1], [1, 1], "losses[1] must be a finite number, zero or more, but is -1."),
        ([math.nan], [1], "losses[0] must be a finite number, zero or more, but is nan."),
        ([math.inf], [1], "losses[0] must be a finite number, zero or more, but is inf."),
    ],
)
def test_refusals(losses, probabilities, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        importance_weighting_unbiased(losses, probabilities)
