"""The records of margin machines, which are kept as rows of numbers."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from assay.record.margin import MarginRecord


def record_of(facts: NDArray[np.float64]) -> MarginRecord:
    """A record out of a row of numbers."""
    kinds = [field.type for field in fields(MarginRecord)]
    values = [int(v) if kind == "int" else float(v) for v, kind in zip(facts, kinds, strict=True)]
    return MarginRecord(*values)  # type: ignore[arg-type]


def require_facts(facts: NDArray[np.float64], machines: int) -> None:
    """Refuse rows of numbers that are no records."""
    if facts.shape != (machines, len(fields(MarginRecord))):
        raise ValueError("its records do not fit its machines")
    if (facts[:, [0, 1, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16]] < 0).any():
        raise ValueError("its records hold counts below zero")
