"""VC dimensions, looked for: golden numbers, tables gone through, a bound that is too small."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from assay import shattering
from assay.errors import BadParameter
from assay.theory.complexity.shattering import halfspaces, rectangles


@pytest.mark.parametrize(
    ("concepts", "features", "promised", "labelings"),
    [
        ("intervals", 1, 2, 7),
        ("rectangles", 1, 2, 7),
        ("rectangles", 2, 4, 28),
        ("halfspaces", 1, 2, 6),
        ("halfspaces", 2, 3, 14),
    ],
)
def test_classes_by_name(concepts, features, promised, labelings):
    search = shattering(
        concepts, features=features, tries=30 if concepts == "rectangles" else 3, random_state=0
    )
    assert (search.promised, search.observed) == (promised, promised)
    # One point more is labelled in fewer ways than there are: at most 28 of 32 for rectangles.
    assert (search.next_labelings, search.next_ways) == (labelings, 2 ** (promised + 1))
    assert search.holds
    table = {"intervals": rectangles, "rectangles": rectangles, "halfspaces": halfspaces}[concepts]
    assert len(table(search.points)) == 2**promised


def test_finite_classes_and_their_majorities():
    singletons = np.eye(4)
    one = shattering(singletons)
    assert (one.theorem, one.promised, one.observed, one.points.tolist()) == (
        "vc-finite-class",
        2,
        1,
        [0.0],
    )
    voted = shattering(np.vstack([singletons, 1 - singletons]), voters=3)
    assert voted.theorem == "vc-majority"
    assert voted.holds
    assert voted.observed > one.observed
    every = shattering(list(product((-1, 1), repeat=3)))
    assert every.promised == every.observed == 3
    # A dimension smaller by one would be refuted by the points found.
    assert every.observed > every.promised - 1


def test_refusals():
    for concepts, how, sentence in (
        (
            "circles",
            {},
            "concepts must be one of 'intervals', 'rectangles', 'halfspaces', or a table, but is 'circles'.",
        ),
        ("intervals", {"voters": 3}, "voters must be left out but for a table, but is 3."),
        (
            "halfspaces",
            {"features": 20},
            "features must be such that the VC dimension is below 12, but is 20.",
        ),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            shattering(concepts, **how)
