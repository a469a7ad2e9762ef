"""One turn of an online game: ask, then teach, whatever library the learner comes from.

A learner is one of three kinds: assay's own, which learn a block by the same compiled step as a single
example; those of scikit-learn's kind, with ``predict`` and ``partial_fit``; and those of River's kind,
with ``predict_one`` and ``learn_one``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, BadParameter
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.search.comparator_store import Hindsight

_FEW = 8  # rows that are asked one by one faster than as a table


def are_dicts(X: Any) -> bool:
    """Whether examples come as a sequence of dicts."""
    return isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)


class Examples:
    """Rows of any kind of table, or a sequence of dicts, by their position."""

    def __init__(self, X: Any) -> None:
        self.dicts = are_dicts(X)
        if sparse.issparse(X):
            X = X.tocsr()
        elif not self.dicts and not hasattr(X, "columns"):
            X = np.asarray(X)
            if X.ndim != 2:
                raise BadData(
                    f"X must have rows and columns, but has the shape {X.shape}. "
                    "Give a table, or a list of dicts."
                )
        self.rows = X

    def __len__(self) -> int:
        return len(self.rows) if self.dicts else int(self.rows.shape[0])

    @property
    def dense(self) -> bool:
        """Whether a row is a plain vector."""
        return isinstance(self.rows, np.ndarray)

    def empty(self) -> Any:
        """An example in which nothing is set."""
        return {} if self.dicts else np.zeros(self.rows.shape[1])

    def block(self, start: int, stop: int) -> Any:
        """Some rows in a row, as a table of the kind that was given."""
        if self.dicts or self.dense or sparse.issparse(self.rows):
            return self.rows[start:stop]
        return _safe_indexing(self.rows, slice(start, stop))

    def take(self, places: NDArray[np.int64]) -> Any:
        """Some rows by their positions."""
        if self.dicts:
            return [self.rows[place] for place in places]
        return _safe_indexing(self.rows, places)

    def named(self, place: int) -> Mapping[Any, Any]:
        """One row as a dict of its features."""
        if self.dicts:
            row: Mapping[Any, Any] = self.rows[place]
            return row
        block = self.block(place, place + 1)
        names = list(getattr(self.rows, "columns", range(self.rows.shape[1])))
        values = block.toarray()[0] if sparse.issparse(block) else np.asarray(block)[0]
        return dict(zip(names, values.tolist(), strict=True))


def labels_of(y: Any, rows: int) -> NDArray[Any]:
    """Labels as an array, one for each row."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise BadData(f"y must hold one label for each row, but has the shape {labels.shape}.")
    if len(labels) != rows:
        raise BadData(f"X has {rows} rows, but y has {len(labels)} labels.")
    if not rows:
        raise BadData("There must be at least one example, but X has no rows.")
    return labels


def classes_for(learner: Any, labels: NDArray[Any], classes: Any) -> NDArray[Any]:
    """All labels there are: as given, as the learner knows them, or as they occur."""
    if classes is None:
        classes = getattr(learner, "classes_", None)
    return np.unique(labels if classes is None else np.asarray(classes))


def plain(label: Any) -> Any:
    """A label as Python's own kind of value, where there is one."""
    return label.item() if isinstance(label, np.generic) else label


def require_learner(learner: Any) -> None:
    """Refuse what cannot be asked and taught by turns."""
    if isinstance(learner, BaseEstimator) and is_regressor(learner):
        raise BadParameter(
            f"learner must predict classes, but {type(learner).__name__} predicts quantities."
        )
    batch = hasattr(learner, "partial_fit") and hasattr(learner, "predict")
    single = hasattr(learner, "learn_one") and hasattr(learner, "predict_one")
    if not batch and not single:
        raise BadParameter(
            "learner must have predict and partial_fit, or predict_one and learn_one, but "
            f"{type(learner).__name__} has neither pair."
        )


def takes_sparse(learner: Any) -> bool:
    """Whether a learner says that it learns from sparse rows."""
    return isinstance(learner, BaseEstimator) and bool(get_tags(learner).input_tags.sparse)


