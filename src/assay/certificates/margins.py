"""Guarantees of support vector machines."""

from __future__ import annotations

from assay.certificates.assumption import Assumption
from assay.certificates.decimals import decimal_ratio
from assay.certificates.evaluated import at_most, promised, written
from assay.certificates.fits import excess_guarantee
from assay.certificates.guarantee import Guarantee
from assay.record.margin import MarginRecord
from assay.theory.registry import find_theorem

OPTIMAL = "the machine satisfies the KKT conditions, up to the tolerance"


def loo_guarantees(
    support: int, rows: int, errors: int | None, *, residual: float, tolerance: float
) -> list[Guarantee]:
    """What the number of support vectors says: about leaving one out always, about the error on average.

    Examples
    --------
    >>> for guarantee in loo_guarantees(25, 400, 11, residual=5e-4, tolerance=1e-3):
    ...     print(guarantee)
    leave-one-out error: at most 0.0625, observed 0.0275, by svm-loo
    error of a machine from one example less: at most 0.0625, by svm-loo
    """
    entry, given = find_theorem("svm-loo"), written({"support": support, "rows": rows})
    seen = f"they fail by {residual:.2g} at most"
    optimal = Assumption(OPTIMAL, "checked" if residual <= tolerance else "violated", seen)
    drawn, fixed = entry.assumes
    on_average = (optimal, Assumption(drawn, "assumed"), Assumption(fixed, "declared"))
    always = promised(entry, given, (optimal,))
    return [
        Guarantee(
            theorem=entry.id,
            kind=entry.kind,
            of="leave-one-out error",
            promised=always,
            observed=None if errors is None else decimal_ratio(errors, rows),
            delta="0",
            inputs=given,
            assumptions=(optimal,),
            statement=at_most("LOO(S)", always),
            quantifier="always",
            certified="this learner on this sample",
        ),
        Guarantee(
            theorem=entry.id,
            kind=entry.kind,
            of="error of a machine from one example less",
            promised=always,
            observed=None,
            delta="0",
            inputs=given,
            assumptions=on_average,
            statement=at_most("E[err_D]", always),
            quantifier="expectation",
            certified="this learner on samples like this one",
        ),
    ]


def duality_guarantee(record: MarginRecord) -> Guarantee:
    """How far the objective of a machine with the hinge loss can be above the least; losses come weighted.

    Examples
    --------
    >>> print(duality_guarantee(MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1)))
    excess of the objective: at most 0.25, by svm-duality-kkt
    """
    square = record.norm**2
    lost = max(0.0, record.primal - 0.5 * square)
    # Rounding may put the dual above the primal by a last digit, where both are the least value.
    total = min(max(0.0, record.dual + 0.5 * square), square + lost)
    given = {"square": square, "hinge": lost, "total": total, "C": 1}
    known = find_theorem("svm-duality-kkt").assumes
    return excess_guarantee(
        "svm-duality-kkt", given, tuple(Assumption(name, "by construction") for name in known)
    )
