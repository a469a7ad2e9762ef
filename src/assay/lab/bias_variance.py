"""Where the square error of a learner comes from: noise, bias and variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.play.trials import Estimate, around, estimate, fitted, named, require_source
from assay.theory.generalization.decomposition import bias_variance as theorem
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.types import Floats


@dataclass(frozen=True)
class BiasVariance:
    """The expected square error of a learner and its three parts, each a mean over some points.

    Attributes
    ----------
    learner : str
    rows, trials, points : int
        The size of the samples, how many there were, and at how many points predictions were compared.
    error : Estimate
        The square error seen on outcomes that the learner had not been told.
    noise : float
        The part of the outcomes that no rule predicts; the source knows it.
    bias : Estimate
        The squared bias: how far the mean prediction is from the best one.
    variance : Estimate
        How much predictions vary with the sample.
    promised : float
        Noise, squared bias and variance together: what the error is expected to be (``bias-variance``).
    residual : Estimate
        How much of the error the promise does not explain; the interval should hold zero.
    """

    learner: str
    rows: int
    trials: int
    points: int
    error: Estimate
    noise: float
    bias: Estimate
    variance: Estimate
    promised: float
    residual: Estimate

    @property
    def holds(self) -> bool:
        """Whether what was seen is what was promised, as far as chance lets one see."""
        return self.residual.covers(0.0)

    def __str__(self) -> str:
        return (
            f"{self.learner} after {self.rows} rows, {self.trials} samples, square error at {self.points} points:\n"
            f"  promised {self.promised:.3g} by bias-variance\n"
            f"  observed {self.error}\n"
            f"  noise    {self.noise:.3g}\n"
            f"  bias^2   {self.bias}\n"
            f"  variance {self.variance}"
        )


def bias_variance(
    learner: Any,
    source: Any,
    rows: int,
    *,
    trials: int = 200,
    at: Any = 100,
    predict: Callable[[Any, Any], Any] | None = None,
    delta: Number = 0.05,
    random_state: Any = None,
) -> BiasVariance:
    r"""Take the square error of a learner apart, on a distribution that knows its mean and its noise.

    At every point :math:`\mathbb E(y'-A_S)^2=\mathrm{Var}(y')+(f^*-\mathbb EA_S)^2+\mathrm{Var}(A_S)`, where
    :math:`A_S` is the prediction after the sample S and :math:`y'` an outcome that is independent of it
    (``bias-variance``). Samples are drawn again and again; bias and variance are estimated without bias from
    the predictions, and add up with the noise to the same number as the mean of
    :math:`(f^*-A_S)^2` does, exactly, on the numbers that were drawn. The error itself is measured on outcomes of
    their own.

    Parameters
    ----------
    learner : object
        Anything with ``fit`` and ``predict``; copies of it learn. A classifier counts as a learner of numbers
        where its labels are numbers.
    source : object
        A distribution such as `assay.data.synthetic.NoisyFunction`, `JointTable` or `gaussian_classes`, with
        ``sample``, ``outcomes``, ``mean`` and ``variance``.
    rows : int
        The size of a sample.
    trials : int, default=200
        How many samples.
    at : int or array of shape (n_points, n_features), default=100
        The points, or how many are drawn.
    predict : callable, optional
        Of a fitted learner and rows to numbers; its ``predict`` when not given.
    delta : number, default=0.05
        How often the intervals miss the truth, about.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    BiasVariance

    References
    ----------
    .. [1] Geman, Bienenstock & Doursat (1992). Neural networks and the bias/variance dilemma.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import BasisRidge, bias_variance
    >>> from assay.data.synthetic import NoisyFunction
    >>> source = NoisyFunction(np.cos, noise=0.5, low=-3.0, high=3.0)
    >>> parts = bias_variance(BasisRidge(degree=1), source, rows=30, random_state=0)
    >>> round(parts.noise, 2), parts.bias.value > 5 * parts.variance.value, parts.holds
    (0.25, True, True)
    """
    require_source(source, "sample", "outcomes", "mean", "variance")
    m, n = count("rows", rows, at_least=1), count("trials", trials, at_least=2)
    level, rng = float(inside_unit("delta", delta).low), np.random.default_rng(random_state)
    if isinstance(at, int | np.integer):
        X = source.sample(count("at", at, at_least=1), rng)[0]
    else:
        X = np.asarray(at, dtype=np.float64)
        if X.ndim != 2 or not X.size:
            raise BadData(
                f"at must be a count, or a table with a row for each point, but has the shape {X.shape}."
            )
        if not np.isfinite(X).all():
            raise BadData("at must hold finite numbers, but a cell is NaN or infinite.")
    predicted, outcomes = np.empty((n, len(X))), np.empty((n, len(X)))
    for trial in range(n):
        model = fitted(learner, *source.sample(m, rng))
        answer = model.predict(X) if predict is None else predict(model, X)
        numbers = np.asarray(answer, dtype=np.float64)
        if numbers.shape != (len(X),) or not np.isfinite(numbers).all():
            raise BadData(
                f"The learner must predict one finite number for each of {len(X)} points, but in sample "
                f"{trial} it does not."
            )
        predicted[trial] = numbers
        outcomes[trial] = source.outcomes(X, rng)
    best, noise = np.asarray(source.mean(X)), np.asarray(source.variance(X))
    return _taken_apart(named(learner), m, predicted, outcomes, best, noise, level)


def _taken_apart(
    learner: str,
    rows: int,
    predicted: Floats,
    outcomes: Floats,
    best: Floats,
    noise: Floats,
    delta: float,
) -> BiasVariance:
    n, points = predicted.shape
    mean, apart = predicted.mean(axis=0), predicted - predicted.mean(axis=0)
    missed, off = (outcomes - predicted) ** 2, (best - predicted) ** 2
    # Estimates without bias: they add up to the mean of (best - predicted)^2 all the same.
    varied = estimate((apart**2).mean(axis=1) * n / (n - 1), delta)
    bias = float(((best - mean) ** 2).mean()) - varied.value / n
    promised = [
        theorem(*map(float, part))
        for part in zip(noise, best - mean, predicted.var(axis=0), strict=True)
    ]
    return BiasVariance(
        learner=learner,
        rows=rows,
        trials=n,
        points=points,
        error=estimate(missed.mean(axis=1), delta),
        noise=float(noise.mean()),
        bias=around(bias, _spread_of_bias(apart, best - mean), n, delta),
        variance=varied,
        promised=float(np.mean(promised)),
        residual=estimate((missed - off - noise).mean(axis=1), delta),
    )


def _spread_of_bias(apart: Floats, bias: Floats) -> float:
    """The standard error of the squared bias: of a square whose root is a mean of trials.

    Where the mean prediction is nearly the best one, the term of the second order is all there is.
    """
    n, points = apart.shape
    along = apart @ bias
    first = 4 * float(along @ along) / (n - 1) / n
    gram = apart @ apart.T if n <= points else apart.T @ apart
    second = 2 * float((gram**2).sum()) / (n - 1) ** 2 / (n * (n - 1))
    return float(math.sqrt(first + second) / points)
