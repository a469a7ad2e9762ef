"""One event of the log, and how events of a learner are chained."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

CREATED, SETTINGS, TRIAL, FEEDBACK, DELETED = "created", "settings", "trial", "feedback", "deleted"
#: Says that a trial that was deferred takes part after all.
ACTIVATED = "activated"
#: Says which events before it were emptied, and from which state the learner is replayed since.
ERASED = "erased"
KINDS = (CREATED, SETTINGS, TRIAL, ACTIVATED, FEEDBACK, ERASED, DELETED)
#: What stands before a learner's first event.
NO_LINK = "0" * 32


class Event(NamedTuple):
    """What happened to a learner.

    Attributes
    ----------
    seq : int
        Its place in the order of everything.
    learner : int
    kind : str
        One of `KINDS`.
    at : int
        Milliseconds since 1970; for reading only.
    trial : str or None
    body : str
        JSON.
    link : str
        The digest of this event and of the link before it.
    """

    seq: int
    learner: int
    kind: str
    at: int
    trial: str | None
    body: str
    link: str


def link_of(
    before: str, seq: int, learner: int, kind: str, at: int, trial: str | None, body: str
) -> str:
    """The digest that chains an event to those before it.

    Examples
    --------
    >>> link_of(NO_LINK, 1, 1, TRIAL, 0, "a", "{}")
    '600d29e189abc2dcba8c0901ccae44f4'
    """
    text = f"{before}\n{seq}\n{learner}\n{kind}\n{at}\n{trial or ''}\n{body}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def follows(event: Event, before: str = NO_LINK) -> bool:
    """Whether an event is chained to a link; without one, whether it begins a chain."""
    return event.link == link_of(before, *event[:-1])


def is_empty(event: Event) -> bool:
    """Whether what an event held was erased; its place and its link stay, so that the chain can be checked."""
    return event.body == "" and event.kind not in (CREATED, DELETED)


def chained(
    before: str, seq: int, learner: int, kind: str, at: int, trial: str | None, body: str
) -> Event:
    """An event behind a link."""
    link = link_of(before, seq, learner, kind, at, trial, body)
    return Event(seq, learner, kind, at, trial, body, link)
