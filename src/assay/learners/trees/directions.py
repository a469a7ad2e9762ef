"""Which way predictions may go as features grow, as `monotonic_cst` says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import require
from assay.learners.common.number_kinds import is_number
from assay.types import Bools, Ints


def directions_of(model: Any, width: int, grouped: Bools) -> Ints:
    """1 for features whose growth must not lower the score, -1 for those whose growth must not raise it, else 0."""
    given = model.monotonic_cst
    if given is None:
        return np.zeros(width, np.int64)
    must = f"None, or -1, 0 or 1 for each of the {width} features, or a dict of names"
    if isinstance(given, Mapping):
        names = getattr(model, "feature_names_in_", None)
        hint = "Give a table whose columns have names."
        require(
            names is not None, "monotonic_cst", "a list where features have no names", given, hint
        )
        known = {str(name): place for place, name in enumerate([] if names is None else names)}
        signs = np.zeros(width, np.int64)
        for name, sign in given.items():
            require(name in known, "monotonic_cst", f"about some of {list(known)}", name)
            require(is_number(sign) and sign in (-1, 0, 1), "monotonic_cst", must, sign)
            signs[known[name]] = sign
    else:
        listed = list(np.ravel(given))
        fine = len(listed) == width and all(is_number(s) and s in (-1, 0, 1) for s in listed)
        require(fine, "monotonic_cst", must, given)
        signs = np.array(listed, np.int64)
    hint = "Categories have no order."
    require(not (signs[grouped] != 0).any(), "monotonic_cst", "0 for categories", given, hint)
    return signs
