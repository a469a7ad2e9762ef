"""What is checked of a single claim: its theorem's role, its inputs, its conditions and its number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.format.claim import (
    LOSS_INPUTS,
    LOSS_SCALE,
    assumptions_in,
    decode_inputs,
    subject_in,
    worded,
)
from assay.guarantees.added_conditions import IN_RANGE, KNOWN_BEFORE, NOT_IN_TRAINING, SCALED
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.printable import printable
from assay.theory.claim import BUILT, LOSSES, OF_GROUPS, Claim, Known, Role
from assay.theory.registry import Theorem, find_theorem
from assay.theory.rounding import as_fraction

# C libraries may differ in the last places of log and exp.
_ULPS = 4
_LOOSE = 1e-12
# Where nothing is told but that a rate is met, or where what was seen stands in the inputs alone.
_UNTOLD: tuple[Role, ...] = ("training", "choice")

# Beyond so many rows even the enclosures of tails take more than a moment.
MOST_ROWS = 10**9
# A certificate carries no more losses (`assay.evidence.losses`), and no more kinds of units.
_MOST_LOSSES = 200_000
_MOST_UNITS = 100_000
# A mean over classes has no more of them, and a claim about the worst of groups not of these.
_MOST_CLASSES = 100
_MOST_GROUPS = 500
# Whole numbers of more digits are refused where the file is read; here come the powers of ten.
_LARGEST_POWER = 400

_DECIMAL = re.compile(r"-?\d{1,60}(?:\.\d{1,60})?(?:[eE]([+-]?\d{1,5}))?")
_WORD = re.compile(r"[a-z][a-z-]{0,30}")

_ADDED = {
    NOT_IN_TRAINING.id: Known("checked", ("assumed",)),
    KNOWN_BEFORE.id: Known("declared", ("assumed", "not asked")),
    IN_RANGE.id: Known("declared", ("assumed",)),
    SCALED.id: BUILT,
}
# Any other condition can only weaken a promise, so nothing is to be said for it.
_WEAKENING = Known("declared", ("assumed", "not asked"))


def check_claim(
    name: str,
    claim: Mapping[str, Any],
    data: Mapping[str, Any],
    notes: list[str],
    *,
    at_length: bool = True,
) -> tuple[bool, str]:
    """Whether a claim says what its theorem gives for its inputs; what is loose goes into the notes.

    `at_length` allows whole numbers of many digits, which are slower than enclosures.
    """
    theorem = find_theorem(claim["theorem"])
    if not theorem.claims:
        return False, f"{theorem.id} does not bound what a certificate promises"
    terms = theorem.claim_of(claim["quantity"])
    if terms is None:
        return False, f"{theorem.id} does not bound {printable(subject_in(claim), 80)!r}"
    wrong = next(_faults(theorem, terms, claim, data), None)
    if wrong is None and terms.role == "run":
        from assay.certificates.verify.run_checks import run_fault

        wrong = run_fault(name, theorem, claim, notes)
    elif wrong is None:
        wrong = _observed_fault(terms, claim)
        if wrong is None and claim["promised"] is not None:
            wrong = _number_fault(name, theorem, terms, claim, notes, at_length)
    return wrong is None, wrong or f"{worded(claim)['statement']}, by {claim['theorem']}"


def _faults(
    theorem: Theorem, terms: Claim, claim: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with a claim before any number is computed."""
    fault = input_fault(theorem, terms, claim["inputs"])
    if fault is not None:
        yield fault
    yield from assumption_faults(theorem, terms, claim, data)
    if "witness" in claim and terms.role != "run":
        yield "it shows a vector, which its theorem does not speak of"


