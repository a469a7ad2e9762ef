"""Models, functions and columns as experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData, BadParameter
from assay.learners.experts.advice import Names


class ModelExperts:
    """A policy whose experts are models: it is played with examples, and asks the models for advice.

    Parameters
    ----------
    policy : policy
        One that takes advice.
    models : list or dict
        Fitted models with ``predict`` (scikit-learn, assay) or ``predict_one`` (River), functions of one
        example, or names or numbers of columns of the examples; a dict gives them names.

    Attributes
    ----------
    policy : policy
        With its `record_` and `guarantees`, which can be had here as well.
    names : tuple of str
        What the experts are called.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import WeightedMajority
    >>> X = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])
    >>> policy = WeightedMajority.from_models({"first": 0, "second": 1, "or": lambda x: int(x.any())})
    >>> policy.play(X, [1, 1, 0, 0]).tolist()
    [1, 1, 1, 0]
    >>> policy.guarantees()[0].of
    "mistakes, compared with expert 'second'"
    """

    def __init__(self, policy: Any, models: Any) -> None:
        named = models if isinstance(models, Mapping) else dict(enumerate(models))
        if not named:
            raise BadParameter("models must hold at least one expert, but is empty.")
        self.policy = policy
        self.models = list(named.values())
        for model in self.models:
            _asker(model)
        self.names: Names = tuple(
            str(name) if isinstance(models, Mapping) else _called(name, model)
            for name, model in named.items()
        )

    def advice(self, X: Any) -> NDArray[Any]:
        """What every expert says about every example, a column for each.

        Parameters
        ----------
        X : array-like or data frame, or a list of dicts
            The examples.
        """
        rows = X if hasattr(X, "columns") or hasattr(X, "column_names") else _rows(X)
        said = [np.asarray(_asker(model)(model, rows)) for model in self.models]
        sizes = {column.shape for column in said}
        if len(sizes) > 1 or said[0].ndim != 1:
            raise BadData("Every expert must give one prediction for each example.")
        kind = object if {column.dtype.kind for column in said} & set("OUS") else None
        return np.column_stack([column.astype(kind) if kind else column for column in said])

    def predict(self, x: Any) -> Any:
        """The prediction for one example; changes nothing."""
        return self.policy.predict(self._one(x))

    def update(self, x: Any, outcome: Any) -> None:
        """Learn one example from its outcome: the weights learn, not the models."""
        self.policy.update(self._one(x), outcome)

    def play(self, X: Any, outcomes: Any) -> NDArray[Any]:
        """Predict and learn many examples; returns the predictions."""
        return np.asarray(self.policy.play(Said(self.advice(X), self.names), outcomes))

    def _one(self, x: Any) -> dict[str, Any]:
        rows = [x] if isinstance(x, Mapping) else np.asarray(x).reshape(1, -1)
        return dict(zip(self.names, self.advice(rows)[0].tolist(), strict=True))

    def __getattr__(self, name: str) -> Any:
        if name in ("record_", "guarantees", "n_experts"):
            return getattr(self.policy, name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")


class Said:
    """Advice with the names of those who gave it, as tables have them."""

    def __init__(self, cells: NDArray[Any], names: Names) -> None:
        self.cells, self.columns = cells, names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.cells, dtype=dtype)


def _called(place: Any, model: Any) -> str:
    if isinstance(model, str):
        return model
    kind = getattr(model, "__name__", type(model).__name__)
    return f"{place}: {kind}" if not isinstance(model, int) else f"column {model}"


def _rows(X: Any) -> Any:
    return X if isinstance(X, Sequence) and X and isinstance(X[0], Mapping) else np.asarray(X)


def _asker(model: Any) -> Any:
    """How a model is asked about many examples."""
    if isinstance(model, str) or (isinstance(model, int) and not isinstance(model, bool)):
        return _column
    if hasattr(model, "predict"):
        return _predict
    if hasattr(model, "predict_one"):
        return _predict_one
    if callable(model):
        return _call
    raise BadParameter(
        "An expert must be a fitted model with predict or predict_one, a function or a column, but is "
        f"{model!r}."
    )


def _predict(model: Any, rows: Any) -> Any:
    if isinstance(rows, Sequence) and hasattr(model, "predict_one"):
        return _predict_one(model, rows)
    return model.predict(rows)


def _predict_one(model: Any, rows: Any) -> list[Any]:
    return [model.predict_one(row) for row in _dicts(rows)]


def _call(model: Any, rows: Any) -> list[Any]:
    table = np.asarray(rows) if hasattr(rows, "columns") else rows
    return [model(row) for row in table]


def _column(name: Any, rows: Any) -> Any:
    try:
        if isinstance(rows, Sequence):
            return [row[name] for row in rows]
        if isinstance(name, int) and not hasattr(rows, "columns"):
            return rows[:, name]
        return np.asarray(rows[name])
    except (KeyError, IndexError):
        raise BadData(f"The examples have no column {name!r}.") from None


def _dicts(rows: Any) -> list[Any]:
    """Examples as dicts, the way River has them."""
    if isinstance(rows, Sequence):
        return list(rows)
    columns = list(getattr(rows, "columns", range(np.asarray(rows).shape[1])))
    return [dict(zip(columns, row, strict=True)) for row in np.asarray(rows).tolist()]
