"""Rows that belong together: how many units had how many wrong rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.errors import require

if TYPE_CHECKING:
    from assay.types import Floats, Ints


def unit_counts(wrong: Any, *unit: Any) -> tuple[tuple[int, int, int], ...]:
    """Count units by their errors and rows.

    Parameters
    ----------
    wrong : array-like of bool
        Whether each row was predicted wrongly.
    *unit : array-like
        For each row the name of the unit it belongs to, whole or in consecutive chunks: text, whole numbers, anything
        that can be told apart.

    Returns
    -------
    tuple of (errors, rows, number of such units), sorted
        How many units there are of each kind; which unit is which is not told.

    Examples
    --------
    >>> unit_counts([True, False, False, True, False], ["ann", "ann", "bob", "cy", "cy"])
    ((0, 1, 1), (1, 2, 2))
    """
    return counts_by_unit(wrong, unit_codes(*unit))


def counts_by_unit(wrong: Any, codes: Any) -> tuple[tuple[int, int, int], ...]:
    """The same of rows whose units are numbered already."""
    import numpy as np

    flags = np.asarray(wrong, dtype=bool).reshape(-1)
    require(codes.size == flags.size, "unit", f"one name for each of {flags.size} rows", codes.size)
    require(flags.size > 0, "unit", "given for at least one row", "empty")
    rows = np.bincount(codes)
    errors = np.bincount(codes, weights=flags).astype(np.int64)
    kinds, many = np.unique(np.stack([errors, rows], axis=1), axis=0, return_counts=True)
    return tuple(
        (int(e), int(r), int(m)) for (e, r), m in zip(kinds.tolist(), many.tolist(), strict=True)
    )


def unit_means(values: Floats, codes: Ints, *, below: bool = False) -> Floats:
    """The mean over each unit, in the order of their codes: never below it, or with `below` never above.

    Examples
    --------
    >>> import numpy as np
    >>> unit_means(np.array([0.25, 1.0, 0.75]), np.array([0, 1, 0])).tolist()
    [0.5, 1.0]
    """
    import numpy as np

    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    parts = np.split(values[order], starts[1:])
    return np.array([_mean_outward(part.tolist(), below) for part in parts])


def _mean_outward(values: list[float], below: bool) -> float:
    import numpy as np

    if len(set(values)) == 1:
        return values[0]
    mean = sum(map(Fraction, values), Fraction(0)) / len(values)
    near = float(mean)
    if (Fraction(near) <= mean) if below else (Fraction(near) >= mean):
        return near
    return float(np.nextafter(near, -1.0 if below else 2.0))


@dataclass(frozen=True)
class UnitLabels:
    """Truth and prediction of every row, with its unit, for counts of some rows of each.

    Attributes
    ----------
    labels : tuple of str, int or bool
        All labels, sorted.
    truth, predicted, unit : array of int
        The places of labels among them, and the unit of each row as a number.

    Examples
    --------
    >>> import numpy as np
    >>> seen = UnitLabels(("ham", "spam"), np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([0, 0, 1]))
    >>> seen.kinds(seen.truth == 1, seen.predicted != 1)
    ((0, 1, 1), (1, 1, 1))
    """

    labels: tuple[Any, ...]
    truth: Any
    predicted: Any
    unit: Any

    def kinds(self, counted: Any, wrong: Any) -> tuple[tuple[int, int, int], ...]:
        """Units by the rows of theirs that count, and by how many of these are wrong; those without are left out."""
        return unit_counts(wrong[counted], self.unit[counted])


def unit_codes(*chunks: Any) -> Any:
    """Each row's unit as a number from 0, one for every name; a row without a name is refused."""
    import numpy as np

    from assay.evidence.columns import is_text, missing, read_column
    from assay.evidence.plain_column import PlainColumn

    columns = [read_column(chunk, "unit") for chunk in chunks]
    if isinstance(columns[0], PlainColumn):
        column = columns[0]
        if len(columns) > 1:
            column = read_column([value for part in columns for value in part.to_list()], "unit")
        empty = column.values == "" if column.type == "string" else np.isnan(column.values)
        if (column.absent | empty).any():
            raise missing("unit", int((column.absent | empty).argmax()))
        return column.codes()[1]
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = [part.dictionary_decode() if hasattr(part, "dictionary") else part for part in columns]
    column = pa.concat_arrays(plain)
    nameless = column.is_null(nan_is_null=True)
    if is_text(column.type):
        nameless = pc.or_kleene(nameless, pc.equal(column, ""))
    first = pc.index(nameless, True).as_py()
    if first >= 0:
        raise missing("unit", first)
    return column.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
