"""The digest of all truths that were told, kept as they come, so that a certificate need not read them again."""

from __future__ import annotations

import base64
import copy
import zlib
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from assay.errors import BadData
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.labels import Coded, coded_pieces

_TOGETHER = 1024


class Truths:
    """Truths in the order in which they were learned.

    Parameters
    ----------
    kind : dtype or None
        The kind of array that they are certified as, where it is known.

    Examples
    --------
    >>> truths = Truths()
    >>> truths.add(["ham", "spam"])
    >>> again = Truths.from_json(truths.to_json())
    >>> truths.digest() == again.digest()
    True
    """

    def __init__(self, kind: Any = None) -> None:
        self._kind = kind
        self._digest = LabelDigest("labels")
        self._waiting: list[Any] = []
        self._problem: Exception | None = None

    @classmethod
    def lost(cls) -> Self:
        """Truths of which a part is gone: none of them can be certified."""
        made = cls()
        made._problem = BadData(
            "A part of what was told was erased, so that no certificate can be made."
        )
        return made

    def add(self, truths: Sequence[Any]) -> None:
        """Some more."""
        self._waiting += truths
        if len(self._waiting) >= _TOGETHER:
            self._take()

    def _take(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting or self._problem is not None:
            return
        try:
            labels = read_column(np.array(waiting, dtype=self._kind), "labels", self._digest.rows)
            for piece in coded_pieces(labels, "labels", self._digest.rows):
                self._digest.update(piece)
        except (
            Exception
        ) as problem:  # no labels: learning goes on, and a certificate says why there is none
            self._problem = problem

    def digest(self) -> str:
        """The canonical digest of all so far."""
        self._take()
        if self._problem is not None:
            raise self._problem
        return self._digest.finish()

    def copy(self) -> Self:
        """The same so far; what one takes the other does not."""
        twin = copy.copy(self)
        twin._digest, twin._waiting = self._digest.copy(), list(self._waiting)
        return twin

    def to_json(self) -> dict[str, Any] | None:
        """All of it, for a snapshot; None where truths are no labels."""
        self._take()
        if self._problem is not None:
            return None
        blocks, piece = self._digest.parts()
        held: dict[str, Any] = {"rows": self._digest.rows, "family": self._digest.family}
        held["blocks"] = [block.hex() for block in blocks]
        if piece is not None:
            codes = zlib.compress(piece.codes.astype("<u4").tobytes(), 1)
            held["labels"], held["codes"] = piece.labels, base64.b64encode(codes).decode()
        return held

    @classmethod
    def from_json(cls, held: dict[str, Any], kind: Any = None) -> Self:
        """The inverse of `to_json`."""
        made, piece = cls(kind), None
        if "codes" in held:
            codes = np.frombuffer(zlib.decompress(base64.b64decode(held["codes"])), "<u4")
            labels = tuple(held["labels"])
            small = (
                np.uint8
                if len(labels) <= 2**8
                else np.uint16
                if len(labels) <= 2**16
                else np.uint32
            )
            piece = Coded(held["family"], labels, codes.astype(small))
        blocks = [bytes.fromhex(block) for block in held["blocks"]]
        made._digest = LabelDigest.of_parts("labels", held["rows"], held["family"], blocks, piece)
        return made
