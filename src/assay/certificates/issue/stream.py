"""The certificate of a stream: every row was predicted before its truth was used.

It holds the progressive error of the run, valid at whatever moment the stream was ended, and the bounds
on mistakes and regret that hold on every run and spend nothing. Only upper ends are certified: both ends for a fixed
classifier are ``holdout-anytime-two-sided``, and the method of bounded differences would give
``progressive-validation-azuma``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import document
from assay.certificates.format.quantity import AS_PLAYED
from assay.certificates.issue.claims import claim_by
from assay.errors import BadParameter, Words, require, setting
from assay.evidence.order_check import DECLARED, OrderCheck, status_of
from assay.evidence.repeats import Repeats
from assay.guarantees.added_conditions import KNOWN_BEFORE as KNOWN_BEFORE
from assay.guarantees.added_conditions import SCALED as SCALED
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST

Overlap = Literal["refuse", "keep"]
"""What rows mean that came again more than chance allows."""

Order = Literal["none"]
"""Whether it is declared that the order of the rows is not the order in which they were drawn."""


def certify_stream(
    *,
    rows: int,
    errors: int,
    delta: Number = 0.05,
    guarantees: Sequence[Guarantee] = (),
    known: Sequence[Assumption] = (),
    rows_before: int = 0,
    data: str | None = None,
    target: str | None = None,
    model: str | None = None,
    drawn: str = "not stated",
    repeats: Repeats | None = None,
    overlap: Overlap = "refuse",
    independent: bool = False,
    order: OrderCheck | Order | None = None,
    again: str = "",
) -> Certificate:
    """Certify what a learner did on a stream, however and whenever the stream ended.

    Parameters
    ----------
    rows : int
        How many rows were predicted and then learned.
    errors : int
        How many of them were predicted wrongly.
    delta : number
        The probability that the promise about the error fails.
    guarantees : sequence of Guarantee
        What the learner's theorems say; those that hold always, and apply, become claims.
    known : sequence of Assumption
        Further conditions of the promise about the error.
    rows_before : int
        How many rows the learner had learned from before this stream.
    data, model : str, optional
        Digests of the truth and of the model file.
    target : str, optional
        The column that the truth stands in, for whoever has the table.
    drawn : str
        Where the rows come from, for the reader.
    repeats : Repeats, optional
        What was found about rows that came again; without it, nobody looked.
    overlap : {"refuse", "keep"}, default="refuse"
        What rows mean that came again more than chance allows: the truth of rows had been used before they were
        predicted, so nothing is promised; or, with "keep", you declare that equal rows are separate draws.
    independent : bool, default=False
        Whether you declare that the rows are independent draws from one distribution: then the promise is about
        new rows of that distribution too.
    order : OrderCheck or {"none"}, optional
        What was found along the order of rows that are declared to be independent draws. If it tells something, nothing
        is promised about new rows; what is promised of each next row stays. ``"none"`` declares that the order is not
        that in which they were drawn; without it, nobody looked.
    again : str, optional
        How often a column that names rows repeats itself, in words. Rows that are declared to be independent draws then
        are none; what is promised of each next row stays.

    Examples
    --------
    >>> print(certify_stream(rows=1000, errors=50))
    mean error of the hypotheses as they were played: at most 0.0760163, observed 0.05, \
