"""Descriptions of trees: as long as the code says, and read back as the same tree."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from assay import DecisionTreeClassifier
from assay.guarantees.trees import description_guarantees
from assay.theory.complexity.code_length import kraft_inequality, tree_description_length
from assay.theory.complexity.question_code import (
    grouping_description_length,
    threshold_description_length,
)
from tests.learners.trees.samples import LOAN_X, LOAN_Y, labels, table
from tests.naive.tree_words import Language

WORDS = ["a", "b", "c", "d", "e", "f"]


def mixed(rng, rows):
    """Numbers large, small and next to each other, truth values and categories, some missing."""
    scale = 10.0 ** rng.integers(-44, 38)
    near = np.float32(rng.normal())
    near = near + np.spacing(near) * rng.integers(0, 4, rows).astype(np.float32)
    frame = pd.DataFrame(
        {
            "far": (rng.normal(size=rows) * scale).astype(np.float32).astype(float),
            "near": np.where(rng.random(rows) < 0.1, np.nan, near),
            "truth": rng.integers(0, 2, rows).astype(bool),
            "few": rng.choice(WORDS[:3], rows),
            "many": [None if rng.random() < 0.2 else w for w in rng.choice(WORDS, rows)],
            "one": [None if rng.random() < 0.5 else "x" for _ in range(rows)],
        }
    )
    return frame.iloc[:, rng.permutation(6)[: rng.integers(1, 7)]]


def reread(model, frame, shorter=0):
    """Whether the word of a tree is as long as said, and says the same of every row without the examples."""
    multiway = any(len(model.nodes_.children_of(k)) > 2 for k in range(len(model.nodes_)))
    arity = [0 if c is None else len(c) for c in model.categories_]
    language = Language(len(model.classes_), arity, model.missing_features_, multiway)
    word = language.write(model.nodes_)
    said, rest = language.read(word + "0110")
    cells = model._cells(frame).astype(np.float64)
    agree = model.classes_[[said(row) for row in cells.tolist()]] == model.predict(frame)
    return rest == "0110" and agree.all() and len(word) == model.record_.bits - shorter


@pytest.mark.parametrize("splits", ["binary", "multiway"])
def test_trees_are_read_back_from_their_descriptions(splits):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        frame = mixed(rng, int(rng.integers(4, 40)))
        y = rng.permutation(np.arange(len(frame)) % rng.integers(2, 5))
        more = {"thresholds": ("middle", "short")[seed % 2], "ccp_alpha": (0.0, 0.02)[seed % 3 > 0]}
        model = DecisionTreeClassifier(splits=splits, **more).fit(frame, y)
        assert reread(model, frame)
        assert not reread(model, frame, shorter=1)


def test_the_code_is_no_shorter_than_kraft_allows():
    """All words of up to 12 bits, read by the reader; without the bits of groupings there would be too many."""
    for multiway in (False, True):
        for may_miss in ([False, False], [True, True]):
            language = Language(2, [2, 4], may_miss, multiway)
            lengths = [len(word) for word in language.all_words(12)]
            assert len(lengths) > 20
            assert kraft_inequality(lengths) <= 1
    found = Language(2, [4], [False]).all_words(8)
    grouped = grouping_description_length(4)
    assert kraft_inequality(map(len, found)) <= 1
    stumps = [len(word) - grouped for word in found if word[0] == "1"]
    assert kraft_inequality([2, 2, *stumps]) > 1


def test_what_a_tree_promises_does_not_change_with_its_parameters():
    """The length is the tree's own; by the parameters as they are now, it would be shorter."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(WORDS, 60)})
    model = DecisionTreeClassifier().fit(frame, rng.integers(0, 2, 60))
    before, promised = model.record_, model.guarantees()
    for more in ({"splits": "multiway"}, {"algorithm": "none"}, {"thresholds": "short"}):
        model.set_params(**more)
        assert model.record_ == before
        assert model.guarantees() == promised
    unpaid = before.bits - grouping_description_length(len(model.categories_[0])) * before.internal
    assert before.bits > unpaid == tree_description_length(before.internal, before.leaves, 1, 2)


def test_what_must_be_known_before_the_examples_is_said():
    model = DecisionTreeClassifier(algorithm="id3").fit(LOAN_X, LOAN_Y)
    told = [a for g in model.guarantees()[:3] for a in g.assumptions if a.status == "declared"]
    assert len(told) == 3
    for assumption in told:
        assert assumption.evidence == (
            "known before the examples: the 2 classes; the 4 features and which of them are numbers; all "
            "categories and whether they divide in two or each by itself; that no cell is missing"
        )
    some = DecisionTreeClassifier().fit([[1.0, np.nan], [2.0, 0.0]], [0, 1]).record_
    assert some.language.endswith("that cells are missing in x1 alone")


def test_labels_that_were_not_known_before_break_the_promise():
    """With a class of its own for nearly every row no promise holds: this is why the classes are declared."""
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(5):
        y = rng.integers(0, 10**6, 5)
        model = DecisionTreeClassifier().fit(np.zeros((5, 1)), y)
        broken += model.guarantees()[0].value < 1 - 1e-6
        # Of the classes that there are, each has a name, and the leaf's is paid for.
        honest = dataclasses.replace(model.record_, classes=10**6, bits=1 + 20)
        broken -= description_guarantees(honest)[0].value < 1 - 1e-6
    assert broken == 5


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
    for missing in (False, True):
        X[:1] = np.nan if missing else X[:1]
        model = DecisionTreeClassifier(max_depth=2).fit(X, y)
        asked = model.nodes_.threshold[model.nodes_.feature >= 0]
        plain = tree_description_length(len(asked), model.nodes_.leaves, features=3, classes=2)
        words = sum(threshold_description_length(float(t)) for t in asked)
        # Where cells may be missing, each question says where they go.
        assert model.record_.bits == plain + words + missing * len(asked)
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
    assert (middle.nodes_.feature == short.nodes_.feature).all()
    assert (middle.apply(X) == short.apply(X)).all()
    assert short.record_.bits < 0.8 * middle.record_.bits
    digits = [len(str(t).strip("0.-")) for t in short.nodes_.threshold[short.nodes_.feature >= 0]]
    assert np.mean(digits) < 4


def test_repeated_values_keep_their_order():
    """Neighbouring float32 numbers leave no room: the threshold is the lower one."""
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2))
    model = DecisionTreeClassifier(thresholds="short").fit([[low], [high]], [0, 1])
    assert low <= model.nodes_.threshold[0] < high
    assert model.predict([[low], [high]]).tolist() == [0, 1]
