"""Labels of two kinds as -1 and +1, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadData, require
from assay.types import Array, Floats

Label = Any


@dataclass(frozen=True)
class SignLabels:
    """Two labels, of which the second stands for +1.

    Parameters
    ----------
    negative, positive : label
        What -1 and +1 stand for.

    Examples
    --------
    >>> signs = SignLabels.fit(["ham", "spam", "ham"])
    >>> signs.encode(["spam", "ham"]).tolist()
    [1.0, -1.0]
    >>> signs.decode([1.0, -1.0]).tolist()
    ['spam', 'ham']
    """

    negative: Label
    positive: Label

    def __post_init__(self) -> None:
        require(self.negative != self.positive, "positive", "unlike the negative", self.positive)

    @classmethod
    def fit(cls, y: ArrayLike, *, positive: Label = None) -> Self:
        """The two labels that occur; the greater is positive unless one is named.

        Parameters
        ----------
        y : sequence of labels
            Exactly two different ones.
        positive : label, optional
            The one that stands for +1.

        Raises
        ------
        BadData
            If there are not exactly two labels, or the positive one is not among them.
        """
        labels = np.unique(_column(y)).tolist()
        if len(labels) != 2:
            shown = ", ".join(map(repr, labels[:5])) + (", ..." if len(labels) > 5 else "")
            raise BadData(
                f"Two labels are needed to call them -1 and +1, but there are {len(labels)}: "
                f"{shown}. For more, learn one label against the rest."
            )
        if positive is None:
            return cls(*labels)
        if positive not in labels:
            raise BadData(
                f"The positive label must be {labels[0]!r} or {labels[1]!r}, but is {positive!r}."
            )
        labels.remove(positive)
        return cls(labels[0], positive)

    @property
    def classes(self) -> tuple[Label, Label]:
        """What -1 stands for, and what +1 stands for."""
        return self.negative, self.positive

    def encode(self, y: ArrayLike, *, done: int = 0) -> Floats:
        """-1.0 and +1.0 for the two labels.

        Parameters
        ----------
        y : sequence of labels
            The labels.
        done : int
            How many rows came before these, for the row number in a refusal.

        Raises
        ------
        BadData
            If another label occurs, with its row.
        """
        labels = _column(y)
        positive = np.asarray(labels == self.positive)
        odd = ~(positive | np.asarray(labels == self.negative))
        if odd.any():
            row = int(odd.argmax())
            label = labels[row]
            label = label.item() if isinstance(label, np.generic) else label
            raise BadData(
                f"Row {done + row + 1} has the label {label!r}, but the labels are "
                f"{self.negative!r} and {self.positive!r}."
            )
        return np.where(positive, 1.0, -1.0)

    def decode(self, signs: ArrayLike) -> Array:
        """The label of each sign; zero counts as +1, as everywhere in assay.

        Parameters
        ----------
        signs : sequence of float
            Signs or scores.
        """
        scores = np.asarray(signs, dtype=np.float64)
        if np.isnan(scores).any():
            row = int(np.isnan(scores).argmax())
            raise BadData(f"The score of row {row + 1} is not a number, and so has no sign.")
        kind = np.asarray(self.classes).dtype
        labels = np.array(self.classes, dtype=object if kind.kind in "US" else kind)
        decoded: Array = labels[(scores >= 0).astype(np.intp)]
        return decoded


def _column(y: ArrayLike) -> Array:
    labels = np.asarray(y)
    if labels.dtype.kind == "U":
        labels = labels.astype(object)
    if labels.ndim != 1:
        raise BadData(f"Labels must be one column, but have shape {labels.shape}.")
    return labels
