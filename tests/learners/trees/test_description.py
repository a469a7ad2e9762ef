"""Descriptions of trees: as long as the code says, and read back as the same tree."""

import numpy as np
import pandas as pd
import pytest

from assay import DecisionTreeClassifier
from assay.learners.trees.description import description_bits
from assay.theory.complexity.code_length import tree_description_length
from assay.theory.complexity.question_code import (
    grouping_description_length,
    threshold_description_length,
)
from tests.learners.trees.samples import LOAN_X, LOAN_Y, labels, table


def test_categories_with_a_child_each_cost_what_the_textbook_code_says():
    record = DecisionTreeClassifier(algorithm="id3").fit(LOAN_X, LOAN_Y).record_
    assert record.bits == tree_description_length(2, 5, features=4, classes=2) == 16


def test_two_groups_name_their_categories():
    record = DecisionTreeClassifier().fit(LOAN_X, LOAN_Y).record_
    assert record.internal == 3
    plain = tree_description_length(3, 4, features=4, classes=2)
    assert record.bits == plain + 3 * grouping_description_length(3)


def test_thresholds_and_missing_cells():
    rng = np.random.default_rng(0)
    X = table(rng, 60, features=3, missing=0.0)
    y = labels(rng, X, 2)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    asked = tree.threshold[tree.feature >= 0]
    plain = tree_description_length(len(asked), tree.leaves, features=3, classes=2)
    words = sum(threshold_description_length(float(t)) for t in asked)
    given = (tree, 2, [0, 0, 0])
    assert description_bits(*given, [False] * 3, multiway=False) == plain + words
    assert description_bits(*given, [True] * 3, multiway=False) == plain + words + len(asked)
    assert words <= 33 * len(asked) < 64 * len(asked)


def test_a_missing_value_is_one_more():
    frame = pd.DataFrame({"a": ["x", "y", None, "z"] * 5})
    y = [0, 1, 1, 0] * 5
    two = DecisionTreeClassifier().fit(frame, y).record_
    assert two.bits == (1 + 0) + 2 * (1 + 1) + grouping_description_length(4)
    each = DecisionTreeClassifier(splits="multiway").fit(frame, y).record_
    assert each.leaves == 4
    assert each.bits == (1 + 0) + 4 * (1 + 1) + 2  # one of three children, or one of its own


@pytest.mark.parametrize("seed", range(4))
def test_short_thresholds_divide_the_examples_alike_and_are_shorter(seed):
    rng = np.random.default_rng(seed)
    X = table(rng, 200)
    y = labels(rng, X, 3)
    middle, short = (DecisionTreeClassifier(thresholds=t).fit(X, y) for t in ("middle", "short"))
    assert (middle.tree_.feature == short.tree_.feature).all()
    assert (middle.apply(X) == short.apply(X)).all()
    assert short.record_.bits < 0.8 * middle.record_.bits
    digits = [len(str(t).strip("0.-")) for t in short.tree_.threshold[short.tree_.feature >= 0]]
    assert np.mean(digits) < 4


def test_repeated_values_keep_their_order():
    """Neighbouring float32 numbers leave no room: the threshold is the lower one."""
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2))
    model = DecisionTreeClassifier(thresholds="short").fit([[low], [high]], [0, 1])
    assert low <= model.tree_.threshold[0] < high
    assert model.predict([[low], [high]]).tolist() == [0, 1]
