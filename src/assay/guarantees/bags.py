"""Guarantees of bagged ensembles, from the rows that bags leave out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import decimal_above, delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.out_of_bag import BagRecord, JudgedBagRecord, OutOfBagRecord
from assay.theory.claim import Status
from assay.theory.generalization.out_of_bag import BAG_ALONE, IN_RANGE
from assay.theory.rounding import Number
from assay.theory.tail.union import split

# Sums of losses are good to ten digits; a mean is rounded up by more than that, and by less than is allowed.
_ROUNDING = 1e-10

# What members depend on besides their bags, by the word that a fit leaves.
DEPENDS: Mapping[str, tuple[Status, str]] = {
    "estimator": ("declared", "members are not assay's own, so what they read is for you to say"),
    "weights": ("declared", "weights were given, and none was found by looking at other rows"),
    "balanced": (
        "violated",
        "class_weight='balanced' counts the classes of all rows; use 'balanced_subsample'",
    ),
    "bins": ("violated", "all {} rows say where bins end; leave max_bins out, or use more rows"),
}


def out_of_bag_guarantees(
    record: OutOfBagRecord, delta: Number = 0.05, *, known: Iterable[Assumption] = ()
) -> list[Guarantee]:
    """What is promised about one member drawn at random, and about the vote; both hold with probability 1 - delta.

    The promise about the members rests on half of delta, which that about the vote spends too.

    Parameters
    ----------
    record : OutOfBagRecord
    delta : number
        The probability that either promise fails.
    known : iterable of Assumption
        What is known better than by construction, such as that members did look at other rows.

    Examples
    --------
    >>> for promise in out_of_bag_guarantees(OutOfBagRecord(100, 20000, 20000, 20000, 800, 7200, 0.12, 2600, 0.02)):
    ...     print(promise)
    error of a member drawn at random: at most 0.136704, failing with probability at most 0.025, by out-of-bag-member
    error: at most 0.125185, failing with probability at most 0.05, by out-of-bag-vote
    """
    if not record.left_out:
        return []
    inputs, known = _inputs(record), tuple(known)
    half = delta_text(split(delta, 2)[0])
    member = error_guarantee(
        "out-of-bag-member",
        inputs | {"delta": half},
        of="error of a member drawn at random",
        formula="mean_t loss_D(h_t)",
        certified="the predictor that draws a member afresh for each example",
        known=known,
    )
    if record.left_out_by_both:
        inputs |= {"tandem": _above(record.tandem), "left_out_by_both": record.left_out_by_both}
    vote = error_guarantee("out-of-bag-vote", inputs | {"delta": delta_text(delta)}, known=known)
    return [member, vote]


def square_guarantee(
    record: OutOfBagRecord,
    low: float,
    high: float,
    delta: Number = 0.05,
    *,
    known: Iterable[Assumption] = (),
) -> list[Guarantee]:
    """What is promised about the mean squared error, as a share of the square of the range [low, high].

    Examples
    --------
    >>> record = OutOfBagRecord(100, 5000, 5000, 5000, 90.0, 1700, 0.05, 0, 0.0)
    >>> print(*square_guarantee(record, 0.0, 2.0))
    mean squared error, divided by 4.0: at most 0.02..., failing with probability at most 0.05, by out-of-bag-square
    """
    if not record.left_out:
        return []
    square = (high - low) ** 2
    inputs = _inputs(record) | {"loss": _above(record.loss / square), "delta": delta_text(delta)}
    return [
        error_guarantee(
            "out-of-bag-square",
            inputs,
            of=f"mean squared error, divided by {square!r}",
            formula=f"E[(f(x) - y)^2] / {square!r}",
            certified="this regressor",
            known=known,
        )
    ]


def left_out_guarantee(
    rows: int, draws: int, left_out: int | None = None, members: int = 1
) -> Guarantee:
    """What share of the rows a bag drawn with replacement leaves out, on average; and what share all bags did.

    Parameters
    ----------
    rows, draws : int
        Rows of the sample, and how many are drawn for each bag.
    left_out : int, optional
        How many rows the bags left out, all bags together.
    members : int
        How many bags there are.

    Examples
    --------
    >>> print(left_out_guarantee(1000, 1000))
    share of the rows that a bag leaves out: at most 0.367696, by bootstrap-out-of-bag
    >>> print(left_out_guarantee(1000, 1000, 36829, 100))
    share of the rows that a bag leaves out: at most 0.367696, observed 0.36829, by bootstrap-out-of-bag
    """
    return guarantee(
        "bootstrap-out-of-bag",
        {"rows": rows, "draws": draws},
        None if left_out is None else (left_out, rows * members),
        of="share of the rows that a bag leaves out",
        formula="E[share]",
        quantifier="expectation",
        certified="the bags of this ensemble",
    )


def _inputs(record: OutOfBagRecord) -> dict[str, Any]:
    loss = record.loss if math.isfinite(record.loss) else 1.0
    return {"loss": _above(loss), "left_out": record.left_out, "rows": record.rows}


def _above(mean: float) -> str:
    return decimal_above(min(mean + _ROUNDING * min(mean, 1.0), 1.0))


def bag_guarantees(record: BagRecord) -> list[Guarantee]:
    """What is known of bags before any row is seen; nothing where rows are not drawn again.

    Examples
    --------
    >>> bag_guarantees(BagRecord(10, 100, 50, False, 500))
    []
    """
    if not (record.replacement and record.draws > 0):
        return []
    return [left_out_guarantee(record.rows, record.draws, record.unseen, record.members)]


def vote_guarantees(record: BagRecord | JudgedBagRecord, delta: Number = 0.05) -> list[Guarantee]:
    """What rows left out promise about a vote, where it was judged on them, and what is known of the bags."""
    if isinstance(record, BagRecord):
        return bag_guarantees(record)
    judged = out_of_bag_guarantees(record, delta, known=_depending(record.bags))
    return judged + bag_guarantees(record.bags)


def mean_guarantees(
    record: BagRecord | JudgedBagRecord,
    delta: Number = 0.05,
    *,
    low: float | None = None,
    high: float | None = None,
) -> list[Guarantee]:
    """The same about a mean of numbers, for targets between `low` and `high`; without these of the bags alone."""
    if isinstance(record, BagRecord):
        return bag_guarantees(record)
    bags = record.bags
    if low is None or high is None or bags.targets is None:
        return bag_guarantees(bags)
    least, most = bags.targets
    seen = f"targets of the sample lie between {least!r} and {most!r}"
    inside = low <= least and most <= high
    declared = Assumption(IN_RANGE, "declared" if inside else "violated", seen)
    known = (*_depending(bags), declared)
    return square_guarantee(record, low, high, delta, known=known) + bag_guarantees(bags)


def _depending(record: BagRecord) -> tuple[Assumption, ...]:
    """What is known about whether members depend on their bags alone."""
    if record.depends_on not in DEPENDS:
        return ()
    status, seen = DEPENDS[record.depends_on]
    return (Assumption(BAG_ALONE, status, seen.format(record.rows)),)
