"""The trial that belongs to an event of Personalizer, whose identifier may hold anything."""

from __future__ import annotations

from hashlib import blake2b

from assay.server.engine.definition import TRIAL_NAME
from assay.server.refusals import Refusal

LONGEST = 256
_MADE = "event:"


def trial_of(event: str) -> str:
    """The name of the trial of an event: the event's own where it can be one, or one made of its digest.

    Examples
    --------
    >>> trial_of("75269AD0-BFEE-4598-8196-C57383D38E10")
    '75269AD0-BFEE-4598-8196-C57383D38E10'
    >>> trial_of("visit 7 / main page")
    'event:258768b55ac653d3aa63bdac83999515'
    """
    if not 0 < len(event) <= LONGEST:
        raise Refusal("refused", f"eventId must be 1 to {LONGEST} characters.")
    # One that looks as if it had been made is made anew: no two events have the same trial.
    if TRIAL_NAME.fullmatch(event) and not event.startswith(_MADE):
        return event
    return _MADE + blake2b(event.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