failing with probability at most 0.05, by progressive-anytime
    """
    n, before = count("rows", rows, at_least=1), count("rows_before", rows_before)
    total = delta_text(delta)
    require(overlap in get_args(Overlap), "overlap", "'refuse' or 'keep'", overlap)
    require_order(order, independent)
    first = predicted_first(repeats, overlap, before)
    drawn_so = independent_draws(independent, order, again)
    conditions = [drawn_so] if drawn_so.status != "violated" else [_UNASKED, drawn_so]
    claims = [
        progressive_claim(errors, n, total, (*known, first, condition)) for condition in conditions
    ]
    claims += [g for g in guarantees if _is_certain(g)]
    more = {"rows_before": before} | ({} if target is None else {"target": target})
    made = document(
        claims, role="stream", rows=n, delta=total, drawn=drawn, model=model, truth=data, more=more
    )
    return Certificate.issued(made)


def predicted_first(
    repeats: Repeats | None, overlap: Overlap = "refuse", rows_before: int = 0
) -> Assumption:
    """How it is known that every row was predicted before its truth was used.

    A program can see to the order in which it predicts and learns; whether a row is new, it can only compare.

    Parameters
    ----------
    repeats : Repeats or None
        What was found about rows that came again; None where nobody looked.
    overlap : {"refuse", "keep"}
        Whether equal rows are declared to be separate draws.
    rows_before : int
        How many rows were learned before the stream.

    Examples
    --------
    >>> print(predicted_first(Repeats(400, 400, 350, alarm=True)))
    violated: every row was predicted before its truth was used (350 of 400 rows came again, which independent \
draws do in one of 1,000 streams at most)
    >>> predicted_first(Repeats(400, 400, 350, alarm=True), "keep").status
    'declared'
    """
    if repeats is None:
        return Assumption(PREDICTED_FIRST, "not asked", "rows were not compared")
    if not repeats.alarm:
        unknown = rows_before and not repeats.before
        more = f"; which {rows_before:,} rows were learned before is not known" if unknown else ""
        return Assumption(PREDICTED_FIRST, "assumed", repeats.evidence + more)
    if overlap == "keep":
        again = f"{repeats.again:,} of {repeats.compared:,} rows came again"
        return Assumption(PREDICTED_FIRST, "declared", f"{again}, as separate draws")
    return Assumption(PREDICTED_FIRST, "violated", repeats.evidence)


_UNASKED = Assumption(IID, "not asked")


def require_order(order: OrderCheck | str | None, independent: bool) -> None:
    """Refuse what cannot be said of an order, or is said where nothing is promised of new rows."""
    good = order is None or isinstance(order, OrderCheck) or order == "none"
    require(good, "order", "'none', or left out", order)
    if order is not None and not independent:
        raise BadParameter(
            "Say ",
            setting("order", "none"),
            " together with ",
            Words("independent=True", "{}", "independent"),
            ": without it nothing is promised about new rows, and their order is not looked at.",
        )


def independent_draws(
    independent: bool, order: OrderCheck | Order | None = None, again: str = ""
) -> Assumption:
    """How it is known that the rows of a stream are independent draws.

    Examples
    --------
    >>> from assay.evidence.order_check import TESTS
    >>> print(independent_draws(True, OrderCheck(900, dict.fromkeys(TESTS, 0.2))))
    assumed: the rows are independent draws from the distribution of use (a check at α = 0.01 of the order of 900 \
rows found nothing against it (p = 1))
    >>> independent_draws(True, "none").status, independent_draws(False).status
    ('declared', 'not asked')
    """
    if not independent:
        return _UNASKED
    if again:
        return Assumption(IID, "violated", again)
    if isinstance(order, OrderCheck):
        return Assumption(IID, status_of(order), order)
    return Assumption(IID, "declared", DECLARED if order == "none" else "")


def progressive_claim(
    errors: int, rows: int, delta: str, known: Sequence[Assumption] = ()
) -> Guarantee:
    """The promise about the mean error of all hypotheses of the run."""
    theorem = find_theorem("progressive-anytime")
    inputs: dict[str, Any] = {"errors": count("errors", errors), "rows": rows, "delta": delta}
    return claim_by(theorem, AS_PLAYED, inputs, (errors, rows), known)


def _is_certain(guarantee: Guarantee) -> bool:
    """Whether a guarantee holds on every run, applies to this one, and can stand in a certificate."""
    return (
        find_theorem(guarantee.theorem).claim("run") is not None
        and guarantee.applies
        and guarantee.promised is not None
        and not guarantee.vacuous
        and guarantee.observed is not None
    )
