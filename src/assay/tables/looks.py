"""What a look at a table costs, where a ledger keeps the looks.

With another seed the same table gives another holdout, which shares rows with the one before; and the best of
many seeds is chosen by looking at all of them. So a look is charged to the table as a whole: to all rows that
the holdout was drawn from, whichever were drawn. The seed and the learner of a later look may then depend on
what the earlier ones told, in as many ways as these could come out, and its promise pays for all of these.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace

from assay.certificates.issue.certify import enter_look
from assay.certificates.ledger.charges import ways_of_units
from assay.certificates.ledger.entry import query_of
from assay.certificates.ledger.ledger import Entry, Ledger, opened
from assay.evidence.evidence import Evidence
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import FIXED_BEFORE


def charge(
    ledger: Ledger | str | os.PathLike[str] | None,
    evidence: Sequence[Evidence],
    *,
    delta: str,
    choices: int = 1,
) -> Entry | None:
    """Enter one look that tells the errors of every evidence, and which of so many learners was chosen."""
    if not evidence:
        return None
    with opened(ledger) as book:
        if book is None:
            return None
        ways = math.prod(
            one.rows + 1 if one.units is None else ways_of_units(one.units) for one in evidence
        )
        # Models that predict alike are one.
        asked = " ".join(dict.fromkeys(str(one.predictions) for one in evidence))
        return enter_look(
            book, evidence[0], ways=choices * ways, delta=delta, query=query_of(asked)
        )


def paid_for(evidence: Evidence, entry: Entry | None) -> Evidence:
    """The evidence with what is known of which came first, where a ledger pays for earlier looks."""
    if entry is None:
        return evidence
    first = next((a for a in evidence.checked if a.name == FIXED_BEFORE), None)
    others = tuple(a for a in evidence.checked if a.name != FIXED_BEFORE)
    if first is None or first.status != "by construction":
        # How it came about is not known here; what the ledger pays for is said where it is charged.
        return replace(evidence, checked=others)
    run = first.evidence.partition(";")[0]
    before = entry.number - 1
    looks = "1 earlier look" if before == 1 else f"{before:,} earlier looks"
    known = (
        f"{run}; what {looks} told is paid for"
        if before
        else f"{run}; the ledger knows no look before"
    )
    return replace(evidence, checked=(*others, Assumption(FIXED_BEFORE, "by construction", known)))
