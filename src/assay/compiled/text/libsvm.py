# Problem   lines of libsvm text, "label index:value index:value # comment", as compressed sparse rows.
# Given     text uint8, whose part start..stop is whole lines, each closed by a newline; least and
#           most, the indices allowed; row and cell, the rows and cells written so far.
# Writes    labels (rows,), ends (rows,), indices (cells,) as they stand in the text, values (cells,).
#           A blank line, or one with only a comment, writes nothing; "qid:" is passed over.
# Returns   the place of the first line that is not taken (stop if all were), and rows and cells now.
#           Not taken are malformed lines, those whose indices do not rise, and those with a number
#           that `read_float` does not decide: the caller reads them one by one.
# Source    The format is that of SVMlight (Joachims, 1999) and LIBSVM (Chang & Lin, 2011).
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.processors import processors
from assay.compiled.text.decimal_text import read_digits, read_float

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_4, _10 = np.uint64(4), np.uint64(10)
_NEWLINE, _RETURN, _TAB, _SPACE = ord("\n"), ord("\r"), ord("\t"), ord(" ")
_COLON, _HASH, _Q, _I, _D = ord(":"), ord("#"), ord("q"), ord("i"), ord("d")

# Text is cut into parts of this size; a thread that is done takes the next one.
_PART = 2**22


@njit(**EXACT)
def _gap(text, p):
    """The next byte that is neither a space nor a tab nor a carriage return."""
    while text[p] == _SPACE or text[p] == _TAB or text[p] == _RETURN:
        p += _1
    return p


@njit(**EXACT)
def _line_end(text, p):
    while text[p] != _NEWLINE:
        p += _1
    return p


@njit(**EXACT)
def _ends_token(byte):
    return byte in (_SPACE, _NEWLINE, _TAB, _RETURN, _HASH)


@njit(**EXACT)
def _query(text, p):
    """Behind "qid:" and its whole number; or p itself, where there is none."""
    start = p
    # In this order, no byte behind the newline is ever looked at.
    if text[p] != _Q or text[p + _1] != _I or text[p + _2] != _D or text[p + _3] != _COLON:
        return start
    _, p = read_digits(text, start + _4, _0)
    return p if p > start + _4 and _ends_token(text[p]) else start


@njit(**EXACT)
def parse_lines(text, start, stop, least, most, labels, ends, indices, values, row, cell):
    p, stop = np.uint64(start), np.uint64(stop)
    least, most = np.uint64(least), np.uint64(most)
    row, cell = np.uint64(row), np.uint64(cell)
    while p < stop:
        line, first = p, cell
        p = _gap(text, p)
        if text[p] != _NEWLINE and text[p] != _HASH:
            good, label, p = read_float(text, p)
            if not good or not _ends_token(text[p]):
                return line, row, first
            p = _query(text, _gap(text, p))
            allowed = least  # the least index that may come next
            while True:
                p = _gap(text, p)
                index, behind = read_digits(text, p, _0)
                if behind == p:
                    break
                if behind - p > _10 or text[behind] != _COLON or index < allowed or index > most:
                    return line, row, first
                good, value, p = read_float(text, behind + _1)
                if not good or not _ends_token(text[p]):
                    return line, row, first
                indices[cell] = index
                values[cell] = value
                cell += _1
                allowed = index + _1
            if text[p] != _NEWLINE and text[p] != _HASH:
                return line, row, first
            labels[row] = label
            ends[row] = cell
            row += _1
        p = _line_end(text, p) + _1
    return stop, row, cell


@njit(**EXACT)
def count_marks(text):
    """Newlines and colons: no fewer than rows and cells."""
    lines = colons = np.uint32(0)  # narrow counts are counted faster, and a part is small
    for byte in text:
        lines = np.uint32(lines + np.uint32(byte == _NEWLINE))
        colons = np.uint32(colons + np.uint32(byte == _COLON))
    return lines, colons


