"""Importance weighting: unbiased estimates of losses that are seen only by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number


class EstimateMoments(NamedTuple):
    """Exact moments of the estimate l / v (when seen, else 0) of every loss."""

    mean: tuple[Fraction, ...]
    """E[estimate], one per arm: the losses themselves."""
    square: tuple[Fraction, ...]
    """E[estimate^2], one per arm: l^2 / v."""
    weighted_square: Fraction
    """E[sum of v * estimate^2]: the sum of l^2, at most the number of arms for losses up to 1."""


@theorem(
    "T31",
    kind="identity",
    holds="expectation",
    statement=(
        r"\mathbb E[\ell^h_i]=\ell_i,\quad\mathbb E[(\ell^h_i)^2]=\ell_i^2/v_i,\quad"
        r"\mathbb E\sum_i v_i(\ell^h_i)^2=\sum_i\ell_i^2\le K"
    ),
    assumes=(
        Condition(
            "seen-with-its-probability",
            "each loss is seen with exactly its probability, decided independently of the losses",
        ),
    ),
)
def importance_weighting_unbiased(
    losses: Sequence[Number], probabilities: Sequence[Number]
) -> EstimateMoments:
    """Moments of the importance-weighted estimate of each loss.

    Theorem  Report l / v when a loss is seen, which happens with probability v > 0, and 0
             otherwise: the mean is l, the mean square l^2 / v, and the mean squares weighted by
             the probabilities add up to the sum of l^2.
    Needs    losses l: numbers >= 0, at least one.  probabilities v: as many numbers, 0 < v <= 1.
    Gives    exact fractions: mean and square per arm, and the weighted sum of squares.
    Source   Horvitz & Thompson, A generalization of sampling without replacement from a finite
             universe (1952); Sakulwongtana, Supervised Learning (lecture notes), Definitions 6.3
             and 6.4.

    Examples
    --------
    >>> moments = importance_weighting_unbiased(losses=[1, 0.5], probabilities=[0.2, 0.8])
    >>> moments.mean, float(moments.weighted_square)
    ((Fraction(1, 1), Fraction(1, 2)), 1.25)
    """
    must = "a sequence of numbers"
    require(isinstance(losses, Iterable), "losses", must, losses)
    require(isinstance(probabilities, Iterable), "probabilities", must, probabilities)
    seen = [nonnegative(f"losses[{i}]", loss).low for i, loss in enumerate(losses)]
    chance = [_probability(i, value) for i, value in enumerate(probabilities)]
    require(len(seen) >= 1, "losses", "a sequence of at least one number", losses)
    must = f"a sequence as long as the losses, {len(seen)}"
    require(len(chance) == len(seen), "probabilities", must, probabilities)
    # Straight from the definition: the estimate is l / v with probability v and 0 otherwise.
    pairs = list(zip(seen, chance, strict=True))
    mean = tuple(v * (loss / v) for loss, v in pairs)
    square = tuple(v * (loss / v) ** 2 for loss, v in pairs)
    weighted = sum((v * s for v, s in zip(chance, square, strict=True)), Fraction(0))
    return EstimateMoments(mean, square, weighted)


def _probability(index: int, value: Number) -> Fraction:
    name = f"probabilities[{index}]"
    v = positive(name, value).low
    require(v <= 1, name, "at most 1", value)
    return v
