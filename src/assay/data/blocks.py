"""A stream of text cut into blocks of whole rows, so that each block can be read by itself.

Whatever a block holds, the blocks before it have been handed over already: a broken row costs
nothing that came earlier. A stream that delivers piecemeal, such as a pipe, is cut as it comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData
from assay.types import Ints

#: Bytes read at a time.
BLOCK = 2**22


def whole_rows(
    read: Callable[[int], bytes],
    end_of_rows: Callable[[bytes], int],
    size: int = BLOCK,
    refuse: Callable[[], BadData] | None = None,
) -> Iterator[bytes]:
    r"""Blocks that end where a row ends; the last one as the stream leaves it.

    Parameters
    ----------
    read : callable
        Gives at most so many bytes, and none at the end.
    end_of_rows : callable
        Where the last whole row of some text ends that starts with a row; 0 where none does.
    size : int
        Bytes asked for at a time.
    refuse : callable, optional
        Makes the refusal of a row longer than `size`; without it, a block grows to hold its row.

    Examples
    --------
    >>> import io
    >>> list(whole_rows(io.BytesIO(b"1 1:2\n0 1:1\n1").read, end_of_line, size=8))
    [b'1 1:2\n', b'0 1:1\n', b'1']
    """
    rest = b""
    while data := read(size):
        rest = rest + data if rest else data
        end = end_of_rows(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
        if refuse is not None and len(rest) > size:
            raise refuse()
    if rest:
        yield rest


def end_of_line(text: bytes) -> int:
    """Behind the last newline."""
    return text.rfind(b"\n") + 1


def end_of_record(separator: str) -> Callable[[bytes], int]:
    r"""Behind the last line end that is not inside a quoted cell.

    A quotation mark opens a cell only as its first sign, and a doubled one does not close it.

    Examples
    --------
    >>> end = end_of_record(",")
    >>> end(b'1,"a\nb"\n2,"c\n')
    8
    """
    mark = separator.encode()
    opening = np.frombuffer(mark + b'\r\n"', np.uint8)
    quoted = re.compile(rb"(?<![^\r\n" + re.escape(mark) + rb'])"[^"]*(?:""[^"]*)*+("?)')

    def end(text: bytes) -> int:
        if b'"' not in text:
            return _behind_line(text, 0, len(text))
        starts, stops = _alternating(text, opening) or _one_by_one(text, quoted)
        edge = len(text)
        for start, stop in zip(reversed(starts), reversed(stops), strict=True):
            behind = _behind_line(text, int(stop), edge)
            if behind:
                return behind
            edge = int(start)
        return _behind_line(text, 0, edge)

    return end


_Places = Ints


def _alternating(text: bytes, opening: NDArray[np.uint8]) -> tuple[_Places, _Places] | None:
    """The quoted stretches, if marks open and close in turn; None if some stand inside a cell.

    Of a doubled mark, the first closes a stretch and the second opens the next one.
    """
    signs = np.frombuffer(text, np.uint8)
    marks = np.flatnonzero(signs == ord('"'))
    starts, stops = marks[::2], marks[1::2] + 1
    before = signs[starts[starts > 0] - 1]
    if not np.isin(before, opening).all():
        return None
    if len(starts) > len(stops):
        stops = np.append(stops, len(text))
    return starts, stops


def _one_by_one(text: bytes, quoted: re.Pattern[bytes]) -> tuple[_Places, _Places]:
    cells = list(quoted.finditer(text))
    starts = [cell.start() for cell in cells]
    stops = [cell.end() if cell[1] else len(text) for cell in cells]
    return np.array(starts, np.int64), np.array(stops, np.int64)


def _behind_line(text: bytes, start: int, stop: int) -> int:
    return max(text.rfind(b"\n", start, stop), text.rfind(b"\r", start, stop)) + 1
