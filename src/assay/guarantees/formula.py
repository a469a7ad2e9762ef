"""Guarantees about a formula or a concept that was chosen by its errors on a sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import decimal_ratio, decimal_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.formula import DisjunctionRecord, FiniteClassRecord
from assay.theory.generalization.finite_class import (
    CONSISTENT,
    FIXED_CLASS,
    agnostic_erm_finite,
    uniform_convergence_finite,
)
from assay.theory.generalization.occam import FIXED_LANGUAGE
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import CLASS_FIXED, CODE_FIXED
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS


def disjunction_guarantees(
    record: DisjunctionRecord, delta: Number = 0.05, error: Number | None = None
) -> list[Guarantee]:
    """What is promised about the error: for all disjunctions alike, then by the length of this one.

    With an `error` also how many rows are enough for it.

    Examples
    --------
    >>> print(disjunction_guarantees(DisjunctionRecord(500, 0, 12, True, 20))[0])
    error: at most 0.0318403, observed 0, failing with probability at most 0.05, by occam-finite-class
    """
    errors, rows = record.errors, record.rows
    of = "error" if record.label is None else f"error of {record.label!r} against the rest"
    seen = f"errors on {errors} of {rows} examples"
    known = (
        Assumption(INDEPENDENT_DRAWS, "assumed"),
        Assumption(FIXED_CLASS, "by construction"),
        Assumption(FIXED_LANGUAGE, "by construction"),
        Assumption(CONSISTENT, "violated" if errors else "checked", seen),
    )
    sample = {"rows": rows, "delta": delta}
    by_length = {"errors": errors, "bits": record.bits, "code": "prefix-free", **sample}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("occam-finite-class", {"class_size": record.class_size, **sample}),
        ("occam-prefix-free", {"bits": record.bits, **sample}),
        ("regularized-occam", by_length),
    ]
    observed = decimal_ratio(errors, rows)
    promises = [
        error_guarantee(theorem, inputs, of=of, observed=observed, known=known)
        for theorem, inputs in asked
    ]
    return promises if error is None else [*promises, _rows_enough(record, delta, error)]


def _rows_enough(record: DisjunctionRecord, delta: Number, error: Number) -> Guarantee:
    """How many rows make the error small, if the labels are a disjunction of these literals."""
    draws, target = find_theorem("disjunction-pac").assumes
    seen = f"errors on {record.errors} of {record.rows} examples"
    shown = error if isinstance(error, str) else decimal_text(error)
    literals = record.features * (2 if record.negations else 1)
    return guarantee(
        "disjunction-pac",
        {"features": literals, "error": shown, "delta": str(delta)},
        of=f"rows for an error below {shown}",
        formula=f"err_D(h) < {shown}",
        form="P[{formula}] >= 1 - {delta} from {promised} rows on",
        known=(
            Assumption(draws, "assumed"),
            Assumption(target, "violated" if record.errors else "declared", seen),
        ),
        quantifier="probability over the examples",
    )


def finite_class_guarantees(
    record: FiniteClassRecord, delta: Number = 0.05, excess: Number | None = None
) -> list[Guarantee]:
    """What is promised about the error of the concept chosen, about every concept, and about the best.

    With an `excess` also whether the sample is large enough for it.

    Examples
    --------
    >>> print(finite_class_guarantees(FiniteClassRecord(1000, 97, 27))[0])
    error: at most 0.127105, observed 0.097, failing with probability at most 0.05, by finite-class-exact
    """
    errors, rows, size = record.errors, record.rows, record.class_size
    seen = f"errors on {errors} of {rows} examples"
    known = [
        Assumption(INDEPENDENT_DRAWS, "assumed"),
        Assumption(FIXED_CLASS, "declared"),
        Assumption(CLASS_FIXED, "declared"),
        Assumption(FIXED_LANGUAGE, "declared"),
        Assumption(CODE_FIXED, "declared"),
        Assumption(CONSISTENT, "violated" if errors else "checked", seen),
    ]
    sample = {"rows": rows, "delta": delta}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("finite-class-exact", {"errors": errors, "class_size": size, **sample})
    ]
    if not errors:
        asked.append(("occam-finite-class", {"class_size": size, **sample}))
    if record.bits is not None:
        inputs = {"errors": errors, "bits": record.bits, "code": "prefix-free", **sample}
        asked.append(("regularized-occam", inputs))
    observed = decimal_ratio(errors, rows)
    of_concept = [
        error_guarantee(theorem, inputs, observed=observed, known=known)
        for theorem, inputs in asked
    ]
    enough = [] if excess is None else [_enough(record, delta, excess)]
    return of_concept + _of_the_class(record, delta, known) + enough


def _of_the_class(
    record: FiniteClassRecord, delta: Number, known: list[Assumption]
) -> list[Guarantee]:
    every = error_guarantee(
        "uniform-convergence-finite",
        {"class_size": record.class_size, "rows": record.rows, "delta": delta},
        of="difference between true error and share of errors, for every concept",
        formula="max_h |err_S(h) - err_D(h)|",
        known=known,
    )
    if record.bits is not None:
        return [every]  # the concept chosen need not have the fewest errors
    slack = uniform_convergence_finite(record.class_size, record.rows, delta)
    close, fewest = find_theorem("representative-sample-erm").assumes
    over = error_guarantee(
        "representative-sample-erm",
        {"slack": slack},
        of="excess over the smallest error in the class",
        formula="err_D(h) - min_H err_D",
        known=(
            Assumption(close, "assumed", f"by {every.theorem}, failing with probability {delta}"),
            Assumption(fewest, "by construction"),
        ),
    )
    return [every, replace(over, delta=every.delta, quantifier=every.quantifier)]


def _enough(record: FiniteClassRecord, delta: Number, excess: Number) -> Guarantee:
    rows = agnostic_erm_finite(record.class_size, excess, delta)
    draws, fixed, fewest = find_theorem("agnostic-erm-finite").assumes
    large = record.rows >= rows
    shown = decimal_text(excess) if not isinstance(excess, str) else excess
    return guarantee(
        "agnostic-erm-finite",
        {"class_size": record.class_size, "excess": shown, "delta": str(delta)},
        of=f"rows for an excess of {shown} over the smallest error in the class",
        formula="the excess",
        form=f"err_D(h) <= min_H err_D + {shown}",
        assumptions=(
            Assumption(draws, "assumed"),
            Assumption(fixed, "declared"),
            Assumption(fewest, "by construction" if record.bits is None else "violated"),
            Assumption(
                "the sample is that large",
                "checked" if large else "violated",
                f"{record.rows} rows, of {rows} needed",
            ),
        ),
        quantifier="probability over the examples",
    )
