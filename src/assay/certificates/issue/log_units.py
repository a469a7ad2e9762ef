"""What of a log is drawn independently: each sample, what has one id, or what asks the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence, from_losses
from assay.evidence.id_repeats import folded
from assay.evidence.units import unit_counts, unit_means
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import IID
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT
from assay.types import Array, Floats, Ints

Unit = Literal["id", "input", "none"]
_UNITS = get_args(Unit)


@dataclass(frozen=True)
class SampleUnits:
    """The unit of each sample, and what is known of the independence of units.

    Attributes
    ----------
    codes : array or None
        The unit of each sample as a number from 0; None where each sample is one.
    known : Assumption or None
        What is known of their independence, where that is more than nothing.
    """

    codes: Ints | None
    known: Assumption | None

    def evidence(self, losses: Floats, *, graded: bool) -> Evidence:
        """Losses as evidence: of units where there are any, as errors unless they are graded."""
        if graded:
            made = from_losses([losses if self.codes is None else unit_means(losses, self.codes)])
        else:
            made = _counted(losses, self.codes)
        # Of graded losses a unit has one, which is a draw as any other.
        kind = IID if graded or self.codes is None else UNITS_INDEPENDENT
        known = self.known
        return replace(
            made, checked=() if known is None else (Assumption(kind, known.status, known.evidence),)
        )

    def of_samples(self) -> Assumption | None:
        """What is known of samples as independent draws, where units are left aside."""
        if self.codes is None or self.known is None:
            return self.known
        return Assumption(
            IID, "violated", f"{self.known.evidence}, which are no draws of their own"
        )


def units_of(
    ids: Array, asked: Array, unit: Unit | str | None, id_column: str | None
) -> SampleUnits:
    """What is drawn independently.

    Parameters
    ----------
    ids, asked : array
        What each sample is called, and a digest of what it asks, or None.
    unit : {"id", "input", "none"}, optional
        What is declared; found out when not given.
    id_column : str or None
        The column of a table that holds the ids, where nobody says what an id is there; it may be named as the unit.
    """
    if id_column is not None and unit == id_column and unit not in _UNITS:
        unit = "id"
    require(unit is None or unit in _UNITS, "unit", "'id', 'input' or 'none'", unit)
    codes = codes_of(ids)
    many = len(ids)
    again = many - int(codes.max()) - 1
    if unit == "none":
        evidence = "every sample is a draw of its own"
        if again:
            evidence += f", though {again:,} of {many:,} repeat an id"
        return SampleUnits(None, Assumption(IID, "declared", evidence))
    if unit == "input":
        absent = any(one is None for one in asked.tolist())
        require(not absent, "unit", "'id' or 'none' where a log does not hold all inputs", unit)
        return _grouped(codes_of(asked), "input")
    grouped = _grouped(codes, "id")
    if unit == "id":
        return grouped
    if id_column is not None and again:
        repeats = f"the column {id_column!r} repeats itself in {again:,} of {many:,} rows"
        return SampleUnits(None, Assumption(IID, "violated", repeats))
    doubt = _doubt(ids, asked, codes)
    return replace(grouped, known=Assumption(IID, "violated", doubt)) if doubt else grouped


def _doubt(ids: Array, asked: Array, codes: Ints) -> str:
    """Why samples with other ids may not be independent draws; empty where nothing is seen."""
    alike = len(set(ids.tolist())) - len({folded(id) for id in set(ids.tolist())})
    if alike:
        return f"{alike:,} ids differ from another in letter case or spaces alone"
    questions = asked.tolist()
    if not questions or None in questions:
        return ""
    # An id may ask several things; two ids shall not ask one.
    both = len(set(zip(codes.tolist(), questions, strict=True)))
    copies = both - len(set(questions))
    return f"{copies:,} ids ask what another id asks" if copies else ""


def _grouped(codes: Ints, what: str) -> SampleUnits:
    """Units by code, where some come again, and the words for it."""
    many = np.bincount(codes)
    if many.max() == 1:
        return SampleUnits(None, None)
    least, most = int(many.min()), int(many.max())
    times = f"{most}" if least == most else f"{least} to {most}"
    evidence = f"each of {len(many):,} {what}s is one unit, with {times} samples"
    return SampleUnits(codes, Assumption(UNITS_INDEPENDENT, "assumed", evidence))


def codes_of(values: Array) -> Ints:
    """Each value as a number from 0, in the order in which they first come.

    Examples
    --------
    >>> codes_of(np.array(["b", "a", "b"], dtype=object)).tolist()
    [0, 1, 0]
    """
    listed: list[Any] = values.tolist()
    numbers = {value: place for place, value in enumerate(dict.fromkeys(listed))}
    return np.fromiter((numbers[value] for value in listed), dtype=np.int64, count=len(listed))


def _counted(losses: Floats, codes: Ints | None) -> Evidence:
    """Errors; a loss between 0 and 1 where only these were declared is refused."""
    if not ((losses == 0.0) | (losses == 1.0)).all():
        raise BadParameter("method must not be 'exact' for losses that are neither 0 nor 1.")
    made = from_losses([losses.astype(bool)])
    return made if codes is None else replace(made, units=unit_counts(losses == 1.0, codes))
