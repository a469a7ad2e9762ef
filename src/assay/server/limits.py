"""How much a service takes: the one place where limits stand."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.errors import BadParameter, require

_VARIABLE = "ASSAY_LIMIT_"
_SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_NUMBER = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?) ?([KMGT]?)(?:i?B)?")


@dataclass(frozen=True)
class Limits:
    """What is refused because it is too much.

    Attributes
    ----------
    body, bodies : int
        Bytes of one request; and of all requests that are being received.
    stall : float
        Seconds in which the next piece of a request must come; a client that stops half-way holds up nothing,
        not even the end of the server.
    head, receive, idle : float
        Seconds in which the head of a request must come, and the whole of it; and those after which a connection
        is closed that asks nothing.
    connections, connections_each : int
        Connections in all, and of one address; this machine itself may have as many as there may be.
    width : int
        Numbers in one row, experts, arms, and classes of one learner.
    rows : int
        Rows of one request.
    features : int
        Names of features that one learner may come to know.
    layers : int
        Layers of a network.
    parameters : int
        Numbers that one learner may hold.
    learners : int
        Learners of one store.
    open_trials : int
        Trials of one learner that wait for their feedback, rows of blocks counted one by one.
    open_bytes, open_bytes_each, open_bytes_key : int
        Bytes in memory of the trials that wait: of all learners, of one, and of what one key has asked.
    queue, queue_bytes : int
        Events that wait for a commit, and their bytes; beyond it the answer is 429.
    stored_each, stored_key : int
        Bytes that the log holds of one learner, and of what one key has asked and told.
    stored : int
        Bytes of the store on disk.
    disk_free : int
        Bytes of the disk that are left free.
    listeners : int
        Open connections for live events.
    drain : float
        Seconds after which a server that was told to end has ended, whatever is not done.
    snapshot_every : int
        Events after which a learner's state is put down, so that a start need not replay all.
    rate, burst : float
        Requests a second of one key, or of one address where there are no keys; and how many seconds' worth may
        come at once. This machine itself is not counted unless it comes with a key.
    stranger_rate, stranger_burst : float
        The same for requests of one address without a valid key.
    """

    body: int = 16 * 2**20
    bodies: int = 256 * 2**20
    stall: float = 10.0
    head: float = 10.0
    receive: float = 60.0
    idle: float = 75.0
    connections: int = 1_000
    connections_each: int = 200
    width: int = 10_000
    rows: int = 100_000
    features: int = 100_000
    layers: int = 16
    parameters: int = 10_000_000
    learners: int = 1_000
    open_trials: int = 1_000_000
    open_bytes: int = 2**30
    open_bytes_each: int = 2**29
    open_bytes_key: int = 2**29
    queue: int = 10_000
    queue_bytes: int = 64 * 2**20
    stored: int = 2**40
    stored_each: int = 2**38
    stored_key: int = 2**38
    disk_free: int = 64 * 2**20
    listeners: int = 100
    drain: float = 30.0
    snapshot_every: int = 20_000
    rate: float = 1_000.0
    burst: float = 2.0
    stranger_rate: float = 1.0
    stranger_burst: float = 20.0


def how(name: str) -> str:
    """The way to more.

    Examples
    --------
    >>> how("learners")
    'To allow more, start the service with `--limit learners=N`.'
    """
    return f"To allow more, start the service with `--limit {name}=N`."


def read_limits(*given: Mapping[str, Any]) -> Limits:
    """Limits by their names, as numbers or as text; what is given later counts more.

    Examples
    --------
    >>> limits = read_limits({"body": "32M", "rows": 10}, {"rows": "5"})
    >>> limits.body, limits.rows, limits.idle
    (33554432, 5, 75.0)
    """
    together: dict[str, int | float] = {}
    for one in given:
        for name, value in one.items():
            together[name] = _read(name, value)
    return Limits(**together)  # type: ignore[arg-type]


def limits_of_text(given: list[str]) -> dict[str, str]:
    """What options say: ``["body=32M"]``."""
    pairs = [text.partition("=") for text in given]
    for name, between, _ in pairs:
        if not between:
            raise BadParameter(
                subject="limit", must="a name and a number, such as body=32M", got=name
            )
    return {name.strip(): value.strip() for name, _, value in pairs}


def limits_of_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """What the environment says: ``ASSAY_LIMIT_BODY=32M``.

    Examples
    --------
    >>> limits_of_variables({"ASSAY_LIMIT_OPEN_BYTES": "4G", "HOME": "/root"})
    {'open_bytes': '4G'}
    """
    named = {name.upper(): value for name, value in environment.items()}
    return {
        name.removeprefix(_VARIABLE).lower(): value
        for name, value in named.items()
        if name.startswith(_VARIABLE)
    }


def _read(name: str, value: Any) -> int | float:
    kinds = {field.name: type(field.default) for field in fields(Limits)}
    if name not in kinds:
        raise BadParameter(subject="limit", must=f"one of {', '.join(kinds)}", got=name)
    number = _number(value)
    require(
        number is not None and 0 < number < math.inf, f"limit {name}", "a number above zero", value
    )
    assert number is not None
    if kinds[name] is float:
        return float(number)
    require(number == int(number), f"limit {name}", "a whole number", value)
    return int(number)


def _number(value: Any) -> int | float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    matched = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if matched is None:
        return None
    text = matched[1].replace("_", "")
    number = int(text) if text.isdigit() else float(text)
    return number * _SIZES[matched[2]]
