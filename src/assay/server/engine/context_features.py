"""Features of rounds and actions, as JSON has them, into vectors of the length that was declared.

Features are numbers, in a list or by their names; or, hashed, whatever JSON holds: each number stands for itself,
each text and truth value for one, under the path that leads to it. Which place a path has, and its sign, follow from
its digest alone, so that a replay comes to the same bits on every machine.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from assay.server.engine.requests import decoded_field
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.types import Floats

_NOTHING = np.zeros(0)
#: What a number may be at most: squares of larger ones would leave nothing of the others.
MOST = 1e15
#: How deep hashed features may be nested.
_DEEPEST = 8
#: Of a text, as much as may be part of a path.
_LONGEST = 1_000

_ANYTHING = msgspec.json.Decoder()
_NUMBERS = msgspec.json.Decoder(list[float])
_ROWS = msgspec.json.Decoder(list[list[float]])
_NAMED = msgspec.json.Decoder(dict[str, float])


class Features:
    """Reads the features of one thing; `width` says how many numbers they become.

    Parameters
    ----------
    field : str
        What the definition calls them.
    declared : list of str, int or None
        Their names, or how many there are; None if there are none.
    hashed : bool
    limits : Limits

    Examples
    --------
    >>> features = Features("features", ["age", "clicks"], False, Limits())
    >>> vector, kept = features.read(b'{"clicks": 2, "age": 30}', "context")
    >>> vector.tolist(), kept
    ([30.0, 2.0], [30.0, 2.0])
    >>> hashed = Features("features", 8, True, Limits())
    >>> sorted(set(hashed.read(b'{"user": {"city": "Bonn", "age": 30}}', "context")[0].tolist()))
    [0.0, 1.0, 30.0]
    """

    def __init__(
        self, field: str, declared: list[str] | int | None, hashed: bool, limits: Limits
    ) -> None:
        if hashed and isinstance(declared, list):
            raise Refusal("refused", f"{field} must be a number where features are hashed.")
        self._field, self._limits, self.hashed = field, limits, hashed
        self._names = declared if isinstance(declared, list) else None
        self._places = {name: at for at, name in enumerate(self._names or ())}
        self.width = len(declared) if isinstance(declared, list) else declared or 0

    def read(self, raw: bytes, what: str) -> tuple[Floats, Any]:
        """A vector, and the same as the log keeps it."""
        if not self.width:
            if raw:
                raise Refusal(
                    "refused", f"{what} has features, but the definition has no {self._field}."
                )
            return _NOTHING, None
        if self.hashed:
            value = anything(raw, what) if raw else None
            vector = np.zeros(self.width)
            self.add(vector, value, what)
            return vector, value
        if not raw:
            raise Refusal("refused", f"{what} must have {self.width} features, but has none.")
        numbers = self._listed(raw, what)
        vector = np.array(numbers)
        require_tame(vector, what)
        return vector, numbers

    def read_all(self, raws: Sequence[Any], names: Sequence[str]) -> tuple[Floats, list[Any]]:
        """The same of many things: as a table, and as the log keeps them."""
        together = self._together(raws)
        if together is not None:
            return together
        table, kept = np.empty((len(raws), self.width)), []
        for at, (raw, name) in enumerate(zip(raws, names, strict=True)):
            table[at], one = self.read(bytes(raw), f"Action {name!r}")
            kept.append(one)
        return table, kept

    def _together(self, raws: Sequence[Any]) -> tuple[Floats, list[Any]] | None:
        """All of them, decoded at once, where each is a list as it should be; whatever is not is read by itself."""
        if self.hashed or not self.width:
            return None
        try:
            rows: list[list[float]] = _ROWS.decode(b"[%b]" % b",".join(raws))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        if len(rows) != len(raws) or set(map(len, rows)) != {self.width}:
            return None
        # Twice as fast as NumPy's own way into a table; and writable, as loops were compiled for.
        numbers = struct.pack(f"{len(rows) * self.width}d", *chain.from_iterable(rows))
        table = np.frombuffer(bytearray(numbers)).reshape(len(rows), self.width)
        return (table, rows) if _is_tame(table) else None

    def _listed(self, raw: bytes, what: str) -> list[float]:
        if raw[:1] != b"{":
            numbers: list[float] = decoded_field(_NUMBERS, raw, what)
            if len(numbers) != self.width:
                raise Refusal(
                    "refused", f"{what} must have {self.width} features, but has {len(numbers):,}."
                )
            return numbers
        cells = decoded_field(_NAMED, raw, what)
        if self._names is None:
            raise Refusal("refused", f"{what} must be a list: its features have no names.")
        if cells.keys() != self._places.keys():
            odd = min(self._places.keys() ^ cells.keys())
            how = "names an unknown feature" if odd in cells else "leaves out the feature"
            raise Refusal("refused", f"{what} {how} {odd!r}.")
        return [cells[name] for name in self._names]

    def add(self, vector: Floats, value: Any, what: str, under: str = "") -> None:
        """Add hashed features to a vector, under a path."""
        for many, (path, number) in enumerate(_paths(value, under, what, _DEEPEST), 1):
            if many > self._limits.width:
                raise Refusal(
                    "refused",
                    f"{what} must have at most {self._limits.width:,} features. {how('width')}",
                )
            digest = _digest(path)
            vector[(digest >> 1) % len(vector)] += number if digest & 1 else -number
        require_tame(vector, what)


def anything(raw: bytes, what: str) -> Any:
    """Features that are hashed, as JSON has them."""
    return decoded_field(_ANYTHING, raw, what)


def require_tame(vector: Floats, what: str) -> None:
    """Refuse numbers that are none, or too large."""
    if not _is_tame(vector):
        raise Refusal("refused", f"{what} must hold numbers between -{MOST:g} and {MOST:g}.")


def _is_tame(numbers: Floats) -> bool:
    return not numbers.size or bool(numbers.max() <= MOST and numbers.min() >= -MOST)


def _paths(value: Any, path: str, what: str, deep: int) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool):
        if value:
            yield path, 1.0
    elif isinstance(value, int | float):
        if not -MOST <= value <= MOST:
            raise Refusal("refused", f"{what} must hold numbers between -{MOST:g} and {MOST:g}.")
        yield path, float(value)
    elif isinstance(value, str):
        yield f"{path}={value[:_LONGEST]}", 1.0
    elif value is not None:
        if not deep:
            raise Refusal("refused", f"{what} must be nested at most {_DEEPEST} deep.")
        # In one order, whatever order they came in: sums of what falls together depend on it.
        named = sorted(value.items()) if isinstance(value, dict) else _numbered(value)
        for name, inner in named:
            yield from _paths(inner, f"{path}|{name[:_LONGEST]}" if name else path, what, deep - 1)


def _numbered(values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Numbers in a list are told apart by their places; texts and objects are all of their list."""
    for place, value in enumerate(values):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        yield f"[{place}]" if number else "", value


@lru_cache(maxsize=65_536)
def _digest(path: str) -> int:
    return int.from_bytes(
        blake2b(path.encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )
