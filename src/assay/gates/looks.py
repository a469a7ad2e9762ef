"""What the gates of one test run have asked, what each came to, and what all of it spends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from assay.certificates.show.words import confidence_text
from assay.guarantees.decimals import decimal_text
from assay.guarantees.printable import printable
from assay.report.markdown import gates_markdown

_UPWARDS = Context(prec=3, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class Look:
    """One gate that was asked, as it travels from a worker to the terminal.

    Attributes
    ----------
    test : str
        The test that asked.
    passed : bool
        Whether what was wanted could be promised.
    sentence : str
        That, what was promised, and what was seen.
    spent : str
        The failure probability that this look spends, as decimal text or as a ratio.
    account : str
        The account of the ledger that it was charged to; empty without a ledger.
    number : int
        Which look at that holdout it was.
    file : str
        Where the certificate was written; empty where there is none.
    """

    test: str
    passed: bool
    sentence: str
    spent: str
    account: str = ""
    number: int = 1
    file: str = ""

    def to_json(self) -> dict[str, Any]:
        """The look as plain data."""
        return asdict(self)


def look_lines(looks: Sequence[Look]) -> list[str]:
    r"""What the summary of a run tells of its gates.

    Examples
    --------
    >>> one = Look("test_spam.py::test_error", True, "An error of at most 0.05 can be promised.", "0.05")
    >>> print("\n".join(look_lines([one])))
    PASS test_spam.py::test_error
         An error of at most 0.05 can be promised.
    1 of 1 gates passed.
    """
    lines = []
    for look in looks:
        charged = f" (look {look.number:,} at this holdout)" if look.account else ""
        lines.append(f"{'PASS' if look.passed else 'FAIL'} {printable(look.test)}{charged}")
        lines.append(f"     {printable(look.sentence, 2000)}")
        if look.file:
            lines.append(f"     Certificate: {printable(look.file)}")
    return [*lines, conclusion(looks)]


def looks_markdown(looks: Sequence[Look]) -> str:
    """The same as Markdown."""
    rows = [(look.test, look.passed, look.sentence) for look in looks]
    return gates_markdown(rows, conclusion(looks))


def conclusion(looks: Sequence[Look]) -> str:
    """How many gates passed, and how sure what was promised is at once."""
    passed = sum(look.passed for look in looks)
    return f"{passed:,} of {len(looks):,} gates passed.{_together(looks, passed)}"


def _together(looks: Sequence[Look], passed: int) -> str:
    """How sure all promises are at once.

    Which gates passed was seen before anybody says so: those that failed could have passed as well, and count.
    """
    spent = sum((Fraction(look.spent) for look in looks), Fraction(0))
    if not passed or len(looks) == 1:
        return ""
    if spent >= 1:
        return " So many promises are together not sure at all: give each a smaller delta."
    # In one division, so that it never reads lower than it is.
    risk = _UPWARDS.divide(Decimal(spent.numerator), Decimal(spent.denominator))
    shown = decimal_text(str(risk))
    which = "All promises made here hold" if passed > 1 else "What was promised here holds"
    return f" {which} with {confidence_text(shown)}: {len(looks):,} gates were asked, which spend {shown} together."
