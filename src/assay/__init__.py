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
    "AdaBoostClassifier": "assay.learners.ensembles.adaboost",
    "AdaHedge": "assay.learners.experts.adahedge",
    "BaggingClassifier": "assay.learners.ensembles.bagging",
    "BasisRidge": "assay.learners.linear.basis_ridge",
    "BernoulliNB": "assay.learners.bayes.bernoulli_nb",
    "Consistent": "assay.learners.boolean.consistent",
    "DecisionStump": "assay.learners.ensembles.decision_stump",
    "DecisionTreeClassifier": "assay.learners.trees.classifier",
    "DecisionTreeRegressor": "assay.learners.trees.regressor",
    "EXP3": "assay.learners.bandits.exp3",
    "EXP3IX": "assay.learners.bandits.exp3_ix",
    "FixedShare": "assay.learners.experts.fixed_share",
    "GaussianNB": "assay.learners.bayes.gaussian_nb",
    "Halving": "assay.learners.boolean.halving",
    "Hedge": "assay.learners.experts.hedge",
    "HingeLossLP": "assay.learners.linear.hinge_loss_lp",
    "KLUCB": "assay.learners.bandits.kl_ucb",
    "KNeighborsClassifier": "assay.learners.neighbors.k_neighbors_classifier",
    "KNeighborsRegressor": "assay.learners.neighbors.k_neighbors_regressor",
    "RadiusNeighborsClassifier": "assay.learners.neighbors.radius_neighbors_classifier",
    "RadiusNeighborsRegressor": "assay.learners.neighbors.radius_neighbors_regressor",
    "KTermDNF": "assay.learners.boolean.k_term_dnf",
    "KernelRidge": "assay.learners.kernel.kernel_ridge",
    "DisjunctionMajority": "assay.learners.boolean.disjunction_majority",
    "DisjunctionClassifier": "assay.learners.boolean.disjunction_classifier",
    "FiniteClassERM": "assay.learners.boolean.finite_class_erm",
    "LinearRegression": "assay.learners.linear.linear_regression",
    "LogisticRegression": "assay.learners.linear.logistic_regression",
    "KernelMachine": "assay.learners.kernel.kernel_machine",
    "KernelMachineRegressor": "assay.learners.kernel.kernel_machine_regressor",
    "KernelPerceptron": "assay.learners.kernel.kernel_perceptron",
    "MLPClassifier": "assay.learners.neural.mlp_classifier",
    "MajorityBoostClassifier": "assay.learners.ensembles.majority_boost",
    "MarginPerceptron": "assay.learners.linear.margin_perceptron",
    "MonomialWinnow": "assay.learners.boolean.monomial_winnow",
    "OnlineDisjunction": "assay.learners.boolean.online_disjunction",
    "OnlineGradientDescent": "assay.learners.linear.gradient_descent",
    "Perceptron": "assay.learners.linear.perceptron",
    "RandomForestClassifier": "assay.learners.ensembles.random_forest_classifier",
    "RandomForestRegressor": "assay.learners.ensembles.random_forest_regressor",
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
    "max_margin": "assay.learners.max_margin",
    "read_table": "assay.files",
    "save": "assay.learners.files",
    "stump_game": "assay.learners.ensembles.stump_game",
    "against_bayes": "assay.play.against_bayes",
    "bias_variance": "assay.play.bias_variance",
    "conservative": "assay.play.conservative",
    "delayed": "assay.play.delayed",
    "error_decomposition": "assay.play.error_decomposition",
    "no_free_lunch": "assay.play.no_free_lunch",
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
    "AdaBoostClassifier",
    "AdaHedge",
    "BaggingClassifier",
    "BasisRidge",
    "BernoulliNB",
    "Certificate",
    "Consistent",
    "DecisionStump",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DisjunctionClassifier",
    "DisjunctionMajority",
    "FiniteClassERM",
    "FixedShare",
    "GaussianNB",
    "Guarantee",
    "Halving",
    "Hedge",
    "HingeLossLP",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KTermDNF",
    "KernelMachine",
    "KernelMachineRegressor",
    "KernelPerceptron",
    "KernelRidge",
    "Ledger",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "MajorityBoostClassifier",
    "MarginPerceptron",
    "MonomialWinnow",
    "OnlineDisjunction",
    "OnlineGradientDescent",
    "Perceptron",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
    "SGDClassifier",
    "SGDRegressor",
    "SleepingExperts",
    "ThompsonSampling",
    "WeightedAverage",
    "WeightedMajority",
    "Winnow",
    "__version__",
    "against_bayes",
    "bias_variance",
    "certify",
    "conservative",
    "delayed",
    "error_decomposition",
    "load",
    "logged_value",
    "max_margin",
    "no_free_lunch",
    "plan",
    "play",
    "read_table",
    "replay",
    "save",
    "stump_game",
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
    from assay.learners.bayes.bernoulli_nb import BernoulliNB
    from assay.learners.bayes.gaussian_nb import GaussianNB
    from assay.learners.boolean.consistent import Consistent
    from assay.learners.boolean.disjunction_classifier import DisjunctionClassifier
    from assay.learners.boolean.disjunction_majority import DisjunctionMajority
    from assay.learners.boolean.finite_class_erm import FiniteClassERM
    from assay.learners.boolean.halving import Halving
    from assay.learners.boolean.k_term_dnf import KTermDNF
    from assay.learners.boolean.monomial_winnow import MonomialWinnow
    from assay.learners.boolean.online_disjunction import OnlineDisjunction
    from assay.learners.ensembles.adaboost import AdaBoostClassifier
    from assay.learners.ensembles.bagging import BaggingClassifier
    from assay.learners.ensembles.decision_stump import DecisionStump
    from assay.learners.ensembles.majority_boost import MajorityBoostClassifier
    from assay.learners.ensembles.random_forest_classifier import RandomForestClassifier
    from assay.learners.ensembles.random_forest_regressor import RandomForestRegressor
    from assay.learners.ensembles.stump_game import stump_game
    from assay.learners.experts.adahedge import AdaHedge
    from assay.learners.experts.fixed_share import FixedShare
    from assay.learners.experts.hedge import Hedge
    from assay.learners.experts.sleeping_experts import SleepingExperts
    from assay.learners.experts.weighted_average import WeightedAverage
    from assay.learners.experts.weighted_majority import WeightedMajority
    from assay.learners.files import load, save
    from assay.learners.kernel.kernel_machine import KernelMachine
    from assay.learners.kernel.kernel_machine_regressor import KernelMachineRegressor
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
    from assay.learners.max_margin import max_margin
    from assay.learners.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from assay.learners.neighbors.k_neighbors_regressor import KNeighborsRegressor
    from assay.learners.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
    from assay.learners.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
    from assay.learners.neural.mlp_classifier import MLPClassifier
    from assay.learners.trees.classifier import DecisionTreeClassifier
    from assay.learners.trees.regressor import DecisionTreeRegressor
    from assay.play.against_bayes import against_bayes
    from assay.play.bias_variance import bias_variance
    from assay.play.conservative import conservative
    from assay.play.delayed import delayed
    from assay.play.error_decomposition import error_decomposition
    from assay.play.no_free_lunch import no_free_lunch
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