def _number_fault(
    name: str,
    theorem: Theorem,
    terms: Claim,
    claim: Mapping[str, Any],
    notes: list[str],
    at_length: bool,
) -> str | None:
    inputs, promised = claim["inputs"], as_fraction(claim["promised"])
    if theorem.checker is not None:
        sound, tight = theorem.checker(decode_inputs(inputs), promised, at_length)
        if not sound:
            side = "less" if terms.direction == "at most" else "more"
            return f"{claim['promised']} is {side} than {theorem.id} allows for these inputs"
    else:
        again = float(theorem(**decode_inputs(inputs)))
        again = min(again, 1.0) if theorem.kind == "error" and not terms.whole else again
        # How far the promise goes beyond what the theorem gives, to the safe side.
        beyond = promised - Fraction(again)
        beyond = beyond if terms.direction == "at most" else -beyond
        near = Fraction(_ULPS * math.ulp(again))
        if beyond < -near:
            return f"{theorem.id} gives {again!r} for these inputs, but {claim['promised']} is promised"
        tight = beyond <= abs(Fraction(again)) * Fraction(_LOOSE) + near
    if terms.whole and promised.denominator != 1:
        return f"{claim['promised']} is promised, which is no count"
    if not tight and not _is_gate(claim, promised):
        than = "larger" if terms.direction == "at most" else "smaller"
        notes.append(f"{name}: {claim['promised']} is valid but {than} than it need be")
    return _textbook_fault(theorem, claim)


def _is_gate(claim: Mapping[str, Any], promised: Fraction) -> bool:
    """Whether what is promised is what was asked for, and nothing finer."""
    return "margin" in claim and promised == -as_fraction(claim["margin"])


def _textbook_fault(theorem: Theorem, claim: Mapping[str, Any]) -> str | None:
    beside = claim.get("textbook")
    if beside is None:
        return None
    again = theorem.textbook(**decode_inputs(claim["inputs"]))
    if again is None or beside["theorem"] != theorem.textbook_id:
        return f"{printable(beside['theorem'], 80)} is not the textbook form of {theorem.id}"
    if abs(float(beside["promised"]) - again) > _ULPS * math.ulp(again):
        return f"{beside['theorem']} gives {again!r}, but {beside['promised']} stands beside it"
    return None


def _observed_fault(terms: Claim, claim: Mapping[str, Any]) -> str | None:
    inputs, observed = claim["inputs"], claim["observed"]
    if terms.role in _UNTOLD:
        misplaced = "what is observed on training rows stands in its inputs, and nowhere else"
        return None if observed is None else misplaced
    if terms.role == "judged":
        from assay.certificates.verify.judged_checks import estimate_fault

        return estimate_fault(claim)
    if observed is None:
        # Only the error of a holdout, or of its worst group, and that a model passes, may be promised untold.
        counted = terms.role == "holdout" and "threshold" not in inputs
        counted = counted or claim["quantity"] == "worst-group-error"
        counted = counted or (terms.role == "difference" and "only_old" in inputs)
        return None if counted else "what was observed is not told"
    but = f"{observed} is said to be observed, but"
    if terms.role == "difference":
        return _difference_fault(claim, but)
    if terms.role == "metric":
        from assay.certificates.verify.metric_checks import seen_in

        right = seen_in(claim)
        return None if observed == right else f"{but} the counts give {right}"
    if "pairs" in inputs:
        right = decimal_ratio(2 * inputs["concordant"] + inputs["tied"], 2 * inputs["pairs"])
        return None if observed == right else f"{but} the pairs give {right}"
    if claim["quantity"] in OF_GROUPS:
        from assay.certificates.verify.group_checks import seen_of_groups

        right = seen_of_groups(claim)
        return None if observed == right else f"{but} the counts of the groups give {right}"
    if "units" in inputs:
        right = _over_units(claim["quantity"], inputs["units"])
        return None if observed == right else f"{but} the units give {right}"
    if "threshold" in inputs:
        below = 0 <= as_fraction(observed) <= as_fraction(inputs["threshold"])
        return None if below else f"{but} that share of rows lies within {inputs['threshold']}"
    if "rows" in inputs and isinstance(inputs.get("errors"), int):
        right = decimal_ratio(inputs["errors"], max(inputs["rows"], 1))
        return None if observed == right else f"{but} the counts give {right}"
    if "losses" in inputs:
        mean = float(decode_inputs(inputs)["losses"].mean())
        near = mean - 1.01 / LOSS_SCALE <= float(observed) <= mean + 1e-12
        return None if near else f"{but} the losses average {mean!r}"
    if "errors" in inputs:
        mean = float(as_fraction(inputs["errors"]) / max(inputs["rows"], 1))
    else:
        mean = float(as_fraction(inputs["mean"]))
    near = abs(mean - float(observed)) <= 1e-15
    return None if near else f"{but} the inputs give {mean!r}"


