"""Records of whole numbers and floats as learners keep them, and as rows of numbers, which earlier files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import astuple, fields
from typing import Any, TypeVar

from assay.learners.common import kinds
from assay.types import Floats

R = TypeVar("R")


def _types(made: Any) -> dict[str, type]:
    return {field.name: int if field.type == "int" else float for field in fields(made)}


def kind_of(made: type, signed: Iterable[str] = ()) -> kinds.Kind:
    """Such a record whose numbers have room to grow; only the `signed` may be below zero."""
    least = dict.fromkeys(_types(made), 0.0) | dict.fromkeys(signed, -kinds.LARGEST)
    return kinds.record(
        made,
        **{
            name: kinds.count if number is int else kinds.real(least[name], kinds.LARGEST)
            for name, number in _types(made).items()
        },
    )


def of_row(made: Callable[..., Any], row: Iterable[Any]) -> Any:
    """A record out of its numbers, in the order of its fields."""
    numbers = zip(_types(made).values(), row, strict=True)
    return made(*(number(value) for number, value in numbers))


def plain(record: R) -> R:
    """The same record in Python's own numbers, as files hold them."""
    return of_row(type(record), astuple(record))  # type: ignore[call-overload, no-any-return]


def read_rows(made: Callable[..., Any]) -> Callable[[Floats], dict[str, Any]]:
    """How a table with a row of numbers for each record is read, as the learner's `records_`."""
    return lambda table: {"records_": [of_row(made, row) for row in table.tolist()]}
