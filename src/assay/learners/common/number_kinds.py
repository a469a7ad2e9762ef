"""What a parameter may be: a whole number, a number, a count. Truth values are none of these."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number.

    Examples
    --------
    >>> is_whole(3), is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Whether a value is a floating-point number."""
    return isinstance(value, float | np.floating)


def is_number(value: Any) -> bool:
    """Whether a value is a whole or a floating-point number."""
    return is_whole(value) or is_real(value)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of at least one."""
    return is_whole(value) and bool(value >= 1)
