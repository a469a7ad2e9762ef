from .learners.boolean.consistent import Consistent as Consistent
from .learners.boolean.disjunction_classifier import DisjunctionClassifier as DisjunctionClassifier
from .learners.boolean.disjunction_majority import DisjunctionMajority as DisjunctionMajority
from .learners.boolean.finite_class_erm import FiniteClassERM as FiniteClassERM
from .learners.boolean.halving import Halving as Halving
from .learners.boolean.k_term_dnf import KTermDNF as KTermDNF
from .learners.boolean.monomial_winnow import MonomialWinnow as MonomialWinnow
from .learners.boolean.online_disjunction import OnlineDisjunction as OnlineDisjunction
