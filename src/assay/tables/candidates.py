"""The learners that `auto` chooses among, each with the length of its name in a prefix-free code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from assay.errors import AssayError, BadData
from assay.learners.registry import learner_names, make_learner, name_of
from assay.tables.quantity_candidates import regressors
from assay.tables.task import Task

# Learners that are shown numbers as they are: questions about single columns, or 0 and 1 only.
_UNSCALED = frozenset(
    name for family in ("trees", "ensembles", "bayes", "boolean") for name in learner_names(family)
) | {"winnow"}
# Learners that compare all cells, stored or not, one by one: thousands of places for words would only cost them time.
_FEW_WORDS = frozenset(
    name
    for family in ("trees", "ensembles")
    for name in learner_names(family)
    if not name.startswith("hist-")
)

Scaling = Literal["standard", "range", "none"]


@dataclass(frozen=True)
class Candidate:
    """A learner and its parameters, with its price.

    Parameters
    ----------
    learner : str
        Its registered name.
    bits : int
        How long its name is in the code: a simple learner has a short one, and so a small penalty.
    parameters : dict
        What is not as by default.
    most_rows, most_cells : int
        With more training rows, or more cells, it would take too long and is left out.
    scaling : {"standard", "range", "none"}, optional
        Numbers divided by their deviation, by their range, or as they are; what suits the learner if not given.
    """

    learner: str
    bits: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int = 2_000_000
    most_cells: int = 400_000_000
    scaling: Scaling | None = None

    def make(self, seed: int = 0) -> Any:
        """The learner, not fitted."""
        return make(self.learner, self.parameters, seed)

    def too_large(self, rows: int, features: int, patience: float = 1.0) -> bool:
        """Whether a table is too large for it; with twice the `patience`, twice as large a one is not."""
        return rows > patience * self.most_rows or rows * features > patience * self.most_cells

    def __str__(self) -> str:
        terms = [f"{name}={value}" for name, value in self.parameters.items() if name != "n_jobs"]
        terms += [] if self.scaling is None else [f"scaling={self.scaling}"]
        return f"{self.learner}({', '.join(terms)})" if terms else self.learner


@dataclass(frozen=True)
class Shape:
    """What the candidates may depend on: of the rows that learn, never of those that judge."""

    features: int
    classes: int = 2
    texts: bool = False
    task: Task = "classes"


def candidates_for(shape: Shape) -> tuple[Candidate, ...]:
    """Learners for a table of this shape, those most often chosen first; their names are a prefix-free code.

    Four names of 3 bits and up to sixteen of 5 share at most 4/8 + 16/32 = 1.

    Examples
    --------
    >>> candidates_for(Shape(10, classes=26))[0].parameters["max_leaf_nodes"]
    104
    """
    known = set(learner_names())
    if shape.task == "quantity":
        return tuple(one for one in regressors(shape.texts) if one.learner in known)
    leaves = max(16, 4 * shape.classes)
    forest, boosting = "random-forest-classifier", "hist-gradient-boosting-classifier"
    listed = [
        Candidate("decision-tree-classifier", 3, {"max_leaf_nodes": leaves, "min_samples_leaf": 5}),
        Candidate("logistic-regression", 3, {"max_iter": 1000}),
        Candidate(forest, 3, {"n_estimators": 200, "n_jobs": -1}, most_cells=40_000_000),
        Candidate(boosting, 3),
        Candidate(
            boosting,
            5,
            {"learning_rate": 0.05, "max_iter": 200, "max_leaf_nodes": 15},
            most_cells=100_000_000,
        ),
    ]
    listed += _for_texts() if shape.texts else _for_numbers(forest)
    return tuple(one for one in listed if one.learner in known)


def _for_texts() -> list[Candidate]:
    """Words are counted in thousands of features: what is linear in them."""
    return [
        Candidate("logistic-regression", 5, {"C": 10.0, "max_iter": 1000}),
        Candidate("logistic-regression", 5, {"C": 100.0, "max_iter": 1000}),
        Candidate("linear-svc", 5, {"max_iter": 300}),
        Candidate("linear-svc", 5, {"C": 10.0, "max_iter": 300}),
        Candidate("bernoulli-nb", 5, {"alpha": 0.1}),
        Candidate("k-neighbors-classifier", 5, most_rows=20_000),
    ]


def _for_numbers(forest: str) -> list[Candidate]:
    # Pixels are of one scale as they are, and dividing each by its own deviation blows up the dull ones.
    near = [
        Candidate("k-neighbors-classifier", 5),
        Candidate("k-neighbors-classifier", 5, {"n_neighbors": 1}),
        Candidate("k-neighbors-classifier", 5, {"n_neighbors": 3}, scaling="none"),
    ]
    kernels = [
        Candidate("svc", 5),
        Candidate("svc", 5, {"C": 10.0}),
        Candidate("svc", 5, {"C": 10.0}, scaling="range"),
        Candidate("svc", 5, {"C": 10.0}, scaling="none"),
    ]
    return [
        Candidate("gaussian-nb", 5),
        Candidate("linear-svc", 5, {"max_iter": 300}),
        Candidate("logistic-regression", 5, {"C": 0.05, "max_iter": 1000}),
        *(replace(one, most_rows=100_000, most_cells=20_000_000) for one in near),
        *(replace(one, most_rows=20_000, most_cells=4_000_000) for one in kernels),
        Candidate(
            forest,
            5,
            {"max_features": 0.5, "n_estimators": 200, "n_jobs": -1},
            most_cells=10_000_000,
        ),
        Candidate("adaboost-classifier", 5, {"n_estimators": 100}, most_cells=10_000_000),
        Candidate("mlp-classifier", 5, {"max_iter": 100}, most_cells=100_000),
    ]


#: The candidates of a table of numbers with two classes.
CANDIDATES = candidates_for(Shape(10))
#: Those of a quantity.
REGRESSORS = candidates_for(Shape(10, task="quantity"))


def first_settings(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """One candidate for each learner: its first."""
    by_name: dict[str, Candidate] = {}
    for one in candidates:
        by_name.setdefault(one.learner, one)
    return tuple(by_name.values())


def named_candidates(names: Sequence[str], shape: Shape) -> tuple[Candidate, ...]:
    """The settings of some learners, by name, each with as long a code word as any other.

    Examples
    --------
    >>> [str(one) for one in named_candidates(["svc", "perceptron"], Shape(10))][-1]
    'perceptron'
    """
    usual = candidates_for(shape)
    listed = [
        one
        for name in names
        for one in [c for c in usual if c.learner == name] or [Candidate(name, 1)]
    ]
    # Whoever is named is tried, however large the table: there is the time limit.
    endless = 2**62
    bits = max(1, (len(listed) - 1).bit_length())
    return tuple(replace(c, bits=bits, most_rows=endless, most_cells=endless) for c in listed)


def make(learner: str, parameters: Mapping[str, Any], seed: int) -> Any:
    """A learner by name; one that draws at random draws by the seed unless told otherwise.

    Examples
    --------
    >>> make("gaussian-nb", {}, 0)
    GaussianNB()
    """
    model = make_learner(learner, dict(parameters))
    if "random_state" in model.get_params(deep=False) and "random_state" not in parameters:
        model.set_params(random_state=seed)
    return model


def learned(model: Any, learner: str, X: Any, y: Any, name: str) -> None:
    """Fit a model; what it cannot learn is said in a sentence."""
    try:
        model.fit(X, y)
    except AssayError:
        raise
    except (ValueError, TypeError, AttributeError, ArithmeticError, MemoryError) as problem:
        # A parameter of a wrong type is not always refused by a sentence of its own.
        raise BadData(f"{learner} cannot learn {name}: {problem}") from problem


def scaling_of(learner: str, scaling: Scaling | None = None) -> Scaling:
    """How numbers are shown to a learner: as it was asked for, or as suits it."""
    return scaling or ("standard" if wants_scale(learner) else "none")


def wants_scale(learner: str) -> bool:
    """Whether a learner is shown numbers centred and scaled.

    Examples
    --------
    >>> wants_scale("svc"), wants_scale("decision-tree-classifier")
    (True, False)
    """
    return learner not in _UNSCALED


def takes_sparse(model: Any) -> bool:
    """Whether a learner learns from sparse rows."""
    return bool(model.__sklearn_tags__().input_tags.sparse)


def many_words(model: Any) -> bool:
    """Whether words have thousands of places in the rows of a learner, which then are sparse.

    Examples
    --------
    >>> many_words(make("logistic-regression", {}, 0)), many_words(make("random-forest-classifier", {}, 0))
    (True, False)
    """
    return takes_sparse(model) and name_of(model) not in _FEW_WORDS
