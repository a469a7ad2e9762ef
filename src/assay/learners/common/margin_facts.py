"""The records of margin machines, which are kept as rows of numbers."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from assay.learners.common import kinds
from assay.record.margin import MarginRecord
from assay.types import Floats

# Where a record may hold numbers below zero: its two objectives and its smallest margin.
_SIGNED = [
    place
    for place, field in enumerate(fields(MarginRecord))
    if field.name in ("primal", "dual", "least")
]


def records(machines: str) -> kinds.Kind:
    """What a model file may hold of the records of so many machines: a row of numbers each."""
    rows = kinds.numbers(machines, len(fields(MarginRecord)))
    return rows.where(lambda facts: (np.delete(facts, _SIGNED, axis=1) >= 0).all())


def record_of(facts: Floats) -> MarginRecord:
    """A record out of a row of numbers."""
    types = [field.type for field in fields(MarginRecord)]
    values = [int(v) if kind == "int" else float(v) for v, kind in zip(facts, types, strict=True)]
    return MarginRecord(*values)  # type: ignore[arg-type]
