"""The catalogue of theorems as it is asked from outside: `assay.theorems` and `assay.theorem`."""

from assay.theory.registry import find_theorem as theorem
from assay.theory.registry import theorems

__all__ = ["theorem", "theorems"]
