"""A condition behind a guarantee, and how it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from assay.errors import require
from assay.guarantees.printable import printable
from assay.theory.claim import Status as Status


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

    @property
    def id(self) -> str:
        """The id of the condition, which is what files carry; empty where the name is a bare sentence."""
        return getattr(self.name, "id", "")

    def __str__(self) -> str:
        why = f" ({printable(self.evidence)})" if self.evidence else ""
        return f"{self.status}: {printable(self.name)}{why}"

    def to_json(self) -> dict[str, Any]:
        """The entry in the certificate's document."""
        entry = {"name": self.name, "status": self.status}
        return entry | ({"evidence": self.evidence} if self.evidence else {})

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Assumption:
        """The inverse of `to_json`."""
        return cls(entry["name"], entry["status"], entry.get("evidence", ""))
