"""By what a ledger knows the rows of a table again, in whatever order: their ids, and who of them shares a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from assay.certificates.issue.log_holdout import sample_digests
from assay.evidence.partition import digest_partition
from assay.types import Array

_WIDTH = 16


def id_digests(ids: Mapping[str, Sequence[Any]], truth: Sequence[Any] | None = None) -> Any:
    """Digests for rows that have ids; None where these tell nothing.

    Ids that only count the rows are those of any table with as many. They still tell in which order labels are looked
    at, so that a table is known again whatever the order of its rows and the names of its labels.

    Parameters
    ----------
    ids : mapping
        Columns of ids by their names, each a value for every row, or None.
    truth : sequence, optional
        The label of every row.

    Examples
    --------
    >>> counted, named = {"id": [1, 2, 3]}, {"id": ["ann", "bob", "cy"]}
    >>> id_digests(counted) is None, id_digests(named).shape, id_digests(named, ["no", "no", "yes"]).shape
    (True, (3, 16), (4, 16))
    >>> one, other = id_digests(counted, ["no", "no", "yes"]), id_digests({"id": [3, 1, 2]}, [1, 0, 0])
    >>> bool((one == other).all())
    True
    """
    digests = []
    for column in ids.values():
        names = [_name(value) for value in column]
        held = list(dict.fromkeys(name for name in names if name))
        if held and not _only_count(held):
            digests.append(sample_digests(_objects(held), _objects([]), ""))
        if truth is not None and len(held) == len(names):
            order = sorted(range(len(names)), key=lambda row: _rank(names[row]))
            partition = digest_partition([truth[row] for row in order])
            digests.append(_row(b"labels by id " + partition.encode()))
    return np.unique(np.concatenate(digests), axis=0) if digests else None


def _only_count(names: Sequence[str]) -> bool:
    """Whether ids are the numbers from 0 or 1 on, in any order."""
    if not all(name.isdecimal() and len(name) <= 12 for name in names):
        return False
    numbers = sorted(map(int, names))
    return numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1


def _name(value: Any) -> str:
    """An id as text, a whole number in whatever type it came; empty where there is none."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _rank(name: str) -> tuple[bool, Any]:
    """The order of ids: numbers by their size, and before any text."""
    return (False, int(name)) if name.isdecimal() and len(name) <= 300 else (True, name)


def _row(text: bytes) -> Array:
    return np.frombuffer(blake2b(text, digest_size=_WIDTH).digest(), dtype=np.uint8).reshape(1, -1)


def _objects(values: Sequence[Any]) -> Array:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
