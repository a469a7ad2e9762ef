"""assay: learning in which every model states its guarantee.

Names are imported when first used, so that ``import assay`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module (and the name it has there, where that differs).
_PUBLIC = {
    "certify": "assay.certificates.certify",
    "verify": "assay.certificates.verify",
    "plan": "assay.certificates.plan",
    "Certificate": "assay.certificates.certificate",
    "Guarantee": "assay.certificates.guarantee",
    "Ledger": "assay.certificates.ledger",
    "MarginPerceptron": "assay.learners.linear.margin_perceptron",
    "OnlineGradientDescent": "assay.learners.linear.gradient_descent",
    "Perceptron": "assay.learners.linear.perceptron",
    "SGDClassifier": "assay.learners.linear.sgd_classifier",
    "SGDRegressor": "assay.learners.linear.sgd_regressor",
    "Winnow": "assay.learners.linear.winnow",
    "load": "assay.learners.files",
    "read_table": "assay.files",
    "save": "assay.learners.files",
    "conservative": "assay.play.conservative",
    "delayed": "assay.play.delayed",
    "play": "assay.play.online",
    "to_batch": "assay.play.to_batch",
    "theorems": "assay.theory.registry",
    "theorem": "assay.theory.registry:find_theorem",
}

__all__ = [
    "Certificate",
    "Guarantee",
    "Ledger",
    "MarginPerceptron",
    "OnlineGradientDescent",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "Winnow",
    "__version__",
    "certify",
    "conservative",
    "delayed",
    "load",
    "plan",
    "play",
    "read_table",
    "save",
    "theorem",
    "theorems",
    "to_batch",
    "verify",
]

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.certify import certify
    from assay.certificates.guarantee import Guarantee
    from assay.certificates.ledger import Ledger
    from assay.certificates.plan import plan
    from assay.certificates.verify import verify
    from assay.files import read_table
    from assay.learners.files import load, save
    from assay.learners.linear.gradient_descent import OnlineGradientDescent
    from assay.learners.linear.margin_perceptron import MarginPerceptron
    from assay.learners.linear.perceptron import Perceptron
    from assay.learners.linear.sgd_classifier import SGDClassifier
    from assay.learners.linear.sgd_regressor import SGDRegressor
    from assay.learners.linear.winnow import Winnow
    from assay.play.conservative import conservative
    from assay.play.delayed import delayed
    from assay.play.online import play
    from assay.play.to_batch import to_batch
    from assay.theory.registry import find_theorem as theorem
    from assay.theory.registry import theorems


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    value = getattr(importlib.import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
