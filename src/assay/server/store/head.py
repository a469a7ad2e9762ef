"""The head of a log: the last link of every learner, to be published, so that nobody can cut or rewrite the log unseen.

A chain shows whether events were changed, not whether somebody took its end away or wrote it anew. Whoever keeps a head
that was published can compare.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from assay.errors import BadData
from assay.server.store.event import DELETED
from assay.server.store.store import Store

Tip = tuple[int, int, str]
"""A learner's number, its last event's place, and the link of that."""


def digest_of(tips: Iterable[Tip]) -> str:
    """One digest of all ends.

    Examples
    --------
    >>> digest_of([(1, 2, "0" * 32)])
    '7a8e3864751bff2196aaae302f643c1d'
    """
    lines = "".join(f"{learner} {seq} {link}\n" for learner, seq, link in sorted(tips))
    return blake2b(b"assay-head-1\n" + lines.encode(), digest_size=16).hexdigest()


def head_of(tips: Iterable[Tip], names: Mapping[int, str]) -> dict[str, Any]:
    """A head as it is published."""
    ordered = sorted(tips)
    learners = [
        {"learner": learner, "name": names[learner], "seq": seq, "link": link}
        for learner, seq, link in ordered
    ]
    last = max((seq for _, seq, _ in ordered), default=0)
    return {"seq": last, "digest": digest_of(ordered), "learners": learners}


def read_head(path: Path) -> list[Tip]:
    """The ends of a head that was published; refuses one whose digest is another."""
    try:
        head = json.loads(path.read_bytes())
        tips = [
            (int(one["learner"]), int(one["seq"]), str(one["link"])) for one in head["learners"]
        ]
        whole = head["digest"] == digest_of(tips)
    except OSError as problem:
        raise BadData(f"{path} cannot be read: {problem.strerror or problem}.") from None
    except (ValueError, KeyError, TypeError):
        raise BadData(f"{path} is no head of a log, as GET /v1/head answers it.") from None
    if not whole:
        raise BadData(f"{path} was changed: its digest is not that of its learners.")
    return tips


def compared_with(store: Store, tips: Iterable[Tip]) -> list[str]:
    """What a log lacks of a head that was published, as sentences."""
    problems = []
    gone = {event.learner for event in store.of_kind(DELETED)}
    for learner, seq, link in tips:
        if learner in gone:
            continue  # what was deleted since is gone, as it should be
        at = next(store.at_places([seq]), None)
        if at is None and store.is_compacted(learner, seq):
            continue
        if at is None or (at.learner, at.link) != (learner, link):
            problems.append(
                f"Event {seq} of learner {learner} is not the one that was published: the log was cut or rewritten."
            )
    return problems