def _parts(text, threads):
    """Text cut at line ends, for so many threads; what stands behind the last newline is no part."""
    end = len(text)
    while end > 0 and text[end - 1] != _NEWLINE:
        end -= 1
    size = max(1, min(_PART, end // threads))
    edges = [0]
    while end - edges[-1] > size:
        edges.append(int(_line_end(text, np.uint64(edges[-1] + size))) + 1)
    return edges if len(edges) > 1 and edges[-1] == end else [*edges, end]


def _parse_part(text, start, stop, end, read_line, limits, arrays, row, cell):
    """One part, with the lines that the loop leaves alone; rows and cells now, and the refusal."""
    labels, ends, indices, values = arrays
    while True:
        start, row, cell = parse_lines(text, start, stop, *limits, *arrays, row, cell)
        start = int(start)
        if start == end:
            return int(row), int(cell), None
        close = int(_line_end(text, np.uint64(start))) if start < stop else end
        try:
            example = read_line(text[start:close].tobytes())
        except ValueError as problem:
            return int(row), int(cell), (start, problem)
        if example is not None:
            label, some_indices, some_values = example
            row, cell, behind = int(row), int(cell), int(cell) + len(some_indices)
            indices[cell:behind] = some_indices
            values[cell:behind] = some_values
            labels[row], ends[row] = label, behind
            row, cell = row + 1, behind
        start = min(close + 1, end)
        if start == end:
            return row, cell, None


def parse_text(text, read_line, least, most, threads=None):
    """Parse text into rows, on all cores.

    Parameters
    ----------
    text : numpy.ndarray of uint8
        Lines; the last one need not be closed.
    read_line : callable
        Reads the bytes of one line that the loop leaves alone: a label, indices and values, or None
        for a line without an example. A ValueError ends the rows.
    least, most : int
        The indices allowed, at most 2**31 - 2.
    threads : int, optional
        As many as there are cores, if not given.

    Returns
    -------
    tuple
        Labels, pointers (one more than rows, int64), indices (int32) and values of the rows before
        the first refusal; and the refusal: None, or the place of its line and what was raised.
    """
    text = np.asarray(text).view()
    text.flags.writeable = False  # one type for all, so that the loop is compiled once
    threads = threads or processors()
    edges = _parts(text, threads)
    parts = len(edges) - 1
    with ThreadPoolExecutor(threads) as pool:
        marks = pool.map(lambda k: count_marks(text[edges[k] : edges[k + 1]]), range(parts))
        tail = count_marks(text[edges[-1] :])[1]
        rooms = [(0, 0)]
        for lines, colons in marks:
            rooms.append((rooms[-1][0] + lines, rooms[-1][1] + colons))
        rows, cells = rooms[-1][0] + 1, rooms[-1][1] + tail
        labels, pointers = np.empty(rows), np.zeros(rows + 1, np.int64)
        arrays = labels, pointers[1:], np.empty(cells, np.int32), np.empty(cells)

        def work(k):
            end = len(text) if k == parts - 1 else edges[k + 1]
            return _parse_part(
                text, edges[k], edges[k + 1], end, read_line, (least, most), arrays, *rooms[k]
            )

        done = list(pool.map(work, range(parts)))
    row, cell, refusal = _close_gaps(arrays, rooms, done)
    _, _, indices, values = arrays
    return labels[:row], pointers[: row + 1], indices[:cell], values[:cell], refusal


def _close_gaps(arrays, rooms, done):
    """Move the parts together where comments, blank lines or a refusal left room between them."""
    labels, ends, indices, values = arrays
    row = cell = 0
    for (first_row, first_cell), (last_row, last_cell, refusal) in zip(rooms, done, strict=False):
        rows, cells = last_row - first_row, last_cell - first_cell
        if first_row > row or first_cell > cell:
            labels[row : row + rows] = labels[first_row:last_row]
            ends[row : row + rows] = ends[first_row:last_row] - (first_cell - cell)
            indices[cell : cell + cells] = indices[first_cell:last_cell]
            values[cell : cell + cells] = values[first_cell:last_cell]
        row, cell = row + rows, cell + cells
        if refusal is not None:
            return row, cell, refusal
    return row, cell, None
