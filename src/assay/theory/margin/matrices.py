"""Vectors and matrices of exact fractions: reading them, and the few operations the identities need."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from assay.errors import require
from assay.theory.needs import each, real

Vector: TypeAlias = "tuple[Fraction, ...]"
Matrix: TypeAlias = "tuple[Vector, ...]"


def vector(name: str, values: Any, length: int | None = None) -> Vector:
    """A sequence of finite numbers, of a given length where one is wanted.

    Examples
    --------
    >>> vector("weights", [0.5, 2])
    (Fraction(1, 2), Fraction(2, 1))
    """
    read = tuple(entry.low for entry in each(name, values, real))
    if length is not None:
        require(len(read) == length, f"the length of {name}", str(length), len(read))
    return read


def matrix(name: str, rows: Any) -> Matrix:
    """At least one row of at least one finite number, all rows of one length.

    Examples
    --------
    >>> matrix("X", [[1, 2], [3]])
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: the length of X[1] must be 2, but is 1.
    """
    require(not isinstance(rows, str) and hasattr(rows, "__iter__"), name, "a table of rows", rows)
    table: list[Vector] = []
    for place, row in enumerate(rows):
        width = len(table[0]) if table else None
        table.append(vector(f"{name}[{place}]", row, width))
    require(len(table) > 0, f"the number of rows of {name}", "at least 1", 0)
    require(len(table[0]) > 0, f"the number of columns of {name}", "at least 1", 0)
    return tuple(table)


def symmetric(name: str, rows: Any) -> Matrix:
    """A square table that is its own transpose.

    Examples
    --------
    >>> symmetric("gram", [[1, 2], [3, 4]])
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: gram must be symmetric, but is [[1, 2], [3, 4]].
    """
    table = matrix(name, rows)
    require(len(table) == len(table[0]), name, "square", rows)
    require(table == transposed(table), name, "symmetric", rows)
    return table


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def times(table: Sequence[Sequence[Fraction]], values: Sequence[Fraction]) -> Vector:
    """A matrix times a vector."""
    return tuple(dot(row, values) for row in table)


def transposed(table: Matrix) -> Matrix:
    """Rows as columns."""
    return tuple(zip(*table, strict=True))
