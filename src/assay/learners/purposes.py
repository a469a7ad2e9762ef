"""What every learner is for, and what it promises beside the certificate of a holdout, in a few words."""

from __future__ import annotations

from typing import NamedTuple


class Purpose(NamedTuple):
    """What a learner is good for, and what its theorems say of it."""

    use: str
    promise: str


_HOLDOUT = "nothing of its own"
_MISTAKES = "bounds its mistakes on any stream"
_OPTIMUM = "bounds how far it is from the best fit"
_TRAINING = "bounds its error from training rows alone"
_REGRET = "loses little more than the best expert"
_BAGS = "tells how many rows a bag leaves out"

PURPOSES = {
    "adaboost-classifier": Purpose(
        "tables: many simple rules, weighted", "bounds its training error by its edges"
    ),
    "adahedge": Purpose("combining forecasters, with nothing to tune", _REGRET),
    "bagging-classifier": Purpose("steadying another learner by many bags of rows", _BAGS),
    "basis-ridge": Purpose("a quantity that is a sum of curves", _OPTIMUM),
    "bernoulli-nb": Purpose("yes/no features and short texts, very fast", _TRAINING),
    "consistent": Purpose("rules over yes/no features: the first that fits all rows", _MISTAKES),
    "decision-stump": Purpose("one question about one column", _TRAINING),
    "decision-tree-classifier": Purpose("tables, as questions that can be read", _TRAINING),
    "decision-tree-regressor": Purpose(
        "a quantity, as questions that can be read", "is the best pruning of the grown tree"
    ),
    "disjunction-classifier": Purpose("an OR of yes/no features, fitted at once", _TRAINING),
    "disjunction-majority": Purpose("an OR of few yes/no features, row by row", _MISTAKES),
    "exp3": Purpose("choosing actions when losses may be anything", "bounds its expected regret"),
    "exp3-ix": Purpose(
        "choosing actions, with a promise for the run", "bounds its regret, with probability"
    ),
    "finite-class-erm": Purpose(
        "the best rule of a list of yours", "bounds the error of every rule at once"
    ),
    "fixed-share": Purpose(
        "combining forecasters when the best one changes",
        "loses little more than experts that switch",
    ),
    "forward-stagewise-classifier": Purpose(
        "boosting by a loss of your choice", "bounds its training error by its edges"
    ),
    "forward-stagewise-regressor": Purpose(
        "boosting a quantity", "bounds its training loss by its edges"
    ),
    "gaussian-nb": Purpose("numbers, many classes, very fast", _TRAINING),
    "gradient-descent": Purpose(
        "a linear rule on a stream", "bounds regret and mistakes on any stream"
    ),
    "halving": Purpose("rules over yes/no features: the majority that fits", _MISTAKES),
    "hedge": Purpose("combining forecasters by their losses", _REGRET),
    "hinge-loss-lp": Purpose("a linear rule by a linear program, for small tables", _TRAINING),
    "hist-gradient-boosting-classifier": Purpose(
        "tables of any size; often the most accurate", "tells whether its training loss ever rose"
    ),
    "hist-gradient-boosting-regressor": Purpose(
        "a quantity, from tables of any size; often the most accurate",
        "tells whether its training loss ever rose",
    ),
    "k-neighbors-classifier": Purpose(
        "rows that resemble each other; few columns", "bounds its error by leaving one out"
    ),
    "k-neighbors-regressor": Purpose(
        "a quantity that close rows share", "is the best there is, in the limit"
    ),
    "k-term-dnf": Purpose("an OR of ANDs over yes/no features, row by row", _MISTAKES),
    "kernel-machine": Purpose("any loss with any kernel", _OPTIMUM),
    "kernel-machine-regressor": Purpose("a quantity, with any loss and any kernel", _OPTIMUM),
    "kernel-perceptron": Purpose("curved boundaries on a stream", _MISTAKES),
    "kernel-ridge": Purpose("a quantity that varies smoothly; up to some thousand rows", _OPTIMUM),
    "kl-ucb": Purpose(
        "choosing actions with losses between 0 and 1",
        "has the least regret there is, in the limit",
    ),
    "linear-regression": Purpose("a quantity that is a weighted sum", _OPTIMUM),
    "linear-svc": Purpose("many columns, sparse rows, texts", _TRAINING),
    "logistic-regression": Purpose(
        "probabilities from weighted sums; a strong first try", _TRAINING
    ),
    "majority-boost-classifier": Purpose(
        "boosting rules of a known edge by equal votes", "bounds how many training rows are wrong"
    ),
    "margin-perceptron": Purpose("a wide margin, row by row", _MISTAKES),
    "mlp-classifier": Purpose("pixels and signals; a neural network", _TRAINING),
    "monomial-winnow": Purpose("an OR of ANDs over up to 16 yes/no features", _MISTAKES),
    "online-disjunction": Purpose("an OR of yes/no features, row by row", _MISTAKES),
    "perceptron": Purpose("a linear rule on a stream, nothing to tune", _MISTAKES),
    "radius-neighbors-classifier": Purpose("rows within a known distance", _HOLDOUT),
    "radius-neighbors-regressor": Purpose("a quantity that rows within a distance share", _HOLDOUT),
    "random-forest-classifier": Purpose("tables; accurate with nothing to tune", _BAGS),
    "random-forest-regressor": Purpose("a quantity; accurate with nothing to tune", _BAGS),
    "ridge": Purpose("a quantity that is a weighted sum, of many columns", _OPTIMUM),
    "sgd-classifier": Purpose("tables too large for memory, streams, texts", _TRAINING),
    "sgd-regressor": Purpose("a quantity, from tables too large for memory", _HOLDOUT),
    "sleeping-experts": Purpose(
        "combining forecasters of whom some are silent", "loses little more than each while awake"
    ),
    "svc": Purpose("curved boundaries; up to some ten thousand rows", _TRAINING),
    "svr": Purpose("a quantity that varies smoothly, with outliers", _OPTIMUM),
    "thompson-sampling": Purpose(
        "choosing actions, seldom a wrong one", "bounds its expected regret over its prior"
    ),
    "ucb1": Purpose("choosing actions with losses between 0 and 1", "bounds its expected regret"),
    "weighted-average": Purpose("averaging forecasts of a number", _REGRET),
    "weighted-majority": Purpose("a vote of experts that name labels", _REGRET),
    "winnow": Purpose("few of very many yes/no features matter", _MISTAKES),
}

#: The classifiers that learn row by row, the ones to try first in front.
ROW_BY_ROW = (
    "sgd-classifier",
    "perceptron",
    "gaussian-nb",
    "bernoulli-nb",
    "mlp-classifier",
    "kernel-perceptron",
    "margin-perceptron",
    "gradient-descent",
    "winnow",
    "halving",
    "consistent",
    "online-disjunction",
    "disjunction-majority",
    "monomial-winnow",
    "k-term-dnf",
)


def purpose_of(name: str, learner: type) -> Purpose:
    """What a learner is for; of one from another package, what its description begins with.

    Examples
    --------
    >>> from assay import Perceptron
    >>> purpose_of("perceptron", Perceptron).use
    'a linear rule on a stream, nothing to tune'
    """
    if name in PURPOSES:
        return PURPOSES[name]
    first = (learner.__doc__ or "").strip().split("\n")[0]
    return Purpose(first or "a learner of another package", "what its package says")
