"""What probabilities lose, in plain words: the Brier score as it is, the log loss in nats."""

from __future__ import annotations

from assay.guarantees.decimals import shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.rounding import exact, ln


def score_seen(claim: Guarantee, subject: Subject, rows: int) -> str:
    """What was seen, as a sentence.

    Examples
    --------
    >>> from assay import certify
    >>> claim = certify(y_true=[0, 1, 1], score=[0.1, 0.8, 0.6], rates="brier").claims[0]
    >>> score_seen(claim, claim.of, 3)
    'The Brier score over 3 rows is 0.07.'
    """
    what, clipped = _spoken(subject)
    shown = float(_in_nats(str(claim.observed_text), subject))
    return f"The {what} over {rows:,} rows is {shown:.4g}{clipped}."


def score_promise(claim: Guarantee, subject: Subject) -> str:
    """What is promised, without the end of its sentence.

    Examples
    --------
    >>> from assay import certify
    >>> claim = certify(y_true=[0, 1] * 100, score=[0.1, 0.8] * 100, rates="log-loss", floor=0.01).claims[0]
    >>> score_promise(claim, claim.of)
    'The expected log loss of a new row is at most 0.2532, with probabilities clipped at 0.01'
    """
    what, clipped = _spoken(subject)
    most = shown_up(_in_nats(str(claim.promised_text), subject), 4)
    return f"The expected {what} of a new row is at most {most}{clipped}"


def _spoken(subject: Subject) -> tuple[str, str]:
    if subject.quantity == "brier":
        return "Brier score", ""
    return "log loss", f", with probabilities clipped at {subject.numbers[0]}"


def _in_nats(share: str, subject: Subject) -> str:
    """A share of the largest loss in the unit of the loss, rounded up."""
    if subject.quantity == "brier":
        return share
    largest = ln(1 / exact(subject.numbers[0]))
    return repr((exact(share) * largest).up())
