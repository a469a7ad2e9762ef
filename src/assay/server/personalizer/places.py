"""What a path of Personalizer asks for, in every form that its libraries send."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

Operation = Literal[
    "rank",
    "reward",
    "activate",
    "multislot/rank",
    "multislot/reward",
    "multislot/activate",
    "configurations/service",
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
_ROOT = "personalizer/"
#: Older libraries name the version in the path, later ones in the query.
_VERSION = re.compile(r"v[0-9][0-9A-Za-z.-]{0,30}/")


class Place(NamedTuple):
    """An operation, and the event that it is about, where it is about one."""

    operation: Operation
    event: str | None = None


def is_personalizers(path: str) -> bool:
    """Whether a path is one of these; endpoints are often written with a slash at their end, which then comes twice."""
    return path.lstrip("/").startswith(_ROOT)


def place_of(path: str) -> Place | None:
    """What a path asks for; None for nothing that is known.

    Examples
    --------
    >>> place_of("/personalizer/v1.0/events/4a/reward")
    Place(operation='reward', event='4a')
    >>> place_of("//personalizer/multislot/rank")
    Place(operation='multislot/rank', event=None)
    >>> place_of("/personalizer/v1.1-preview.3/multislot/events/a/b/activate")
    Place(operation='multislot/activate', event='a/b')
    >>> place_of("/personalizer/evaluations")
    """
    if not is_personalizers(path):
        return None
    rest = path.lstrip("/")[len(_ROOT) :]
    version = _VERSION.match(rest)
    rest = rest[version.end() :] if version else rest
    for operation in OPERATIONS:
        if rest == operation:
            return Place(operation)
    slots, events, after = rest.partition("events/")
    event, _, act = after.rpartition("/")
    for operation in OPERATIONS:
        if events and event and slots + act == operation:
            return Place(operation, event)
    return None
