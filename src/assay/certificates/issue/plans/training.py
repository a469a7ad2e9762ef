"""Rows of a training set: enough for whatever a learner finds in a class that was fixed in advance."""

from __future__ import annotations

from typing import Any

from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, as_fraction

_MOST_BITS = 10**6
# The growth function is a sum of so many terms, worked out again for every guess of the rows.
_MOST_DIMENSION = 2000


def training_plan(error: Number, delta: Number, name: str, size: int, *, agnostic: bool) -> Plan:
    """By the theorem that fits the way the class is given."""
    sizes: dict[str, Any]
    if name == "vc_dimension":
        dimension = count("vc_dimension", size, at_least=0)
        most = f"at most {_MOST_DIMENSION:,}"
        require(dimension <= _MOST_DIMENSION, "vc_dimension", most, size)
        id = "vc-uniform-growth" if agnostic else "vc-occam-sauer"
        sizes = {"vc_dimension": size}
    else:
        id = "agnostic-erm-finite" if agnostic else "occam-finite-class"
        if name == "bits":
            few = count("bits", size, at_least=1) <= _MOST_BITS
            require(few, "bits", f"at most {_MOST_BITS:,}", size)
        sizes = {"class_size": 2**size if name == "bits" else size}
    theorem = find_theorem(id)
    if id == "agnostic-erm-finite":
        rows = int(theorem(excess=error, delta=delta, **sizes))
    else:
        # Uniform convergence within half the excess makes the fewest training errors good enough.
        within = as_fraction(error) / 2 if agnostic else error
        rows = int(theorem.rows(error=within, delta=delta, **sizes))
    textbook = None
    if id == "occam-finite-class":
        textbook = (id, int(theorem.rows(error=error, delta=delta, form="textbook", **sizes)))
    inputs = {"error": str(error), "delta": str(delta), name: size, "agnostic": agnostic}
    return Plan(rows, None, "training", id, str(error), str(delta), None, textbook, inputs)
