"""The mean of a learner's error against its tail: a good average may hide a sample that went badly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.play.trials import Estimate, Population, estimate, fitted, named, require_source
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.theory.tail.markov import markov, reverse_markov
from assay.types import Floats


@dataclass(frozen=True)
class Tail:
    """How often the error of what was learned exceeds a number.

    Attributes
    ----------
    above : float
        The number.
    share : float
        In which share of the samples the error is larger.
    at_least, at_most : float
        What follows for that share from the mean alone (``reverse-markov``, ``markov``).
    """

    above: float
    share: float
    at_least: float
    at_most: float


@dataclass(frozen=True)
class ErrorTail:
    """The errors of a learner over many samples: their mean, and how often they are large.

    Attributes
    ----------
    learner : str
    rows, trials : int
        The size of the samples, and how many there were.
    mean : Estimate
        The mean error, which is what a promise in expectation speaks of.
    tails : tuple of Tail
        How often the error is large, which is what a promise with probability speaks of.
    errors : array
        The error after each sample.
    """

    learner: str
    rows: int
    trials: int
    mean: Estimate
    tails: tuple[Tail, ...]
    errors: Floats

    @property
    def holds(self) -> bool:
        """Whether every share lies between what the mean allows, on the samples drawn; it always does."""
        return all(tail.at_least <= tail.share <= tail.at_most for tail in self.tails)

    def quantile(self, delta: Number) -> float:
        """The error that is exceeded in a share of at most delta of the samples.

        Parameters
        ----------
        delta : number
            Strictly between 0 and 1.
        """
        share = float(inside_unit("delta", delta).low)
        return float(np.quantile(self.errors, 1 - share, method="higher"))

    def __str__(self) -> str:
        lines = [
            f"{self.learner} after {self.rows} rows, {self.trials} samples:",
            f"  mean error {self.mean}",
            f"  {'above':>8}  {'share':>8}  from the mean alone",
        ]
        lines += [
            f"  {tail.above:>8.4g}  {tail.share:>8.4g}  between {tail.at_least:.4g} and {tail.at_most:.4g}"
            for tail in self.tails
        ]
        return "\n".join(lines)


def error_tail(
    learner: Any,
    source: Any,
    rows: int,
    *,
    above: Iterable[Number] = (0.05, 0.1, 0.2, 0.3),
    trials: int = 200,
    delta: Number = 0.05,
    at: int = 10_000,
    random_state: Any = None,
) -> ErrorTail:
    r"""Compare the mean of a learner's error with how often it is large, over many samples.

    A promise such as :math:`\mathbb E[\mathrm{err}_D]\le M/m` is about the mean, one such as
    :math:`\Pr[\mathrm{err}_D>\varepsilon]\le\delta` about the tail. From a mean :math:`\mu` follows
    :math:`\frac{\mu-\varepsilon}{1-\varepsilon}\le\Pr[\mathrm{err}_D>\varepsilon]\le\frac\mu\varepsilon`
    (``reverse-markov``, ``markov``) and no more: two learners of the same mean may differ by all that is between.

    Parameters
    ----------
    learner : object
        Any classifier with ``fit`` and ``predict``; copies of it learn.
    source : object
        A distribution over labels such as `assay.data.synthetic.JointTable` or `gaussian_classes`.
    rows : int
        The size of a sample.
    above : iterable of numbers, default=(0.05, 0.1, 0.2, 0.3)
        The errors whose exceeding is counted, strictly between 0 and 1.
    trials : int, default=200
        How many samples.
    delta : number, default=0.05
        How often the interval of the mean misses the truth, about.
    at : int, default=10000
        At how many points a classifier is judged, where the source has infinitely many.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    ErrorTail

    References
    ----------
    .. [1] Sakulwongtana, Supervised Learning (lecture notes), Lemma 1.3.

    Examples
    --------
    >>> from assay import BernoulliNB
    >>> from assay.data.synthetic import JointTable
    >>> from assay.lab import error_tail
    >>> source = JointTable([[9, 1], [1, 9]])
    >>> tail = error_tail(BernoulliNB(), source, rows=5, above=[0.2], random_state=0)
    >>> tail.tails[0].at_least <= tail.tails[0].share <= tail.tails[0].at_most
    True
    """
    require_source(source, "sample", "classes", "probabilities")
    m, n = count("rows", rows, at_least=1), count("trials", trials, at_least=2)
    level = float(inside_unit("delta", delta).low)
    limits = [inside_unit("above", number).low for number in above]
    if not limits:
        raise BadParameter("above must hold at least one number, but is empty.")
    rng = np.random.default_rng(random_state)
    everyone = Population.of(source, count("at", at, at_least=1), rng)
    errors = np.empty(n)
    for trial in range(n):
        model = fitted(learner, *source.sample(m, rng), classes=True)
        # Probabilities add up to one but for rounding.
        errors[trial] = min(
            max(everyone.error(model.predict(everyone.X), source.classes), 0.0), 1.0
        )
    exact = [
        Fraction(error) for error in errors.tolist()
    ]  # so that the inequalities hold to the last bit
    mean = sum(exact, start=Fraction(0)) / n
    tails = tuple(
        Tail(
            above=float(limit),
            share=sum(error > limit for error in exact) / n,
            at_least=max(0.0, reverse_markov(mean, 1 - limit)),
            at_most=min(1.0, markov(mean, limit)),
        )
        for limit in limits
    )
    return ErrorTail(named(learner), m, n, estimate(errors, level), tails, errors)
