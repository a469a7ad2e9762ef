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
    "BasisRidge": "assay.learners.linear.basis_ridge",
    "Consistent": "assay.learners.boolean.consistent",
    "EXP3": "assay.learners.bandits.exp3",
    "EXP3IX": "assay.learners.bandits.exp3_ix",
    "FixedShare": "assay.learners.experts.fixed_share",
    "Halving": "assay.learners.boolean.halving",
    "Hedge": "assay.learners.experts.hedge",
    "HingeLossLP": "assay.learners.linear.hinge_loss_lp",
    "KLUCB": "assay.learners.bandits.kl_ucb",
    "KTermDNF": "assay.learners.boolean.k_term_dnf",
    "KernelRidge": "assay.learners.kernel.kernel_ridge",
    "DisjunctionMajority": "assay.learners.boolean.disjunction_majority",
    "DisjunctionClassifier": "assay.learners.boolean.disjunction_classifier",
    "FiniteClassERM": "assay.learners.boolean.finite_class_erm",
    "LinearRegression": "assay.learners.linear.linear_regression",
    "LogisticRegression": "assay.learners.linear.logistic_regression",
    "KernelMachine": "assay.learners.kernel.kernel_machine",
    "KernelMachineRegressor": "assay.learners.kernel.kernel_machine",
    "KernelPerceptron": "assay.learners.kernel.kernel_perceptron",
    "MarginPerceptron": "assay.learners.linear.margin_perceptron",
    "MonomialWinnow": "assay.learners.boolean.monomial_winnow",
    "OnlineDisjunction": "assay.learners.boolean.online_disjunction",
    "OnlineGradientDescent": "assay.learners.linear.gradient_descent",
    "Perceptron": "assay.learners.linear.perceptron",
    "Ridge": "assay.learners.linear.ridge",
    "LinearSVC": "assay.learners.linear.linear_svc",
    "SVC": "assay.learners.kernel.svc",
    "SVR": "assay.learners.kernel.svr",
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
    "SVC",
    "SVR",
    "UCB1",
    "AdaHedge",
    "BasisRidge",
    "Certificate",
    "Consistent",
    "DisjunctionClassifier",
    "DisjunctionMajority",
    "FiniteClassERM",
    "FixedShare",
    "Guarantee",
    "Halving",
    "Hedge",
    "HingeLossLP",
    "KTermDNF",
    "KernelMachine",
    "KernelMachineRegressor",
    "KernelPerceptron",
    "KernelRidge",
    "Ledger",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MarginPerceptron",
    "MonomialWinnow",
    "OnlineDisjunction",
    "OnlineGradientDescent",
    "Perceptron",
    "Ridge",
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
    from assay.learners.kernel.kernel_machine import KernelMachine, KernelMachineRegressor
    from assay.learners.kernel.kernel_perceptron import KernelPerceptron
    from assay.learners.kernel.kernel_ridge import KernelRidge
    from assay.learners.kernel.svc import SVC
    from assay.learners.kernel.svr import SVR
    from assay.learners.linear.basis_ridge import BasisRidge
    from assay.learners.linear.gradient_descent import OnlineGradientDescent
    from assay.learners.linear.hinge_loss_lp import HingeLossLP
    from assay.learners.linear.linear_regression import LinearRegression
    from assay.learners.linear.linear_svc import LinearSVC
    from assay.learners.linear.logistic_regression import LogisticRegression
    from assay.learners.linear.margin_perceptron import MarginPerceptron
    from assay.learners.linear.perceptron import Perceptron
    from assay.learners.linear.ridge import Ridge
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
