"""The digest of a partition: which rows share a label, whatever the labels are called.

Labels are numbered from 0 in the order in which they first occur. The digest is the SHA-256 of the text
``assay-partition-1`` and a newline, followed by each row's number in two bytes, little-endian. Renaming
labels does not change it; putting the rows into another order does.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from assay.evidence.digest import written
from assay.evidence.labels import Coded, coded_chunks


class PartitionDigest:
    """The digest of the partition of a column that arrives in pieces."""

    def __init__(self) -> None:
        self._number: dict[str | int, int] = {}
        self._whole = hashlib.sha256(b"assay-partition-1\n")

    def update(self, piece: Coded) -> None:
        """Take the next piece."""
        if any(label not in self._number for label in piece.labels):
            codes, first = np.unique(piece.codes, return_index=True)
            for code in codes[np.argsort(first)].tolist():
                self._number.setdefault(piece.labels[code], len(self._number))
        numbers = np.array([self._number.get(label, 0) for label in piece.labels], dtype="<u2")
        self._whole.update(numbers[piece.codes].data)

    def finish(self) -> str:
        """The digest of everything taken so far."""
        return written(self._whole)


def digest_partition(*chunks: Any, name: str = "labels") -> str:
    """The digest of the partition that a column of labels makes of its rows.

    Examples
    --------
    >>> digest_partition(["ham", "spam", "ham"]) == digest_partition([1, 0, 1])
    True
    >>> digest_partition(["ham", "spam", "ham"]) == digest_partition(["ham", "ham", "spam"])
    False
    """
    digest = PartitionDigest()
    for piece in coded_chunks(chunks, name):
        digest.update(piece)
    return digest.finish()
