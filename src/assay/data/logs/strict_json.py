"""JSON of strangers: no key twice, no endless line, no document that fills the memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from assay.data.plain_text import open_bytes
from assay.errors import BadData

#: A document that is larger is refused; lines are read one by one, whatever their number.
MOST_BYTES = 2**29
_LONGEST_LINE = 2**26


class _Twice(Exception):
    """A key that an object names twice."""

    def __init__(self, key: str) -> None:
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))
    return entry


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
# JSON can write half of a character, which no file or terminal can.
_HALF = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)


def _spelt_out(value: Any) -> Any:
    """The value with halves of characters spelt out as they were escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_spelt_out(part) for part in value]
    if isinstance(value, dict):
        return _distinct([(_spelt_out(key), _spelt_out(part)) for key, part in value.items()])
    return value


def parse(data: bytes, name: str) -> Any:
    """A JSON value from bytes of UTF-8.

    Parameters
    ----------
    data : bytes
        The text.
    name : str
        What a refusal calls it.

    Raises
    ------
    BadData
        If it is not UTF-8, no JSON, nested too deeply, or names a key twice in one object.

    Examples
    --------
    >>> parse(b'{"a": 1, "a": 2}', "x.json")
    Traceback (most recent call last):
        ...
    assay.errors.BadData: x.json names the key 'a' twice in one object. Write it again.
    """
    try:
        value = _DECODER.decode(data.decode("utf-8-sig"))
        escaped = b"\\ud" in data or b"\\uD" in data
        return _spelt_out(value) if escaped and _HALF.search(data) else value
    except _Twice as twice:
        raise BadData(
            f"{name} names the key {twice.key!r} twice in one object. Write it again."
        ) from None
    except UnicodeDecodeError:
        raise BadData(f"{name} is not UTF-8 text. Save it as UTF-8.") from None
    except RecursionError:
        raise BadData(f"{name} is nested too deeply to be read.") from None
    except ValueError:
        raise BadData(f"{name} is no JSON, or is cut off. Copy or write it again.") from None


def read_document(path: Path) -> Any:
    """All of a file as one JSON value."""
    with open_bytes(path) as file:
        data = bounded(file, MOST_BYTES, str(path))
    return parse(data, str(path))


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line."""
    with open_bytes(path) as file:
        for number, line in enumerate(_lines(file, path), start=1):
            if not line.strip():
                continue
            entry = parse(line, f"{path}, line {number},")
            if not isinstance(entry, dict):
                raise BadData(
                    f"{path} holds no JSON object in line {number}. Write one object a line."
                )
            yield number, entry


def _lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise BadData(f"{path} holds a line of more than {_LONGEST_LINE // 2**20} MiB.")
        yield line


def bounded(file: IO[bytes], most: int, name: str) -> bytes:
    """All bytes of a stream, unless they are more than can be taken in."""
    data = file.read(most + 1)
    if len(data) > most:
        raise BadData(f"{name} holds more than {most // 2**20} MiB, too much for one document.")
    return data
