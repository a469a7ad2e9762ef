"""Whether the inputs of a claim are its theorem's, and of a size that can be evaluated in a moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.guarantees.printable import printable
from assay.theory.claim import Claim
from assay.theory.registry import Theorem

# Beyond so many rows even the enclosures of tails take more than a moment.
MOST_ROWS = 10**9
# A certificate carries no more losses (`assay.evidence.losses`), and no more kinds of units.
_MOST_LOSSES = 200_000
_MOST_UNITS = 100_000
# Whole numbers of more digits are refused where the file is read; here come the powers of ten.
_LARGEST_POWER = 400

_DECIMAL = re.compile(r"-?\d{1,60}(?:\.\d{1,60})?(?:[eE]([+-]?\d{1,5}))?")
_WORD = re.compile(r"[a-z][a-z-]{0,30}")


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
    most = {"rows": MOST_ROWS} | dict(terms.most)
    for name, value in inputs.items():
        fault = _value_fault(name, value, most.get(name))
        if fault is not None:
            return fault
    if "errors" in inputs and "mean-loss" not in terms.quantities and type(inputs["errors"]) is str:
        return "errors must be a whole number, but is text"
    return None


def _value_fault(name: str, value: Any, most: int | None) -> str | None:
    if name == "losses":
        return _losses_fault(value)
    if name == "units":
        return _units_fault(value)
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
    found = _DECIMAL.fullmatch(text)
    if found is None:
        return name != "delta" and _WORD.fullmatch(text) is not None
    # Looks at a holdout may leave a share of delta that is smaller than any double.
    return name == "delta" or abs(int(found[1] or 0)) <= _LARGEST_POWER


def _losses_fault(value: Any) -> str | None:
    if not isinstance(value, dict) or set(value) != {"encoding", "rows", "data"}:
        return "losses must be an entry with encoding, rows and data"
    rows = value["rows"]
    if type(rows) is not int or not 0 < rows <= _MOST_LOSSES:
        return f"losses must be at most {_MOST_LOSSES:,}"
    if not isinstance(value["data"], str) or len(value["data"]) > 4 * _MOST_LOSSES:
        return "losses must be their base64 text"
    return None


def _units_fault(value: Any) -> str | None:
    def is_kind(entry: Any) -> bool:
        return (
            isinstance(entry, list)
            and len(entry) == 3
            and all(type(count) is int and count >= 0 for count in entry)
        )

    if not isinstance(value, list) or not 0 < len(value) <= _MOST_UNITS:
        return f"units must be a list of at most {_MOST_UNITS:,} kinds"
    if not all(map(is_kind, value)):
        return "units must be errors, rows and the number of such units, each a whole number"
    if sum(rows * units for _, rows, units in value) > MOST_ROWS:
        return f"units must hold at most {MOST_ROWS:,} rows to be verified"
    return None
