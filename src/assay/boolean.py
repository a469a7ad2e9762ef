"""Learners of boolean concepts: disjunctions, terms, and any finite class.

Examples
--------
>>> from assay.boolean import OnlineDisjunction
>>> OnlineDisjunction().fit([[1, 0], [0, 1], [0, 0]], [1, 0, 0]).formula_
'x0'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.learners.boolean.consistent import Consistent as Consistent
    from assay.learners.boolean.disjunction_classifier import (
        DisjunctionClassifier as DisjunctionClassifier,
    )
    from assay.learners.boolean.disjunction_majority import (
        DisjunctionMajority as DisjunctionMajority,
    )
    from assay.learners.boolean.finite_class_erm import FiniteClassERM as FiniteClassERM
    from assay.learners.boolean.halving import Halving as Halving
    from assay.learners.boolean.k_term_dnf import KTermDNF as KTermDNF
    from assay.learners.boolean.monomial_winnow import MonomialWinnow as MonomialWinnow
    from assay.learners.boolean.online_disjunction import OnlineDisjunction as OnlineDisjunction

_MODULES = {
    "Consistent": "consistent",
    "DisjunctionClassifier": "disjunction_classifier",
    "DisjunctionMajority": "disjunction_majority",
    "FiniteClassERM": "finite_class_erm",
    "Halving": "halving",
    "KTermDNF": "k_term_dnf",
    "MonomialWinnow": "monomial_winnow",
    "OnlineDisjunction": "online_disjunction",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"assay.learners.boolean.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)
