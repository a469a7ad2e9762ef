"""Digests of bytes, files and columns: what a certificate names its data by.

**A column of labels.** Cut the column into blocks of 2**20 rows (the last one may be shorter). Write
a block as the compact JSON list of its distinct labels in sorted order (text by code point, not
escaped beyond what JSON demands; truth values as 0 and 1), a newline, and then one code per row: the
position of the row's label in that list, little-endian, in the narrowest of one, two or four bytes
that can number the block's labels. The digest is the SHA-256 of the text ``assay-labels-1`` and a
newline, followed by the 32-byte SHA-256 of each block in order.

**A column of losses.** The SHA-256 of the text ``assay-losses-1`` and a newline, followed by every
loss as a little-endian double, -0.0 written as 0.0.

**Labels with gaps.** The SHA-256 of the text ``assay-gapped-labels-1`` and a newline, followed by the number of rows
and the places of the labels, counted from 0, each as eight bytes, little-endian, and then by the digest of the labels
without the gaps, as it is written. Losses with gaps: the same with ``assay-gapped-losses-1`` and their own digest.

None depends on the file format, the container, the width of the integers, or how the rows were
cut into chunks on their way here. Every digest is written ``sha256:`` and 64 hexadecimal digits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import BadData

if TYPE_CHECKING:
    from assay.types import Floats

# Naming bytes and files needs neither NumPy nor Arrow; they are imported where a column is read.


def digest_bytes(data: bytes) -> str:
    """The digest of some bytes.

    Examples
    --------
    >>> digest_bytes(b"assay")[:23]
    'sha256:9b2153df65c7cba8'
    """
    return written(hashlib.sha256(data))


def digest_file(path: str | Path) -> str:
    """The digest of a file's bytes, read in bounded memory."""
    try:
        with open(path, "rb") as file:
            return written(hashlib.file_digest(file, "sha256"))
    except OSError as problem:
        raise BadData(f"{path} cannot be read: {problem.strerror or problem}.") from None


def digest_files(files: Sequence[Path], base: Path) -> str:
    """The digest of several files: that of the list which ``sha256sum`` prints of them, named from a folder."""
    listed = (
        f"{digest_file(file).removeprefix('sha256:')}  {file.relative_to(base).as_posix()}\n"
        for file in files
    )
    return digest_bytes("".join(listed).encode())


def digest_labels(*chunks: Any, name: str = "labels") -> str:
    """The canonical digest of a column of labels, given whole or in consecutive chunks.

    Parameters
    ----------
    *chunks : list, array, series or Arrow array
        The column; where it is cut makes no difference.
    name : str
        What to call the column in a refusal.

    Examples
    --------
    >>> import numpy as np
    >>> digest_labels([1, 0, 1]) == digest_labels(np.array([1.0, 0.0]), [True])
    True
    """
    from assay.evidence.column_digest import LabelDigest
    from assay.evidence.labels import coded_chunks

    digest = LabelDigest(name)
    for piece in coded_chunks(chunks, name):
        digest.update(piece)
    return digest.finish()


def digest_gapped(rows: int, places: Sequence[int], labels: Sequence[Any]) -> str:
    """The canonical digest of a column of so many rows with labels in these places only.

    Examples
    --------
    >>> digest_gapped(9, [0, 4], [1, 0]) == digest_gapped(9, [0, 4], [True, False])
    True
    >>> digest_gapped(9, [0, 4], [1, 0]) == digest_gapped(9, [0, 5], [1, 0])
    False
    """
    return _gapped(b"assay-gapped-labels-1\n", rows, places, digest_labels(labels))


def digest_gapped_losses(rows: int, places: Sequence[int], losses: Floats) -> str:
    """The same of losses.

    Examples
    --------
    >>> import numpy as np
    >>> digest_gapped_losses(9, [4], np.array([0.5])) == digest_gapped_losses(9, [4], np.array([0.25]))
    False
    """
    return _gapped(b"assay-gapped-losses-1\n", rows, places, digest_losses(losses))


def _gapped(kind: bytes, rows: int, places: Sequence[int], values: str) -> str:
    digest = hashlib.sha256(kind)
    for number in (rows, *places):
        digest.update(number.to_bytes(8, "little"))
    digest.update(values.encode())
    return written(digest)


def digest_losses(*chunks: Floats) -> str:
    """The canonical digest of a column of losses, given whole or in consecutive chunks.

    Examples
    --------
    >>> import numpy as np
    >>> digest_losses(np.array([0.5, 0.0])) == digest_losses(np.array([0.5]), np.array([-0.0]))
    True
    """
    from assay.evidence.column_digest import LossDigest

    digest = LossDigest()
    for chunk in chunks:
        digest.update(chunk)
    return digest.finish()


def written(digest: Any) -> str:
    """A finished hash as every file of ours writes it."""
    return f"sha256:{digest.hexdigest()}"
