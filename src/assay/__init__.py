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
    "AdaHedge": "assay.learners.experts.adahedge",
    "Consistent": "assay.learners.boolean.consistent",
    "EXP3": "assay.learners.bandits.exp3",
    "EXP3IX": "assay.learners.bandits.exp3_ix",
    "FixedShare": "assay.learners.experts.fixed_share",
    "Halving": "assay.learners.boolean.halving",
    "Hedge": "assay.learners.experts.hedge",
    "KLUCB": "assay.learners.bandits.kl_ucb",
    "KTermDNF": "assay.learners.boolean.k_term_dnf",
    "DisjunctionMajority": "assay.learners.boolean.disjunction_majority",
    "DisjunctionClassifier": "assay.learners.boolean.disjunction_classifier",
    "FiniteClassERM": "assay.learners.boolean.finite_class_erm",
    "MarginPerceptron": "assay.learners.linear.margin_perceptron",
    "MonomialWinnow": "assay.learners.boolean.monomial_winnow",
    "OnlineDisjunction": "assay.learners.boolean.online_disjunction",
    "OnlineGradientDescent": "assay.learners.linear.gradient_descent",
    "Perceptron": "assay.learners.linear.perceptron",
    "SGDClassifier": "assay.learners.linear.sgd_classifier",
    "SGDRegressor": "assay.learners.linear.sgd_regressor",
    "SleepingExperts": "assay.learners.experts.sleeping_experts",
    "ThompsonSampling": "assay.learners.bandits.thompson",
    "UCB1": "assay.learners.bandits.ucb1",
    "WeightedAverage": "assay.learners.experts.weighted_average",
    "WeightedMajority": "assay.learners.experts.weighted_majority",
    "Winnow": "assay.learners.linear.winnow",
    "logged_value": "assay.learners.bandits.logged",
    "replay": "assay.learners.bandits.replay",
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
    "EXP3",
    "EXP3IX",
    "KLUCB",
    "UCB1",
    "AdaHedge",
    "Certificate",
    "Consistent",
    "DisjunctionClassifier",
    "DisjunctionMajority",
    "FiniteClassERM",
    "FixedShare",
    "Guarantee",
    "Halving",
    "Hedge",
    "KTermDNF",
    "Ledger",
    "MarginPerceptron",
    "MonomialWinnow",
    "OnlineDisjunction",
    "OnlineGradientDescent",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "SleepingExperts",
    "ThompsonSampling",
    "WeightedAverage",
    "WeightedMajority",
    "Winnow",
    "__version__",
    "certify",
    "conservative",
    "delayed",
    "load",
    "logged_value",
    "plan",
    "play",
    "read_table",
    "replay",
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
    from assay.learners.bandits.exp3 import EXP3
    from assay.learners.bandits.exp3_ix import EXP3IX
    from assay.learners.bandits.kl_ucb import KLUCB
    from assay.learners.bandits.logged import logged_value
    from assay.learners.bandits.replay import replay
    from assay.learners.bandits.thompson import ThompsonSampling
    from assay.learners.bandits.ucb1 import UCB1
    from assay.learners.boolean.consistent import Consistent
    from assay.learners.boolean.disjunction_classifier import DisjunctionClassifier
    from assay.learners.boolean.disjunction_majority import DisjunctionMajority
    from assay.learners.boolean.finite_class_erm import FiniteClassERM
    from assay.learners.boolean.halving import Halving
    from assay.learners.boolean.k_term_dnf import KTermDNF
    from assay.learners.boolean.monomial_winnow import MonomialWinnow
    from assay.learners.boolean.online_disjunction import OnlineDisjunction
    from assay.learners.experts.adahedge import AdaHedge
    from assay.learners.experts.fixed_share import FixedShare
    from assay.learners.experts.hedge import Hedge
    from assay.learners.experts.sleeping_experts import SleepingExperts
    from assay.learners.experts.weighted_average import WeightedAverage
    from assay.learners.experts.weighted_majority import WeightedMajority
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
