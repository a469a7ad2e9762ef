"""A holdout known again by its rows: salted keys of them, and a bounded sample of the smallest.

Each row's digest, together with how many equal rows came before it, becomes a key of eight bytes by
a hash that the ledger's salt keys. Up to 16,384 rows all keys are kept; of more, the 16,384 smallest,
which are a random sample of the rows: equal rows have equal keys in every holdout, so two samples
below the same limit can be compared row by row.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import require

if TYPE_CHECKING:
    from assay.types import Words

MOST_KEYS = 2**14
# Two holdouts are one account from this share of the smaller one's rows on. Half is what is promised;
# a quarter leaves room for the sample.
_SHARE = 4


@dataclass(frozen=True)
class RowSketch:
    """The keys of a holdout's rows, sorted.

    Attributes
    ----------
    rows : int
        How many rows the holdout has.
    keys : numpy.ndarray
        The smallest keys, or all of them.
    """

    rows: int
    keys: Words

    @property
    def limit(self) -> int:
        """Every key up to here is among those kept."""
        return 2**64 - 1 if len(self.keys) >= self.rows else int(self.keys[-1])

    @property
    def digest(self) -> str:
        """What seals the keys in an entry."""
        return "sha256:" + hashlib.sha256(self.rows.to_bytes(8, "little") + self.blob).hexdigest()

    @property
    def blob(self) -> bytes:
        """The keys that are kept, as bytes."""
        return self.keys[:MOST_KEYS].astype("<u8").tobytes()

    @classmethod
    def read(cls, rows: Any, blob: Any) -> RowSketch:
        """A sketch as it was kept."""
        import numpy as np

        return cls(int(rows), np.frombuffer(bytes(blob), dtype="<u8"))

    def kept(self) -> RowSketch:
        """What is kept of it."""
        return RowSketch(self.rows, self.keys[:MOST_KEYS])

    def shares_rows(self, other: RowSketch) -> bool:
        """Whether a quarter or more of the smaller holdout's rows are in the other, as far as keys tell."""
        import numpy as np

        limit = min(self.limit, other.limit)
        mine, theirs = self.keys[self.keys <= limit], other.keys[other.keys <= limit]
        common = np.intersect1d(mine, theirs, assume_unique=True).size
        return bool(common and _SHARE * common >= min(len(mine), len(theirs)))


def sketch_rows(digests: Any, salt: bytes) -> RowSketch:
    """The keys of all rows, from their digests as `assay.evidence.rows.row_digests` gives them."""
    import numpy as np

    table = np.ascontiguousarray(digests)
    fits = table.dtype == np.uint8 and table.ndim == 2 and table.shape[0] > 0 and table.shape[1] > 0
    require(fits, "rows", "digests of at least one row, as row_digests gives them", table.shape)
    ordered = np.sort(table.view(f"S{table.shape[1]}").ravel())
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    copy = np.arange(ordered.size) - np.repeat(starts, np.diff(np.append(starts, ordered.size)))
    width, rows, key = table.shape[1], ordered.tobytes(), salt[:64]
    keys = b"".join(
        hashlib.blake2b(
            rows[i * width : (i + 1) * width] + number.to_bytes(5, "little"), digest_size=8, key=key
        ).digest()
        for i, number in enumerate(copy.tolist())
    )
    # Two rows with one key are one row in a comparison, once in 2^64 / rows^2.
    return RowSketch(ordered.size, np.unique(np.frombuffer(keys, dtype="<u8")))
