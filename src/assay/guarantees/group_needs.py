"""Groups that miss an error rate: by how many rows, and how many errors each may have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.guarantees.nonvacuous import rows_until
from assay.guarantees.subject import Group, group_text
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import tail_at_most
from assay.theory.tail.search import smallest_whole


@dataclass(frozen=True)
class Shortfall:
    """A group that misses a rate, and what it would need.

    Attributes
    ----------
    group : Group
        The group.
    errors, rows : int
        Its counts.
    needed : int or None
        From about how many rows on it would pass at the same share of errors; None where no number will do.
    """

    group: Group
    errors: int
    rows: int
    needed: int | None


def errors_allowed(rows: int, rate: Fraction, level: Fraction) -> int | None:
    """The most errors among `rows` with which `rate` can still be promised; None when none will do.

    Examples
    --------
    >>> errors_allowed(311, Fraction(5, 100), Fraction(5, 100))
    9
    """
    if not tail_at_most(0, rows, rate, level):
        return None

    def too_many(errors: int) -> bool:
        return not tail_at_most(errors, rows, rate, level)

    return smallest_whole(too_many, 0, math.floor(rate * rows) + 1) - 1


def rows_needed(errors: int, rows: int, rate: Fraction, level: Fraction) -> int | None:
    """From about how many rows on `rate` can be promised at the same share of errors; None where no number will do.

    Examples
    --------
    >>> rows_needed(0, 20, Fraction(1, 10), Fraction(1, 20))
    29
    """
    seen = Fraction(errors, rows)
    if seen >= rate:
        return None

    def enough(n: int) -> bool:
        return tail_at_most(math.ceil(seen * n), n, rate, level)

    return rows_until(enough, rows)


def shortfalls(
    counts: Iterable[tuple[Group, int, int]], rate: Number, level: Number
) -> list[Shortfall]:
    """The groups of which `rate` cannot be promised, by their names, errors and rows, each at this level.

    Examples
    --------
    >>> [short] = shortfalls([((("sex", "f"),), 1, 40), ((("sex", "m"),), 1, 90)], Fraction(1, 10), Fraction(1, 20))
    >>> short.rows, short.needed
    (40, 61)
    """
    most, failing = as_fraction(rate), as_fraction(level)
    return [
        Shortfall(group, k, n, rows_needed(k, n, most, failing))
        for group, k, n in counts
        if not tail_at_most(k, n, most, failing)
    ]


def shortfall_text(short: Shortfall) -> str:
    """What a group would need, in words.

    Examples
    --------
    >>> shortfall_text(Shortfall((("sex", "f"),), 1, 40, 61))
    "sex = 'f' (1 of 40 wrong) needs about 61 rows at this rate of errors"
    >>> shortfall_text(Shortfall((("sex", "f"),), 10, 40, None))
    "sex = 'f' (10 of 40 wrong) is wrong too often for any number of rows"
    """
    who = f"{group_text(short.group)} ({short.errors:,} of {short.rows:,} wrong)"
    if short.needed is None:
        return f"{who} is wrong too often for any number of rows"
    return f"{who} needs about {short.needed:,} rows at this rate of errors"


def listed_groups(groups: Sequence[Group], most: int = 5) -> str:
    """Groups by name, for a sentence.

    Examples
    --------
    >>> listed_groups([(("sex", "f"),), (("sex", "m"),)])
    "The groups sex = 'f' and sex = 'm'"
    """
    shown = " and ".join(group_text(group) for group in groups[:most])
    more = f" and {len(groups) - most:,} more" if len(groups) > most else ""
    return f"The group {shown}" if len(groups) == 1 else f"The groups {shown}{more}"
