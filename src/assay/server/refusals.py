"""What the service answers when it says no: one exception, one shape."""

from __future__ import annotations

from typing import Any

from assay.errors import AssayError

#: Every code a client can meet, with its status.
STATUS = {
    "bad_json": 400,
    "bad_request": 400,
    "not_allowed": 401,
    "forbidden": 403,
    "unknown_learner": 404,
    "unknown_trial": 404,
    "unknown_path": 404,
    "wrong_method": 405,
    "too_slow": 408,
    "conflict": 409,
    "too_late": 410,
    "too_large": 413,
    "wrong_type": 415,
    "refused": 422,
    "long_head": 431,
    "busy": 429,
    "too_many": 429,
    "failed": 500,
    "store_failed": 503,
    "keys_failed": 503,
    "stopping": 503,
    "store_full": 507,
}


class Refusal(AssayError):
    """A request that is not fulfilled, as a code and a sentence.

    Attributes
    ----------
    code : str
        One of `STATUS`.
    details : dict
        What else a program may want to know; `retry_after` also becomes a header.

    Examples
    --------
    >>> Refusal("unknown_trial", "No trial 'a' has been predicted.").body()
    {'error': {'code': 'unknown_trial', 'message': "No trial 'a' has been predicted."}}
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code, self.details = code, details

    @property
    def status(self) -> int:
        """The status of the answer."""
        return STATUS[self.code]

    def body(self) -> dict[str, Any]:
        """The answer."""
        return {"error": {"code": self.code, "message": str(self), **self.details}}


class ToldBefore(Refusal):
    """Another feedback for a trial that has been told: which one counts is for those who asked to say."""

    def __init__(self, trial: str) -> None:
        super().__init__("conflict", f"Trial {trial!r} has been told something else before.")
