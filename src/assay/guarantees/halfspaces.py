"""What the capacity of halfspaces says about a linear classifier of two classes, from its errors on its own rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import judged
from assay.guarantees.decimals import decimal_above, delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.nonvacuous import rows_until
from assay.guarantees.optimality import training_guarantee
from assay.guarantees.stored_numbers import stored_guarantees
from assay.record.linear_fit import LinearFitRecord
from assay.theory.claim import Condition
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.complexity.rademacher import rademacher_massart
from assay.theory.generalization.rademacher import LOSSES_IN_UNIT
from assay.theory.generalization.vc import CLASS_FIXED, INDEPENDENT, REALIZABLE
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number

ROUNDING = Condition("no-sign-lost", "no score loses its sign to rounding")

# Of wider models growth functions are numbers of many digits, and only the length of the model is stated.
_WIDEST = 1000


def linear_fit_guarantees(fit: LinearFitRecord | None, delta: Number = 0.05) -> list[Guarantee]:
    """What the fit of a model of so many numbers says: its length, its hinge loss, and the capacity of its class.

    Examples
    --------
    >>> fit = LinearFitRecord(100_000, 900, 20, 18, True, 2, 2500.0)
    >>> [guarantee.theorem for guarantee in linear_fit_guarantees(fit)][:3]
    ['occam-exact', 'occam-float64', 'surrogate-upper-bounds']
    """
    if fit is None:
        return []
    return [
        *length_guarantees(fit, delta),
        training_guarantee(fit.errors, fit.rows, fit.hinge, "hinge"),
        *halfspace_guarantees(fit, delta),
    ]


def length_guarantees(fit: LinearFitRecord | None, delta: Number = 0.05) -> list[Guarantee]:
    """What the length of the model says about its error (``occam-exact``, ``occam-float64``).

    Examples
    --------
    >>> print(length_guarantees(LinearFitRecord(100_000, 900, 20, 18, True, 2, 2500.0))[0])
    error: at most 0.0284803, observed 0.009, failing with probability at most 0.05, by occam-exact
    """
    return [] if fit is None else stored_guarantees(fit.numbers, fit.rows, fit.errors, delta)


def halfspace_guarantees(fit: LinearFitRecord | None, delta: Number = 0.05) -> list[Guarantee]:
    """What the growth function and the Rademacher complexity of all halfspaces say about one of them.

    They hold for every halfspace at once, and so for one that was found with weights of rows or classes, in several
    passes, or from a start of the user's. Each fails with probability delta at most. A promise that says nothing
    says from how many rows on, at the same share of errors, it would.

    Examples
    --------
    >>> fit = LinearFitRecord(500, 0, 2, 2, True, 2, 3.0)
    >>> for guarantee in halfspace_guarantees(fit):
    ...     print(f"{guarantee.promised:.4f} by {guarantee.theorem}")
    0.1010 by vc-occam-growth
    0.5396 by vc-uniform-growth
    0.2777 by rademacher-expected-bound
    0.4052 by rademacher-empirical-bound
    """
    if fit is None or fit.classes != 2 or fit.features > _WIDEST:
        return []
    failure = delta_text(delta)
    theorem, capacity = _described(fit)

    def by_growth(m: int) -> dict[str, Any]:
        return {"rows": m, "delta": failure, **capacity}

    beyond = _stated(
        fit,
        "vc-uniform-growth",
        by_growth,
        of="error beyond the share of errors on the training rows",
        formula="err_D(h) - err_S(h)",
    )
    share = _share(fit)

    def by_complexity(labelings: Callable[[int], int]) -> Callable[[int], dict[str, Any]]:
        return lambda m: {
            "observed": share,
            "complexity": decimal_above(rademacher_massart(labelings(m), m, 0.5)),
            "rows": m,
            "delta": failure,
        }

    return [
        *([] if fit.errors else [_stated(fit, theorem, by_growth)]),
        beyond,
        _stated(fit, "rademacher-expected-bound", by_complexity(_growth(fit))),
        _stated(fit, "rademacher-empirical-bound", by_complexity(_growth_seen(fit))),
    ]


def _stated(
    fit: LinearFitRecord,
    theorem: str,
    inputs: Callable[[int], dict[str, Any]],
    *,
    of: str = "error",
    formula: str = "err_D(h)",
) -> Guarantee:
    """One promise; where it says nothing, with the rows from which on it would."""
    beside = None if of != "error" else (fit.errors, fit.rows)
    known = (
        Assumption(INDEPENDENT, "assumed"),
        Assumption(
            CLASS_FIXED,
            "declared",
            f"all halfspaces of {fit.features} features, which must not have been chosen or scaled by these rows",
        ),
        Assumption(REALIZABLE, "checked", f"no error on {fit.rows} rows"),
        Assumption(LOSSES_IN_UNIT, "by construction"),
    )
    promise = error_guarantee(
        theorem, inputs(fit.rows), of=of, formula=formula, observed=beside, known=known
    )
    promise = judged(promise, Assumption(ROUNDING, "assumed"))
    if not promise.vacuous:
        return promise
    entry = find_theorem(theorem)
    return replace(promise, says_from=rows_until(lambda m: entry(**inputs(m)) < 1, fit.rows))


def _described(fit: LinearFitRecord) -> tuple[str, dict[str, int]]:
    """The theorem about consistent halfspaces, and the class: its exact growth is known where there is an intercept."""
    if fit.constant:
        return "vc-occam-growth", {"halfspaces": fit.features}
    # A score of zero has a label, and so have weights of zero: Sauer's sum counts these labelings, too.
    return "vc-occam-sauer", {"vc_dimension": fit.features}


def _growth(fit: LinearFitRecord) -> Callable[[int], int]:
    if fit.constant:
        return lambda m: growth_halfspaces(m, fit.features)
    return lambda m: sauer_growth(m, fit.features)


def _growth_seen(fit: LinearFitRecord) -> Callable[[int], int]:
    """On the sample a column that never changes is an intercept, whether or not there is another one."""
    seen = _growth(fit)
    if fit.varying == 0:
        return lambda m: min(2, seen(m))
    return lambda m: min(growth_halfspaces(m, fit.varying), seen(m))


def _share(fit: LinearFitRecord) -> str:
    """The share of errors, rounded up."""
    share = fit.errors / fit.rows
    return decimal_above(share if not fit.errors else min(1.0, math.nextafter(share, 1.0)))
