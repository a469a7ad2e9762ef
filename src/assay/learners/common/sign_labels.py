"""Class labels to -1 and +1, without sorting them where there are only two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, Where
from assay.types import Array


class UnknownLabel(BadData):
    """A label that is no class."""


def plain(label: Any) -> Any:
    """A label as Python knows it."""
    return label.item() if isinstance(label, np.generic) else label


def require_two_classes(owner: Any, classes: Array, left: str = "y holds") -> None:
    """Refuse a single class: there would be nothing to tell apart.

    Examples
    --------
    >>> require_two_classes("a text", np.array(["ham"]))
    Traceback (most recent call last):
        ...
    assay.errors.BadData: str needs at least two classes, but y holds 1 class: 'ham'.
    """
    if len(classes) < 2:
        raise BadData(
            f"{type(owner).__name__} needs at least two classes, but {left} 1 class: {plain(classes[0])!r}."
        )


def two_classes_or_more(owner: Any, labels: Array, left: str = "y holds") -> Array:
    """The distinct labels of a classifier's sample in sorted order; refuses a single one."""
    classes = classes_of(labels)
    require_two_classes(owner, classes, left)
    return classes


def classes_of(labels: Array) -> Array:
    """The distinct labels in sorted order; refuses measured quantities.

    Examples
    --------
    >>> classes_of(np.array([1, 0, 1, 1]))
    array([0, 1])
    """
    if labels.dtype.kind in "biuf" and labels.size:
        ends = np.array([labels.min(), labels.max()])
        if np.all((labels == ends[0]) | (labels == ends[1])):
            _refuse_quantities(ends)
            return ends if ends[0] != ends[1] else ends[:1]
    try:
        classes = np.unique(labels)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise BadData(f"y must hold labels of one kind, but holds {' and '.join(kinds)}.") from None
    _refuse_quantities(classes)
    return classes


def _refuse_quantities(classes: Array) -> None:
    if classes.dtype.kind == "f":
        odd = classes[~np.isfinite(classes) | (classes != np.rint(classes))]
        if odd.size:
            raise BadData(
                "Unknown label type: ",
                Where(of="y"),
                f" holds {float(odd[0])!r}, a measured quantity. A classifier needs classes.",
            )


def first_classes(y: Any, classes: Sequence[Any] | None) -> Array:
    """The labels there are, as given with the first example."""
    if classes is None and isinstance(y, bool | np.bool_):
        classes = [False, True]
    if classes is None:
        raise BadData("classes must be given with the first example: all labels there are.")
    known = np.unique(np.asarray(classes))
    if y not in known.tolist():
        raise unknown_label(y, known)
    return known


def signs_of(labels: Array, positive: Any, classes: Array, dtype: np.dtype[Any]) -> Array:
    """+1 where a label is the positive one, -1 elsewhere; refuses labels that are no class.

    Examples
    --------
    >>> signs_of(np.array(["a", "b"]), "b", np.array(["a", "b"]), np.dtype(float))
    array([-1.,  1.])
    """
    hits = np.asarray(labels == positive)
    known = hits
    for other in classes:
        if known.all():
            break
        known = known | (labels == other)
    if not known.all():
        row = int(np.flatnonzero(~known)[0])
        raise unknown_label(labels[row], classes, row)
    signs = hits.astype(dtype)
    signs *= 2
    signs -= 1
    return signs


def unknown_label(label: Any, classes: Array, row: int | None = None) -> UnknownLabel:
    """The refusal of a label that is no class.

    Examples
    --------
    >>> print(unknown_label("c", np.array(["a", "b"]), 7))
    y holds the label 'c' in row 7, which is none of the classes 'a', 'b'.
    """
    label = label.item() if isinstance(label, np.generic) else label
    listed = ", ".join(map(repr, classes[:10].tolist())) + (", ..." if len(classes) > 10 else "")
    where = () if row is None else (" in ", Where(row=row))
    held, none = f"y holds the label {label!r}", f", which is none of the classes {listed}."
    return UnknownLabel(held, *where, none)
