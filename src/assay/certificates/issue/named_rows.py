"""Rows that have names: where one comes again, rows may depend on one another, and nothing is promised of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.errors import require
from assay.evidence.evidence import Evidence, as_column
from assay.evidence.id_repeats import folded, rows_again
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import IID
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT

NO_UNIT = "none"
"""The unit of rows that are declared to be draws of their own, whatever ids they have."""


def declares_none(unit: Any) -> bool:
    """Whether a unit is the word for none; any other text is refused, since a unit is a column."""
    if not isinstance(unit, str):
        return False
    require(unit == NO_UNIT, "unit", f"a column, or {NO_UNIT!r}", unit)
    return True


def known_of_draws(unit: Any, again: str) -> tuple[Assumption, ...]:
    """What is known of the draws of rows, by what is said of units and how often a name comes again, in words.

    Examples
    --------
    >>> [str(known) for known in known_of_draws("none", "2 of 9 rows repeat an id")]
    ['declared: the rows are independent draws from the distribution of use (every row is declared a draw of its own, \
though 2 of 9 rows repeat an id)']
    >>> known_of_draws(None, "2 of 9 rows repeat an id")[0].status, known_of_draws(None, "")
    ('violated', ())
    """
    if declares_none(unit):
        said = "every row is declared a draw of its own"
        return (Assumption(IID, "declared", f"{said}, though {again}" if again else said),)
    return (Assumption(IID, "violated", again),) if again and unit is None else ()


def known_of_units(ids: Mapping[str, Any], unit: Any) -> tuple[Assumption, ...]:
    """What ids say of units as independent draws: one that stands in several units ties them together.

    Whether that matters people have to say: those who answer the same questions may be draws of their own, and
    conversations of one user are none. So it is told beside what is assumed.

    Examples
    --------
    >>> [str(known) for known in known_of_units({"user_id": ["ann", "ann", "bob"]}, [1, 2, 3])]
    ["assumed: the units are independent draws from the distribution of use (though 1 of 2 'user_id' stands in several \
units)"]
    >>> known_of_units({"user_id": ["ann", "ann", "bob"]}, [1, 1, 3])
    ()
    """
    units = listed(unit)
    for name, column in ids.items():
        held = [folded(value) for value in listed(column)]
        pairs = {(id, one) for id, one in zip(held, units, strict=True) if id not in (None, "")}
        many = Counter(id for id, _ in pairs)
        again = sum(number > 1 for number in many.values())
        if again:
            verb = "stands" if again == 1 else "stand"
            said = f"though {again:,} of {len(many):,} {name!r} {verb} in several units"
            return (Assumption(UNITS_INDEPENDENT, "assumed", said),)
    return ()


def repeated(ids: Mapping[str, Iterable[Any]]) -> tuple[str, str]:
    """The first column in which a name comes again, and how often in words; empty where none does."""
    for name, chunks in ids.items():
        again, rows = rows_again(list(chunks))
        if again:
            return name, f"the column {name!r} repeats itself in {again:,} of {rows:,} rows"
    return "", ""


def ids_of(ids: Any, X: Any, keep: Any = None) -> str:
    """How often a row's id comes again, in words; of a table `X`, by the columns that are ids by their names.

    With `keep`, only these rows are looked at.
    """
    if ids is not None:
        again, rows = rows_again([_some(ids, keep)])
        return f"{again:,} of {rows:,} rows repeat an id" if again else ""
    from assay.data.logs.id_columns import id_columns

    columns = getattr(X, "columns", None)
    names = [] if columns is None else id_columns([c for c in columns if isinstance(c, str)])
    return repeated({name: [_some(X[name], keep)] for name in names})[1]


def listed(column: Any) -> list[Any]:
    """The values of a column of any kind.

    Examples
    --------
    >>> listed(("q1", "q2"))
    ['q1', 'q2']
    """
    held = as_column(column)
    for how in ("tolist", "to_pylist", "to_list"):
        if hasattr(held, how):
            return list(getattr(held, how)())
    return list(held)


def _some(column: Any, keep: Any) -> list[Any]:
    values = listed(column)
    return values if keep is None else [v for v, kept in zip(values, keep, strict=True) if kept]


def with_draws(evidence: Evidence, unit: Any, again: str, way_out: str = "") -> Evidence:
    """The evidence with what is known of the draws, and the way out where nothing is promised."""
    known = known_of_draws(unit, again)
    if not known:
        return evidence
    notes = evidence.notes
    if known[0].status == "violated":
        unscored = (
            evidence.scores is None
        )  # scores of rows that depend on one another are not promised
        notes = (*notes, way_out or _way_out(again, grouped=unscored))
    return replace(evidence, checked=(*evidence.checked, *known), notes=notes)


def _way_out(again: str, *, grouped: bool) -> str:
    """What to do about an id that comes again, for whoever calls from Python."""
    mean = "say what rows belong to, with unit=..., or " if grouped else ""
    return (
        f"Nothing is promised, since {again}, so that rows may depend on one another: {mean}say unit='none' if every "
        "row is a draw of its own."
    )
