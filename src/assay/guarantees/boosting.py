"""Guarantees of boosting: the training error that the rounds promise beside the one observed."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_above, decimal_ratio, decimal_text, delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.evaluate_theorem import at_most, promised
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


def _at_most_one(share: str | None) -> str | None:
    """A share is never more than one; a theorem that gives more says nothing."""
    return share if share is None or float(share) <= 1 else "1"


def adaboost_guarantee(record: BoostingRecord, *, classes: int, plain: bool) -> Guarantee:
    """The training error of AdaBoost, by the errors of its rounds.

    Parameters
    ----------
    record : BoostingRecord
    classes : int
        The number of classes.
    plain : bool
        Whether the votes are those of the theorem, the learning rate being 1.

    Examples
    --------
    >>> import numpy as np
    >>> errors, votes = np.array([0.25, 0.2]), np.array([0.549306, 0.693147])
    >>> record = BoostingRecord(8, errors, votes, 1, 0.125, True, "rounds")
    >>> print(adaboost_guarantee(record, classes=2, plain=True))
    training error: at most 0.692821, observed 0.125, by adaboost-training-error
    """
    if record.stopped == "perfect":
        inputs: dict[str, Any] = {"round_errors": ["0"]}
        return _training(record, "adaboost-training-error", inputs, OUTVOTES)
    errors = [_raised(error) for error in record.errors.tolist()]
    if classes == 2 and plain and record.even:
        return _training(record, "adaboost-training-error", {"round_errors": errors}, IN_DOUBLES)
    votes = [decimal_text(vote) for vote in record.votes.tolist()]
    inputs = {"round_errors": errors, "votes": votes}
    return _training(record, "boosting-vote-margins", inputs, IN_DOUBLES)


def _training(
    record: BoostingRecord, theorem: str, inputs: dict[str, Any], evidence: str
) -> Guarantee:
    entry = find_theorem(theorem)
    known = tuple(Assumption(name, "by construction", evidence) for name in entry.assumes)
    number = _at_most_one(promised(entry, inputs, known))
    textbook = None
    if theorem == "adaboost-training-error":
        beside = entry(**inputs, form="textbook")
        textbook = (entry.id, decimal_above(beside))
    seen = (
        decimal_ratio(record.training_errors, record.rows)
        if record.even
        else decimal_text(record.training_error)
    )
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of="training error" if record.even else "weighted training error",
        promised=number,
        observed=seen,
        delta="0",
        inputs=inputs,
        assumptions=known,
        statement=at_most("err_S", number),
        quantifier="always",
        certified="this fit",
        textbook=textbook,
    )


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
    entry = find_theorem("boosting-vote-margins")
    inputs = {
        "round_errors": [_raised(error) for error in record.errors.tolist()],
        "votes": [decimal_text(vote) for vote in record.votes.tolist()],
        "margin": decimal_text(margin),
    }
    known = tuple(Assumption(name, "by construction", IN_DOUBLES) for name in entry.assumes)
    if record.stopped == "perfect":
        broken = f"{OUTVOTES}, by a vote that is not its own"
        known = (Assumption(known[0].name, "violated", broken), *known[1:])
    number = _at_most_one(promised(entry, inputs, known))
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=f"margins of at most {margin:g}",
        promised=number,
        observed=decimal_text(share),
        delta="0",
        inputs=inputs,
        assumptions=known,
        statement=at_most("P_S[margin <= theta]", number),
        quantifier="always",
        certified="this fit",
    )


def majority_boost_guarantees(record: MajorityBoostRecord, edge: Number) -> list[Guarantee]:
    """What the rounds of boosting with a known edge promise: how many are wrong, and how soon none is.

    Examples
    --------
    >>> import numpy as np
    >>> record = MajorityBoostRecord(10, np.full(17, 0.8), 17, 0, 0, 5)
    >>> for guarantee in majority_boost_guarantees(record, 0.25):
    ...     print(guarantee)
    training examples wrong: at most 0, observed 0, by boosting-training-error
    rounds until none is wrong: at most 17, observed 5, by boosting-rounds
    """
    weak = _weak_learning(record, edge)
    text = decimal_text(edge)
    inputs = {"examples": record.rows, "rounds": record.rounds, "edge": text}
    found = [
        _counted(
            "boosting-training-error",
            inputs,
            weak,
            of="training examples wrong",
            observed=str(record.wrong),
            formula="#wrong",
        )
    ]
    inputs = {"examples": record.rows, "edge": text}
    violated = weak.status == "violated"
    if violated or record.clean or find_theorem("boosting-rounds")(**inputs) <= record.rounds:
        found.append(
            _counted(
                "boosting-rounds",
                inputs,
                weak,
                of="rounds until none is wrong",
                observed=str(record.clean) if record.clean else None,
                formula="T",
            )
        )
    return found


def _weak_learning(record: MajorityBoostRecord, edge: Number) -> Assumption:
    least = 0.5 + record.least_edge
    seen = f"the least share of {record.rounds} rounds was {least:.6g}"
    if 0 < record.broken <= record.rounds:
        return Assumption(WEAK_LEARNER, "violated", f"{seen}, and edge={edge!r} asks for more")
    return Assumption(WEAK_LEARNER, "checked", seen)


def _counted(
    theorem: str, inputs: dict[str, Any], weak: Assumption, *, of: str, observed: Any, formula: str
) -> Guarantee:
    entry = find_theorem(theorem)
    known = tuple(
        weak if name == WEAK_LEARNER else Assumption(name, "by construction")
        for name in entry.assumes
    )
    number = promised(entry, inputs, known)
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=of,
        promised=number,
        observed=observed,
        delta="0",
        inputs=inputs,
        assumptions=known,
        statement=at_most(formula, number),
        quantifier="always",
        certified="this fit",
    )


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
    told: dict[str, Assumption] = {
        SETTINGS_FIXED: Assumption(SETTINGS_FIXED, "declared"),
        REBUILT: Assumption(REBUILT, "checked", "every threshold was found between two of them"),
    }
    told |= {assumption.name: assumption for assumption in known}
    inputs = {"errors": errors, "size": size, "rows": rows, "delta": delta_text(delta)}
    return error_guarantee("stump-vote-compression", inputs | terms, known=told.values())
