"""One turn of an online game: ask, then teach, whatever library the learner comes from.

A learner is one of three kinds: assay's own, which learn a block by the same compiled step as a single
example; those of scikit-learn's kind, with ``predict`` and ``partial_fit``; and those of River's kind,
with ``predict_one`` and ``learn_one``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, BadParameter
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.sign_labels import plain
from assay.learners.search.comparator_store import Hindsight
from assay.types import Array, Ints

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

    def take(self, places: Ints) -> Any:
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


def labels_of(y: Any, rows: int) -> Array:
    """Labels as an array, one for each row."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise BadData(f"y must hold one label for each row, but has the shape {labels.shape}.")
    if len(labels) != rows:
        raise BadData(f"X has {rows} rows, but y has {len(labels)} labels.")
    if not rows:
        raise BadData("There must be at least one example, but X has no rows.")
    return labels


def classes_for(learner: Any, labels: Array, classes: Any) -> Array:
    """All labels there are: as given, as the learner knows them, or as they occur."""
    if classes is None:
        classes = getattr(learner, "classes_", None)
    return np.unique(labels if classes is None else np.asarray(classes))


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


class Player:
    """A learner at the table, asked and taught one example or some rows at a time.

    One example is a vector, a dict, or a table of one row. Before it has learned anything, one of assay's
    answers by the weights it starts from, any other with the first class.
    """

    def __init__(self, learner: Any, classes: Array | None) -> None:
        require_learner(learner)
        self.learner, self.classes = learner, classes
        self._batch, self._single = hasattr(learner, "partial_fit"), hasattr(learner, "learn_one")
        self.known = is_fitted(learner)
        self._beginner: tuple[int | None, OnlineLinearClassifier | None] | None = None

    # Asking

    def ask(self, x: Any) -> Any:
        """The label predicted for one example; changes nothing. None where nobody knows any label."""
        answer = None
        if self.known:
            if self._single and not _is_table(x):
                answer = self.learner.predict_one(x)
            else:
                answer = plain(np.asarray(self.learner.predict(_table(x)))[0])
        if answer is None and self.classes is not None:
            first = self._first(x)
            if first is None:
                return plain(self.classes[0])
            return plain(first.predict(_bare(x))[0]) if _is_table(x) else first.predict_one(x)
        return answer

    def ask_block(self, X: Any) -> Array:
        """The labels predicted for the rows of a table by the present hypothesis."""
        if self.known:
            return np.asarray(self.learner.predict(X))
        assert self.classes is not None
        first = self._first(X)
        rows = X.shape[0]
        return np.full(rows, plain(self.classes[0])) if first is None else first.predict(_bare(X))

    def answers(self, examples: Examples, start: int, stop: int) -> Array:
        """The labels predicted for some rows by the present hypothesis."""
        row, single = self.row(examples)
        few = self.known and single and stop - start <= _FEW
        if examples.dicts or few or not hasattr(self.learner, "predict"):
            return np.asarray([self.ask(row(place)) for place in range(start, stop)])
        return self.ask_block(examples.block(start, stop))

    def row(self, examples: Examples) -> tuple[Callable[[int], Any], bool]:
        """One row by its place, in the form in which this learner takes it; and whether that is no table."""
        if examples.dicts:
            if not self._single:
                raise BadParameter(
                    f"X must be a table, because {type(self.learner).__name__} does not learn from dicts."
                )
            return examples.rows.__getitem__, True
        if not self._batch:
            return examples.named, True
        # Vectors one by one where both ways are open: the light path of assay's own learners. They begin
        # with double precision, so rows of single precision go as tables.
        if self._single and examples.dense and examples.rows.dtype != np.float32:
            return examples.rows.__getitem__, True
        return lambda place: examples.block(place, place + 1), False

    def _first(self, x: Any) -> OnlineLinearClassifier | None:
        """What answers before anything was learned; kept, since it costs more than an answer."""
        shape = np.shape(x)
        width = shape[-1] if shape else None
        if self._beginner is None or self._beginner[0] != width:
            assert self.classes is not None
            blank = {} if isinstance(x, Mapping) else x if width is None else np.zeros(width)
            self._beginner = width, beginner(self.learner, blank, self.classes)
        return self._beginner[1]

    def hypothesis(self, examples: Examples) -> Any:
        """What the learner predicts with now, as an object that no later lesson changes."""
        if not self.known:
            assert self.classes is not None
            first = self._first(examples.empty())
            return Constant(plain(self.classes[0])) if first is None else Still(first)
        if isinstance(self.learner, OnlineLinearClassifier):
            return Still(self.learner)
        return copy.deepcopy(self.learner)

    # Teaching

    def teach(self, x: Any, label: Any) -> None:
        """Teach one example."""
        if self._single and not _is_table(x):
            self.learner.learn_one(x, label, **self._begun())
        else:
            self.learner.partial_fit(_table(x), np.asarray([label]), **self._begun())
        self.known, self._beginner = True, None

    def teach_rows(self, examples: Examples, start: int, stop: int, labels: Array) -> None:
        """Teach some rows in a row: as a block where that is the same, else one by one."""
        if start == stop:
            return
        if plays_rounds(type(self.learner)) and not examples.dicts:
            try:
                block = examples.block(start, stop)
                self.learner.partial_fit(block, labels[start:stop], **self._begun())
            finally:  # those before a row that is refused have been learned
                self.known = self.known or is_fitted(self.learner)
            return
        row, _ = self.row(examples)
        for place in range(start, stop):
            self.teach(row(place), plain(labels[place]))

    def _begun(self) -> dict[str, Any]:
        """What the first lesson takes besides."""
        return {} if self.known or not self._batch else {"classes": self.classes}


def plays_rounds(kind: type) -> bool:
    """Whether the record of such learners is one of rounds, each predicted and then learned.

    Examples
    --------
    >>> from assay import GaussianNB, Perceptron
    >>> plays_rounds(Perceptron), plays_rounds(GaussianNB)
    (True, False)
    """
    return hasattr(kind, "record_") and getattr(kind, "plays_rounds", True)


def _is_table(x: Any) -> bool:
    dimensions = getattr(x, "ndim", 0)
    return dimensions == 2 or (not dimensions and hasattr(x, "columns"))


def _table(x: Any) -> Any:
    return x if _is_table(x) else np.asarray(x).reshape(1, -1)


def _bare(block: Any) -> Any:
    """A table without the names of its columns: those are for the learner that learns."""
    return block if sparse.issparse(block) else np.asarray(block)


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


def beginner(learner: Any, x: Any, classes: Array) -> OnlineLinearClassifier | None:
    """A copy of one of assay's learners with the weights it starts from; None for all others."""
    inside = getattr(learner, "learner", learner)  # a wrapper starts as what is inside
    if not isinstance(inside, OnlineLinearClassifier):
        return None
    fresh: OnlineLinearClassifier = clone(inside)
    fresh._open_one(x, classes)
    return fresh


class Constant:
    """The hypothesis before the first lesson: always the same label."""

    def __init__(self, label: Any) -> None:
        self.label = label

    def predict(self, X: Any) -> Array:
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

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        return self._learner.predict(X)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example."""
        return self._learner.predict_one(x)

    def __getattr__(self, name: str) -> Any:
        if name in self._CLOSED or name.startswith("_"):
            raise AttributeError(f"A hypothesis has no {name!r}.")
        return getattr(self._learner, name)
