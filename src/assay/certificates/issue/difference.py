"""Certify a difference: is the new model better than the old one, and by how much?"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import document
from assay.certificates.issue.certify import require_verifiable
from assay.certificates.issue.claims import claim_by
from assay.certificates.verify.claim_checks import MOST_ROWS
from assay.errors import BadParameter, require
from assay.evidence.paired import Paired, from_paired_labels
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.difference import BOTH_FIXED_BEFORE

Promise = Literal["difference", "better"]


def certify_difference(
    model: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    baseline: Any = None,
    y_true: Any = None,
    y_pred: Any = None,
    only_old: int | None = None,
    only_new: int | None = None,
    rows: int | None = None,
    unit: Any = None,
    delta: Number = 0.05,
    promise: Promise = "difference",
    rivals: int = 1,
    drawn: str = "not stated",
    fixed_before: bool = False,
) -> Certificate:
    r"""State by how much the error of a new model is below that of an old one, on the same rows.

    Only rows on which exactly one of the two is wrong tell anything: with b rows on which only the old model is, c
    on which only the new one is, and n rows in all, the difference is bounded from below by
    :math:`q_L(2\theta_L-1)`, each of the two by exact binomial bounds. A negative number says that the new model may be
    worse, but by no more than that. Give one of: two fitted models with `X` and `y`; `y_true` with the predictions
    `y_pred` and `baseline`; or the counts.

    Parameters
    ----------
    model, X, y : object with ``predict``, array-like, array-like, optional
        The new model, and rows that neither model has seen.
    baseline : object with ``predict``, or array-like, optional
        The old model, or its predictions.
    y_true, y_pred : array-like, optional
        The truth, and the predictions of the new model.
    only_old, only_new, rows : int, optional
        On how many rows only the old model, and only the new one, is wrong, of how many.
    unit : column, optional
        What each row belongs to. The promise is then about the mean over units.
    delta : float or decimal text, default=0.05
        The probability that the promise fails.
    promise : {"difference", "better"}, default="difference"
        By how much the new model is better, or only that it is, which takes fewer rows (exact one-sided McNemar).
    rivals : int, default=1
        With how many old models the new one is compared; each certificate spends its share of `delta`, so that all
        hold at once.
    drawn : str, optional
        How the rows were drawn, for the reader of the certificate.
    fixed_before : bool, default=False
        Whether you declare that both models were fixed before these rows were seen.

    Returns
    -------
    Certificate
        Its claim's `promised` is the difference; of ``"better"`` it is 0 where the new model is better, and -1 where
        that cannot be said.

    Notes
    -----
    For graded losses of two models `assay.theorem` evaluates ``paired-loss-difference``; no certificate carries it yet.

    Examples
    --------
    >>> from assay import certify_difference
    >>> claim = certify_difference(only_old=40, only_new=20, rows=1000).claims[0]
    >>> claim.direction, round(claim.promised, 6), claim.observed
    ('at least', 0.003949, 0.02)
    """
    require(promise in ("difference", "better"), "promise", "'difference' or 'better'", promise)
    require(isinstance(drawn, str), "drawn", "a text", drawn)
    declared = count("rivals", rivals, at_least=1)
    seen = _gather(
        {
            "model, X, y and baseline": (model, X, y),
            "y_true, y_pred and baseline": (y_true, y_pred),
            "only_old, only_new and rows": (only_old, only_new, rows),
        },
        baseline,
        unit,
    )
    total = delta_text(delta)
    share = delta_text(Fraction(total) / declared)
    first = Assumption(BOTH_FIXED_BEFORE, "declared" if fixed_before else "not asked")
    claim = difference_claim(seen, promise, share, first)
    require_verifiable([claim])
    made = document(
        [claim],
        role="difference",
        rows=seen.rows,
        delta=total,
        drawn=drawn,
        predictions=seen.predictions,
        baseline=seen.baseline,
        truth=seen.data,
        declared=declared,
    )
    return Certificate.issued(made)


def _gather(kinds: dict[str, tuple[Any, ...]], baseline: Any, unit: Any) -> Paired:
    """Read whichever of the three kinds of input was given; refuse none, half of one, or two."""
    given = {name: parts for name, parts in kinds.items() if any(p is not None for p in parts)}
    if len(given) != 1:
        names = " and ".join(given) or "nothing"
        raise BadParameter(
            f"certify_difference takes one of {'; '.join(kinds)}, but was given {names}."
        )
    [(name, parts)] = given.items()
    counted = name.startswith("only_old")
    if any(part is None for part in parts) or (not counted and baseline is None):
        raise BadParameter(f"certify_difference needs all of {name}, but some are missing.")
    if counted:
        require(baseline is None, "baseline", "left out with counts", "given")
        require(unit is None, "unit", "left out with counts", "given")
        return _counted(*parts)
    if name.startswith("y_true"):
        truth, new = parts
        return from_paired_labels(truth, new, baseline, unit)
    model, X, y = parts
    must = "a fitted model with predict, or the predictions of one"
    require(hasattr(model, "predict"), "model", "a fitted model with predict", model)
    require(baseline is not model, "baseline", must + ", and not the new model itself", model)
    old = baseline.predict(X) if hasattr(baseline, "predict") else baseline
    return from_paired_labels(y, model.predict(X), old, unit)


def _counted(only_old: Any, only_new: Any, rows: Any) -> Paired:
    """Two models known by their counts alone."""
    b, c = count("only_old", only_old), count("only_new", only_new)
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS:,}", rows)
    require(b + c <= n, "rows", f"at least the {b + c} on which one model is wrong", rows)
    return Paired(n, b, c)


def difference_claim(seen: Paired, promise: Promise, share: str, *known: Assumption) -> Guarantee:
    """What may be promised of two models, with this share of delta."""
    counts = {"only_old": seen.only_old, "only_new": seen.only_new}
    more = seen.only_old - seen.only_new
    if promise == "better":
        must = "left out where only that it is better is promised: rows are then taken one by one"
        require(seen.units is None, "unit", must, "given")
        of, theorem = Subject("better"), find_theorem("mcnemar-better")
        observed = Fraction(more, seen.rows)
        inputs: dict[str, Any] = {**counts, "delta": share}
    elif seen.units is None:
        of, theorem = Subject("difference"), find_theorem("paired-difference")
        observed = Fraction(more, seen.rows)
        inputs = {**counts, "rows": seen.rows, "delta": share}
    else:
        of, theorem = Subject("unit-mean-difference"), find_theorem("unit-difference")
        kinds = [list(kind) for kind in seen.units]
        total = sum((Fraction(d * many, r) for d, r, many in kinds), Fraction(0))
        observed = total / sum(many for _, _, many in kinds)
        inputs = {"units": kinds, "delta": share}
    ratio = (observed.numerator, observed.denominator)
    return claim_by(theorem, of, inputs, ratio, known)