def _difference_fault(claim: Mapping[str, Any], but: str) -> str | None:
    """Whether what was seen of two models is what their counts give."""
    inputs, observed = claim["inputs"], claim["observed"]
    if "units" in inputs:
        right = _over_units(claim["quantity"], inputs["units"])
    elif "rows" in inputs:
        right = decimal_ratio(inputs["only_old"] - inputs["only_new"], max(inputs["rows"], 1))
    elif "old_losses" in inputs:
        given = decode_inputs(inputs)
        mean = float(given["old_losses"].mean() - given["new_losses"].mean())
        near = mean - 1e-12 <= float(observed) <= mean + 2.02 / LOSS_SCALE
        return None if near else f"{but} the losses differ by {mean!r}"
    else:
        return None  # how many rows there are, only the document says
    return None if observed == right else f"{but} the counts give {right}"


def _over_units(quantity: str, units: list[list[int]]) -> str:
    """What was seen of units, as decimal text."""
    from assay.guarantees.unit_shares import seen_of_units

    seen = seen_of_units(quantity, units)
    return decimal_ratio(seen.numerator, seen.denominator)


def input_fault(theorem: Theorem, terms: Claim, inputs: Mapping[str, Any]) -> str | None:
    """Why these cannot be the inputs of this claim; None when they can.

    They are exactly what the theorem's function takes: an input that it does not have would let a claim
    carry counts that its number does not rest on.
    """
    wanted = theorem.parameters()
    unknown = [name for name in inputs if name not in wanted]
    if unknown:
        return f"{theorem.id} takes no input {printable(min(unknown), 40)!r}"
    missing = [name for name, needed in wanted.items() if needed and name not in inputs]
    if missing:
        return f"the input {missing[0]!r} of {theorem.id} is missing"
    most = {"rows": MOST_ROWS, "pairs": MOST_ROWS} | dict(terms.most)
    for name, value in inputs.items():
        signed = terms.role == "difference"
        listed = 0 if not terms.listed else _MOST_GROUPS if terms.role == "group" else _MOST_CLASSES
        fault = _value_fault(name, value, most.get(name), listed=listed, signed=signed)
        if fault is not None:
            return fault
    graded = set(LOSSES) & set(terms.quantities)
    if "errors" in inputs and not graded and type(inputs["errors"]) is str:
        return "errors must be a whole number, but is text"
    return None


def _value_fault(
    name: str, value: Any, most: int | None, *, listed: int, signed: bool
) -> str | None:
    if name in LOSS_INPUTS:
        return _losses_fault(value)
    if name == "units":
        return _units_fault(value, signed)
    if name == "groups":
        return _groups_fault(value)
    if name == "strata":
        from assay.certificates.verify.judged_checks import strata_fault

        fault: str | None = strata_fault(value)
        return fault
    if listed and isinstance(value, list):
        return _counts_fault(name, value, most, listed)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        if most is not None and value > most:
            return f"{name} must be at most {most:,} to be verified, but is {value}"
        return None
    if isinstance(value, str):
        return None if _is_readable(name, value) else f"{name} is no number that can be read"
    return f"{name} must be a number, but is {printable(value, 40)}"


def _is_readable(name: str, text: str) -> bool:
    """Whether text is a decimal of a size that occurs, or the name of a form of the theorem."""
    if len(text) > 60:
        return False
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        return name != "delta" and _WORD.fullmatch(text) is not None
    # Looks at a holdout may leave a share of delta that is smaller than any double.
    return name == "delta" or abs(int(decimal[1] or 0)) <= _LARGEST_POWER


def _counts_fault(name: str, value: list[Any], most: int | None, listed: int) -> str | None:
    """One whole number for each class, or for each group."""
    if not 0 < len(value) <= listed:
        return f"{name} must be a list of at most {listed:,} counts"
    if not all(type(count) is int and 0 <= count <= (most or MOST_ROWS) for count in value):
        return f"{name} must be whole numbers, each at most {most or MOST_ROWS:,}"
    return None


def _groups_fault(value: Any) -> str | None:
    """The kinds of units of each group."""
    if not isinstance(value, list) or not 0 < len(value) <= _MOST_GROUPS:
        return f"groups must be a list of the units of at most {_MOST_GROUPS:,} groups"
    return next((fault for kinds in value if (fault := _units_fault(kinds, False))), None)


