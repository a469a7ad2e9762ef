"""The learners that `auto` chooses among, each with the length of its name in a prefix-free code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AssayError, BadData
from assay.learners.registry import learner_names, make_learner

# Learners that are shown numbers as they are: questions about single columns, or 0 and 1 only.
_UNSCALED = frozenset(
    name for family in ("trees", "ensembles", "bayes", "boolean") for name in learner_names(family)
) | {"winnow"}


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
    """

    learner: str
    bits: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int = 2_000_000
    most_cells: int = 400_000_000

    def make(self, seed: int = 0) -> Any:
        """The learner, not fitted."""
        return make(self.learner, self.parameters, seed)

    def too_large(self, rows: int, features: int) -> bool:
        """Whether a table is too large for it."""
        return rows > self.most_rows or rows * features > self.most_cells

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.learner}({settings})" if settings else self.learner


# Two names of 2 bits, two of 3 and four of 4 fill a prefix-free code: the shares sum to 1.
CANDIDATES = (
    Candidate("decision-tree-classifier", 2, {"max_leaf_nodes": 16, "min_samples_leaf": 5}),
    Candidate("logistic-regression", 2, {"max_iter": 1000}),
    Candidate("gaussian-nb", 3),
    Candidate("linear-svc", 3, {"max_iter": 300}),
    Candidate("k-neighbors-classifier", 4, most_rows=100_000, most_cells=20_000_000),
    Candidate("svc", 4, most_rows=20_000, most_cells=4_000_000),
    Candidate("adaboost-classifier", 4, {"n_estimators": 100}, most_cells=100_000_000),
    Candidate("random-forest-classifier", 4, {"n_estimators": 200}, most_cells=40_000_000),
)


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
