"""Guarantees of boosting: the training error that the rounds promise beside the one observed."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_above, decimal_text, delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.boosting import BoostingRecord, MajorityBoostRecord
from assay.theory.boosting.majority_boost import WEAK_LEARNER
from assay.theory.generalization.compression import REBUILT, SETTINGS_FIXED
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number

IN_DOUBLES = "in double precision; errors of rounds are rounded up to twelve digits"
OUTVOTES = "the last hypothesis makes no error and outvotes all others"
# More digits than rounding has left right, and never below.
_ROUND_UP = Context(prec=12, rounding=ROUND_CEILING)


def _raised(error: float) -> str:
    """An error rate rounded up to twelve digits, at most one."""
    return decimal_text(min(Fraction(_ROUND_UP.create_decimal(Decimal(error))), Fraction(1)))


def adaboost_guarantee(record: BoostingRecord) -> Guarantee:
    """The training error of AdaBoost, by the errors of its rounds.

    Examples
    --------
    >>> import numpy as np
    >>> errors, votes = np.array([0.25, 0.2]), np.array([0.549306, 0.693147])
    >>> record = BoostingRecord(8, errors, votes, 1, 0.125, True, "rounds")
    >>> print(adaboost_guarantee(record))
    training error: at most 0.692821, observed 0.125, by adaboost-training-error
    """
    theorem, inputs, evidence = "adaboost-training-error", _rounds(record), IN_DOUBLES
    if record.stopped == "perfect":
        inputs, evidence = {"round_errors": ["0"]}, OUTVOTES
    elif record.classes == 2 and record.rate == 1 and record.even:
        del inputs["votes"]
    else:
        theorem = "boosting-vote-margins"
    textbook = None
    if theorem == "adaboost-training-error":
        beside = find_theorem(theorem)(**inputs, form="textbook")
        textbook = (theorem, decimal_above(beside))
    return guarantee(
        theorem,
        inputs,
        (record.training_errors, record.rows) if record.even else record.training_error,
        of="training error" if record.even else "weighted training error",
        formula="err_S",
        certified="this fit",
        assumptions=by_construction(theorem, evidence),
        most=1,
        textbook=textbook,
    )


def _rounds(record: BoostingRecord) -> dict[str, Any]:
    return {
        "round_errors": [_raised(error) for error in record.errors.tolist()],
        "votes": [decimal_text(vote) for vote in record.votes.tolist()],
    }


def margin_guarantee(record: BoostingRecord, margin: float, share: float) -> Guarantee:
    """The share of the examples that the vote is right on by at most a margin, or wrong.

    Parameters
    ----------
    record : BoostingRecord
    margin : float
        Between -1 and 1.
    share : float
        What was seen: the share of the starting weight with a margin of at most that.

    Examples
    --------
    >>> import numpy as np
    >>> errors, votes = np.array([0.1, 0.1, 0.1]), np.array([1.098612] * 3)
    >>> record = BoostingRecord(1000, errors, votes, 28, 0.028, True, "rounds")
    >>> print(margin_guarantee(record, 0.2, 0.028))
    margins of at most 0.2: at most 0.417568, observed 0.028, by boosting-vote-margins
    """
    known = by_construction("boosting-vote-margins", IN_DOUBLES)
    if record.stopped == "perfect":
        broken = f"{OUTVOTES}, by a vote that is not its own"
        known = (Assumption(known[0].name, "violated", broken), *known[1:])
    return guarantee(
        "boosting-vote-margins",
        _rounds(record) | {"margin": decimal_text(margin)},
        share,
        of=f"margins of at most {margin:g}",
        formula="P_S[margin <= theta]",
        certified="this fit",
        assumptions=known,
        most=1,
    )


def majority_boost_guarantees(record: MajorityBoostRecord) -> list[Guarantee]:
    """What the rounds of boosting with a known edge promise: how many are wrong, and how soon none is.

    Examples
    --------
    >>> import numpy as np
    >>> record = MajorityBoostRecord(10, np.full(17, 0.8), 17, 0, 0, 5, edge=0.25)
    >>> for guarantee in majority_boost_guarantees(record):
    ...     print(guarantee)
    training examples wrong: at most 0, observed 0, by boosting-training-error
    rounds until none is wrong: at most 17, observed 5, by boosting-rounds
    """
    weak = _weak_learning(record)
    text = decimal_text(record.edge)
    inputs = {"examples": record.rows, "edge": text}
    wrong = guarantee(
        "boosting-training-error",
        {"examples": record.rows, "rounds": record.rounds, "edge": text},
        record.wrong,
        of="training examples wrong",
        formula="#wrong",
        certified="this fit",
        known=[weak],
    )
    violated = weak.status == "violated"
    if not (violated or record.clean or find_theorem("boosting-rounds")(**inputs) <= record.rounds):
        return [wrong]
    clean = guarantee(
        "boosting-rounds",
        inputs,
        record.clean or None,
        of="rounds until none is wrong",
        formula="T",
        certified="this fit",
        known=[weak],
    )
    return [wrong, clean]


def _weak_learning(record: MajorityBoostRecord) -> Assumption:
    least = 0.5 + record.least_edge
    seen = f"the least share of {record.rounds} rounds was {least:.6g}"
    if 0 < record.broken <= record.rounds:
        return Assumption(
            WEAK_LEARNER, "violated", f"{seen}, and edge={record.edge!r} asks for more"
        )
    return Assumption(WEAK_LEARNER, "checked", seen)


def stump_guarantee(
    *,
    errors: int,
    size: int,
    rows: int,
    delta: Number,
    known: Iterable[Assumption] = (),
    **terms: Any,
) -> Guarantee:
    """The error of a vote of stumps, from the rows it was learned from.

    Examples
    --------
    >>> terms = {"stumps": 9, "features": 57, "weighted": False}
    >>> print(stump_guarantee(errors=300, size=15, rows=4000, delta=0.05, **terms))
    error: at most 0.187944, failing with probability at most 0.05, by stump-vote-compression
    """
    usual = (
        Assumption(SETTINGS_FIXED, "declared"),
        Assumption(REBUILT, "checked", "every threshold was found between two of them"),
    )
    inputs = {"errors": errors, "size": size, "rows": rows, "delta": delta_text(delta)}
    return error_guarantee("stump-vote-compression", inputs | terms, known=(*usual, *known))
