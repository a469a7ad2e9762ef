"""Guarantees of Winnow, from the record of its run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from assay.errors import BadParameter, require
from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.disjunctions import Disjunction, disjunction_of, smallest_disjunction
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.record.online import KeptExamples, WinnowRecord
from assay.theory.mistake.winnow import (
    ANY_FACTOR,
    RULE,
    SEPARATED,
    winnow_disjunction_mistakes,
    winnow_separator_mistakes,
)
from assay.theory.needs import count, positive
from assay.theory.registry import find_theorem
from assay.types import Floats

_DISJUNCTION = "winnow-disjunction-mistakes"
_SEPARATOR = "winnow-separator-mistakes"


def winnow_guarantees(
    record: WinnowRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """The bounds for what was declared of the labels, and for a disjunction found in hindsight."""
    guarantees = []
    if "threshold" in declared or "separator" in declared:
        guarantees.append(_by_separator(record, of, declared))
    if "at_least" in declared:
        guarantees.append(_by_count(record, of, declared))
    disjunction = None
    if _kept(record).complete:
        X, _, y = _kept(record).examples()
        disjunction = smallest_disjunction(X.whole, y, record.negations, record.width)
    if declared.get("literals") is not None and "at_least" not in declared:
        literals = count("literals", declared["literals"])
        known = _literals_known(record, literals, disjunction)
        guarantees.append(_disjunction(record, of, known, literals))
    if disjunction is not None and record.rounds:
        known = _agreeing(record, disjunction)
        guarantees.append(_disjunction(record, of, known, len(disjunction.literals)))
    return guarantees


def _kept(record: WinnowRecord) -> KeptExamples:
    assert record.hindsight is not None, "a run whose examples nobody kept has no such guarantee"
    return record.hindsight


def _require_so_many(record: WinnowRecord, literals: int) -> None:
    must = f"at most the number of features {record.literals}"
    require(literals <= record.literals, "literals", must, literals)


def _late(record: WinnowRecord, rule: str) -> list[Assumption]:
    came_late = "features appeared after the first mistake, so the threshold was not theirs"
    return [Assumption(rule, "violated", came_late)] if record.late else []


# Disjunctions


def _disjunction(record: WinnowRecord, of: str, known: Assumption, literals: int) -> Guarantee:
    """The bound for a disjunction; with another factor than two, as a separator that asks for one literal."""
    if record.factor != 2.0:
        separated = Assumption(SEPARATED, known.status, known.evidence)
        return _separator(record, of, separated, Fraction(literals), Fraction(1))
    return mistake_guarantee(
        _DISJUNCTION,
        {"literals": literals, "features": record.literals},
        record.mistakes,
        of=of,
        known=(known, *_late(record, RULE)),
    )


def _agreeing(record: WinnowRecord, disjunction: Disjunction) -> Assumption:
    target, _ = find_theorem(_DISJUNCTION).assumes
    status: Status = "checked" if disjunction.consistent else "violated"
    return Assumption(target, status, disjunction.told(record.names))


def _literals_known(record: WinnowRecord, literals: int, seen: Disjunction | None) -> Assumption:
    """How the number of literals that was declared is known, after the run."""
    target, _ = find_theorem(_DISJUNCTION).assumes
    _require_so_many(record, literals)
    allowed = _allowed(record, Fraction(literals), Fraction(1))
    if record.factor == 2.0:
        allowed = winnow_disjunction_mistakes(literals, record.literals)
    if seen is not None and not seen.consistent:
        return _agreeing(record, seen)
    if record.mistakes > allowed:
        return Assumption(target, "violated", f"it allows at most {allowed} mistakes")
    X, _, y = _kept(record).examples()
    if seen is None or len(seen.literals) > literals:
        # On the examples that were kept, which is enough to refute it, but not to show it.
        few = disjunction_of(literals, X.whole, y, record.negations, record.width)
        if few is not None and not few.consistent:
            why = f"no disjunction of so few literals agrees with the {len(y)} mistaken examples"
            return Assumption(target, "violated", why)
        seen = few if _kept(record).complete else None
    if seen is None:
        return Assumption(target, "declared", f"{literals} of {record.literals} literals")
    return _agreeing(record, seen)


# Majorities and other separators


def _rounding(record: WinnowRecord) -> Fraction:
    """By which part sums of weights, and weights, may be off: one rounding a term, and two a mistake."""
    if record.factor == 2.0:  # no product is rounded
        return Fraction(record.literals + 1, 2**52)
    return Fraction(record.literals + 2 * record.mistakes + 4, 2**52)


def _inputs(record: WinnowRecord, weight: Fraction, gap: Fraction) -> dict[str, Any]:
    return {
        "weight": str(weight),
        "gap": str(gap),
        "features": record.literals,
        "factor": record.factor,
        "rounding": str(_rounding(record)),
    }


def _too_large(record: WinnowRecord, gap: Fraction) -> bool:
    """Whether the factor promises nothing for this gap: no theorem tells then how often demotions undo promotions."""
    s = _rounding(record)
    a = Fraction(record.factor)
    return not (1 - gap) * (a * (1 + s) - 1) * (1 + s) < (1 - (1 + s) / a) * (1 - s)


def _allowed(record: WinnowRecord, weight: Fraction, gap: Fraction) -> int:
    return winnow_separator_mistakes(**_inputs(record, weight, gap))


def _separator(
    record: WinnowRecord, of: str, known: Assumption, weight: Fraction, gap: Fraction
) -> Guarantee:
    rule = _late(record, ANY_FACTOR)
    if _too_large(record, gap):
        most = f"{float(1 / (1 - gap)):.6g}"  # at a gap of 1 no factor is too large
        why = (
            f"the factor is {record.factor:g}, and a gap of {float(gap):.6g} needs one below {most}"
        )
        rule = [Assumption(ANY_FACTOR, "violated", why)]
    elif known.status in ("declared", "assumed"):
        allowed = _allowed(record, weight, gap)
        if record.mistakes > allowed:
            known = Assumption(known.name, "violated", f"it allows at most {allowed} mistakes")
    return mistake_guarantee(
        _SEPARATOR, _inputs(record, weight, gap), record.mistakes, of=of, known=(known, *rule)
    )


def _by_count(record: WinnowRecord, of: str, declared: Mapping[str, Any]) -> Guarantee:
    """The labels say whether at least r of k literals are true."""
    if declared.get("literals") is None:
        raise BadParameter("at_least must come with literals: at least so many of how many?")
    k = count("literals", declared["literals"], at_least=1)
    r = count("at_least", declared["at_least"], at_least=1)
    _require_so_many(record, k)
    require(r <= k, "at_least", f"at most the number of literals {k}", r)
    known = Assumption(SEPARATED, "declared", f"at least {r} of {k} literals")
    return _separator(record, of, known, Fraction(k, r), Fraction(1, r))


def _by_separator(record: WinnowRecord, of: str, declared: Mapping[str, Any]) -> Guarantee:
    """Weights and a threshold that were declared, compared with the examples that changed anything."""
    if declared.get("separator") is None or declared.get("threshold") is None:
        raise BadParameter("separator and threshold must come together.")
    weights, threshold = _read(record, declared)
    X, _, y = _kept(record).examples()
    rows = np.asarray(X.whole.toarray() if hasattr(X.whole, "toarray") else X.whole)
    sums = [_sum(row, weights, record) for row in rows]
    high = min((s for s, label in zip(sums, y, strict=True) if label > 0), default=threshold)
    low = max((s for s, label in zip(sums, y, strict=True) if label < 0), default=Fraction(0))
    if high < threshold or low >= threshold:
        side = "positive" if high < threshold else "negative"
        seen = f"a {side} example that was mistaken lies on the other side"
        known, gap = Assumption(SEPARATED, "violated", seen), Fraction(1)
    else:
        gap = 1 - low / threshold
        kept = _kept(record)
        if kept.complete or kept.kept == kept.count:
            seen = f"on all {len(y)} mistaken examples; the others changed nothing"
            known = Assumption(SEPARATED, "checked", seen)
        else:
            seen = f"on {len(y)} mistaken examples of {kept.count}"
            known = Assumption(SEPARATED, "declared", seen)
    total = sum((abs(weight) for weight in weights), start=Fraction(0))
    return _separator(record, of, known, total / threshold, gap)


def _read(record: WinnowRecord, declared: Mapping[str, Any]) -> tuple[list[Fraction], Fraction]:
    """Weights by feature, and the threshold that they have as weights of literals, none of them negative."""
    given: Floats = np.empty(0)
    with suppress(TypeError, ValueError):  # no numbers, or lists of several lengths
        given = np.asarray(declared["separator"], dtype=np.float64)
    good = given.shape == (record.width,) and bool(np.isfinite(given).all())
    require(good, "separator", f"{record.width} finite weights", declared["separator"])
    weights = [Fraction(weight) for weight in given.tolist()]
    threshold = positive("threshold", declared["threshold"]).low
    if any(weight < 0 for weight in weights) and not record.negations:
        raise BadParameter(
            "separator must have weights of zero or more, but has one below. Winnow(negations=True) learns those too."
        )
    # A weight of -a on a feature is one of a on its negation, less a.
    return weights, threshold + sum((-w for w in weights if w < 0), start=Fraction(0))


def _sum(row: Any, weights: list[Fraction], record: WinnowRecord) -> Fraction:
    true = (w if x else Fraction(0) for w, x in zip(weights, row, strict=True) if w > 0)
    false = (-w if not x else Fraction(0) for w, x in zip(weights, row, strict=True) if w < 0)
    return sum(true, start=Fraction(0)) + sum(false, start=Fraction(0))
