"""What a client raises when the service says no, or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError, Shown, Where


class ServiceRefused(AssayError):
    """The service said no.

    Attributes
    ----------
    status : int
        The HTTP status; 0 where the service could not be reached, or not in time.
    code : str
        What is wrong, as a word for programs; ``unreachable`` or ``deadline`` where there is no answer.
    details : dict
        What else the answer says, such as `retry_after`; `subject`, `must`, `got`, `where` and `remedy` are also
        attributes, as in every refusal of assay, `got` as it stands in the sentence.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any] | None = None
    ) -> None:
        self.status, self.code, self.details = status, code, dict(details or {})
        known = {name: self.details.get(name) for name in ("subject", "must", "got", "remedy")}
        if known["got"] is not None:
            known["got"] = Shown(known["got"])
        where = self.details.get("where")
        # A later service may know more of a place.
        place = {name: where[name] for name in Where.__slots__ if name in where} if where else None
        super().__init__(message, where=None if place is None else Where(**place), **known)

    def sentence(self, options: Mapping[str, str] | None = None) -> str:
        """The refusal in the words of the service, which hold its fields already."""
        return str(self.args[0])


def refused_with(status: int, answer: bytes) -> ServiceRefused:
    """The refusal that an answer holds."""
    try:
        error = json.loads(answer)["error"]
        code, message = error.pop("code"), error.pop("message")
        return ServiceRefused(status, code, message, error)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ServiceRefused(status, "unknown", f"The service answered with status {status}.")
