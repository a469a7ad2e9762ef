"""Conditions that the code which issues a certificate adds to those of the theorem."""

from __future__ import annotations

KNOWN_BEFORE = "the labels and categories were known before the stream began"
SCALED = "the examples are the rows, each scaled by the rows up to it and by no label"
