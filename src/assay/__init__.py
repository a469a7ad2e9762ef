"""assay: learning in which every model states its guarantee.

Names are imported when first used, so that ``import assay`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module (and the name it has there, where that differs; "module:" is the module itself).
_PUBLIC = {
    "AdaBoostClassifier": "assay.learners.ensembles.adaboost",
    "AdaHedge": "assay.learners.experts.adahedge",
    "BaggingClassifier": "assay.learners.ensembles.bagging",
    "BasisRidge": "assay.learners.linear.basis_ridge",
    "BernoulliNB": "assay.learners.bayes.bernoulli_nb",
    "Certificate": "assay.certificates.certificate",
    "Consistent": "assay.learners.boolean.consistent",
    "DecisionStump": "assay.learners.ensembles.decision_stump",
    "DecisionTreeClassifier": "assay.learners.trees.classifier",
    "DecisionTreeRegressor": "assay.learners.trees.regressor",
    "DisjunctionClassifier": "assay.learners.boolean.disjunction_classifier",
    "DisjunctionMajority": "assay.learners.boolean.disjunction_majority",
    "EXP3": "assay.learners.bandits.exp3",
    "EXP3IX": "assay.learners.bandits.exp3_ix",
    "FiniteClassERM": "assay.learners.boolean.finite_class_erm",
    "FixedShare": "assay.learners.experts.fixed_share",
    "GaussianNB": "assay.learners.bayes.gaussian_nb",
    "Guarantee": "assay.guarantees.guarantee",
    "Halving": "assay.learners.boolean.halving",
    "Hedge": "assay.learners.experts.hedge",
    "HingeLossLP": "assay.learners.linear.hinge_loss_lp",
    "KLUCB": "assay.learners.bandits.kl_ucb",
    "KNeighborsClassifier": "assay.learners.neighbors.k_neighbors_classifier",
    "KNeighborsRegressor": "assay.learners.neighbors.k_neighbors_regressor",
    "KTermDNF": "assay.learners.boolean.k_term_dnf",
    "KernelMachine": "assay.learners.kernel.kernel_machine",
    "KernelMachineRegressor": "assay.learners.kernel.kernel_machine_regressor",
    "KernelPerceptron": "assay.learners.kernel.kernel_perceptron",
    "KernelRidge": "assay.learners.kernel.kernel_ridge",
    "Ledger": "assay.certificates.ledger.ledger",
    "LinearRegression": "assay.learners.linear.linear_regression",
    "LinearSVC": "assay.learners.linear.linear_svc",
    "LogisticRegression": "assay.learners.linear.logistic_regression",
    "MLPClassifier": "assay.learners.neural.mlp_classifier",
    "MajorityBoostClassifier": "assay.learners.ensembles.majority_boost",
    "MarginPerceptron": "assay.learners.linear.margin_perceptron",
    "MonomialWinnow": "assay.learners.boolean.monomial_winnow",
    "OnlineDisjunction": "assay.learners.boolean.online_disjunction",
    "OnlineGradientDescent": "assay.learners.linear.gradient_descent",
    "Perceptron": "assay.learners.linear.perceptron",
    "RadiusNeighborsClassifier": "assay.learners.neighbors.radius_neighbors_classifier",
    "RadiusNeighborsRegressor": "assay.learners.neighbors.radius_neighbors_regressor",
    "RandomForestClassifier": "assay.learners.ensembles.random_forest_classifier",
    "RandomForestRegressor": "assay.learners.ensembles.random_forest_regressor",
    "Ridge": "assay.learners.linear.ridge",
    "SGDClassifier": "assay.learners.linear.sgd_classifier",
    "SGDRegressor": "assay.learners.linear.sgd_regressor",
    "SVC": "assay.learners.kernel.svc",
    "SVR": "assay.learners.kernel.svr",
    "SleepingExperts": "assay.learners.experts.sleeping_experts",
    "ThompsonSampling": "assay.learners.bandits.thompson",
    "UCB1": "assay.learners.bandits.ucb1",
    "WeightedAverage": "assay.learners.experts.weighted_average",
    "WeightedMajority": "assay.learners.experts.weighted_majority",
    "Winnow": "assay.learners.linear.winnow",
    "against_bayes": "assay.lab.against_bayes",
    "bias_variance": "assay.lab.bias_variance",
    "certify": "assay.certificates.issue.certify",
    "compare_table": "assay.tables.compare",
    "config_context": "assay.learners.common.config",
    "conservative": "assay.play.conservative",
    "delayed": "assay.play.delayed",
    "error_decomposition": "assay.lab.error_decomposition",
    "figures": "assay.report.figures:",
    "fit_table": "assay.tables.fit",
    "get_config": "assay.learners.common.config",
    "load": "assay.learners.model_file.files",
    "logged_value": "assay.learners.bandits.logged",
    "max_margin": "assay.learners.search.max_margin",
    "no_free_lunch": "assay.lab.no_free_lunch",
    "plan": "assay.certificates.issue.plan",
    "play": "assay.play.online",
    "predict_table": "assay.tables.predict",
    "read_table": "assay.files",
    "replay": "assay.learners.bandits.replay",
    "save": "assay.learners.model_file.files",
    "set_config": "assay.learners.common.config",
    "stump_game": "assay.learners.ensembles.stump_game",
    "theorem": "assay.theory.registry:find_theorem",
    "theorems": "assay.theory.registry",
    "to_batch": "assay.play.to_batch",
    "verify": "assay.certificates.verify.verify",
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
    "compare_table",
    "config_context",
    "conservative",
    "delayed",
    "error_decomposition",
    "figures",
    "fit_table",
    "get_config",
    "load",
    "logged_value",
    "max_margin",
    "no_free_lunch",
    "plan",
    "play",
    "predict_table",
    "read_table",
    "replay",
    "save",
    "set_config",
    "stump_game",
    "theorem",
    "theorems",
    "to_batch",
    "verify",
]

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.certify import certify
    from assay.certificates.issue.plan import plan
    from assay.certificates.ledger.ledger import Ledger
    from assay.certificates.verify.verify import verify
    from assay.files import read_table
    from assay.guarantees.guarantee import Guarantee
    from assay.lab.against_bayes import against_bayes
    from assay.lab.bias_variance import bias_variance
    from assay.lab.error_decomposition import error_decomposition
    from assay.lab.no_free_lunch import no_free_lunch
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
    from assay.learners.common.config import config_context, get_config, set_config
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
    from assay.learners.model_file.files import load, save
    from assay.learners.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from assay.learners.neighbors.k_neighbors_regressor import KNeighborsRegressor
    from assay.learners.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
    from assay.learners.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
    from assay.learners.neural.mlp_classifier import MLPClassifier
    from assay.learners.search.max_margin import max_margin
    from assay.learners.trees.classifier import DecisionTreeClassifier
    from assay.learners.trees.regressor import DecisionTreeRegressor
    from assay.play.conservative import conservative
    from assay.play.delayed import delayed
    from assay.play.online import play
    from assay.play.to_batch import to_batch
    from assay.report import figures
    from assay.tables.compare import compare_table
    from assay.tables.fit import fit_table
    from assay.tables.predict import predict_table
    from assay.theory.registry import find_theorem as theorem
    from assay.theory.registry import theorems


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    place, colon, attribute = _PUBLIC[name].partition(":")
    module = importlib.import_module(place)
    value = module if colon and not attribute else getattr(module, attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
