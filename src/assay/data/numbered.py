"""Features that are numbers already, told apart by their indices, as in libsvm text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from assay.data.encode import Encoder
from assay.errors import require


@dataclass(frozen=True)
class Numbered(Encoder):
    """Which index the first feature has; a file alone does not tell when it holds nothing there.

    Examples
    --------
    >>> Numbered((), first=0).zero_based
    True
    """

    first: int = 1

    name: ClassVar[str] = "numbered"

    @property
    def zero_based(self) -> bool:
        """Whether the indices begin with 0."""
        return self.first == 0

    def to_json(self) -> dict[str, Any]:
        """The encoder as plain values."""
        return {"encoder": self.name, "first": self.first}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The inverse of `to_json`."""
        first = document["first"]
        require(type(first) is int and first in (0, 1), "first", "0 or 1", first)
        return cls((), first=first)


def numbered(features: Any) -> Numbered:
    """What the names of libsvm features say about their indices.

    Examples
    --------
    >>> numbered(["0", "1"]).first
    0
    """
    return Numbered((), first=int(features[0]) if len(features) else 1)
