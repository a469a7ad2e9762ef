"""The Rademacher complexity of a class over a distribution, from samples of it, with an interval that can be proven."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.lab.concept_classes import known_class, labelings_of
from assay.play.trials import require_source
from assay.theory.complexity.rademacher import (
    rademacher_empirical,
    rademacher_massart,
    rademacher_monte_carlo,
)
from assay.theory.complexity.shattering import Labels
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number, ln, sqrt

# Up to so many points all coin flips are gone through; beyond it, so many are drawn for each sample.
_MOST_EXACT, _FLIPS = 12, 64


@dataclass(frozen=True)
class RademacherComplexity:
    """How well a class follows coin flips, averaged over samples.

    Attributes
    ----------
    concepts : str
    rows, samples : int
        The size of a sample, and how many were drawn.
    value : float
        The mean of the samples' complexities (``rademacher-empirical``), of the -1/+1 labels.
    low, high : float
        Miss the expected complexity with probability delta at most, over the samples.
    delta : float
    largest : float
        The largest of any sample.
    promised : float or None
        What it is at most for every distribution, by Massart's bound on the growth function of a class that is known;
        None for a class of the user's.
    """

    concepts: str
    rows: int
    samples: int
    value: float
    low: float
    high: float
    delta: float
    largest: float
    promised: float | None

    @property
    def of_losses(self) -> float:
        """At most so much, with the same probability, for the zero-one losses: half that of the labels."""
        return self.high / 2

    @property
    def holds(self) -> bool:
        """Whether the mean of the samples' complexities is at most what is promised."""
        return self.promised is None or self.value <= self.promised

    def __str__(self) -> str:
        text = (
            f"{self.concepts} on {self.rows} points, {self.samples} samples: {self.value:.4g} "
            f"({self.low:.4g} to {self.high:.4g})"
        )
        return (
            text
            if self.promised is None
            else f"{text}, at most {self.promised:.4g} by Massart's bound"
        )


def rademacher_complexity(
    concepts: Any,
    source: Any,
    rows: int,
    *,
    samples: int = 200,
    delta: Number = 0.05,
    random_state: Any = None,
) -> RademacherComplexity:
    r"""The expected Rademacher complexity :math:`\mathfrak R_m=\mathbb E_S\widehat{\mathfrak R}_S` of a class.

    Of every sample all labelings that the class can make are listed, and held against coin flips: all of them for up
    to 12 points, else 64 drawn ones. The samples' values are independent and lie between 0 and 1, and one
    point can move one of them by 2/m at most; the interval is Hoeffding's or McDiarmid's, whichever is narrower.

    Parameters
    ----------
    concepts : {"intervals", "rectangles", "halfspaces"} or callable
        A class by its name, or a function from points to the table of its labelings, a row of -1 and +1 for each.
    source : object
        With ``sample``, as those of `assay.data.synthetic`; labels are not looked at.
    rows : int
        The size m of a sample. The labelings of halfspaces are found by linear programs: keep it small.
    samples : int, default=200
    delta : number, default=0.05
        How often the interval may miss.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    RademacherComplexity

    References
    ----------
    .. [1] Bartlett & Mendelson (2002). Rademacher and Gaussian complexities: risk bounds and structural results.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import rademacher_complexity
    >>> from assay.data.synthetic import NoisyFunction
    >>> line = NoisyFunction(np.sign)
    >>> print(rademacher_complexity("intervals", line, rows=8, random_state=0))
    intervals on 8 points, 200 samples: 0.668 (0.6001 to 0.7359), at most 0.9501 by Massart's bound
    """
    require_source(source, "sample")
    m, n = count("rows", rows, at_least=1), count("samples", samples, at_least=1)
    failure = inside_unit("delta", delta)
    known, labelings = known_class(concepts), labelings_of(concepts)
    rng = np.random.default_rng(random_state)
    values, features = np.empty(n), 1
    for trial in range(n):
        points = np.asarray(source.sample(m, rng)[0], dtype=np.float64)
        features = points.shape[1]
        values[trial] = _complexity(labelings(points), rng)
    # One label lies between -1 and +1, so that exchanging a point moves a sample's mean by 2 / m at most.
    width = sqrt(ln(2 / failure) * min(1.0, 4 / m) / (2 * n)).up()
    mean = float(values.mean())
    promised = None if known is None else rademacher_massart(known.growth(m, features), m)
    return RademacherComplexity(
        concepts=getattr(concepts, "__name__", str(concepts)),
        rows=m,
        samples=n,
        value=mean,
        low=max(0.0, mean - width),
        high=math.nextafter(mean + width, math.inf),
        delta=float(failure.low),
        largest=float(values.max()),
        promised=promised,
    )


def _complexity(table: Labels, rng: np.random.Generator) -> float:
    """The complexity on one sample, or an unbiased estimate of it."""
    if table.shape[1] <= _MOST_EXACT:
        return rademacher_empirical(table)
    seed = int(rng.integers(2**32))
    return rademacher_monte_carlo(table, draws=_FLIPS, delta=0.5, seed=seed).estimate
