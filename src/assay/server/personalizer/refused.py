"""Refusals in the shape that Personalizer's libraries read: its own codes, and ours as the inner error."""

from __future__ import annotations

from typing import Any

from assay.server.personalizer.places import Operation
from assay.server.refusals import Refusal

#: What the request itself is to blame for, by operation.
_INVALID: dict[Operation, str] = {
    "rank": "InvalidRankRequest",
    "multislot/rank": "InvalidRankRequest",
    "reward": "InvalidRewardRequest",
    "multislot/reward": "InvalidRewardRequest",
    "activate": "InvalidEventIdToActivate",
    "multislot/activate": "InvalidEventIdToActivate",
    "configurations/service": "InvalidServiceConfiguration",
}
_CODES = {
    400: "BadRequest",
    404: "ResourceNotFound",
    405: "OperationNotAllowed",
    408: "RequestTimeout",
    409: "OperationNotAllowed",
    410: "OperationNotAllowed",
    413: "PayloadSizeExceeded",
}


def status_of(no: Refusal) -> int:
    """The status; of what cannot be taken 400, which is the only one that Personalizer had for it."""
    return 400 if no.status in (415, 422) else no.status


def code_of(no: Refusal, operation: Operation | None) -> str:
    """Personalizer's word for a refusal; keys and limits have their status for one.

    Examples
    --------
    >>> code_of(Refusal("refused", "No."), "rank"), code_of(Refusal("unknown_trial", "No."), "reward")
    ('InvalidRankRequest', 'ResourceNotFound')
    >>> code_of(Refusal("not_allowed", "No."), "rank"), code_of(Refusal("store_failed", "No."), "rank")
    ('401', 'InternalServerError')
    """
    status = status_of(no)
    if status == 400 and operation is not None:
        return _INVALID[operation]
    return _CODES.get(status) or ("InternalServerError" if status >= 500 else str(status))


def body_of(no: Refusal, operation: Operation | None) -> dict[str, Any]:
    """The answer."""
    code = code_of(no, operation)
    return {"error": {"code": code, "message": str(no), "innerError": {"code": no.code}}}
