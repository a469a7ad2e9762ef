"""Columns of a table as features that are 0 or 1, for learners of Boolean concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from assay.data.cells import Place
from assay.data.encode import Column, Encoder, OneHot
from assay.errors import require
from assay.types import Array, Bools


@dataclass(frozen=True)
class Booleans(Encoder):
    """Every feature is 0 or 1: a truth value, or whether a column holds a category.

    A number must be 0 or 1.

    Parameters
    ----------
    columns, unknown, missing
        As in `Encoder`, but NaN is no truth value; made by `fit`.

    Examples
    --------
    >>> table = pa.table({"hair": [True, False], "colour": ["red", "green"]})
    >>> encoder = Booleans.fit(table)
    >>> encoder.features
    ('hair', 'colour=green', 'colour=red')
    >>> encoder.transform(table).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "booleans"

    @property
    def plain(self) -> bool:
        """Never: a number must be looked at, whether it is 0 or 1."""
        return False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.missing != "nan", "missing", "'refuse' or 'zero' for booleans", self.missing)

    def _write(self, column: Column, array: pa.Array, place: Place, out: Array) -> Bools:
        if column.kind == "number":
            column = Column(column.name, "truth")
        return super()._write(column, array, place, out)


@dataclass(frozen=True)
class Literals(Booleans):
    """Booleans and the negation of each; the negations stand behind the literals of their column.

    A missing value that becomes 0 makes neither a literal nor its negation true.

    Parameters
    ----------
    columns, unknown, missing
        As in `Booleans`; made by `fit`.

    Examples
    --------
    >>> table = pa.table({"hair": [True, None], "eggs": [False, True]})
    >>> encoder = Literals.fit(table, missing="zero")
    >>> encoder.features
    ('hair', 'not hair', 'eggs', 'not eggs')
    >>> encoder.transform(table).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "literals"

    def _names(self, column: Column) -> tuple[str, ...]:
        literals = super()._names(column)
        return (*literals, *(f"not {literal}" for literal in literals))

    def _write(self, column: Column, array: pa.Array, place: Place, out: Array) -> Bools:
        literals, negations = np.hsplit(out, 2)
        absent = super()._write(column, array, place, literals)
        np.subtract(1, literals, out=negations)
        negations[absent] = 0
        return absent


#: The encoders by name.
ENCODERS: dict[str, type[Encoder]] = {kind.name: kind for kind in (OneHot, Booleans, Literals)}
