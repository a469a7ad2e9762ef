"""What a class cannot do, and what a sample does not tell: approximation and estimation error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import solve_triangular

from assay.errors import BadData, BadParameter, require
from assay.learners.common.number_kinds import is_whole
from assay.play.trials import Estimate, Population, estimate, require_source
from assay.theory.generalization.decomposition import error_decomposition as theorem
from assay.theory.generalization.finite_class import (
    representative_sample_erm,
    uniform_convergence_finite,
)
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.types import Array, Floats

Rule = Callable[[Floats], Any]


@dataclass(frozen=True)
class Step:
    """One class of a row of classes, each within the next.

    Attributes
    ----------
    size : int
        How many rules it has, or the degree of its polynomials.
    error : Estimate
        The expected error of what is learned: the sum of the two below.
    approximation : float
        The least error in the class.
    estimation : Estimate
        The rest, which larger samples lessen.
    promised : float or None
        What the estimation error of a sample exceeds with probability at most delta, for finite classes
        (``uniform-convergence-finite``, ``representative-sample-erm``).
    largest : float
        The largest estimation error of any sample.
    broken : int
        In how many samples it exceeded the promise.
    """

    size: int
    error: Estimate
    approximation: float
    estimation: Estimate
    promised: float | None
    largest: float
    broken: int


@dataclass(frozen=True)
class ErrorDecomposition:
    """Approximation and estimation error of every class.

    Attributes
    ----------
    steps : tuple of Step
    rows, trials : int
        The size of the samples, and how many there were.
    least : float
        The error of the best rule of all.
    delta : float
        How often the estimation error of a finite class may exceed what is promised.
    kind : str
        What the sizes are: ``"rules"`` or ``"degree"``.
    """

    steps: tuple[Step, ...]
    rows: int
    trials: int
    least: float
    delta: float
    kind: str

    @property
    def best(self) -> Step:
        """The class with the least error."""
        return min(self.steps, key=lambda step: step.error.value)

    def __str__(self) -> str:
        head = (
            f"After {self.rows} rows, {self.trials} samples; no rule errs less than {self.least:.4g}:\n"
            f"{self.kind:>8}  {'error':>8}  {'approximation':>13}  {'estimation':>26}  promised"
        )
        lines = [head]
        for step in self.steps:
            known = "" if step.promised is None else f"{step.promised:.4g}"
            lines.append(
                f"{step.size:>8}  {step.error.value:>8.4g}  {step.approximation:>13.4g}  "
                f"{step.estimation!s:>26}  {known}".rstrip()
            )
        return "\n".join(lines)


def error_decomposition(
    classes: Any,
    source: Any,
    rows: int,
    *,
    trials: int = 100,
    delta: Number = 0.05,
    at: int = 10_000,
    random_state: Any = None,
) -> ErrorDecomposition:
    r"""Take the error of empirical risk minimisation apart, for classes each of which holds the one before.

    :math:`\mathrm{err}_D(h_S)=\min_{h\in H}\mathrm{err}_D(h)+(\text{the rest})` (``error-decomposition``): a larger
    class lowers the first part and tends to raise the second. Errors are worked out from the distribution, so
    that the identity is exact in every sample; where the source has infinitely many points, those that are drawn
    stand for all.

    Parameters
    ----------
    classes : sequence
        Finite classes, each a sequence of rules, functions of rows to labels: the one with the fewest errors on
        the sample is learned, of equally good ones the first. Or the degrees of polynomials, rising, which are
        fitted by least squares; the error is then the square error.
    source : object
        For rules, a distribution over labels such as `assay.data.synthetic.JointTable` or `gaussian_classes`; for
        degrees, `NoisyFunction` with one feature.
    rows : int
        The size of a sample; for degrees, more than the largest.
    trials : int, default=100
        How many samples.
    delta : number, default=0.05
        How often the estimation error of a finite class may exceed what is promised, and the intervals miss the
        truth, about.
    at : int, default=10000
        At how many points rules are judged, where the source has infinitely many.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    ErrorDecomposition

    References
    ----------
    .. [1] Shalev-Shwartz & Ben-David, Understanding Machine Learning, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import error_decomposition
    >>> from assay.data.synthetic import NoisyFunction
    >>> source = NoisyFunction(lambda x: np.sin(3 * x), noise=0.3)
    >>> decomposition = error_decomposition([1, 3, 9], source, rows=30, random_state=0)
    >>> [round(step.approximation, 3) for step in decomposition.steps], decomposition.best.size
    ([0.255, 0.093, 0.09], 3)
    """
    require_source(source, "sample")
    m, n = count("rows", rows, at_least=1), count("trials", trials, at_least=2)
    risk = float(inside_unit("delta", delta).low)
    if not isinstance(classes, Sequence) or not classes:
        raise BadParameter(f"classes must be a list of at least one class, but is {classes!r}.")
    rng = np.random.default_rng(random_state)
    everyone = Population.of(source, count("at", at, at_least=1), rng)
    degrees = all(map(is_whole, classes))
    least, parts = (_polynomials if degrees else _rules)(
        classes, _Draws(source, m, n, everyone, rng)
    )
    steps = []
    for size, best, errors in parts:
        # The theorem is about rates; the identity is the same for any loss.
        unit = not degrees
        rest = np.array(
            [theorem(error, min(best, error)) if unit else error - best for error in errors]
        )
        bound = None
        if not degrees:
            bound = representative_sample_erm(uniform_convergence_finite(size, m, delta))
        steps.append(
            Step(
                size=size,
                error=estimate(errors, risk),
                approximation=best,
                estimation=estimate(rest, risk),
                promised=bound,
                largest=float(rest.max()),
                broken=0 if bound is None else int((rest > bound).sum()),
            )
        )
    return ErrorDecomposition(tuple(steps), m, n, least, risk, "degree" if degrees else "rules")


_Part = tuple[int, float, Floats]


class _Draws(NamedTuple):
    source: Any
    rows: int
    trials: int
    everyone: Population
    rng: np.random.Generator


def _rules(classes: Sequence[Any], draws: _Draws) -> tuple[float, Iterator[_Part]]:
    """Of each finite class its size, its least error, and the errors of what is learned."""
    source, rows, trials, everyone, rng = draws
    require_source(source, "sample", "classes", "probabilities", "bayes_rule")
    last: list[Rule] = []
    for number, rules in enumerate(classes):
        if not isinstance(rules, Sequence) or not rules or not all(map(callable, rules)):
            raise BadParameter(f"Class {number} must be a list of at least one function of rows.")
        if list(rules[: len(last)]) != last:
            raise BadParameter(
                f"Class {number} must begin with the rules of class {number - 1}: each class holds the one before."
            )
        last = list(rules)
    labels = source.classes
    truth = np.array([everyone.error(_said(rule, everyone.X), labels) for rule in last])
    counted = np.empty((trials, len(last)))
    for trial in range(trials):
        X, y = source.sample(rows, rng)
        counted[trial] = [np.count_nonzero(_said(rule, X) != y) for rule in last]

    def parts() -> Iterator[_Part]:
        for rules in classes:
            chosen = counted[:, : len(rules)].argmin(axis=1)
            yield len(rules), float(truth[: len(rules)].min()), truth[chosen]

    return everyone.error(source.bayes_rule(everyone.X), labels), parts()


def _said(rule: Rule, X: Floats) -> Array:
    labels = np.asarray(rule(X))
    if labels.shape != (len(X),):
        raise BadData(
            f"A rule must give one label for each of {len(X)} rows, but gives {labels.shape}."
        )
    return labels


def _polynomials(degrees: Sequence[int], draws: _Draws) -> tuple[float, Iterator[_Part]]:
    """Of each degree the least square error, and the errors of what is fitted."""
    source, rows, trials, everyone, rng = draws
    require_source(source, "sample", "best_polynomial", "quadrature")
    rising = all(a < b for a, b in pairwise(degrees))
    require(rising and degrees[0] >= 0, "classes", "degrees of at least 0 that rise", list(degrees))
    require(rows > degrees[-1], "rows", f"more than the largest degree {degrees[-1]}", rows)
    x, most = everyone.X[:, 0], int(degrees[-1])

    def basis(X: Floats) -> Floats:
        unit = 2 * (X[:, 0] - source.low) / (source.high - source.low) - 1
        return legendre.legvander(unit, most)

    errors, there = np.empty((len(degrees), trials)), basis(everyone.X)
    for trial in range(trials):
        X, y = source.sample(rows, rng)
        # One factorisation serves all degrees: the functions of a lower one come first.
        Q, R = np.linalg.qr(basis(X))
        part = Q.T @ y
        for place, size in enumerate(int(degree) + 1 for degree in degrees):
            weights = solve_triangular(R[:size, :size], part[:size])
            errors[place, trial] = everyone.error(there[:, :size] @ weights)
    best = [everyone.error(source.best_polynomial(int(degree))(x)) for degree in degrees]

    def parts() -> Iterator[_Part]:
        for place, degree in enumerate(degrees):
            yield int(degree), best[place], errors[place]

    return everyone.error(everyone.mean), parts()
