"""One example at a time, a vector or a dict, for learners whose step takes a block of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData, Where
from assay.learners.common.remember import begin, learned_one
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import unknown_label
from assay.learners.linear.online import OnlineLinearClassifier


class OneExample:
    """What a learner gains that can open, learn and answer blocks of rows."""

    classes_: NDArray[Any]
    n_features_in_: int

    def _open(self, classes: NDArray[Any], width: int) -> None:
        """Begin anew, with nothing learned."""
        raise NotImplementedError

    def _learn(
        self, rows: Rows, codes: NDArray[np.int64], weights: NDArray[np.float64] | None
    ) -> None:
        """Learn some rows, given the number of each one's class."""
        raise NotImplementedError

    def _places(self, rows: Rows) -> NDArray[np.int64]:
        """The number of the class predicted for each row."""
        raise NotImplementedError

    def _widen(self, width: int) -> None:
        """Make room for features that were zero in all rows so far."""
        raise NotImplementedError

    def learn_one(self, x: Any, y: Any, classes: Sequence[Any] | None = None) -> None:
        """Learn from one example, a vector or a dict of features, and its label.

        Gives the same bits as `partial_fit` on the same examples, one in each call. A feature that a dict leaves
        out is zero.

        Parameters
        ----------
        x : array-like of shape (n_features,), or dict of numbers
        y : label
        classes : sequence of labels, optional
            All labels there are; needed with the first example, unless they are truth values.
        """
        fresh = not hasattr(self, "classes_")
        known = OnlineLinearClassifier._first_classes(y, classes) if fresh else self.classes_
        label = y.item() if isinstance(y, np.generic) else y
        names = known.tolist()
        if label not in names:
            raise unknown_label(y, known)
        numbers = _numbers(x)
        if fresh:
            self._open(known, len(numbers))
            begin(self)
            self.n_features_in_ = len(numbers)
            if isinstance(numbers, dict):
                self._name(sorted(numbers, key=str))
        row = self._row(numbers, grow=True)
        self._learn(Rows(dense=row), np.array([names.index(label)]), None)
        learned_one(self, row, label)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        if not hasattr(self, "classes_"):
            return None
        row = self._row(_numbers(x), grow=False)
        return self.classes_[self._places(Rows(dense=row))].tolist()[0]

    def _row(
        self, numbers: dict[Any, float] | NDArray[np.float64], *, grow: bool
    ) -> NDArray[np.float64]:
        if not isinstance(numbers, dict):
            if len(numbers) != self.n_features_in_:
                raise BadData(
                    f"x must have {self.n_features_in_} features, but has {len(numbers)}."
                )
            return numbers.reshape(1, -1)
        index = self._index()
        if grow and not numbers.keys() <= index.keys():
            self._grow(numbers, index)
            index = self._index()
        row = np.zeros((1, self.n_features_in_))
        for name, number in numbers.items():
            place = index.get(name)
            if place is not None:
                row[0, place] = number
        return row

    def _index(self) -> dict[Any, int]:
        """The place of every feature a dict may name."""
        if hasattr(self, "feature_index_"):
            return self.feature_index_
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return {name: place for place, name in enumerate(names)}

    def _grow(self, numbers: Mapping[Any, float], index: dict[Any, int]) -> None:
        # In the order of their names, so that the order within the dict makes no difference.
        fresh = sorted((name for name in numbers if name not in index), key=str)
        by_number = all(isinstance(name, int) for name in index)
        if index and by_number and not all(isinstance(name, int) for name in fresh):
            raise BadData(
                f"x names a feature {fresh[0]!r}, but this learner knows its features by their numbers, "
                f"0 to {len(index) - 1}."
            )
        self._widen(len(index) + len(fresh))
        self._name([*index, *fresh])

    def _name(self, names: Sequence[Any]) -> None:
        self.feature_index_: dict[Any, int] = {name: place for place, name in enumerate(names)}
        self.n_features_in_ = len(names)
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)


def codes_of(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each label's class; refuses labels that are none of them.

    Examples
    --------
    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"]))
    array([1, 0])
    """
    try:
        codes = np.searchsorted(classes, labels).astype(np.int64).clip(max=len(classes) - 1)
        odd = np.flatnonzero(classes[codes] != labels)
    except TypeError:
        odd = np.zeros(1, dtype=np.int64)
    if odd.size:
        row = int(odd[0])
        raise unknown_label(labels[row], classes, row)
    return codes


def known_classes(model: Any, classes: Any) -> NDArray[Any]:
    """All labels there are, as the first call of partial_fit says and every later one must."""
    first = not hasattr(model, "classes_")
    if first and classes is None:
        raise BadData(
            "classes must be given in the first call of partial_fit: all labels there are."
        )
    known = model.classes_ if classes is None else np.unique(np.asarray(classes))
    if not first and not np.array_equal(known, model.classes_):
        raise BadData("classes must be the same in every call of partial_fit.")
    if len(known) < 2:
        raise BadData(
            f"{type(model).__name__} needs at least two classes, but classes holds {len(known)}."
        )
    return np.asarray(known)


def _numbers(x: Any) -> dict[Any, float] | NDArray[np.float64]:
    """The cells of one example, looked at before anything is changed."""
    if isinstance(x, Mapping):
        return {name: _number(name, value) for name, value in x.items()}
    row = OnlineLinearClassifier._vector(x, np.dtype(np.float64))
    for place in np.flatnonzero(~np.isfinite(row)):
        _number(int(place), float(row[place]))
    return row


def _number(name: Any, value: Any) -> float:
    try:
        number = float("text" if isinstance(value, str | bytes) else value)
    except OverflowError:
        raise BadData(Where(column=name, of="x"), " is too large to be learned from.") from None
    except (TypeError, ValueError):
        raise BadData(Where(column=name, of="x"), f" must be a number, but is {value!r}.") from None
    if not math.isfinite(number):
        raise BadData(Where(column=name, of="x"), f" must be a finite number, but is {number!r}.")
    return number
