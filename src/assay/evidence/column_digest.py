"""The canonical digests of columns that arrive in chunks; `assay.evidence.digest` defines them."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import deque
from concurrent.futures import Executor, Future
from typing import Self

import numpy as np

from assay.errors import BadData
from assay.evidence.digest import written
from assay.evidence.labels import BLOCK, Coded, Family, little_endian, merge
from assay.types import Floats

# Waiting blocks hold their codes in memory; hashing keeps up with reading long before this.
_MOST_WAITING = 8
_MOST_PIECES = 1024


class LabelDigest:
    """The canonical digest of a column that arrives in pieces.

    Parameters
    ----------
    name : str
        What to call the column in a refusal.
    pool : concurrent.futures.Executor, optional
        Where to hash finished blocks, so that reading goes on meanwhile.
    """

    def __init__(self, name: str = "labels", pool: Executor | None = None) -> None:
        self.name = name
        self.rows = 0
        self.family: Family | None = None
        self._example: str | int = 0
        self._pool = pool
        self._pieces: list[Coded] = []
        self._blocks: list[bytes] = []
        self._waiting: deque[Future[bytes]] = deque()

    def update(self, piece: Coded) -> None:
        """Take the next piece, which may not cross the edge of a block."""
        self._check_family(piece)
        self.rows += len(piece)
        self._pieces.append(piece)
        if self.rows % BLOCK == 0:
            self._close_block()
        elif len(self._pieces) >= _MOST_PIECES:
            self._pieces = [merge(self._pieces)]

    def finish(self) -> str:
        """The digest of everything taken so far; more may follow."""
        while self._waiting:
            self._blocks.append(self._waiting.popleft().result())
        digest = hashlib.sha256(b"assay-labels-1\n" + b"".join(self._blocks))
        if self._pieces:
            self._pieces = [merge(self._pieces)]
            digest.update(_block_digest(self._pieces[0]))
        return written(digest)

    def parts(self) -> tuple[list[bytes], Coded | None]:
        """All it is made of: the digests of whole blocks, and the labels of the block that is open."""
        self.finish()
        return list(self._blocks), self._pieces[0] if self._pieces else None

    @classmethod
    def of_parts(
        cls, name: str, rows: int, family: Family | None, blocks: list[bytes], piece: Coded | None
    ) -> Self:
        """The inverse of `parts`."""
        made = cls(name)
        made.rows, made.family, made._blocks = rows, family, list(blocks)
        made._pieces = [] if piece is None else [piece]
        if piece is not None and piece.labels:
            made._example = piece.labels[0]
        return made

    def copy(self) -> Self:
        """The same so far; what one takes from now on the other does not."""
        twin = copy.copy(self)
        twin._blocks, twin._pieces = list(self._blocks), list(self._pieces)
        twin._waiting = deque(self._waiting)
        return twin

    def _check_family(self, piece: Coded) -> None:
        if self.family is None:
            self.family, self._example = piece.family, piece.labels[0]
        elif piece.family != self.family:
            if "text" in (piece.family, self.family):
                raise BadData(
                    f"{self.name} holds both {self.family} ({self._example!r}) and, from row "
                    f"{self.rows + 1} on, {piece.family} ({piece.labels[0]!r}); write the whole "
                    f"column one way."
                )
            self.family = "whole numbers"

    def _close_block(self) -> None:
        block = merge(self._pieces)
        self._pieces = []
        if self._pool is None:
            self._blocks.append(_block_digest(block))
            return
        self._waiting.append(self._pool.submit(_block_digest, block))
        while len(self._waiting) > _MOST_WAITING:
            self._blocks.append(self._waiting.popleft().result())


class LossDigest:
    """The canonical digest of a column of losses that arrives in chunks."""

    def __init__(self) -> None:
        self._whole = hashlib.sha256(b"assay-losses-1\n")

    def update(self, losses: Floats) -> None:
        """Take the next losses."""
        # Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
        self._whole.update(np.ascontiguousarray(losses + 0.0, dtype="<f8").data)

    def finish(self) -> str:
        """The digest of everything taken so far."""
        return written(self._whole)


def _block_digest(block: Coded) -> bytes:
    labels = json.dumps(block.labels, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(labels.encode() + b"\n")
    digest.update(np.ascontiguousarray(little_endian(block.codes)).data)
    return digest.digest()
