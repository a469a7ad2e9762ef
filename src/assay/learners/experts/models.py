"""Models, functions and columns as experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter
from assay.learners.experts.advice import Names, as_cells
from assay.types import Array


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
        for name in self.names:
            if self.names.count(name) > 1:
                raise BadParameter(
                    f"models must have different names, but two are called {name!r}. Give a dict."
                )

    def advice(self, X: Any) -> Array:
        """What every expert says about every example, a column for each.

        Parameters
        ----------
        X : array-like or data frame, Arrow table, or a list of dicts
            The examples.
        """
        examples = _Examples(X)
        columns = [as_cells(_asker(model)(model, examples)) for model in self.models]
        sizes = {column.shape for column in columns}
        if len(sizes) > 1 or columns[0].ndim != 1:
            raise BadData("Every expert must give one prediction for each example.")
        kind = object if {column.dtype.kind for column in columns} & set("OUS") else None
        return np.column_stack([column.astype(kind) if kind else column for column in columns])

    def predict(self, x: Any) -> Any:
        """The prediction for one example; changes nothing."""
        return self.policy.predict(self._one(x))

    def update(self, x: Any, outcome: Any) -> None:
        """Learn one example from its outcome: the weights learn, not the models."""
        self.policy.update(self._one(x), outcome)

    def play(self, X: Any, outcomes: Any) -> Array:
        """Predict and learn many examples; returns the predictions."""
        return np.asarray(self.policy.play(Said(self.advice(X), self.names), outcomes))

    def _one(self, x: Any) -> dict[str, Any]:
        return dict(zip(self.names, self.advice(_as_table(x))[0].tolist(), strict=True))

    def __getattr__(self, name: str) -> Any:
        if name in ("record_", "guarantees", "n_experts"):
            return getattr(self.policy, name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")


class Said:
    """Advice with the names of those who gave it, as tables have them."""

    def __init__(self, cells: Array, names: Names) -> None:
        self.cells, self.columns = cells, names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.cells, dtype=dtype)


def _called(place: Any, model: Any) -> str:
    if isinstance(model, str):
        return model
    kind = getattr(model, "__name__", type(model).__name__)
    return f"{place}: {kind}" if not isinstance(model, int) else f"column {model}"


def _as_table(x: Any) -> Any:
    """One example as a table with one row, with the names that it has."""
    if isinstance(x, Mapping):
        return [x]
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a pandas data frame
        return x.to_frame().T.infer_objects()
    if len(getattr(x, "shape", ())) == 2:
        if len(x) != 1:
            raise BadData(f"One example is needed, but there are {len(x)}.")
        return x
    return np.asarray(x).reshape(1, -1)


class _Examples:
    """Examples in any form, and the forms in which experts want them."""

    def __init__(self, X: Any) -> None:
        self.as_dicts = isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)
        self.arrow = hasattr(X, "column_names")
        named = self.arrow or hasattr(X, "columns")
        self.given: Any = X if named or self.as_dicts else np.asarray(X)
        self.names: list[Any] | None = None
        if named:
            self.names = list(X.column_names if self.arrow else X.columns)
        if not named and not self.as_dicts and self.given.ndim != 2:
            raise BadData(
                f"Examples must be a table with a row for each, but have shape {self.given.shape}."
            )

    def column(self, name: Any) -> Any:
        """One column, by its name, or by its number where no name is that number."""
        try:
            if self.as_dicts:
                return [row[name] for row in self.given]
            if self.names is None:
                return self.given[:, name]
            if name in self.names:
                return np.asarray(self.given[name])
            return self.array()[:, name] if isinstance(name, int) else self.given[str(name)]
        except (KeyError, IndexError):
            raise _no_column(name) from None
        except Exception as problem:  # of polars
            if type(problem).__name__ != "ColumnNotFoundError":
                raise
            raise _no_column(name) from None

    def array(self) -> Array:
        """A plain table; of dicts, in the order of the first one's entries."""
        if self.as_dicts:
            return np.column_stack([self.column(name) for name in self.given[0]])
        if self.arrow:
            return np.column_stack([np.asarray(column) for column in self.given.columns])
        return np.asarray(self.given)

    def dicts(self) -> list[Any]:
        """A dict for each example, the way River has them."""
        if self.as_dicts:
            return list(self.given)
        cells = self.array()
        names = range(cells.shape[1]) if self.names is None else self.names
        return [dict(zip(names, row, strict=True)) for row in cells.tolist()]

    def table_for(self, model: Any) -> Any:
        """What `predict` of a model takes: with names where it learned names."""
        if not self.as_dicts and not self.arrow:
            return self.given
        names = getattr(model, "feature_names_in_", None)
        if names is None:
            return self.array()
        columns = {name: np.asarray(self.column(name)) for name in names}
        try:
            DataFrame = import_module("pandas").DataFrame
        except ImportError:  # scikit-learn then warns about names, and is right about the order
            return np.column_stack(list(columns.values()))
        return DataFrame(columns)


def _no_column(name: Any) -> BadData:
    return BadData(f"The examples have no column {name!r}.")


def _asker(model: Any) -> Any:
    """How a model is asked about many examples."""
    if isinstance(model, str) or (isinstance(model, int) and not isinstance(model, bool)):
        return lambda name, examples: examples.column(name)
    if isinstance(model, type):
        raise BadParameter(
            f"An expert must be a fitted model, but {model.__name__} is a class. Give an instance, fitted."
        )
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


def _predict(model: Any, examples: _Examples) -> Any:
    if examples.as_dicts and hasattr(model, "predict_one"):
        return _predict_one(model, examples)
    return model.predict(examples.table_for(model))


def _predict_one(model: Any, examples: _Examples) -> list[Any]:
    return [model.predict_one(row) for row in examples.dicts()]


def _call(model: Any, examples: _Examples) -> list[Any]:
    return [model(row) for row in (examples.given if examples.as_dicts else examples.array())]
