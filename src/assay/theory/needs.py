"""Reading a theorem's inputs: each function checks one condition and returns the exact number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from assay.errors import BadParameter, require
from assay.theory.rounding import Enclosure, as_fraction, exact
from assay.theory.tail.integers import MOST_ROWS

Form: TypeAlias = Literal["sharp", "textbook"]
"""The smallest number that a proof gives, or the one that textbooks print."""


def real(name: str, value: Any) -> Enclosure:
    """Any finite number: an int, a float, decimal text, a fraction or a NumPy scalar."""
    return _number(name, value, "a finite number", lambda x: True)


def positive(name: str, value: Any) -> Enclosure:
    """A finite number above zero.

    Examples
    --------
    >>> positive("margin", 0.0)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: margin must be a finite number above zero, but is 0.0.
    """
    return _number(name, value, "a finite number above zero", lambda x: x > 0)


def nonnegative(name: str, value: Any) -> Enclosure:
    """A finite number, zero or more."""
    return _number(name, value, "a finite number, zero or more", lambda x: x >= 0)


def inside_unit(name: str, value: Any) -> Enclosure:
    """A number strictly between 0 and 1, such as an accuracy or a failure probability."""
    return _number(name, value, "a number strictly between 0 and 1", lambda x: 0 < x < 1)


def unit(name: str, value: Any) -> Enclosure:
    """A number between 0 and 1, ends included, such as an observed error rate."""
    return _number(name, value, "a number between 0 and 1", lambda x: 0 <= x <= 1)


def count(name: str, value: Any, at_least: int = 0) -> int:
    """A whole number not below a given one, of any size.

    Examples
    --------
    >>> count("rows", 1000, at_least=1)
    1000
    >>> count("rows", -1)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: rows must be a whole number of at least 0, but is -1.
    """
    if type(value) is int and value >= at_least:
        return value  # as nearly all are: no fraction has to be made of it
    must = f"a whole number of at least {at_least}"
    number = _number(name, value, must, lambda x: x.denominator == 1 and x >= at_least)
    return number.low.numerator


def counts(errors: int, rows: int) -> tuple[int, int]:
    """Errors and rows as whole numbers, in that order, refused where they do not fit together.

    Examples
    --------
    >>> counts(11, 10)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: errors must be at most the number of rows 10, but is 11.
    """
    n, k = count("rows", rows, at_least=1), count("errors", errors)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    require(k <= n, "errors", f"at most the number of rows {n}", errors)
    return k, n


def one_of(name: str, value: Any, *choices: str) -> None:
    """Refuse what is none of two words or more.

    Examples
    --------
    >>> one_of("form", "loose", "sharp", "textbook")
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: form must be 'sharp' or 'textbook', but is 'loose'.
    """
    *first, last = map(repr, choices)
    require(value in choices, name, f"{', '.join(first)} or {last}", value)


def each(name: str, values: Any, read: Callable[[str, Any], Enclosure]) -> list[Enclosure]:
    """Read a sequence of numbers; a refusal names the place.

    Examples
    --------
    >>> each("weights", [1, -1], positive)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: weights[1] must be a finite number above zero, but is -1.
    """
    listed = isinstance(values, Iterable) and not isinstance(values, str | bytes | dict)
    require(listed, name, "a sequence of numbers", values)
    return [read(f"{name}[{i}]", value) for i, value in enumerate(values)]


def _number(name: str, value: Any, must: str, allowed: Callable[[Fraction], bool]) -> Enclosure:
    # By name, so that NumPy's truth values are refused without importing NumPy.
    require(type(value).__name__ not in ("bool", "bool_"), name, must, value)
    try:
        number = as_fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        # What could not be read is told by the refusal; how it was tried helps nobody.
        raise BadParameter(subject=name, must=must, got=value) from None
    require(allowed(number), name, must, value)
    return exact(number)
