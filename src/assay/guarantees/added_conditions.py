"""Conditions that no theorem names: the code that issues a certificate adds them."""

from __future__ import annotations

from assay.theory.claim import Condition

NOT_IN_TRAINING = Condition("not-in-training", "no row of the holdout is in the training set")
COPIES = Condition("equal-rows-are-copies", "rows with equal features are copies of one draw")
SEPARATE = Condition("equal-rows-are-separate", "rows with equal features are separate draws")
KNOWN_BEFORE = Condition(
    "labels-known-before", "the labels and categories were known before the stream began"
)
IN_EVERY_FILE = Condition(
    "rows-in-every-file",
    "why some files lack rows has nothing to do with what the models do on them",
)
IN_RANGE = Condition("in-declared-range", "every true number lies in the declared range")
SCALED = Condition(
    "scaled-by-rows-so-far",
    "the examples are the rows, each scaled by the rows up to it and by no label",
)
