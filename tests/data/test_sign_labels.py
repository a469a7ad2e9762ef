from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.sign_labels import SignLabels
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(
    st.sampled_from([("ham", "spam"), (0, 1), (-1, 1), (False, True), (1.5, 2.5), (3, 7)]),
    st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda flags: len(set(flags)) == 2),
    st.booleans(),
)
def test_there_and_back(labels, flags, first_is_positive):
    y = np.array([labels[flag] for flag in flags], dtype=object if labels[0] == "ham" else None)
    signs = SignLabels.fit(y, positive=labels[0] if first_is_positive else None)
    assert signs.classes == (labels[::-1] if first_is_positive else labels)
    encoded = signs.encode(y)
    assert encoded.dtype == np.float64
    assert encoded.tolist() == [1.0 if flag != first_is_positive else -1.0 for flag in flags]
    assert signs.decode(encoded).tolist() == y.tolist()
    assert signs.encode(signs.decode(encoded)).tolist() == encoded.tolist()


def test_zero_counts_as_positive():
    assert SignLabels("no", "yes").decode([0.0, -0.0, -1e-300]).tolist() == ["yes", "yes", "no"]


def test_lists_of_text():
    assert SignLabels.fit(["b", "a"]).encode(["a", "b"]).tolist() == [-1.0, 1.0]


def test_refusals():
    with refuses(
        "Two labels are needed to call them -1 and +1, but there are 3: 'a', 'b', 'c'. For more, "
        "learn one label against the rest."
    ):
        SignLabels.fit(["a", "b", "c"])
    with refuses(
        "Two labels are needed to call them -1 and +1, but there are 7: 0, 1, 2, 3, 4, .... For "
        "more, learn one label against the rest."
    ):
        SignLabels.fit(range(7))
    with refuses(
        "Two labels are needed to call them -1 and +1, but there are 1: 5. For more, learn one "
        "label against the rest."
    ):
        SignLabels.fit([5, 5])
    with refuses("The positive label must be 'a' or 'b', but is 'c'."):
        SignLabels.fit(["a", "b"], positive="c")
    with refuses("Row 12 has the label 'eggs', but the labels are 'ham' and 'spam'."):
        SignLabels("ham", "spam").encode(["ham", "eggs"], done=10)
    with refuses("Row 2 has the label 2, but the labels are 0 and 1."):
        SignLabels(0, 1).encode(np.array([0, 2]))
    with refuses("Labels must be one column, but have shape (1, 2)."):
        SignLabels(0, 1).encode([[0, 1]])
    with refuses("The score of row 2 is not a number, and so has no sign."):
        SignLabels(0, 1).decode([1.0, math.nan])
    with refuses("positive must be unlike the negative, but is 1.", BadParameter):
        SignLabels(1, 1)


@pytest.mark.parametrize("y", [[1, 2.0], ["1", "2"]])
def test_numbers_and_text_are_not_mixed_up(y):
    assert SignLabels.fit(y).negative == y[0]
