"""What is known of rows as draws: names that come again, and units that have one loss each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Draws:
    """Facts about how rows hang together; what they mean for a promise is said where it is made.

    Attributes
    ----------
    again : str
        How often the name of a row comes again, in words; empty where none does, or where rows come in units.
    each_row : bool
        Whether somebody declared that every row is a draw of its own, whatever names there are.
    units : tuple of int, or None
        Where each unit counts once, with the mean loss of its rows: how many units there are, and the fewest and the
        most rows that one has.
    """

    again: str = ""
    each_row: bool = False
    units: tuple[int, int, int] | None = None


def merge_draws(parts: Iterable[Draws]) -> Draws:
    """What is known of all rows, from what is known of some of them each.

    Names that come again in another part nobody sees.

    Examples
    --------
    >>> merge_draws([Draws(units=(3, 1, 2)), Draws(units=(2, 4, 9))]).units
    (5, 1, 9)
    """
    listed = list(parts)
    units = [part.units for part in listed if part.units is not None]
    told = next((part.again for part in listed if part.again), "")
    declared = all(part.each_row for part in listed)
    if not units:
        return Draws(told, declared)
    many, least, most = zip(*units, strict=True)
    return Draws(told, declared, (sum(many), min(least), max(most)))
