"""Ridge regression by one equation for each feature, or for each row: which is quicker, and from where on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.theory.needs import count


@dataclass(frozen=True)
class BothForms:
    """One size of the problem.

    Attributes
    ----------
    features : int
    primal_work, dual_work : int
        Multiplications, about: :math:`md^2+d^3` and :math:`dm^2+m^3`.
    primal_seconds, dual_seconds : float
        The shortest of the repetitions.
    apart : float
        How far the weights of the two are apart: they are the same (``ridge-primal-dual``).
    """

    features: int
    primal_work: int
    dual_work: int
    primal_seconds: float
    dual_seconds: float
    apart: float


@dataclass(frozen=True)
class RidgeCrossover:
    """Both forms at every size.

    Attributes
    ----------
    rows : int
    steps : tuple of BothForms
    """

    rows: int
    steps: tuple[BothForms, ...]

    @property
    def by_work(self) -> int | None:
        """The least number of features at which the dual form has less work; None where it never has."""
        return next((s.features for s in self.steps if s.dual_work < s.primal_work), None)

    @property
    def by_clock(self) -> int | None:
        """The least number of features from which on the dual form is always quicker; None where it never is."""
        late = None
        for step in reversed(self.steps):
            if step.dual_seconds >= step.primal_seconds:
                break
            late = step.features
        return late

    def __str__(self) -> str:
        lines = [f"{self.rows} rows:", "features  primal (ms)  dual (ms)  work, primal over dual"]
        lines += [
            f"{s.features:>8}  {1e3 * s.primal_seconds:>11.3f}  {1e3 * s.dual_seconds:>9.3f}  "
            f"{s.primal_work / s.dual_work:.3g}"
            for s in self.steps
        ]
        return "\n".join(lines)


def ridge_crossover(
    rows: int,
    features: Sequence[int],
    *,
    penalty: float = 1.0,
    repeats: int = 3,
    random_state: Any = None,
) -> RidgeCrossover:
    r"""Solve ridge regression in both forms, for rising numbers of features.

    The primal form solves d equations, :math:`(X^\top X+\lambda I)w=X^\top y`, in about :math:`md^2+d^3` steps; the
    dual one m equations, :math:`(XX^\top+\lambda I)\alpha=y`, in about :math:`dm^2+m^3`. They give the same weights,
    and cost the same where there are as many features as rows.

    Parameters
    ----------
    rows : int
        m.
    features : sequence of int
        The values of d.
    penalty : float, default=1.0
    repeats : int, default=3
        How often each is timed.
    random_state : int or Generator, optional
        The seed of the sample.

    Returns
    -------
    RidgeCrossover

    References
    ----------
    .. [1] Saunders, Gammerman & Vovk (1998). Ridge regression learning algorithm in dual variables.

    Examples
    --------
    >>> from assay import ridge_crossover
    >>> both = ridge_crossover(rows=30, features=[10, 30, 40, 90], random_state=0)
    >>> both.by_work, max(step.apart for step in both.steps) < 1e-9
    (40, True)
    """
    from assay.learners.linear.ridge import (
        Ridge,
    )  # only here: other experiments should not wait for it

    m = count("rows", rows, at_least=1)
    widths = sorted({count("features", d, at_least=1) for d in features})
    often = count("repeats", repeats, at_least=1)
    rng = np.random.default_rng(random_state)
    steps = []
    for d in widths:
        X, y = rng.normal(size=(m, d)), rng.normal(size=m)
        seconds, weights = {}, {}
        for form in ("primal", "dual"):
            times = []
            for _ in range(often):
                start = time.perf_counter()
                model = Ridge(penalty, fit_intercept=False, solver=form).fit(X, y)
                times.append(time.perf_counter() - start)
            seconds[form], weights[form] = min(times), model.coef_
        steps.append(
            BothForms(
                d,
                m * d**2 + d**3,
                d * m**2 + m**3,
                seconds["primal"],
                seconds["dual"],
                float(np.linalg.norm(weights["primal"] - weights["dual"])),
            )
        )
    return RidgeCrossover(m, tuple(steps))
