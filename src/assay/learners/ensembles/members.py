"""Members of bagged ensembles: their seeds and weights, and what one learns from a bag of one class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from assay.errors import BadParameter
from assay.types import Array, Floats, Ints

SEEDS = 2**31 - 1


@dataclass(frozen=True)
class OneLabel:
    """Say the same class of every row, as there is nothing else to learn from a bag of one class.

    Attributes
    ----------
    classes_ : array
        That class.
    n_features_in_ : int
        How many features rows have.

    Examples
    --------
    >>> OneLabel(np.array(["no"]), 2).predict([[1.0, 2.0], [3.0, 4.0]]).tolist()
    ['no', 'no']
    """

    classes_: Array
    n_features_in_: int

    def predict(self, X: Any) -> Array:
        """The class, once for each row."""
        return np.repeat(self.classes_, _rows(X))

    def predict_proba(self, X: Any) -> Floats:
        """All of the share for it."""
        return np.ones((_rows(X), 1))


def _rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def weights_of_bag(weights: Floats | None, taken: Ints) -> Any:
    """The weights of the rows of a bag; even ones if none of them weighs anything, and None if there are none.

    Examples
    --------
    >>> weights_of_bag(np.array([0.0, 0.0, 2.0]), np.array([0, 1, 1])).tolist()
    [1.0, 1.0, 1.0]
    """
    if weights is None:
        return None
    drawn = weights[taken]
    return drawn if drawn.any() else np.ones(len(taken))


def seeded(model: Any, draw: Callable[[], Any]) -> Any:
    """The model, with every seed that it or a part of it takes drawn anew."""
    names = sorted(model.get_params(deep=True)) if hasattr(model, "get_params") else []
    seeds = {
        name: draw() for name in names if name == "random_state" or name.endswith("__random_state")
    }
    return model.set_params(**seeds) if seeds else model


def require_weights(model: Any) -> None:
    """Refuse weights where the learner takes none."""
    if not has_fit_parameter(model, "sample_weight"):
        raise BadParameter(f"The fit of {type(model).__name__} takes no sample_weight.")
