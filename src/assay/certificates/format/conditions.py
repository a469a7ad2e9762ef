"""Conditions that the code which issues a certificate adds to those of the theorem."""

from __future__ import annotations

from assay.theory.condition import Condition

KNOWN_BEFORE = Condition(
    "labels-known-before", "the labels and categories were known before the stream began"
)
SCALED = Condition(
    "scaled-by-rows-so-far",
    "the examples are the rows, each scaled by the rows up to it and by no label",
)
