"""Class labels to -1 and +1, without sorting them where there are only two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData, Where


class UnknownLabel(BadData):
    """A label that is no class."""


def classes_of(labels: NDArray[Any]) -> NDArray[Any]:
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
        found = np.unique(labels)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise BadData(f"y must hold labels of one kind, but holds {' and '.join(kinds)}.") from None
    _refuse_quantities(found)
    return found


def _refuse_quantities(classes: NDArray[Any]) -> None:
    if classes.dtype.kind == "f":
        odd = classes[~np.isfinite(classes) | (classes != np.rint(classes))]
        if odd.size:
            raise BadData(
                "Unknown label type: ",
                Where(of="y"),
                f" holds {float(odd[0])!r}, a measured quantity. A classifier needs classes.",
            )


def signs_of(
    labels: NDArray[Any], positive: Any, classes: NDArray[Any], dtype: np.dtype[Any]
) -> NDArray[Any]:
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


def unknown_label(label: Any, classes: NDArray[Any], row: int | None = None) -> UnknownLabel:
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
