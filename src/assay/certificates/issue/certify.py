"""Certify: from what was seen on a holdout to a certificate."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import document
from assay.certificates.format.quantity import meant
from assay.certificates.issue.asked import Answer, Asked
from assay.certificates.issue.claims import Method
from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.evidence_sources import from_counts
from assay.certificates.issue.model_evidence import from_model, is_regressor
from assay.certificates.issue.quantity_claims import NOTHING, AskedQuantity
from assay.certificates.ledger.entry import Entry, numbers_told, query_of, ways_of
from assay.certificates.ledger.ledger import Ledger, opened
from assay.certificates.verify.claim_checks import input_fault
from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence, from_losses, from_pairs, from_quantities, from_units
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
    loss: Any = None,
    errors: int | None = None,
    rows: int | None = None,
    delta: Number = 0.05,
    rates: Sequence[str] = (),
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    method: Method | None = None,
    population: int | None = None,
    models: int = 1,
    train: Any = None,
    overlap: Overlap = "refuse",
    unit: Any = None,
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
    squared: bool = False,
) -> Certificate:
    r"""State the error rate that may be promised, from a holdout the model has not seen.

    For k errors in n independent rows the promise is the exact binomial bound
    :math:`\sup\{p:\Pr[\mathrm{Bin}(n,p)\le k]\ge\delta\}`: with probability at least
    :math:`1-\delta` over the draw of the holdout, the error rate is not above it, and no valid
    bound that never falls as errors rise is smaller. Give one of: a fitted `model` with `X` and
    `y`; `y_true` with `y_pred`; a per-example `loss` in [0, 1]; or the counts ``errors`` and ``rows``.

    Parameters
    ----------
    model : object with ``predict``, optional
        A fitted model of any library.
    X, y : array-like or frame, optional
        The holdout for `model`.
    y_true, y_pred : array-like, optional
        The truth and the predictions of any model.
    loss : array-like, optional
        One loss in [0, 1] per row, in the order in which the rows were drawn.
    errors, rows : int, optional
        Counts, when nothing else is at hand.
    delta : float or decimal text, default=0.05
        The probability that any of the promises fails. 0.05 means 95 % confidence.
    rates : sequence of str, optional
        Further rates to promise at the same time: half of `delta` goes to the overall error, the
        other half is shared by the rates. Errors of classes, at most: ``"class"``, ``"false-positive"``,
        ``"false-negative"``. Metrics of a report, at least: ``"accuracy"``, ``"precision"``, ``"recall"``,
        ``"specificity"``, ``"jaccard"``, ``"f1"``, ``"balanced-accuracy"``, ``"macro-precision"``, ``"macro-f1"``.
        Means are over the classes for which they are defined: that of precision over those that are predicted.
    positive : label, optional
        The label that counts as positive; the last in sorted order when not given.
    labels : sequence, optional
        All labels there are, when predictions may hold one that the truth does not.
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
        What each row belongs to, such as a patient or a conversation. The promise is then about the mean over
        units, and rows may depend on one another within a unit.
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
        The error rate to promise with ``answer="pass-fail"``.
    next_rows : int, optional
        Promise, in place of the error rate, how many of so many rows to come will be wrong at most.
    fixed_before : bool, default=False
        Whether you declare that the model was fixed before these rows were seen. Without it, and without a
        ledger, the certificate says that nobody was asked.
    coverage : float, optional
        For predicted numbers: promise how far off this share of new rows is at most, such as 0.9. A regressor is
        asked for 0.9 where nothing else is.
    within : float, optional
        For predicted numbers: promise how many new rows are off by more than this, which was fixed beforehand.
    range : pair of numbers, optional
        For predicted numbers: promise the mean absolute error, if every true number lies in this range. Predictions
        are clipped to it. Several of the three share `delta` evenly.
    squared : bool, default=False
        Whether the mean promised by `range` is that of squared errors.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateRefused
        With ``answer="pass-fail"``, when `max_error` cannot be promised.

    Notes
    -----
    No certificate carries them yet, but `assay.theorem` evaluates from counts: ``worst-group`` and ``group-gap`` for
    groups that were declared, ``concordance-at-least`` for AUC, ``unit-ratio-betting`` for the rate per row over units.

    Examples
    --------
    >>> from assay import certify
    >>> certificate = certify(errors=50, rows=1000, delta=0.05)
    >>> print(certificate)
    error: at most 0.0628635, observed 0.05, failing with probability at most 0.05, by holdout-exact
    """
    numeric = AskedQuantity(coverage, within, range, squared)
    if not numeric and is_regressor(model):
        numeric = AskedQuantity("0.9")
    with opened(ledger) as book:
        evidence = _gather(
            {
                "model, X and y": (model, X, y),
                "y_true and y_pred": (y_true, y_pred),
                "loss": (loss,),
                "errors and rows": (errors, rows),
            },
            labels=labels,
            train=train,
            overlap=overlap,
            unit=unit,
            exact=method == "exact",
            private=book is not None,
            numeric=bool(numeric),
        )
        for note in evidence.notes:
            warnings.warn(note, stacklevel=2)
        return certify_evidence(
            evidence,
            delta=delta,
            rates=rates,
            positive=positive,
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
        )


def _gather(
    kinds: Mapping[str, tuple[Any, ...]],
    *,
    labels: Sequence[Any] | None,
    train: Any,
    overlap: Overlap,
    unit: Any,
    exact: bool,
    private: bool,
    numeric: bool = False,
) -> Evidence:
    """Read whichever of the four kinds of input was given; refuse none, half of one, or two."""
    given = {name: parts for name, parts in kinds.items() if any(p is not None for p in parts)}
    if len(given) != 1:
        names = " and ".join(given) or "nothing"
        raise BadParameter(f"certify takes one of {'; '.join(kinds)}, but was given {names}.")
    name, parts = next(iter(given.items()))
    if any(part is None for part in parts):
        raise BadParameter(f"certify needs all of {name}, but some are missing.")
    if train is not None and name != "model, X and y":
        raise BadParameter(
            "train can only be compared with the rows X of a model; give model, X and y."
        )
    counted = name in ("loss", "errors and rows")
    require(unit is None or not counted, "unit", "left out where no labels are given", unit)
    require(labels is None or not counted, "labels", "left out where no labels are given", labels)
    hint = "Predicted labels that the truth does not hold count as wrong."
    require(labels is None or not private, "labels", "left out with a ledger", labels, hint)
    unseen: Literal["refuse", "wrong"] = "wrong" if private else "refuse"
    if numeric:
        must = "left out for counts and losses"
        require(not counted, "coverage, within and range", must, name)
        require(labels is None, "labels", "left out for quantities", labels)
        if name == "y_true and y_pred":
            return from_quantities([parts if unit is None else (*parts, unit)])
        return from_model(*parts, train=train, overlap=overlap, unit=unit, numeric=True)
    match name:
        case "model, X and y":
            return from_model(
                *parts, labels=labels, unseen=unseen, train=train, overlap=overlap, unit=unit
            )
        case "y_true and y_pred":
            if unit is not None:
                return from_units([(*parts, unit)], labels=labels, unseen=unseen, partition=private)
            return from_pairs([parts], labels=labels, unseen=unseen, partition=private)
        case "loss":
            return from_losses(parts, exact=exact)
        case _:
            return from_counts(*parts)


def certify_evidence(
    evidence: Evidence,
    *,
    delta: Number = 0.05,
    rates: Sequence[str] = (),
    positive: Any = None,
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
        rates, positive, method, population, next_rows, answer, max_error, numeric, further
    )
    evidence = asked.counted(evidence, ledger is not None or entry is not None)
    wanted = asked.wanted(evidence)

    def claims(available: Fraction, entry: Entry | None = None) -> list[Guarantee]:
        known = _first_known(evidence, fixed_before, entry)
        listed = ledger is None and entry is None
        guarantees = asked.claims(known, wanted, available / declared, list_losses=listed)
        require_verifiable(guarantees)
        return guarantees

    if ledger is None and entry is None:
        chosen = [] if choice is None else [choice]
        spent = sum((Fraction(claim.delta) for claim in chosen), Fraction(0))
        promises = [*claims(Fraction(total) - spent), *chosen]
    else:
        require(choice is None, "choice", "left out with a ledger", choice)
        if ledger is not None:
            numbers = 1
            if answer == "exact":
                # What cannot be answered is refused before a look is charged for it.
                numbers = numbers_told([claim.inputs for claim in claims(Fraction(total))])
            graded = evidence.losses is not None or numeric.range is not None
            ways = ways_of(evidence.rows, numbers, answer, graded=graded, units=evidence.units)
            entry = enter_look(ledger, evidence, holdout, answer, ways=ways, delta=total)
        assert entry is not None
        promises = claims(entry.share, entry)
        # The truth is named by its salted digest alone: the plain one could be guessed at.
        evidence = replace(evidence, data=None, row_digest=None)
    made = document(
        promises,
        role="holdout",
        rows=evidence.rows,
        delta=total,
        drawn=drawn,
        model=evidence.model,
        predictions=evidence.predictions,
        truth=evidence.data,
        row_digest=evidence.row_digest,
        declared=declared,
        entry=entry,
    )
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
