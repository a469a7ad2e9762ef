"""By what a ledger knows the samples of a log again: what they ask, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np

from assay.types import Array

_WIDTH = 16


def sample_digests(ids: Array, asked: Array, task: str) -> Any:
    """A digest for everything by which a sample may be known again; None where there is nothing.

    A sample that asks the same is the same, whatever it is called, and so is one of the same task and id, whatever the
    prompt around it: a quarter of either makes two holdouts one account. Numbers that only count the samples of a
    nameless table tell nothing.

    Parameters
    ----------
    ids, asked : array
        What each sample is called, and a digest of what it asks, or None.
    task : str
        What was evaluated.

    Examples
    --------
    >>> ids, asked = np.array(["q1", "q2"], dtype=object), np.array([b"one", None], dtype=object)
    >>> sample_digests(ids, asked, "sums").shape
    (3, 16)
    """
    questions = {one for one in asked.tolist() if one is not None}
    names = dict.fromkeys(ids.tolist())
    if not task and _only_count(names):
        names = {}
    # Questions are digests already, of one width, so that none is taken for an id.
    digests = [b"ask:" + one.ljust(_WIDTH - 4, b"\0")[: _WIDTH - 4] for one in sorted(questions)]
    salt = blake2b(task.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest()
    digests += [
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_WIDTH, key=salt).digest()
        for name in names
    ]
    if not digests:
        return None
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, _WIDTH)


def _only_count(names: Iterable[str]) -> bool:
    listed = list(names)
    return listed in ([str(i + first) for i in range(len(listed))] for first in (0, 1))
