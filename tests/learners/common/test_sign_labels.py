from __future__ import annotations

import re

import numpy as np
import pytest

from assay.errors import BadData
from assay.learners.common import classes_of, signs_of, unknown_label


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 0, 1], [0, 1]),
        ([2, 0, 1, 2], [0, 1, 2]),
        ([5, 5], [5]),
        ([-1.0, 1.0], [-1.0, 1.0]),
        ([True, False], [False, True]),
        (["spam", "ham"], ["ham", "spam"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (np.array([3, 1], dtype=np.uint8), [1, 3]),
    ],
)
def test_classes_are_sorted(labels, classes):
    assert classes_of(np.asarray(labels)).tolist() == classes


@pytest.mark.parametrize("labels", [[0.5, 1.0], [0.0, 1.0, 2.5], [0.1, 0.1]])
def test_measured_quantities_are_no_classes(labels):
    odd = next(label for label in sorted(labels) if label != int(label))
    with refuses(
        f"Unknown label type: y holds {odd!r}, a measured quantity. A classifier needs classes."
    ):
        classes_of(np.array(labels))


def test_labels_of_two_kinds_are_refused():
    with refuses("y must hold labels of one kind, but holds int and str."):
        classes_of(np.array([1, "a"], dtype=object))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_signs(dtype):
    labels, classes = np.array(["a", "b", "c", "b"]), np.array(["a", "b", "c"])
    signs = signs_of(labels, "b", classes, np.dtype(dtype))
    assert signs.tolist() == [-1, 1, -1, 1]
    assert signs.dtype == dtype


def test_a_label_that_is_no_class_is_refused_with_its_row():
    with refuses("y holds the label 'c' in row 2, which is none of the classes 'a', 'b'."):
        signs_of(np.array(["a", "b", "c"]), "b", np.array(["a", "b"]), np.dtype(float))
    with refuses("y holds the label 1 in row 0, which is none of the classes 'a', 'b'."):
        signs_of(np.array([1, 2]), "b", np.array(["a", "b"]), np.dtype(float))


def test_many_classes_are_not_all_listed():
    assert str(unknown_label(99, np.arange(40))) == (
        "y holds the label 99, which is none of the classes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...."
    )
