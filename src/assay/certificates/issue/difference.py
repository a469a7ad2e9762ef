"""Certify a difference: is the new model better than the old one, and by how much?"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import Rule, document
from assay.certificates.issue.asked import Answer
from assay.certificates.issue.certify import enter_look, first_known, require_verifiable
from assay.certificates.issue.difference_claims import (
    AskedDifference,
    Promise,
    difference_claims,
    require_counted,
)
from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.paired_input import gathered
from assay.certificates.ledger.charges import ways_of_difference
from assay.certificates.ledger.entry import Entry, compared_query
from assay.certificates.ledger.ledger import Ledger, opened
from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence
from assay.evidence.paired import Paired
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.rounding import Number
from assay.theory.tail.difference import BOTH_FIXED_BEFORE


def certify_difference(
    model: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    baseline: Any = None,
    y_true: Any = None,
    y_pred: Any = None,
    loss: Any = None,
    baseline_loss: Any = None,
    only_old: int | None = None,
    only_new: int | None = None,
    rows: int | None = None,
    train: Any = None,
    overlap: Overlap = "refuse",
    unit: Any = None,
    ids: Any = None,
    delta: Number = 0.05,
    promise: Promise = "difference",
    margin: Number | None = None,
    rivals: int | None = None,
    drawn: str = "not stated",
    fixed_before: bool = False,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    holdout: str | None = None,
    answer: Answer = "exact",
) -> Certificate:
    r"""State by how much the error of a new model is below that of an old one, on the same rows.

    Only rows on which exactly one of the two is wrong tell anything: with b rows on which only the old model is, c
    on which only the new one is, and n rows in all, the difference is bounded from below by
    :math:`q_L(2\theta_L-1)`, each of the two by exact binomial bounds. A negative number says that the new model may be
    worse, but by no more than that. Give one of: two fitted models with `X` and `y`; `y_true` with the predictions
    `y_pred` and `baseline`; two columns of graded losses; or the counts.

    Parameters
    ----------
    model, X, y : object with ``predict``, array-like, array-like, optional
        The new model, and rows that neither model has seen.
    baseline : object with ``predict``, or array-like, or mapping, optional
        The old model, or its predictions; several of them by their names.
    y_true, y_pred : array-like, optional
        The truth, and the predictions of the new model; of several new models by their names.
    loss, baseline_loss : array-like, optional
        Losses in [0, 1] of the new and of the old model, one per row, in the order in which the rows were drawn. One of
        them may be a mapping of names.
    only_old, only_new, rows : int, optional
        On how many rows only the old model, and only the new one, is wrong, of how many.
    train, overlap
        Of fitted models, as in `certify`: rows that either has learned, and rows that repeat others.
    unit : column, or "none", optional
        What each row belongs to. The promise is then about the mean over units. ``"none"`` declares that every row is
        a draw of its own.
    ids : column, optional
        What each row is called. Where a name comes again nothing is promised unless `unit` is given.
    delta : float or decimal text, default=0.05
        The probability that any of the promises fails.
    promise : {"difference", "better"}, default="difference"
        By how much the new model is better, or only that it is, which takes fewer rows (exact one-sided McNemar).
    margin : float or decimal text, optional
        By how much the new model may be worse: a gate, which is passed where the promise is at least minus this.
        Several models are then tried by Holm's steps, which let more of them pass than equal shares of `delta` would.
    rivals : int, optional
        How many comparisons were declared to share `delta`, where those given are not all of them.
    drawn : str, optional
        How the rows were drawn, for the reader of the certificate.
    fixed_before : bool, default=False
        Whether you declare that all models were fixed before these rows were seen.
    ledger, holdout
        As in `certify`: where looks at these rows are kept, so that this one pays for those before it.
    answer : {"exact", "pass-fail"}, default="exact"
        Whether to tell the numbers, or only that the gate is passed, by all models that are given; that is one bit.

    Returns
    -------
    Certificate
        The `promised` of its claims is the difference; of ``"better"`` it is 0 where the new model is better, and -1
        where that cannot be said. Several models have a claim each, those that pass a gate first.

    Raises
    ------
    CertificateRefused
        With ``answer="pass-fail"``, when the gate is not passed.

    Examples
    --------
    >>> from assay import certify_difference
    >>> claim = certify_difference(only_old=40, only_new=20, rows=1000).claims[0]
    >>> claim.direction, round(claim.promised, 6), claim.observed
    ('at least', 0.003949, 0.02)
    """
    with opened(ledger) as book:
        seen = gathered(
            {
                "model, X, y and baseline": (model, X, y, baseline),
                "y_true, y_pred and baseline": (y_true, y_pred, baseline),
                "loss and baseline_loss": (loss, baseline_loss),
                "only_old, only_new and rows": (only_old, only_new, rows),
            },
            train=train,
            overlap=overlap,
            unit=unit,
            ids=ids,
            private=book is not None,
        )
        asked = AskedDifference.read(promise, margin, answer, rivals, len(seen))
        return certify_paired(
            seen,
            asked,
            delta=delta,
            drawn=drawn,
            fixed_before=fixed_before,
            ledger=book,
            holdout=holdout,
        )


def certify_paired(
    seen: Sequence[Paired],
    asked: AskedDifference,
    *,
    delta: Number = 0.05,
    drawn: str = "not stated",
    fixed_before: bool = False,
    ledger: Ledger | None = None,
    holdout: str | None = None,
) -> Certificate:
    """`certify_difference` for what was seen elsewhere, such as in two files."""
    require(isinstance(drawn, str), "drawn", "a text", drawn)
    total = delta_text(delta)
    entry = None if ledger is None else _enter(ledger, seen, asked, total, holdout)
    known = first_known(BOTH_FIXED_BEFORE, fixed_before, entry)
    available = Fraction(total) if entry is None else entry.share
    claims, rule = difference_claims(seen, asked, available, known)
    return _issued(seen, claims, rule, asked.declared, total, drawn, entry)


def certify_pairs(
    seen: Sequence[Paired],
    *,
    spend: Fraction,
    declared: int,
    delta: str,
    drawn: str,
    first: Assumption,
) -> Certificate:
    """A difference for every pair of several models, both ways, which share what is spent equally.

    Parameters
    ----------
    seen : sequence of Paired
        Every pair, both models named.
    spend : Fraction
        The part of delta that all pairs share.
    declared : int
        How many pairs share it: no fewer than are given.
    delta, drawn : str
        As in `certify_difference`.
    first : Assumption
        How it is known that the models came before the rows.
    """
    asked = AskedDifference(declared=declared)
    claims, rule = difference_claims(seen, asked, spend, first)
    return _issued(seen, claims, rule, declared, delta, drawn, None)


def _issued(
    seen: Sequence[Paired],
    claims: Sequence[Guarantee],
    rule: Rule,
    declared: int,
    delta: str,
    drawn: str,
    entry: Entry | None,
) -> Certificate:
    require_verifiable(claims)
    first = seen[0]
    made = document(
        claims,
        role="difference",
        rows=first.rows,
        delta=delta,
        drawn=drawn,
        predictions=None if first.new else first.predictions,
        baseline=None if first.old else first.baseline,
        rivals=_named(seen) or None,
        # With a ledger the truth is named by its salted digest alone: the plain one could be guessed at.
        truth=first.data if entry is None else None,
        declared=declared,
        rule=rule,
        entry=entry,
    )
    return Certificate.issued(made)


def _named(seen: Sequence[Paired]) -> dict[str, str | None]:
    """The models that have names, each with the digest of what it gave."""
    olds = {one.old: one.baseline for one in seen if one.old}
    return olds | {one.new: one.predictions for one in seen if one.new}


def _enter(
    ledger: Ledger, seen: Sequence[Paired], asked: AskedDifference, total: str, holdout: str | None
) -> Entry:
    """Charge the look: one bit for pass or fail, else for all counts that are told."""
    first = seen[0]
    ways = 2
    if asked.answer == "exact":
        if first.graded:
            raise BadParameter(
                "ledger must be left out for graded losses, of which a certificate tells every one. Compare errors, "
                "such as whether each score reaches what you need."
            )
        ways = math.prod(ways_of_difference(one.rows, one.units) for one in seen)
        # What cannot be answered is refused before a look is charged for it.
        unasked = first_known(BOTH_FIXED_BEFORE, False, None)
        require_verifiable(difference_claims(seen, asked, Fraction(total), unasked)[0])
    else:
        require_counted(first, asked)
    evidence = Evidence(
        first.rows,
        None,
        predictions=first.predictions,
        holdout=first.holdout,
        partition=first.partition,
        known_rows=first.known_rows,
    )
    query = compared_query(name for one in seen for name in (one.predictions, one.baseline))
    return enter_look(ledger, evidence, holdout, asked.answer, ways=ways, delta=total, query=query)
