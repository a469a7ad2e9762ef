"""Empirical Rademacher complexity: exactly, by simulation with an interval, and in closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.errors import require
from assay.theory.needs import count, inside_unit, nonnegative, positive, real
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, ln, sqrt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from assay.types import Array

_MOST_EXACT = 20  # points whose 2^20 sign vectors are still enumerated
_CHUNK = 1 << 13  # sign vectors handled at once


@theorem(
    "T70",
    kind="complexity",
    statement=(
        r"\widehat{\mathfrak R}_S(G)=\mathbb E_\sigma\sup_{g\in G}\frac1m\sum_i\sigma_ig(z_i)"
    ),
)
def rademacher_empirical(values: ArrayLike) -> float:
    """How well a class follows coin flips on a sample, over all 2^m flips.

    Theorem  The definition: the mean over independent fair signs s_1, ..., s_m of the largest
             (s_1 g(z_1) + ... + s_m g(z_m)) / m among the functions g of the class.
    Needs    values: a table of finite numbers, a row for each function and a column for each of
             the m points, 1 <= m <= 20.
    Gives    the exact mean, rounded up to a double; 1 for a class of -1/+1 labels that
             shatters the points, 0 for a single function.
    Source   Koltchinskii, Rademacher penalties and structural risk minimization (2001); Mohri,
             Rostamizadeh & Talwalkar, Foundations of Machine Learning, equation (3.1);
             Classification (lecture slides), "Rademacher complexity".

    Examples
    --------
    >>> rademacher_empirical([[1, 1, 1, 1], [-1, -1, -1, -1]])
    0.375
    """
    table = _Table.read(values)
    must = f"at most {_MOST_EXACT} for the exact value"
    hint = "Use rademacher_monte_carlo for more."
    require(table.points <= _MOST_EXACT, "the number of points", must, table.points, hint)
    total = sum(table.swings(signs) for signs in _half_of_all_signs(table.points))
    return exact(Fraction(total, 2**table.points) / (table.points * table.denominator)).up()


@dataclass(frozen=True)
class RademacherInterval:
    """An estimate and the interval that misses the exact complexity with probability delta."""

    low: float
    estimate: float
    high: float


def rademacher_monte_carlo(
    values: ArrayLike, draws: int, delta: Number, seed: int
) -> RademacherInterval:
    """Empirical Rademacher complexity from random signs, with an interval around it.

    Averages half the difference between the largest and the smallest correlation, which has the
    complexity as its mean and does not change when one function is added to all members. With
    s_i half the range of the values at point i, it lies between 0 and (s_1 + ... + s_m) / m, and
    turning one sign moves it by at most 2 s_i / m; Hoeffding's and McDiarmid's inequalities then
    hold with these numbers, and the smaller width is used.

    Parameters
    ----------
    values : array of shape (functions, points)
        Any finite numbers, as for `rademacher_empirical`, with any number of points.
    draws : int
        Sign vectors to draw, at least 1.
    delta : number strictly between 0 and 1
        The probability, over the draws, that the interval misses.
    seed : int
        Starts the random numbers; fix it before looking.

    Examples
    --------
    >>> answer = rademacher_monte_carlo([[1, 1, 1], [-1, -1, -1]], draws=4000, delta=0.01, seed=0)
    >>> answer.low <= 0.5 <= answer.high
    True
    >>> round(answer.high - answer.low, 3)
    0.051
    """
    import numpy as np

    table = _Table.read(values)
    n, failure = count("draws", draws, at_least=1), inside_unit("delta", delta)
    random = np.random.default_rng(count("seed", seed))
    total = 0
    for start in range(0, n, _CHUNK):
        shape = (min(_CHUNK, n - start), table.points)
        total += table.swings(random.integers(0, 2, size=shape, dtype=np.int8) * 2 - 1)
    mean = exact(Fraction(total, 2 * n) / (table.points * table.denominator))
    halves = [Fraction(ends, 2 * table.points * table.denominator) for ends in table.ranges()]
    variance = min(sum(halves) ** 2, 4 * sum(half**2 for half in halves))
    width = sqrt(ln(2 / failure) * variance / (2 * n))
    low = max(0.0, (mean - width).down())
    return RademacherInterval(low, float(mean.low), (mean + width).up())


def rademacher_linear(norm: Number, square_sum: Number, rows: int) -> float:
    """Bound for linear functions of bounded norm: B sqrt(||x_1||^2 + ... + ||x_m||^2) / m.

    Parameters
    ----------
    norm : number, zero or more
        The largest ||w|| of the functions <w, x>.
    square_sum : number, zero or more
        The sum of the squared lengths of the examples, or more; m R^2 in a ball of radius R. For
        a kernel, the trace of its matrix.
    rows : int
        The number m of examples.

    Examples
    --------
    >>> rademacher_linear(norm=2, square_sum=100, rows=100)
    0.2
    """
    b, total = nonnegative("norm", norm), nonnegative("square_sum", square_sum)
    return (b * sqrt(total) / count("rows", rows, at_least=1)).up()


def rademacher_massart(labelings: int, rows: int, half_range: Number = 1) -> float:
    """Massart's bound for a class with few labelings of the sample: s sqrt(2 ln N / m).

    Parameters
    ----------
    labelings : int
        N, the number of different rows of values on the sample, or more: a class size or a growth
        function.
    rows : int
        The number m of examples.
    half_range : number above zero
        s: the values at each point lie within s of a centre. 1 for -1/+1 labels, 1/2 for 0/1.

    Examples
    --------
    >>> round(rademacher_massart(labelings=1000, rows=500), 6)
    0.166226
    """
    size, m = count("labelings", labelings, at_least=1), count("rows", rows, at_least=1)
    return (positive("half_range", half_range) * sqrt(2 * ln(size) / m)).up()


@dataclass(frozen=True)
class _Table:
    """A table of values as whole numbers over a common denominator, so that sums are exact."""

    numerators: Array
    denominator: int

    @classmethod
    def read(cls, values: ArrayLike) -> _Table:
        import numpy as np

        from assay.theory.complexity.shattering import read_table

        must = "a table of finite numbers, a row for each function and a column for each point"
        given = read_table("values", values, must)
        if given.dtype.kind in "biu":
            return cls(_fastest(given), 1)
        distinct, places = np.unique(given, return_inverse=True)
        fractions = [real("values", value).low for value in distinct.tolist()]
        denominator = math.lcm(*(value.denominator for value in fractions))
        numerators = np.array([int(value * denominator) for value in fractions], dtype=object)
        return cls(_fastest(numerators[places].reshape(given.shape)), denominator)

    @property
    def points(self) -> int:
        return int(self.numerators.shape[1])

    def ranges(self) -> list[int]:
        """Largest minus smallest numerator at each point."""
        ends = self.numerators.max(axis=0) - self.numerators.min(axis=0)
        return [int(value) for value in ends]

    def swings(self, signs: NDArray[np.int8]) -> int:
        """Largest minus smallest correlation with the signs, added up over the sign vectors."""
        sums = signs.astype(self.numerators.dtype) @ self.numerators.T
        return sum(int(value) for value in sums.max(axis=1) - sums.min(axis=1))


def _fastest(numerators: Array) -> Array:
    """Whole numbers in the quickest type that holds every difference of sums exactly."""
    import numpy as np

    largest = max(abs(int(numerators.max())), abs(int(numerators.min())))
    reach = 2 * largest * numerators.shape[1]
    return numerators.astype(np.float64 if reach < 2**53 else np.int64 if reach < 2**63 else object)


def _half_of_all_signs(points: int) -> Iterator[NDArray[np.int8]]:
    """Every sign vector whose last sign is -1.

    Its opposite turns the smallest sum into minus the largest, so `swings` counts for both.
    """
    import numpy as np

    for start in range(0, 1 << (points - 1), _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, 1 << (points - 1)))
        bits = (numbers[:, None] >> np.arange(points)) & 1
        yield (2 * bits - 1).astype(np.int8)
