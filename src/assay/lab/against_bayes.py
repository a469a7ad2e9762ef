"""A learner beside the best rule there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.play.trials import Estimate, Population, estimate, fitted, named, require_source
from assay.theory.generalization.bayes import bayes_classifier_error
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number


@dataclass(frozen=True)
class AgainstBayes:
    """The error of a learner, and that of the best rule of the same distribution.

    Attributes
    ----------
    learner : str
    rows, trials : int
        The size of the samples, and how many there were.
    promised : float
        The error of the best rule, below which no rule comes (``bayes-classifier-error``); for numbers, the mean
        variance of y, the square error of its conditional mean (``bayes-regressor``).
    error : Estimate
        The expected error of the learner.
    excess : Estimate
        How far it is above the best rule's, on the same points.
    least_excess : float
        The smallest excess of any sample: never below zero.
    theorem : str
    """

    learner: str
    rows: int
    trials: int
    promised: float
    error: Estimate
    excess: Estimate
    least_excess: float
    theorem: str

    @property
    def holds(self) -> bool:
        """Whether no sample led to a rule that is better than the best."""
        return self.least_excess >= -1e-12

    def __str__(self) -> str:
        return (
            f"{self.learner} after {self.rows} rows, {self.trials} samples:\n"
            f"  promised at least {self.promised:.4g} by {self.theorem}\n"
            f"  observed {self.error}\n"
            f"  excess   {self.excess}, at least {self.least_excess:.3g} in every sample"
        )


def against_bayes(
    learner: Any,
    source: Any,
    rows: int,
    *,
    trials: int = 50,
    at: int = 10_000,
    delta: Number = 0.05,
    random_state: Any = None,
) -> AgainstBayes:
    r"""Compare a learner with the best rule of a distribution that knows it.

    The best classifier predicts a most likely class at every x and errs with probability
    :math:`\mathbb E[1-\max_cP(c\mid x)]` (``bayes-classifier-error``); the best prediction of a number is its mean
    at x (``bayes-regressor``). Errors are not counted on drawn labels but worked out from the probabilities at
    every point, so that no sample can look better than the best rule.

    Parameters
    ----------
    learner : object
        Anything with ``fit`` and ``predict``; copies of it learn.
    source : object
        A distribution such as `assay.data.synthetic.JointTable`, `gaussian_classes` or `NoisyFunction`.
    rows : int
        The size of a sample.
    trials : int, default=50
        How many samples.
    at : int, default=10000
        At how many points predictions are judged, where the source has infinitely many.
    delta : number, default=0.05
        How often the intervals miss the truth, about.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    AgainstBayes

    References
    ----------
    .. [1] Devroye, Györfi & Lugosi (1996). A probabilistic theory of pattern recognition, Theorem 2.1.

    Examples
    --------
    >>> from assay import GaussianNB, against_bayes
    >>> from assay.data.synthetic import gaussian_classes
    >>> source = gaussian_classes(1, 5, bayes_error=0.1, random_state=0)
    >>> comparison = against_bayes(GaussianNB(), source, rows=100, trials=20, random_state=0)
    >>> round(comparison.promised, 2), comparison.holds, comparison.excess.value < 0.02
    (0.1, True, True)
    """
    require_source(source, "sample")
    m, n = count("rows", rows, at_least=1), count("trials", trials, at_least=2)
    level, rng = float(inside_unit("delta", delta).low), np.random.default_rng(random_state)
    everyone = Population.of(source, count("at", at, at_least=1), rng)
    classes = source.classes if everyone.chances is not None else None
    best = source.bayes_rule(everyone.X) if classes is not None else everyone.mean
    least = everyone.error(best, classes)
    errors = np.empty(n)
    for trial in range(n):
        model = fitted(learner, *source.sample(m, rng), classes=classes is not None)
        errors[trial] = everyone.error(model.predict(everyone.X), classes)
    return AgainstBayes(
        learner=named(learner),
        rows=m,
        trials=n,
        promised=_promised(source, least, classes is not None),
        error=estimate(errors, level),
        excess=estimate(errors - least, level),
        least_excess=float((errors - least).min()),
        theorem="bayes-regressor" if classes is None else "bayes-classifier-error",
    )


def _promised(source: Any, least: float, classes: bool) -> float:
    if not classes:
        return least
    if hasattr(source, "table"):
        return bayes_classifier_error(source.table.tolist())
    return float(source.bayes_error)
