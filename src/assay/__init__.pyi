from . import checks as checks
from . import client as client
from . import data as data
from . import kernels as kernels
from . import lab as lab
from .certificates.certificate import Certificate as Certificate
from .certificates.issue.certify import certify as certify
from .certificates.issue.count import count as count
from .certificates.issue.difference import certify_difference as certify_difference
from .certificates.issue.eval_log import EvalLog as EvalLog
from .certificates.issue.eval_log import read_eval as read_eval
from .certificates.issue.judged import certify_judged as certify_judged
from .certificates.issue.plan import plan as plan
from .certificates.ledger.ledger import Ledger as Ledger
from .certificates.verify.verify import verify as verify
from .evidence.evidence import Evidence as Evidence
from .files import read_table as read_table
from .guarantees.guarantee import Guarantee as Guarantee
from .lab.against_bayes import against_bayes as against_bayes
from .lab.bias_variance import bias_variance as bias_variance
from .lab.cross_validation import cross_validation as cross_validation
from .lab.error_decomposition import error_decomposition as error_decomposition
from .lab.error_tail import error_tail as error_tail
from .lab.ghost_sample import ghost_sample as ghost_sample
from .lab.no_free_lunch import no_free_lunch as no_free_lunch
from .lab.rademacher_complexity import rademacher_complexity as rademacher_complexity
from .lab.ridge_crossover import ridge_crossover as ridge_crossover
from .lab.separator_margins import separator_margins as separator_margins
from .lab.shattering import shattering as shattering
from .lab.smallest_tree import smallest_tree as smallest_tree
from .lab.support_path import support_path as support_path
from .lab.tail_bounds import tail_bounds as tail_bounds
from .lab.top_of_range import top_of_range as top_of_range
from .lab.truth_table import truth_table as truth_table
from .lab.weak_learners import weak_learners as weak_learners
from .lab.well_posedness import well_posedness as well_posedness
from .learners.bandits.exp3 import EXP3 as EXP3
from .learners.bandits.exp3_ix import EXP3IX as EXP3IX
from .learners.bandits.improve import improve as improve
from .learners.bandits.kl_ucb import KLUCB as KLUCB
from .learners.bandits.learn_logged import learn_logged as learn_logged
from .learners.bandits.logged import logged_value as logged_value
from .learners.bandits.replay import replay as replay
from .learners.bandits.thompson import ThompsonSampling as ThompsonSampling
from .learners.bandits.ucb1 import UCB1 as UCB1
from .learners.bayes.bernoulli_nb import BernoulliNB as BernoulliNB
from .learners.bayes.gaussian_nb import GaussianNB as GaussianNB
from .learners.boolean.consistent import Consistent as Consistent
from .learners.boolean.disjunction_classifier import DisjunctionClassifier as DisjunctionClassifier
from .learners.boolean.disjunction_majority import DisjunctionMajority as DisjunctionMajority
from .learners.boolean.finite_class_erm import FiniteClassERM as FiniteClassERM
from .learners.boolean.halving import Halving as Halving
from .learners.boolean.k_term_dnf import KTermDNF as KTermDNF
from .learners.boolean.monomial_winnow import MonomialWinnow as MonomialWinnow
from .learners.boolean.online_disjunction import OnlineDisjunction as OnlineDisjunction
from .learners.common.config import config_context as config_context
from .learners.common.config import get_config as get_config
from .learners.common.config import set_config as set_config
from .learners.contextual.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
from .learners.contextual.exp4 import EXP4 as EXP4
from .learners.contextual.linear_thompson import LinearThompson as LinearThompson
from .learners.contextual.linucb import LinUCB as LinUCB
from .learners.contextual.square_cb import SquareCB as SquareCB
from .learners.ensembles.adaboost import AdaBoostClassifier as AdaBoostClassifier
from .learners.ensembles.bagging import BaggingClassifier as BaggingClassifier
from .learners.ensembles.decision_stump import DecisionStump as DecisionStump
from .learners.ensembles.forward_stagewise_classifier import (
    ForwardStagewiseClassifier as ForwardStagewiseClassifier,
)
from .learners.ensembles.forward_stagewise_regressor import (
    ForwardStagewiseRegressor as ForwardStagewiseRegressor,
)
from .learners.ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from .learners.ensembles.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
from .learners.ensembles.majority_boost import MajorityBoostClassifier as MajorityBoostClassifier
from .learners.ensembles.random_forest_classifier import (
    RandomForestClassifier as RandomForestClassifier,
)
from .learners.ensembles.random_forest_regressor import (
    RandomForestRegressor as RandomForestRegressor,
)
from .learners.ensembles.stump_game import stump_game as stump_game
from .learners.experts.adahedge import AdaHedge as AdaHedge
from .learners.experts.fixed_share import FixedShare as FixedShare
from .learners.experts.hedge import Hedge as Hedge
from .learners.experts.sleeping_experts import SleepingExperts as SleepingExperts
from .learners.experts.weighted_average import WeightedAverage as WeightedAverage
from .learners.experts.weighted_majority import WeightedMajority as WeightedMajority
from .learners.kernel.kernel_machine import KernelMachine as KernelMachine
from .learners.kernel.kernel_machine_regressor import (
    KernelMachineRegressor as KernelMachineRegressor,
)
from .learners.kernel.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .learners.kernel.kernel_ridge import KernelRidge as KernelRidge
from .learners.kernel.svc import SVC as SVC
from .learners.kernel.svr import SVR as SVR
from .learners.linear.basis_ridge import BasisRidge as BasisRidge
from .learners.linear.gradient_descent import OnlineGradientDescent as OnlineGradientDescent
from .learners.linear.hinge_loss_lp import HingeLossLP as HingeLossLP
from .learners.linear.linear_regression import LinearRegression as LinearRegression
from .learners.linear.linear_svc import LinearSVC as LinearSVC
from .learners.linear.logistic_regression import LogisticRegression as LogisticRegression
from .learners.linear.margin_perceptron import MarginPerceptron as MarginPerceptron
from .learners.linear.perceptron import Perceptron as Perceptron
from .learners.linear.ridge import Ridge as Ridge
from .learners.linear.sgd_classifier import SGDClassifier as SGDClassifier
from .learners.linear.sgd_regressor import SGDRegressor as SGDRegressor
from .learners.linear.winnow import Winnow as Winnow
from .learners.model_file.files import load as load
from .learners.model_file.files import save as save
from .learners.neighbors.k_neighbors_classifier import KNeighborsClassifier as KNeighborsClassifier
from .learners.neighbors.k_neighbors_regressor import KNeighborsRegressor as KNeighborsRegressor
from .learners.neighbors.radius_neighbors_classifier import (
    RadiusNeighborsClassifier as RadiusNeighborsClassifier,
)
from .learners.neighbors.radius_neighbors_regressor import (
    RadiusNeighborsRegressor as RadiusNeighborsRegressor,
)
from .learners.neural.machine import MachineClassifier as MachineClassifier
from .learners.neural.machine import MachineRegressor as MachineRegressor
from .learners.neural.mlp_classifier import MLPClassifier as MLPClassifier
from .learners.search.max_margin import max_margin as max_margin
from .learners.sklearn_models import from_sklearn as from_sklearn
from .learners.trees.classifier import DecisionTreeClassifier as DecisionTreeClassifier
from .learners.trees.regressor import DecisionTreeRegressor as DecisionTreeRegressor
from .play.conservative import conservative as conservative
from .play.delayed import delayed as delayed
from .play.online import play as play
from .play.read_decisions import read_decisions as read_decisions
from .play.to_batch import to_batch as to_batch
from .record.decisions import DecisionLog as DecisionLog
from .report import figures as figures
from .tables.compare import compare_table as compare_table
from .tables.fit import fit_table as fit_table
from .tables.predict import predict_table as predict_table
from .theory.catalogue import theorem as theorem
from .theory.catalogue import theorems as theorems

__version__: str
