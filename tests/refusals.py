"""What every theorem must refuse, and the way to say so."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from assay.errors import BadParameter

NOT_NUMBERS = [math.nan, math.inf, -math.inf, True, np.False_, None, "many", "1/0", 1j, [1]]
NOT_POSITIVE = [*NOT_NUMBERS, 0, 0.0, -1, -1e-300]
NOT_NONNEGATIVE = [*NOT_NUMBERS, -1, -1e-300]
NOT_COUNTS = [*NOT_NUMBERS, -1, 0.5, "2.5"]
NOT_COUNTS_FROM_ONE = [*NOT_COUNTS, 0]
NOT_INSIDE_UNIT = [*NOT_NUMBERS, 0, 1, 1.0, -0.5, 2]

POSITIVE = "a finite number above zero"
NONNEGATIVE = "a finite number, zero or more"
COUNT = "a whole number of at least 0"
COUNT_FROM_ONE = "a whole number of at least 1"
INSIDE_UNIT = "a number strictly between 0 and 1"

FORM = "'sharp' or 'textbook'"


def refuses(sentence, kind=BadParameter):
    """A context in which exactly this sentence must be raised."""
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def assert_refuses_all(function, inputs, name, must, values):
    """Each bad value of one input, the others being good, is refused with the full sentence."""
    function(**inputs)
    for value in values:
        with refuses(f"{name} must be {must}, but is {value!r}."):
            function(**{**inputs, name: value})
