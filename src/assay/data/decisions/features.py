"""Features that have names, into rows of numbers: a column for each name, or a digest of it that says the column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from assay.errors import BadData, Words
from assay.types import Floats

#: More columns than this are refused: models of least squares take the square of it.
MOST_COLUMNS = 1000
#: Numbers beyond this would leave nothing of the others in a sum of squares.
LARGEST = 1e15


class Columns:
    """Columns of features, in the order in which their names are met.

    Parameters
    ----------
    what : str
        What the features are of, for refusals.
    names : sequence of str, optional
        Columns that are known beforehand: any other name is left out, and counted in `left_out`.
    hashed : int, optional
        How many columns there are; the digest of a name says which is its own, and its sign.

    Examples
    --------
    >>> columns = Columns("contexts")
    >>> rows = [columns.cells({"age": 2.0}, "x"), columns.cells({"city=Bonn": 1.0}, "x")]
    >>> columns.table(rows).tolist(), columns.names
    ([[2.0, 0.0], [0.0, 1.0]], ('age', 'city=Bonn'))
    """

    def __init__(
        self, what: str, names: Sequence[str] | None = None, hashed: int | None = None
    ) -> None:
        self._what, self._hashed = what, hashed
        self._places = {name: at for at, name in enumerate(names or ())}
        self._fixed = names is not None
        self.left_out: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called; hashed ones have numbers."""
        if self._hashed is not None:
            return tuple(map(str, range(self._hashed)))
        return tuple(self._places)

    @property
    def width(self) -> int:
        """How many there are."""
        return len(self._places) if self._hashed is None else self._hashed

    def cells(self, features: Mapping[str, float], where: str) -> list[tuple[int, float]]:
        """The columns and numbers of one row; the refusal of a bad number says where it stands."""
        cells = []
        for name, value in features.items():
            if not -LARGEST <= value <= LARGEST:
                raise BadData(
                    f"{where} holds {value!r} for the feature {name!r}, where a number between -{LARGEST:g} and "
                    f"{LARGEST:g} is needed."
                )
            if self._hashed is not None:
                digest = _digest(name)
                cells.append(((digest >> 1) % self._hashed, value if digest & 1 else -value))
                continue
            place = self._places.get(name)
            if place is None:
                if self._fixed:
                    self.left_out.add(name)
                    continue
                place = self._new(name, where)
            cells.append((place, value))
        return cells

    def _new(self, name: str, where: str) -> int:
        place = len(self._places)
        if place == MOST_COLUMNS:
            raise BadData(
                f"{where} brings more than {MOST_COLUMNS:,} different features of {self._what}.",
                remedy=(
                    "Let digests of their names say their columns with ",
                    Words("hashed=256", "{} 256", "hashed"),
                    ".",
                ),
            )
        self._places[name] = place
        return place

    def table(self, rows: Sequence[Iterable[tuple[int, float]]]) -> Floats:
        """Rows as a table, as wide as all names that were met."""
        table = np.zeros((len(rows), self.width))
        for row, cells in zip(table, rows, strict=True):
            for place, value in cells:
                row[place] += value
        return table


@lru_cache(maxsize=65_536)
def _digest(name: str) -> int:
    text = name.encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")
