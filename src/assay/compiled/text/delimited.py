# Problem   plain lines of separated text, "0.5,-1.25,spam", as rows of numbers beside a column of text.
# Given     text uint8, whose part start..stop is whole lines, each closed by a newline; the separator;
#           places (fields,): the column of X that a field goes to, -1 for the field whose text is kept,
#           -2 for one that is passed over; row, the rows written so far.
# Writes    X (rows, numbers); letters, the kept text one behind the other, and ends (rows,), where
#           each of them ends.
# Returns   the place of the first line that is not taken (stop if all were), and the rows now. Not
#           taken are lines of another width, with an empty cell that is wanted, with a quotation mark
#           inside a cell, or with a number that `read_float` does not decide; a plus sign is none of a
#           number here. The caller reads them another way.
# Source    RFC 4180 (Shafranovich, 2005), less what is rare in it.
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.processors import processors
from assay.compiled.text.decimal_text import read_float

_0, _1 = np.uint64(0), np.uint64(1)
_NEWLINE, _RETURN, _SPACE = ord("\n"), ord("\r"), ord(" ")
_QUOTE, _PLUS = ord('"'), ord("+")

# Less text than this is read before a second thread has begun.
_WORTH_SHARING = 2**18


@njit(**EXACT)
def _cell_end(text, p, separator):
    """Behind a cell of plain text, and whether that is where a cell may end."""
    while text[p] != separator and text[p] != _NEWLINE and text[p] != _RETURN and text[p] != _QUOTE:
        p += _1
    return p, text[p] != _QUOTE


@njit(**EXACT)
def _quoted_end(text, p):
    """The mark that closes a quoted cell, and whether it was found in the same line."""
    while text[p] != _QUOTE and text[p] != _NEWLINE and text[p] != _RETURN:
        p += _1
    return p, text[p] == _QUOTE


@njit(**EXACT)
def parse_lines(text, start, stop, separator, places, X, letters, ends, row):
    p, stop, row, end = np.uint64(start), np.uint64(stop), np.uint64(row), _0
    fields = np.uint64(len(places))
    while p < stop:
        line, field = p, _0
        while field < fields:
            if field > _0:
                if text[p] != separator:
                    return line, row
                p += _1
            place = places[field]
            field += _1
            if place >= 0:
                while text[p] == _SPACE:
                    p += _1
                if text[p] == _PLUS:
                    return line, row
                good, value, p = read_float(text, p)
                if not good:
                    return line, row
                X[row, np.uint64(place)] = value
                while text[p] == _SPACE:
                    p += _1
                continue
            quoted = text[p] == _QUOTE
            if quoted:
                p += _1
                first = p
                p, good = _quoted_end(text, p)
            else:
                first = p
                p, good = _cell_end(text, p, separator)
            if not good:
                return line, row
            if place == -1:
                if p == first:
                    return line, row
                while first < p:
                    letters[end] = text[first]
                    first += _1
                    end += _1
                ends[row] = end
            p += np.uint64(quoted)
        p += np.uint64(text[p] == _RETURN)
        if text[p] != _NEWLINE:
            return line, row
        p += _1
        row += _1
    return stop, row


@njit(**EXACT)
def _count_lines(text):
    lines = np.uint32(0)  # a narrow count is counted faster, and a block is small
    for byte in text:
        lines = np.uint32(lines + np.uint32(byte == _NEWLINE))
    return lines


def _edges(block, threads):
    """Where to cut a block at line ends, for so many threads."""
    parts = min(threads, 1 + len(block) // _WORTH_SHARING)
    cuts = [block.find(b"\n", k * len(block) // parts) + 1 for k in range(1, parts)]
    return sorted({0, *cuts, len(block)})


def parse_block(block, separator, places, dtype=np.float64, threads=None):
    """Parse a block of whole lines into rows, on all cores.

    Parameters
    ----------
    block : bytes
        Lines; the last one need not be closed.
    separator : str
        One sign of ASCII.
    places : numpy.ndarray of int64
        For each field the column of numbers that it goes to, -1 for the field whose text is kept (at most
        one), -2 for one that is passed over.
    dtype : dtype
        The precision of the numbers; each is the float64 nearest to its text, then cast.
    threads : int, optional
        As many as there are cores, if not given.

    Returns
    -------
    tuple or None
        Numbers (rows by columns), the bytes of the text kept, and where each of them starts, with the end
        of the last (int32). None if some line is not plain.
    """
    if not block.endswith(b"\n"):
        block += b"\n"
    text = np.frombuffer(block, np.uint8)
    edges = _edges(block, threads or processors())
    spans = list(pairwise(edges))
    kept = bool((places == -1).any())
    with ThreadPoolExecutor(len(spans)) if len(spans) > 1 else nullcontext() as pool:
        each = map if pool is None else pool.map
        lines = list(each(lambda span: int(_count_lines(text[span[0] : span[1]])), spans))
        rooms = np.cumsum([0, *lines])
        X = np.empty((rooms[-1], int(np.count_nonzero(places >= 0))), dtype)
        ends = np.zeros(rooms[-1] + 1 if kept else 1, np.int32)

        def work(k):
            start, stop = spans[k]
            letters = np.empty(stop - start if kept else 0, np.uint8)
            place, _ = parse_lines(
                text, start, stop, ord(separator), places, X, letters, ends[1:], rooms[k]
            )
            return letters if place == stop else None

        parts = list(each(work, range(len(spans))))
    if any(part is None for part in parts):
        return None
    return X, *(_joined(parts, ends, rooms) if kept else (parts[0], ends))


def _joined(parts, ends, rooms):
    """The text of all parts in one, and where each piece of it starts."""
    used, before = [], 0
    for letters, first, last in zip(parts, rooms, rooms[1:], strict=False):
        size = int(ends[last])
        used.append(letters[:size])
        ends[first + 1 : last + 1] += before
        before += size
    return np.concatenate(used), ends
