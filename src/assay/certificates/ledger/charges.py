"""In how many ways an answer could have come out, which is what a ledger charges for it.

Every later look pays for each of them, so their number must not be too small: added up over all answers that there
could have been, one over the number of ways is at most 1. Numbers that whoever asks has named himself, and those that
follow from the number of rows, tell nothing.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.certificates.format.claim import subject_entry
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import subject_of
from assay.theory.claim import METRICS, OF_GROUP, OF_GROUPS

# Whole numbers that whoever asks has named himself.
_DECLARED = ("population", "next_rows", "most_rows")
_RANGED = ("mean-absolute-error", "mean-squared-error")
# Sums of losses are told in so many parts of one.
_PARTS = 1000


def told_by(claims: Sequence[Guarantee]) -> list[dict[str, Any]]:
    """Claims as a document would hold them, as far as they tell anything of the rows."""
    told = []
    for claim in claims:
        subject = subject_of(claim.of)
        assert subject is not None
        told.append({**subject_entry(subject), "inputs": claim.inputs})
    return told


def ways_of(claims: Sequence[Mapping[str, Any]], rows: int, answer: str = "exact") -> int:
    """In how many ways the claims of a certificate can come out.

    Examples
    --------
    >>> error = {"quantity": "error", "inputs": {"errors": 5, "rows": 1000, "delta": "0.05"}}
    >>> precision = {"quantity": "precision", "inputs": {"successes": 9, "rows": 10, "delta": "0.05"}}
    >>> ways_of([error], 1000), ways_of([error, precision], 1000) == 1001**3, ways_of([error], 1000, "pass-fail")
    (1001, True, 2)
    """
    if answer == "pass-fail":
        return 2
    ways, numbers = 1, 0
    for place, claim in enumerate(_telling(claims)):
        inputs = claim["inputs"]
        if "units" in inputs and claim["quantity"] in METRICS:
            # Of a metric of units, neither is known: how many rows of each count, nor how many of them fail.
            ways *= _ways_of_parts(claims[0]["inputs"]["units"])
        elif "units" in inputs:
            ways *= ways_of_units(inputs["units"])
        elif "groups" in inputs:
            ways *= math.prod(map(ways_of_units, inputs["groups"]))
        elif isinstance(inputs.get("errors"), str):
            # With a ledger only the sum of losses is told, or that some true number lies outside a declared range.
            ways *= _PARTS * rows + 1 + (claim["quantity"] in _RANGED)
        else:
            # The first claim is about all rows, and how many these are is known.
            numbers += _numbers(inputs) - (place == 0 and "rows" in inputs)
    # How many classes there are is told as well.
    numbers += any(claim["quantity"] == "class-error" and "side" not in claim for claim in claims)
    # And so is how many groups each division into groups has.
    numbers += len({tuple(n for n, _ in group) for claim in claims for group in _groups(claim)})
    return ways * int((rows + 1) ** numbers)


def _telling(claims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The claims that tell something: what groups have in common, and other ends of intervals, repeat what is told."""
    each = any(claim["quantity"] in OF_GROUP for claim in claims)
    telling: dict[str, Mapping[str, Any]] = {}
    for claim in claims:
        if not (each and claim["quantity"] in OF_GROUPS):
            inputs = {name: value for name, value in claim["inputs"].items() if name != "delta"}
            spoken = {
                name: claim[name]
                for name in ("quantity", "label", "other", "side", "group")
                if name in claim
            }
            telling.setdefault(json.dumps([spoken, inputs], sort_keys=True), claim)
    return list(telling.values())


def _groups(claim: Mapping[str, Any]) -> list[Any]:
    return [claim["group"]] if "group" in claim else list(claim.get("groups", ()))


def ways_of_refusal(rows: int) -> int:
    """What a refusal is charged that tells something of labels.

    Rates of a label, and of classes, tell two numbers beside the error, of which not all can occur together; so there
    is room for one more answer.
    """
    return (rows + 1) ** 2


def ways_of_units(units: Sequence[Sequence[int]]) -> int:
    """In how many ways units can come out: how many of them have how many wrong rows, their sizes being known.

    Examples
    --------
    >>> ways_of_units([(0, 1, 2), (1, 1, 1), (2, 2, 2)])
    24
    """
    return math.prod(math.comb(many + size, size) for size, many in _sizes(units).items())


def _ways_of_parts(units: Sequence[Sequence[int]]) -> int:
    """In how many ways some rows of each unit can count, and some of these be wrong."""
    ways = 1
    for size, many in _sizes(units).items():
        others = (size + 1) * (size + 2) // 2 - 1  # pairs of numbers, but one
        ways *= math.comb(many + others, others)
    return ways


def _sizes(units: Sequence[Sequence[Any]]) -> Counter[int]:
    """How many units have so many rows."""
    sizes = Counter[int]()
    for _, size, many in units:
        sizes[size] += many
    return sizes


def ways_of_difference(rows: int, units: Sequence[Sequence[Any]] | None = None) -> int:
    """In how many ways the counts of two models on the same rows can come out.

    Examples
    --------
    >>> ways_of_difference(2), ways_of_difference(2, [(1, 2, 1)])
    (6, 5)
    """
    if units is None:
        # Rows on which only the old model is wrong, only the new one, and all others.
        return math.comb(rows + 2, 2)
    # A unit of r rows differs by -r to r.
    sizes = _sizes(units).items()
    return math.prod(math.comb(many + 2 * size, 2 * size) for size, many in sizes)


def _numbers(inputs: Mapping[str, Any]) -> int:
    """How many whole numbers are told; of lists also how long they are."""
    listed = any(isinstance(value, list) for value in inputs.values())
    told = (value for name, value in inputs.items() if name not in _DECLARED)
    return listed + sum(map(_whole_numbers, told)) - (inputs.get("tied") == 0)


def _whole_numbers(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(isinstance(value, int))
