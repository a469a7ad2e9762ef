"""Lines of libsvm text: one line as a label, indices and values, and many lines as sparse rows.

What is said here about a line that cannot be read is said for every parser: a fast one hands over
the lines it does not take.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.data.remedies import NAN_OR_ZERO
from assay.errors import Remedy
from assay.types import Floats, Ints

#: The largest index: a row's length must fit into 32 bits.
MOST_INDEX = 2**31 - 2

#: A label, indices and values; None for a line without an example.
Line = tuple[float, list[int], list[float]] | None


class Parsed(NamedTuple):
    """Rows up to the first refusal, and the refusal: the place of its line, and what was raised."""

    labels: Floats
    pointers: Ints
    indices: NDArray[np.int32]
    values: Floats
    refusal: tuple[int, ValueError] | None


#: A parser gets text (bytes as uint8), a reader for single lines that it may use for what it does not
#: read itself and whose refusals are its own, and the least and the largest index allowed. It returns
#: the five parts of `Parsed`. All parsers give the same bits; they differ in speed.
Parser = Callable[[NDArray[np.uint8], Callable[[bytes], Line], int, int], tuple[Any, ...]]

_TOKEN = re.compile(rb"[^ \t\r]+")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_QUERY = re.compile(rb"qid:\d+")


class BadLine(ValueError):
    """What is wrong in a line, and at which column."""

    def __init__(self, column: int, what: str, why: str, remedy: Remedy | None = None) -> None:
        super().__init__(what, why)
        self.column, self.what, self.why, self.remedy = column, what, why, remedy


@dataclass(frozen=True)
class LineReader:
    """Reads one line, token by token: slow, exact, and able to say what is wrong.

    Parameters
    ----------
    least, most : int
        The indices allowed.
    missing : {"refuse", "nan", "zero"}
        What becomes of a value that is not a number.

    Examples
    --------
    >>> LineReader()(b"+1 2:0.5 7:-3 # fine")
    (1.0, [2, 7], [0.5, -3.0])
    """

    least: int = 0
    most: int = MOST_INDEX
    missing: Literal["refuse", "nan", "zero"] = "refuse"

    def __call__(self, line: bytes) -> Line:
        """The label, the indices and the values of a line; None if it holds no example."""
        tokens = list(_TOKEN.finditer(line.partition(b"#")[0]))
        if not tokens:
            return None
        label = self._label(tokens[0])
        if len(tokens) > 1 and _QUERY.fullmatch(tokens[1][0]):
            del tokens[1]
        indices: list[int] = []
        values: list[float] = []
        for token in tokens[1:]:
            index, colon, value = token[0].partition(b":")
            if not colon or not index.isdigit():
                raise _bad(token, ", where an index and a value, such as 3:0.5, are needed")
            indices.append(self._index(token, int(index), indices))
            values.append(self._value(token, len(index) + 1, value))
        return label, indices, values

    def _label(self, token: re.Match[bytes]) -> float:
        if _NUMBER.fullmatch(token[0]):
            label = float(token[0])
            if math.isfinite(label):
                return label
            raise _bad(token, ", which is beyond the largest number that can be held")
        if b"," in token[0]:
            raise _bad(token, ", where one label is needed; several for one row cannot be read")
        raise _bad(token, ", where a label, which is a number, is needed")

    def _index(self, token: re.Match[bytes], index: int, before: list[int]) -> int:
        if before and index <= before[-1]:
            raise BadLine(
                token.start() + 1,
                f"index {index}",
                f" after index {before[-1]}; indices must rise from left to right",
            )
        if index < self.least:
            why = f", but indices start at {self.least}. If they start at 0, say zero_based=True"
            raise BadLine(token.start() + 1, f"index {index}", why)
        if index > self.most:
            why = f", but the largest index allowed is {self.most}"
            raise BadLine(token.start() + 1, f"index {index}", why)
        return index

    def _value(self, token: re.Match[bytes], at: int, text: bytes) -> float:
        column = token.start() + at + 1
        if not _NUMBER.fullmatch(text) and not _WORD.fullmatch(text):
            raise BadLine(column, repr(_shown(text)), ", where a number is needed")
        value = float(text)
        if math.isnan(value):
            if self.missing == "refuse":
                remedy = ("Fill it in, or ", NAN_OR_ZERO, ".")
                raise BadLine(column, "no number (nan)", "", remedy)
            return math.nan if self.missing == "nan" else 0.0
        if math.isinf(value):
            raise BadLine(
                column, repr(_shown(text)), ", which is beyond the largest number that can be held"
            )
        return value


def _bad(token: re.Match[bytes], why: str) -> BadLine:
    return BadLine(token.start() + 1, repr(_shown(token[0])), why)


def _shown(text: bytes) -> str:
    words = text[:40].decode(errors="backslashreplace")
    return f"{words}..." if len(text) > 40 else words


def parse_plainly(
    text: NDArray[np.uint8], read_line: Callable[[bytes], Line], least: int, most: int
) -> Parsed:
    r"""Parse text line by line; the parser that needs no compiler.

    Examples
    --------
    >>> text = np.frombuffer(b"1 1:0.5\n-1 2:3 3:4\n", np.uint8)
    >>> parse_plainly(text, LineReader(), 0, MOST_INDEX).values.tolist()
    [0.5, 3.0, 4.0]
    """
    labels: list[float] = []
    indices: list[int] = []
    values: list[float] = []
    pointers = [0]
    refusal = None
    start = 0
    for line in text.tobytes().split(b"\n"):
        try:
            example = read_line(line)
        except ValueError as problem:
            refusal = start, problem
            break
        if example is not None:
            labels.append(example[0])
            indices += example[1]
            values += example[2]
            pointers.append(len(indices))
        start += len(line) + 1
    return Parsed(
        np.array(labels, np.float64),
        np.array(pointers, np.int64),
        np.array(indices, np.int32),
        np.array(values, np.float64),
        refusal,
    )
