"""How much a service takes: the one place where limits stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What is refused because it is too much.

    Attributes
    ----------
    body : int
        Bytes of one request.
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
    learners : int
        Learners of one store.
    open_trials : int
        Trials of one learner that wait for their feedback, rows of blocks counted one by one.
    queue : int
        Events that wait for a commit; beyond it the answer is 429.
    listeners : int
        Open connections for live events.
    snapshot_every : int
        Events after which a learner's state is put down, so that a start need not replay all.
    rate, burst : float
        Requests a second of one key, or of one address where there are no keys; and how many seconds' worth may
        come at once. This machine itself is not counted unless it comes with a key.
    stranger_rate, stranger_burst : float
        The same for requests of one address without a valid key.
    """

    body: int = 16 * 2**20
    stall: float = 10.0
    head: float = 10.0
    receive: float = 60.0
    idle: float = 75.0
    connections: int = 1_000
    connections_each: int = 200
    width: int = 10_000
    rows: int = 100_000
    learners: int = 1_000
    open_trials: int = 1_000_000
    queue: int = 10_000
    listeners: int = 100
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
