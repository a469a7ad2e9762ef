"""Estimating the top of {1, ..., n}: the likeliest value is too small on average, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assay.errors import require
from assay.play.trials import Estimate, estimate
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number

_MOST_TOP, _MOST_DRAWS, _MOST_CELLS = 10_000, 1_000, 10_000_000


@dataclass(frozen=True)
class Estimator:
    """One way to estimate the top.

    Attributes
    ----------
    name, rule : str
        What it is called, and what it computes.
    mean : Fraction
        Its expectation, exactly.
    error : float
        Its root mean square error.
    observed : Estimate
        Its mean over the trials.
    """

    name: str
    rule: str
    mean: Fraction
    error: float
    observed: Estimate


@dataclass(frozen=True)
class TopOfRange:
    """Estimators of the top n of {1, ..., n}, with what is expected of each and what was seen.

    Attributes
    ----------
    top, draws, trials : int
        n, the size of a sample, and how many samples were drawn.
    estimators : tuple of Estimator
        The likeliest value, and two that are right on average.
    """

    top: int
    draws: int
    trials: int
    estimators: tuple[Estimator, ...]

    def bias(self, name: str) -> Fraction:
        """How far an estimator is from the top on average, by its name.

        Parameters
        ----------
        name : str
            One of the estimators.
        """
        return self._named(name).mean - self.top

    def _named(self, name: str) -> Estimator:
        by_name = {estimator.name: estimator for estimator in self.estimators}
        require(name in by_name, "name", f"one of {', '.join(by_name)}", name)
        return by_name[name]

    @property
    def holds(self) -> bool:
        """Whether every mean that was seen is what was expected, as far as chance lets one see."""
        return all(e.observed.covers(float(e.mean)) for e in self.estimators)

    def __str__(self) -> str:
        lines = [
            f"The top of {{1, ..., {self.top}}} from {self.draws} uniform draw{'s' * (self.draws > 1)}, "
            f"{self.trials:,} samples:",
            f"  {'estimator':<18} {'expected':>9}  {'observed':<26} root mean square error",
        ]
        lines += [
            f"  {e.name:<18} {float(e.mean):>9.6g}  {e.observed!s:<26} {e.error:.4g}"
            for e in self.estimators
        ]
        return "\n".join(lines)


def top_of_range(
    top: int,
    draws: int = 1,
    *,
    trials: int = 10_000,
    delta: Number = 0.05,
    random_state: Any = None,
) -> TopOfRange:
    r"""Estimate the top of {1, ..., n} from uniform draws, by maximum likelihood and without bias.

    Of m draws with the largest value M, each sample has likelihood :math:`n^{-m}` for :math:`n\ge M` and zero
    below, so that M itself is likeliest. But M never exceeds n and often falls short of it: its expectation
    is :math:`n-\sum_{k<n}(k/n)^m`, for one draw :math:`(n+1)/2`. Twice the mean of the draws less one is right on
    average, for one draw :math:`\mathbb E[2X-1]=\frac2n\sum_{x\le n}x-1=n`. So is
    :math:`\frac{M^{m+1}-(M-1)^{m+1}}{M^m-(M-1)^m}`, of all such estimators the one that varies least; for one draw the
    two are the same. Lecture notes that print :math:`2\sum_x\frac1n(2x-1)` on the way from :math:`2X-1` to n
    have a factor two too many in that step: it is 2n, and n is right.

    Parameters
    ----------
    top : int
        The n that is to be estimated, from 1 to 10,000.
    draws : int, default=1
        The size m of a sample, with repetition, up to 1,000.
    trials : int, default=10000
        How many samples are drawn.
    delta : number, default=0.05
        How often some interval misses the truth, about.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    TopOfRange

    References
    ----------
    .. [1] Sakulwongtana, Supervised Learning (lecture notes), Example 6.2.

    Examples
    --------
    >>> from assay.lab import top_of_range
    >>> game = top_of_range(10, random_state=0)
    >>> [(e.name, float(e.mean)) for e in game.estimators]
    [('largest', 5.5), ('twice the mean', 10.0), ('corrected largest', 10.0)]
    >>> game.holds, float(game.bias("largest"))
    (True, -4.5)
    """
    n, m = count("top", top, at_least=1), count("draws", draws, at_least=1)
    require(n <= _MOST_TOP, "top", f"at most {_MOST_TOP}", top)
    require(m <= _MOST_DRAWS, "draws", f"at most {_MOST_DRAWS}", draws)
    samples = count("trials", trials, at_least=2)
    most = _MOST_CELLS // m
    require(samples <= most, "trials", f"at most {most} samples of {m} draws", trials)
    level = (
        float(inside_unit("delta", delta).low) / 3
    )  # three intervals, which miss each for itself
    drawn = np.random.default_rng(random_state).integers(1, n + 1, size=(samples, m))
    largest = drawn.max(axis=1)
    chances = [k**m - (k - 1) ** m for k in range(1, n + 1)]  # of the largest, times n^m
    mended = [
        Fraction(k ** (m + 1) - (k - 1) ** (m + 1), chance)
        for k, chance in enumerate(chances, start=1)
    ]
    values = np.array([float(value) for value in mended])
    first = Fraction(sum(k * chance for k, chance in enumerate(chances, start=1)), n**m)
    # Every quotient of whole numbers is rounded once.
    shares = np.array([chance / n**m for chance in chances])
    places = np.arange(1, n + 1)
    means = 2 * drawn.mean(axis=1) - 1
    return TopOfRange(
        n,
        m,
        samples,
        (
            Estimator(
                "largest",
                "M",
                first,
                float(np.sqrt(shares @ (places - n) ** 2)),
                estimate(largest.astype(np.float64), level),
            ),
            Estimator(
                "twice the mean",
                "2 mean - 1",
                Fraction(n),
                float(np.sqrt((n * n - 1) / (3 * m))),
                estimate(means, level),
            ),
            Estimator(
                "corrected largest",
                "(M^(m+1) - (M-1)^(m+1)) / (M^m - (M-1)^m)",
                sum((v * c for v, c in zip(mended, chances, strict=True)), start=Fraction(0))
                / n**m,
                float(np.sqrt(shares @ (values - n) ** 2)),
                estimate(values[largest - 1], level),
            ),
        ),
    )
