"""Certify: from what was seen on a holdout to a certificate."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import document
from assay.certificates.format.quantity import meant
from assay.certificates.issue.asked import Answer, Asked, names_of
from assay.certificates.issue.claims import Method
from assay.certificates.issue.count import count as count_frame
from assay.certificates.issue.count import with_known_draws
from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.gathered import gathered, labelled
from assay.certificates.issue.model_evidence import is_regressor
from assay.certificates.issue.quantity_claims import NOTHING, AskedQuantity
from assay.certificates.issue.unit_claims import AskedUnits, Over
from assay.certificates.ledger.entry import Entry, query_of
from assay.certificates.ledger.ledger import Ledger, opened
from assay.certificates.verify.claim_checks import input_fault
from assay.certificates.verify.document_checks import check_size
from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.claim import Condition
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE


def certify(
    model: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    y_true: Any = None,
    y_pred: Any = None,
    truth: str | None = None,
    prediction: str | None = None,
    score: Any = None,
    loss: Any = None,
    errors: int | None = None,
    rows: int | None = None,
    delta: Number = 0.05,
    rates: Sequence[str] | str | None = (),
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    floor: Number | None = None,
    method: Method | None = None,
    population: int | None = None,
    models: int = 1,
    train: Any = None,
    overlap: Overlap = "refuse",
    unit: Any = None,
    ids: Any = None,
    over: Over = "units",
    most_rows: int | None = None,
    drawn: str = "not stated",
    ledger: Ledger | str | os.PathLike[str] | None = None,
    holdout: str | None = None,
    answer: Answer = "exact",
    max_error: Number | None = None,
    next_rows: int | None = None,
    fixed_before: bool = False,
    coverage: Number | None = None,
    within: Number | None = None,
    range: Sequence[Number] | None = None,
    groups: Any = None,
    by: Sequence[str] | str | None = None,
    every_group: bool = False,
    two_sided: bool = False,
) -> Certificate:
    r"""State the error rate that may be promised, from a holdout the model has not seen.

    For k errors in n independent rows the promise is the exact binomial bound
    :math:`\sup\{p:\Pr[\mathrm{Bin}(n,p)\le k]\ge\delta\}`: with probability at least
    :math:`1-\delta` over the draw of the holdout, the error rate is not above it, and no valid
    bound that never falls as errors rise is smaller. Give one of: a fitted `model` with `X` and
    `y`; `y_true` with `y_pred`, with `score`, or with both; a per-example `loss` in [0, 1]; or the counts ``errors``
    and ``rows``.

    Parameters
    ----------
    model : object with ``predict``, or frame, optional
        A fitted model of any library. Or a frame, with `truth` and `prediction`; or evidence that was counted
        (`assay.count`).
    X, y : array-like or frame, optional
        The holdout for `model`.
    y_true, y_pred : array-like, optional
        The truth and the predictions of any model.
    truth, prediction : str, optional
        Names of two columns of a frame that is given first: pandas, polars or Arrow, lazy frames, DuckDB relations, a
        data set of Arrow such as a folder of Parquet, Dask, Spark, Ibis. It is counted where its rows lie, by one GROUP
        BY, and nothing but counts travels; `unit`, `ids` and `by` are names of its columns, too. The certificate does
        not depend on where the rows lie or in which order, and so it holds no digest of them.
    score : array-like, optional
        One score for each row, the higher the more it speaks for the positive label; or a table with one column for
        each label, in their sorted order, such as ``predict_proba`` gives.
    loss : array-like, or {"absolute", "squared"}, optional
        One loss in [0, 1] per row, in the order in which the rows were drawn. Of predicted numbers the name of what
        is lost: the mean of it is promised, with `range`. Of a frame, given first, the name of a column of losses:
        each is rounded up to a multiple of 1/65,536, so that sums are the same in any order.
    errors, rows : int, optional
        Counts, when nothing else is at hand.
    delta : float or decimal text, default=0.05
        The probability that any of the promises fails. 0.05 means 95 % confidence.
    rates : sequence of str, or one of them, optional
        Further rates to promise at the same time: half of `delta` goes to the overall error, the
        other half is shared by the rates. Errors of classes, at most: ``"class"``, ``"false-positive"``,
        ``"false-negative"``. Metrics of a report, at least: ``"accuracy"``, ``"precision"``, ``"recall"``,
        ``"specificity"``, ``"jaccard"``, ``"f1"``, ``"balanced-accuracy"`` (or ``"macro-recall"``),
        ``"macro-precision"``, ``"macro-f1"``. Of scores: ``"auc"``, at least; of probabilities ``"brier"`` and
        ``"log-loss"``, at most. Without predictions, rates of scores share `delta` evenly. Means are over the classes
        for which they are defined: that of precision over those that are predicted.
    positive : label, optional
        The label that counts as positive; the last in sorted order when not given.
    labels : sequence, optional
        All labels there are, when predictions may hold one that the truth does not.
    floor : float, optional
        For ``"log-loss"``: the probability at which probabilities are clipped from below, which was fixed beforehand.
    method : {"exact", "anytime", "kl", "hoeffding", "betting", "bernstein"}, optional
        Which theorem to use; by default the tightest for the kind of data.
    population : int, optional
        The size of the finite batch the rows were drawn from without replacement.
    models : int, default=1
        How many candidate models were declared before the holdout was used.
    train : X or (X, y), optional
        The training rows; rows of the holdout among them make the certificate void.
    overlap : {"refuse", "drop", "keep"}, default="refuse"
        Whether rows of `X` that are also in `train` void the promise or are left out. Rows are known by their
        features, and each counts once, however often `X` holds it. ``"keep"`` declares that equal rows are
        separate draws: then all count, and the certificate says so.
    unit : column, optional
        What each row belongs to, such as a patient or a conversation. Rows may then depend on one another within a
        unit. ``"none"`` declares that every row is a draw of its own, whatever ids there are.
    ids : column, optional
        What names each row, such as a question's id. Where one comes again and no `unit` is given, rows may depend on
        one another, and nothing is promised. Columns of a table `X` that are ids by their names are looked at too.
    over : {"units", "rows", "whole-units"}, default="units"
        With `unit`, what the promise is about: the mean over units of the share of wrong rows; the share of wrong
        rows among all rows of many units, and `rates` of them; or the share of units with a wrong row.
    most_rows : int, optional
        With ``over="rows"``: how many rows a unit can have at most, which is fixed beforehand.
    drawn : str, optional
        How the holdout was drawn, for the reader of the certificate.
    ledger : Ledger or path, optional
        Where looks at this holdout are kept, so that this one pays for those before it. Predicted
        labels that the truth does not hold then count as wrong, rows are looked for in `train` by
        their features alone, and the digest of the truth is salted: a refusal or a certificate shall
        tell no more about the holdout than what is charged for.
    holdout : str, optional
        A name for the holdout in the ledger; the digest of the truth when not given.
    answer : {"exact", "pass-fail"}, default="exact"
        Whether to tell the numbers, or only that `max_error` can be promised.
    max_error : float, optional
        The error rate to promise with ``answer="pass-fail"``, or with `every_group`.
    next_rows : int, optional
        Promise, in place of the error rate, how many of so many rows to come will be wrong at most.
    fixed_before : bool, default=False
        Whether you declare that the model, and the groups where there are any, were fixed before these rows were
        seen. Without it, and without a ledger, the certificate says that nobody was asked.
    coverage : float, optional
        For predicted numbers: promise how far off this share of new rows is at most, such as 0.9. A regressor is
        asked for 0.9 where nothing else is.
    within : float, optional
        For predicted numbers: promise how many new rows are off by more than this, which was fixed beforehand.
    range : pair of numbers, optional
        For predicted numbers: promise the mean absolute error, or with ``loss="squared"`` that of squared errors, if
        every true number lies in this range. Predictions are clipped to it. Several of the three share `delta`
        evenly.
    groups : column, mapping, frame or names of columns, optional
        What divides the rows into groups, such as languages or age bands: a column; columns by their names, where a
        frame as a value crosses its columns; a frame of columns; or names of columns of `X`, ``"sex*age"`` for two of
        them crossed. Every level of every column is a group, rows without a value among them. Besides the error, which
        keeps half of `delta`, the certificate bounds the error of every group, that of the worst and the largest gap
        between two groups of a column, and all bounds hold at once.
    by : str or sequence of str, optional
        With `truth` and `prediction`: the columns of the frame that divide its rows into groups, ``"sex*age"`` for two
        of them crossed.
    every_group : bool, default=False
        Promise the error of the worst group alone, at the full `delta`: nothing has to be shared among groups for
        that. With `max_error`, refuse a certificate unless every group's error can be promised to be at most that.
    two_sided : bool, default=False
        Whether errors, rates and metrics are promised from both sides, each end with half of its share of `delta`.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateRefused
        With ``answer="pass-fail"``, when `max_error` cannot be promised.

    Examples
    --------
    >>> from assay import certify
    >>> certificate = certify(errors=50, rows=1000, delta=0.05)
    >>> print(certificate)
    error: at most 0.0628635, observed 0.05, failing with probability at most 0.05, by holdout-exact
    """
    named = loss if isinstance(loss, str) else None
    column = named if model is not None and X is None and y_true is None else None
    if column is not None:
        named, loss = None, None
    numeric = AskedQuantity(coverage, within, range, named).read()
    if not numeric and is_regressor(model):
        numeric = AskedQuantity("0.9")
    names = names_of(rates)
    with opened(ledger) as book:
        in_place = truth is not None or prediction is not None or column is not None
        if in_place or isinstance(model, Evidence):
            arrays = {
                "X": X,
                "y": y,
                "y_true": y_true,
                "y_pred": y_pred,
                "score": score,
                "loss": loss,
                "errors": errors,
                "rows": rows,
                "train": train,
                "groups": groups,
                "ledger": ledger,
                "coverage, within and range": numeric or None,
            }
            if in_place:
                _require_absent(arrays, "where truth and prediction name columns of a frame")
                counted = count_frame(
                    model,
                    truth=truth,
                    prediction=prediction,
                    loss=column,
                    by=by,
                    unit=unit,
                    ids=ids,
                    labels=labels,
                )
                evidence = with_known_draws(counted)
            else:
                arrays |= {"by": by, "ids": ids, "labels": labels}
                _require_absent(arrays, "for evidence that was counted already")
                evidence = with_known_draws(model, unit)
        else:
            require(by is None, "by", "left out unless truth and prediction name columns", by)
            evidence = gathered(
                {
                    "model, X and y": (model, X, y),
                    **labelled(y_true, y_pred, score),
                    "loss": (loss if named is None else None,),
                    "errors and rows": (errors, rows),
                },
                labels=labels,
                train=train,
                overlap=overlap,
                unit=unit,
                ids=ids,
                exact=method == "exact",
                private=book is not None,
                numeric=bool(numeric),
                rates=names,
                positive=positive,
                groups=groups,
            )
        for note in evidence.notes:
            warnings.warn(note, stacklevel=2)
        return certify_evidence(
            evidence,
            delta=delta,
            rates=names,
            positive=positive,
            floor=floor,
            method=method,
            population=population,
            models=models,
            drawn=drawn,
            ledger=book,
            holdout=holdout,
            answer=answer,
            max_error=max_error,
            next_rows=next_rows,
            fixed_before=fixed_before,
            quantity=numeric,
            every_group=every_group,
            over=over,
            most_rows=most_rows,
            two_sided=two_sided,
        )


def _require_absent(given: Mapping[str, Any], where: str) -> None:
    for name, value in given.items():
        absent = value is None or (isinstance(value, bool) and not value)
        require(absent, name, f"left out {where}", "given")


def certify_evidence(
    evidence: Evidence,
    *,
    delta: Number = 0.05,
    rates: Sequence[str] | str | None = (),
    positive: Any = None,
    floor: Number | None = None,
    method: Method | None = None,
    population: int | None = None,
    models: int = 1,
    drawn: str = "not stated",
    ledger: Ledger | None = None,
    holdout: str | None = None,
    answer: Answer = "exact",
    max_error: Number | None = None,
    next_rows: int | None = None,
    fixed_before: bool = False,
    choice: Guarantee | None = None,
    entry: Entry | None = None,
    quantity: AskedQuantity | None = None,
    further: Fraction | None = None,
    every_group: bool = False,
    over: Over = "units",
    most_rows: int | None = None,
    two_sided: bool = False,
) -> Certificate:
    """`certify` for evidence that was gathered elsewhere, such as from a file in chunks.

    The promise of a `choice` among learners stands behind the others and spends its own share of `delta`. An `entry`
    is a look that was charged to a ledger already. The `rates` share half of what is left, or `further` of it.
    """
    total, declared = delta_text(delta), count("models", models, at_least=1)
    require(isinstance(drawn, str), "drawn", "a text", drawn)
    require(choice is None or declared == 1, "models", "1 with a choice", models)
    numeric = (quantity or NOTHING).read()
    asked = Asked(
        names_of(rates),
        positive,
        method,
        population,
        next_rows,
        answer,
        max_error,
        numeric,
        further,
        floor,
        every_group,
        AskedUnits(over, most_rows),
        two_sided,
    )
    private = ledger is not None or entry is not None
    evidence = asked.counted(evidence, private)
    asked.check(evidence, private=private)

    def claims(available: Fraction, entry: Entry | None = None) -> list[Guarantee]:
        known = _first_known(evidence, fixed_before, entry)
        guarantees = asked.claims(known, available / declared, list_losses=not private)
        require_verifiable(guarantees)
        return guarantees

    if not private:
        chosen = [] if choice is None else [choice]
        spent = sum((Fraction(claim.delta) for claim in chosen), Fraction(0))
        promises = [*claims(Fraction(total) - spent), *chosen]
    else:
        require(choice is None, "choice", "left out with a ledger", choice)
        with asked.of_labels_untold():
            if ledger is not None:
                ways = asked.ways(lambda: claims(Fraction(total)), evidence.rows)
                entry = enter_look(ledger, evidence, holdout, answer, ways=ways, delta=total)
            assert entry is not None
            promises = claims(entry.share, entry)
        # The truth is named by its salted digest alone: the plain one could be guessed at.
        evidence = replace(evidence, data=None, row_digest=None)
    if every_group:
        from assay.certificates.issue.asked_groups import require_every_group

        require_every_group(asked, evidence, promises)
    made = document(
        promises,
        role="holdout",
        rows=evidence.rows,
        delta=total,
        drawn=drawn,
        model=evidence.model,
        predictions=evidence.predictions,
        scores=None if evidence.scores is None else evidence.scores.digest,
        truth=evidence.data,
        row_digest=evidence.row_digest,
        declared=declared,
        entry=entry,
    )
    if evidence.groups is not None:
        fits, why = check_size(made)
        require(fits, "groups", "fewer, to be verified in a moment", why)
    return Certificate.issued(made)


def require_verifiable(claims: Sequence[Guarantee]) -> None:
    """Refuse to issue what `verify` would refuse to recompute."""
    for claim in claims:
        theorem = find_theorem(claim.theorem)
        terms = meant(theorem, claim.of)
        fault = None if terms is None else input_fault(theorem, terms[1], claim.inputs)
        if fault is not None:
            raise BadParameter(f"{fault}.")


def _first_known(evidence: Evidence, declared: bool, entry: Entry | None) -> Evidence:
    """The evidence with how it is known that the model came before the rows."""
    if any(known.name == FIXED_BEFORE for known in evidence.checked):
        return evidence
    first = first_known(FIXED_BEFORE, declared, entry)
    return replace(evidence, checked=(*evidence.checked, first))


def first_known(condition: Condition, declared: bool, entry: Entry | None) -> Assumption:
    """How it is known that models came before the rows: somebody says so, or a ledger pays for earlier looks."""
    if entry is None:
        return Assumption(condition, "declared" if declared else "not asked")
    before = entry.number - 1
    looks = "1 earlier look" if before == 1 else f"{before:,} earlier looks"
    evidence = f"what {looks} told is paid for" if before else "the ledger knows no look before"
    return Assumption(condition, "declared", evidence)


def enter_look(
    ledger: Ledger,
    evidence: Evidence,
    holdout: str | None = None,
    answer: Answer = "exact",
    *,
    ways: int,
    delta: str,
    query: str | None = None,
) -> Entry:
    """Charge a look at the holdout of this evidence, which can come out in so many ways."""
    if holdout is None and evidence.holdout is None and evidence.known_rows is None:
        raise BadParameter(
            "holdout must be named, because neither counts nor losses tell which holdout it is."
        )
    return ledger.charge(
        holdout,
        answers=ways,
        delta=delta,
        answer=answer,
        query=query or query_of(evidence.predictions),
        truth=evidence.holdout,
        partition=evidence.partition,
        rows=evidence.known_rows,
    )
