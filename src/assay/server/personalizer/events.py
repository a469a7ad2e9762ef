"""The trial that belongs to an event of Personalizer, whose identifier may hold anything."""

from __future__ import annotations

from hashlib import blake2b

from assay.server.engine.definition import TRIAL_NAME
from assay.server.refusals import Refusal

LONGEST = 256
_MADE, _SLOTS = "event:", "slots:"


def trial_of(event: str) -> str:
    """The name of the trial of an event: the event's own where it can be one, or one made of its digest.

    Examples
    --------
    >>> trial_of("75269AD0-BFEE-4598-8196-C57383D38E10")
    '75269AD0-BFEE-4598-8196-C57383D38E10'
    >>> trial_of("visit 7 / main page")
    'event:258768b55ac653d3aa63bdac83999515'
    """
    _require_id(event)
    # One that looks as if it had been made is made anew: no two events have the same trial.
    if TRIAL_NAME.fullmatch(event) and not event.startswith((_MADE, _SLOTS)):
        return event
    return _MADE + _digest(event, 16)


def slots_of(event: str) -> str:
    """How the trials of an event's slots begin, each of which has one of its own.

    Examples
    --------
    >>> slots_of("visit 7 / main page")
    'slots:258768b55ac653d3aa63bdac83999515:'
    """
    _require_id(event)
    return f"{_SLOTS}{_digest(event, 16)}:"


def trial_of_slot(event: str, slot: str) -> str:
    """The name of the trial of a slot."""
    return slots_of(event) + _digest(slot, 8)


def _require_id(event: str) -> None:
    if not 0 < len(event) <= LONGEST:
        raise Refusal("refused", f"eventId must be 1 to {LONGEST} characters.")


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
