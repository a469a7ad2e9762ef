"""What a watch has found, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.report.text import percent

_NAMED = 5


def unseen_words(name: str, strange: Mapping[str, int], rows: int) -> str:
    """Categories that training did not show.

    Examples
    --------
    >>> unseen_words("city", {"Bonn": 3, "Rome": 1}, 4)
    "'city' holds categories that training did not: 'Bonn' (3 rows), 'Rome' (1 row)."
    """
    named = sorted(strange.items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{word!r} ({_rows(many)})" for word, many in named[:_NAMED])
    rest = rows - sum(many for _, many in named[:_NAMED])
    more = f", and others ({_rows(rest)})" if rest else ""
    kinds = "a category" if len(named) == 1 and not rest else "categories"
    return f"{name!r} holds {kinds} that training did not: {told}{more}."


def far_words(name: str, rows: int, marks: Sequence[float], ends: tuple[float, float]) -> str:
    """Numbers far outside of what was trained on.

    Examples
    --------
    >>> far_words("age", 1, (20.0, 70.0), (21.0, 700.0))
    "'age' was trained on from 20 to 70, and 1 row lies further outside than that is wide: up to 700."
    """
    low, high = marks[0], marks[-1]
    told = [f"down to {ends[0]:.6g}"] if ends[0] < low - (high - low) else []
    told += [f"up to {ends[1]:.6g}"] if ends[1] > high + (high - low) else []
    lies = "lies" if rows == 1 else "lie"
    return (
        f"{name!r} was trained on from {low:.6g} to {high:.6g}, and {_rows(rows)} {lies} further outside than that is "
        f"wide: {' and '.join(told)}."
    )


def beyond_words(name: str, rows: int, mark: float, upper: bool) -> str:
    """More values beyond the ends of training than chance explains."""
    side, end = ("above", "largest") if upper else ("below", "smallest")
    are = "is" if rows == 1 else "are"
    return f"{name!r}: {_rows(rows)} {are} {side} {mark:.6g}, the {end} value trained on."


def gap_words(name: str, now: float, before: float) -> str:
    """Another share of gaps."""
    return f"{name!r} is missing in {percent(now)} of the rows, in training in {percent(before)}."


def mark_words(name: str, now: float, mark: float, upper: bool, before: float) -> str:
    """A shifted number: the mark at which it shows most.

    Examples
    --------
    >>> mark_words("age", 0.8, 40.0, True, 0.5)
    "'age' is above 40 in 80 % of the rows, in training in at most 50 %."
    """
    side = "above" if upper else "below"
    return f"{name!r} is {side} {mark:.6g} in {percent(now)} of the rows, in training in at most {percent(before)}."


def category_words(name: str, word: str, now: float, before: float) -> str:
    """A shifted category: the one that shows most."""
    return f"{name!r} is {word!r} in {percent(now)} of the rows, in training in {percent(before)}."


def _rows(many: int) -> str:
    return f"{many:,} row{'' if many == 1 else 's'}"
