"""A condition behind a guarantee, and how it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from assay.errors import require

Status = Literal["by construction", "checked", "declared", "assumed", "not asked", "violated"]
"""How a condition is known: the code makes it so; it was computed from the data; the user said so;
it cannot be known from data; it could have been asked, and nobody was; it was computed, and is false."""


@dataclass(frozen=True)
class Assumption:
    """One named condition.

    Examples
    --------
    >>> print(Assumption("the rows are independent draws", "assumed"))
    assumed: the rows are independent draws
    """

    name: str
    status: Status
    evidence: str = ""

    def __post_init__(self) -> None:
        words = get_args(Status)
        require(self.status in words, "status", "one of " + ", ".join(words), self.status)

    def __str__(self) -> str:
        return f"{self.status}: {self.name}" + (f" ({self.evidence})" if self.evidence else "")

    def to_json(self) -> dict[str, Any]:
        """The entry in the certificate's document."""
        entry = {"name": self.name, "status": self.status}
        return entry | ({"evidence": self.evidence} if self.evidence else {})

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Assumption:
        """The inverse of `to_json`."""
        return cls(entry["name"], entry["status"], entry.get("evidence", ""))
