"""What a check of the order of rows found: a sentence that carries its p-values."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Literal

#: How often a check says of exchangeable rows that their order tells something.
FALSE_ALARM = "0.01"

#: What is said where somebody declares that the order means nothing.
DECLARED = "it was declared that the order of the rows is not the order in which they were drawn"

#: What is looked at along an order, fixed beforehand; each has an equal share of the false alarms.
TESTS = {
    "label-neighbours": "rows near each other agree in the target",
    "label-trend": "the target changes along the file",
    "column-neighbours": "rows near each other are alike",
    "column-trend": "columns change along the file",
    "label-column-trend": "how columns and the target go together changes along the file",
    "error-trend": "what is learned does worse in some parts of the file than in others",
    "early-from-late": "early rows can be told from late ones",
    "past-to-future": "what is learned from early rows does worse on late ones than on early ones",
    "time-column": "rows change along a column of dates or row numbers",
}


class OrderCheck(str):
    """What was found along the order of rows.

    Attributes
    ----------
    rows : int
        How many rows were looked at.
    p_values : mapping of str to str
        By test, as decimals rounded up.
    alpha : str
        How often exchangeable rows are called ordered.
    sorted_by_target : bool
        Whether the rows stand in the order of their targets.

    Examples
    --------
    >>> print(OrderCheck(900, dict.fromkeys(TESTS, 0.2)))
    a check at α = 0.01 of the order of 900 rows found nothing against it (p = 1)
    """

    __slots__ = ("alpha", "p_values", "rows", "sorted_by_target")
    rows: int
    p_values: dict[str, str]
    alpha: str
    sorted_by_target: bool

    def __new__(
        cls,
        rows: int,
        p_values: Mapping[str, float | str],
        alpha: str = FALSE_ALARM,
        sorted_by_target: bool = False,
    ) -> OrderCheck:
        """What the tests gave."""
        written = {test: _decimal(p) for test, p in p_values.items()}
        check = super().__new__(cls, _sentence(rows, written, alpha, sorted_by_target))
        check.rows, check.p_values, check.alpha = rows, written, alpha
        check.sorted_by_target = sorted_by_target
        return check

    def __getnewargs__(self) -> tuple[int, dict[str, str], str, bool]:  # type: ignore[override]
        """What copies and pickles are made from."""
        return self.rows, self.p_values, self.alpha, self.sorted_by_target

    @property
    def alarms(self) -> bool:
        """Whether some test is below its share of alpha."""
        return bool(_below_share(self.p_values, self.alpha))


def status_of(check: OrderCheck) -> Literal["violated", "assumed"]:
    """How it is known after a check that rows are independent draws: no check can prove it."""
    return "violated" if check.alarms else "assumed"


def fault_of(check: OrderCheck, status: str) -> str | None:
    """Why a certificate cannot say this of a check; None where it can."""
    if check.alpha != FALSE_ALARM or list(check.p_values) != list(TESTS):
        return "the check of the order of rows is not the one that was fixed beforehand"
    if not all(0 < Fraction(p) <= 1 for p in check.p_values.values()):
        return "a p-value of the order of rows is no probability"
    if status != status_of(check):
        return f"'{check}' does not fit {status}"
    if check.sorted_by_target and not check.alarms:
        return "rows that are sorted by their target cannot pass the check of their order"
    return None


def _below_share(p_values: Mapping[str, str], alpha: str) -> list[str]:
    share = Fraction(alpha) / max(len(p_values), 1)
    below = [test for test, p in p_values.items() if Fraction(p) <= share]
    return sorted(below, key=lambda test: Fraction(p_values[test]))


def _sentence(rows: int, p_values: Mapping[str, str], alpha: str, by_target: bool) -> str:
    below = _below_share(p_values, alpha)
    least = min(map(Fraction, p_values.values()), default=Fraction(1))
    p = _decimal(float(min(least * len(p_values), Fraction(1))))
    looked = f"a check at α = {alpha} of the order of {rows:,} rows found"
    if not below:
        return f"{looked} nothing against it (p = {p})"
    what = "that the rows are sorted by their target" if by_target else _worded(below)
    return f"{looked} {what} (p = {p})"


def _worded(below: list[str]) -> str:
    return "that " + ", and that ".join(TESTS.get(test, test) for test in below[:2])


def _decimal(p: float | str) -> str:
    """Rounded up to two digits that count, and to a millionth."""
    if isinstance(p, str):
        return p
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(repr(max(p, 1e-6)))
    return format(min(rounded, Decimal(1)).normalize(), "f")
