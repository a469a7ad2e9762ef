"""One example at a time, a vector or a dict, for learners whose step takes a block of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.learners.common.example_reader import ExampleReader
from assay.learners.common.learned_rows import begin, learned_one
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import first_classes, unknown_label
from assay.types import Array, Floats, Ints


class OneExample(ExampleReader):
    """What a learner gains that can open, learn and answer blocks of rows."""

    classes_: Array

    def _open(self, classes: Array, width: int) -> None:
        """Begin anew, with nothing learned."""
        raise NotImplementedError

    def _learn(self, rows: Rows, codes: Ints, weights: Floats | None) -> None:
        """Learn some rows, given the number of each one's class."""
        raise NotImplementedError

    def _places(self, rows: Rows) -> Ints:
        """The number of the class predicted for each row."""
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
        known = first_classes(y, classes) if fresh else self.classes_
        label = y.item() if isinstance(y, np.generic) else y
        names = known.tolist()
        if label not in names:
            raise unknown_label(y, known)
        if fresh:
            self._refuse_cells(x)
            self._open(known, len(x))
            begin(self)
            self.n_features_in_ = len(x)
            if isinstance(x, Mapping):
                self._name({name: place for place, name in enumerate(sorted(x, key=str))})
        row = self._block(x, grow=True)
        self._learn(Rows(dense=row), np.array([names.index(label)]), None)
        learned_one(self, row, label)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        if not hasattr(self, "classes_"):
            return None
        row = self._block(x, grow=False)
        return self.classes_[self._places(Rows(dense=row))].tolist()[0]

    def _block(self, x: Any, *, grow: bool) -> Floats:
        """One example as a block of one row; the loops do not look whether it is finite."""
        row = self._one(x, grow=grow)
        for place in np.flatnonzero(~np.isfinite(row)):
            self._number(int(place), float(row[place]))
        return row.reshape(1, -1)


def codes_of(labels: Array, classes: Array) -> Ints:
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


def known_classes(model: Any, classes: Any, *, least: int = 2) -> Array:
    """All labels there are, as the first call of partial_fit says and every later one must."""
    first = not hasattr(model, "classes_")
    if first and classes is None:
        raise BadData(
            "classes must be given in the first call of partial_fit: all labels there are."
        )
    known = model.classes_ if classes is None else np.unique(np.asarray(classes))
    if not first and not np.array_equal(known, model.classes_):
        raise BadData("classes must be the same in every call of partial_fit.")
    if len(known) < least:
        raise BadData(
            f"{type(model).__name__} needs at least two classes, but classes holds {len(known)}."
        )
    return np.asarray(known)