def _losses_fault(value: Any) -> str | None:
    if not isinstance(value, dict) or set(value) != {"encoding", "rows", "data"}:
        return "losses must be an entry with encoding, rows and data"
    rows = value["rows"]
    if type(rows) is not int or not 0 < rows <= _MOST_LOSSES:
        return f"losses must be at most {_MOST_LOSSES:,}"
    if not isinstance(value["data"], str) or len(value["data"]) > 4 * _MOST_LOSSES:
        return "losses must be their base64 text"
    return None


def _units_fault(value: Any, signed: bool) -> str | None:
    def is_kind(entry: Any) -> bool:
        return (
            isinstance(entry, list)
            and len(entry) == 3
            and all(type(count) is int and count >= 0 for count in (entry[1:] if signed else entry))
            and type(entry[0]) is int
        )

    if not isinstance(value, list) or not 0 < len(value) <= _MOST_UNITS:
        return f"units must be a list of at most {_MOST_UNITS:,} kinds"
    if not all(map(is_kind, value)):
        return "units must be errors, rows and the number of such units, each a whole number"
    if sum(rows * units for _, rows, units in value) > MOST_ROWS:
        return f"units must hold at most {MOST_ROWS:,} rows to be verified"
    return None


def assumption_faults(
    theorem: Theorem, terms: Claim, claim: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with the conditions that a claim lists."""
    listed = assumptions_in(claim)
    ids = [assumption.id or assumption.name for assumption in listed]
    known = {
        condition.id: rule  # type: ignore[attr-defined]
        for condition, rule in zip(theorem.assumes, terms.known, strict=True)
    }
    ranged = [IN_RANGE.id] if "range" in claim else []
    missing = [id for id in (*known, *ranged) if id not in ids]
    if missing:
        yield f"the assumption {missing[0]!r} is not listed"
    if len(set(ids)) != len(ids):
        yield "an assumption is listed twice"
    for assumption in listed:
        rule = known.get(assumption.id) or _ADDED.get(assumption.id) or _WEAKENING
        if not rule.allows(assumption.status):
            yield f"that {printable(assumption.name)} cannot be known to be so: {assumption.status}"
        if assumption.id == NOT_IN_TRAINING.id:
            fault = _overlap_fault(assumption, data["rows"])
            if fault is not None:
                yield fault
        yield from _order_faults(assumption)
    yield from _promise_faults(claim["promised"], listed)


def _promise_faults(promised: str | None, listed: Sequence[Assumption]) -> Iterator[str]:
    violated = [a.name for a in listed if a.status == "violated"]
    if violated and promised is not None:
        yield f"a number is promised although it is not true that {printable(violated[0])}"
    if promised is None and not violated:
        yield "no number is promised, and no assumption is violated"


def _order_faults(assumption: Assumption) -> Iterator[str]:
    """Whether what is said of the draw fits what was found along the order of the rows."""
    if type(assumption.evidence) is str:
        return
    from assay.evidence.order_check import OrderCheck, fault_of

    if isinstance(assumption.evidence, OrderCheck):
        fault = fault_of(assumption.evidence, assumption.status)
        if fault is not None:
            yield fault


def _overlap_fault(assumption: Assumption, rows: int) -> str | None:
    """Whether what is said of repeated rows fits the rows that were certified."""
    from assay.evidence.training_overlap import TrainingOverlap

    overlap, status = assumption.evidence, assumption.status
    if not isinstance(overlap, TrainingOverlap):
        return "it is not said how many rows occur in the training set"
    if overlap.left_out:
        # Rows that repeat another of the holdout are left out as well.
        fits = status == "checked" and 0 < overlap.repeated <= overlap.rows - rows
        fits = fits and not overlap.by_sample
    else:
        # That none of a sample was found is no proof that there is none.
        unfound = "assumed" if overlap.by_sample else "checked"
        fits = status == ("violated" if overlap.repeated else unfound)
        fits = fits and overlap.repeated <= overlap.rows
    if not fits or overlap.rows < rows or overlap.compared > overlap.learned:
        return f"'{overlap}' does not fit {rows} rows, {status}"
    return None
