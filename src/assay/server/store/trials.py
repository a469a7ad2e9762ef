"""Trials joined with what was told of them, as the log holds both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.server.store.store import Store

_PAGE = 1_000
# The index of trials finds what was told of each; both end at one event, whatever is written meanwhile.
_JOINED = """
SELECT asked.seq, asked.trial, asked.at, asked.body, activated.at, told.at, told.body
FROM events AS asked
LEFT JOIN events AS activated ON activated.learner = asked.learner AND activated.trial = asked.trial
    AND activated.kind = 'activated' AND activated.seq <= ?3
LEFT JOIN events AS told ON told.learner = asked.learner AND told.trial = asked.trial
    AND told.kind = 'feedback' AND told.seq <= ?3
WHERE asked.learner = ?1 AND asked.seq > ?2 AND asked.seq <= ?3 AND asked.kind = 'trial' AND asked.body <> ''
ORDER BY asked.seq LIMIT ?4
"""


class KeptTrial(NamedTuple):
    """A trial with its activation and its feedback, each None where there was none yet.

    Attributes
    ----------
    seq : int
        The place of its event.
    trial : str
    asked_at, activated_at, told_at : int or None
        Milliseconds since 1970.
    asked, told : str or None
        What the log holds of it, as JSON.
    """

    seq: int
    trial: str
    asked_at: int
    asked: str
    activated_at: int | None
    told_at: int | None
    told: str | None


def trials_of(store: Store, learner: int, upto: int) -> Iterator[KeptTrial]:
    """The trials of a learner in their order, as of an event; those that were erased are left out."""
    after = 0
    while page := store.query(_JOINED, learner, after, upto, _PAGE):
        yield from map(KeptTrial._make, page)
        after = page[-1][0]