class Seat:
    """A learner at the table, asked and taught one example of a sequence at a time.

    Before it has learned anything, one of assay's answers by the weights it starts from, any other with
    the first class.
    """

    def __init__(self, learner: Any, examples: Examples, classes: NDArray[Any]) -> None:
        require_learner(learner)
        self.learner, self.examples, self.classes = learner, examples, classes
        batch, single = hasattr(learner, "partial_fit"), hasattr(learner, "learn_one")
        if examples.dicts and not single:
            raise BadParameter(
                f"X must be a table, because {type(learner).__name__} does not learn from dicts."
            )
        # Vectors one by one where both ways are open: the light path of assay's own learners. They begin
        # with double precision, so rows of single precision go as tables.
        light = single and examples.dense and examples.rows.dtype != np.float32
        self.single = examples.dicts or not batch or light
        self.vector = batch and not examples.dicts
        self.known = is_fitted(learner)
        self.beginner = None if self.known else beginner(learner, examples.empty(), classes)
        self.guess = plain(classes[0])

    def predict(self, place: int) -> Any:
        """The label predicted for one row; changes nothing."""
        if not self.known:
            return plain(self.answers(place, place + 1)[0])
        if not self.single:
            return plain(np.asarray(self.learner.predict(self._table(place)))[0])
        answer = self.learner.predict_one(self._one(place))
        return self.guess if answer is None else answer

    def answers(self, start: int, stop: int) -> NDArray[Any]:
        """The labels predicted for some rows by the present hypothesis."""
        if not self.known:
            return self._first_answers(start, stop)
        few = self.single and stop - start <= _FEW
        if hasattr(self.learner, "predict") and not self.examples.dicts and not few:
            return np.asarray(self.learner.predict(self.examples.block(start, stop)))
        return np.asarray([self.predict(place) for place in range(start, stop)])

    def _first_answers(self, start: int, stop: int) -> NDArray[Any]:
        block = self.examples.block(start, stop)
        if self.beginner is None:
            return np.full(stop - start, self.guess)
        if self.examples.dicts:
            return np.asarray([self.beginner.predict_one(x) for x in block])
        # Without names: those are for the learner that learns.
        return self.beginner.predict(block if sparse.issparse(block) else np.asarray(block))

    def learn(self, place: int, label: Any) -> None:
        """Teach one row."""
        if not self.single:
            self._fit(self._table(place), np.asarray([label]))
        elif self.known or not hasattr(self.learner, "partial_fit"):
            self.learner.learn_one(self._one(place), label)
        else:
            self.learner.learn_one(self._one(place), label, classes=list(self.classes))
        self.known = True

    def hypothesis(self) -> Any:
        """What the learner predicts with now, as an object that no later lesson changes."""
        if not self.known:
            return Constant(self.guess) if self.beginner is None else Still(self.beginner)
        if isinstance(self.learner, OnlineLinearClassifier):
            return Still(self.learner)
        return copy.deepcopy(self.learner)

    def teach(self, start: int, stop: int, labels: NDArray[Any]) -> None:
        """Teach some rows in a row: as a block where that is the same, else one by one."""
        if start == stop:
            return
        if hasattr(type(self.learner), "record_") and not self.examples.dicts:
            self._fit(self.examples.block(start, stop), labels[start:stop])
            self.known = True
            return
        for place in range(start, stop):
            self.learn(place, plain(labels[place]))

    def _fit(self, block: Any, labels: NDArray[Any]) -> None:
        if self.known:
            self.learner.partial_fit(block, labels)
        else:
            self.learner.partial_fit(block, labels, classes=self.classes)

    def _table(self, place: int) -> Any:
        return self.examples.block(place, place + 1)

    def _one(self, place: int) -> Any:
        return self.examples.rows[place] if self.vector else self.examples.named(place)


def is_fitted(learner: Any) -> bool:
    """Whether a learner has learned anything; one of River's kind can always be asked."""
    if not hasattr(learner, "partial_fit"):
        return True
    if not hasattr(learner, "fit"):  # scikit-learn would not look at it
        return any(name.endswith("_") for name in vars(learner))
    try:
        check_is_fitted(learner)
    except NotFittedError:
        return False
    return True


def beginner(learner: Any, x: Any, classes: NDArray[Any]) -> OnlineLinearClassifier | None:
    """A copy of one of assay's learners with the weights it starts from; None for all others."""
    inside = getattr(learner, "learner", learner)  # a wrapper starts as what is inside
    if not isinstance(inside, OnlineLinearClassifier):
        return None
    fresh: OnlineLinearClassifier = clone(inside)
    fresh._open_one(x, classes)
    return fresh


def first_answer(learner: Any, x: Any, classes: NDArray[Any]) -> Any:
    """What is predicted for one example before anything is learned."""
    fresh = beginner(learner, x, classes)
    return plain(classes[0]) if fresh is None else fresh.predict_one(x)


class Constant:
    """The hypothesis before the first lesson: always the same label."""

    def __init__(self, label: Any) -> None:
        self.label = label

    def predict(self, X: Any) -> NDArray[Any]:
        """The label, once for each row."""
        return np.full(len(Examples(X)), self.label)

    def predict_one(self, x: Any) -> Any:
        """The label."""
        return self.label


class Still:
    """A hypothesis: a copy of one of assay's learners that can be asked but no longer taught."""

    _CLOSED = ("fit", "partial_fit", "learn_one", "record_", "guarantees", "certificate")

    def __init__(self, learner: OnlineLinearClassifier) -> None:
        # The weights are enough; the examples kept for hindsight would be copied again and again.
        self._learner = copy.copy(learner)
        self._learner.players_ = [copy.copy(player) for player in learner.players_]
        for player in self._learner.players_:
            for name in player.arrays:
                setattr(player, name, getattr(player, name).copy())
            player.hindsight = Hindsight()

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of every row."""
        return self._learner.predict(X)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example."""
        return self._learner.predict_one(x)

    def __getattr__(self, name: str) -> Any:
        if name in self._CLOSED or name.startswith("_"):
            raise AttributeError(f"A hypothesis has no {name!r}.")
        return getattr(self._learner, name)
