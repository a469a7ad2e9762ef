import re

import numpy as np
import pandas as pd
import pytest

from assay import SVC, DecisionTreeClassifier, DecisionTreeRegressor, figures
from assay.errors import BadParameter
from assay.report.figures.tree import drawn_nodes
from tests.report.figures.samples import ball, check_themes, named

LOANS = pd.DataFrame(
    {
        "income": ["high", "high", "medium", "medium", "medium", "low", "low", "low"],
        "age": [30, 45, 22, 35, 52, 33, 40, 25],
    }
)
DEFAULT = ["no", "no", "no", "yes", "yes", "yes", "yes", "no"]


def test_every_node_is_drawn_with_its_rows_and_impurity():
    X, y = ball()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    figure = figures.tree_figure(model)
    [nodes] = named(figure, "nodes")
    tree = model.nodes_
    assert len(nodes.x) == len(tree)
    assert (-np.array(nodes.y) == tree.depths).all()
    for node, hover in enumerate(nodes.customdata):
        assert hover.startswith(f"{tree.rows[node]:,} row")
        assert f"impurity {tree.impurity[node]:.4g}" in hover
        for label, weight in zip(model.classes_, tree.value[node], strict=True):
            assert f"{label}: {weight:g}" in hover


def test_leaves_stand_side_by_side_below_their_questions():
    X, y = ball()
    model = DecisionTreeClassifier().fit(X, y)
    nodes = drawn_nodes(model, None, None, "class")
    leaves = [node.x for node in nodes if node.leaf]
    assert leaves == list(range(model.get_n_leaves()))
    place = {node.node: node for node in nodes}
    for node in nodes:
        below = model.nodes_.children_of(node.node)
        if below:
            assert place[below[0]].x <= node.x <= place[below[-1]].x


def test_questions_answers_and_predictions_are_written():
    model = DecisionTreeClassifier(algorithm="c4.5").fit(LOANS, DEFAULT)
    figure = figures.tree_figure(model, target="default")
    words = [note.text for note in figure.layout.annotations]
    rules = " ".join(map(str, model.rules("default")))
    assert "income?" in words
    for text in words:
        if text.startswith(("≤", ">")):
            assert text.split()[1] in rules
    assert sum(text.startswith("default is") for text in words) == model.get_n_leaves()


def test_categories_that_earlier_answers_ruled_out_are_not_named():
    X = pd.DataFrame({"c": list("aabbcc")})
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 0, 1])
    nodes = drawn_nodes(model, None, None, "class")
    deep = [node.answer for node in nodes if node.depth == 2]
    assert deep
    assert all("," not in answer for answer in deep)


def test_what_is_cut_off_is_counted():
    X, y = ball()
    model = DecisionTreeClassifier().fit(X, y)
    nodes = drawn_nodes(model, None, 1, "class")
    counted = [int(node.words.split()[1]) for node in nodes if node.words.startswith("…")]
    plain = sum(node.leaf and not node.words.startswith("…") for node in nodes)
    assert sum(counted) + plain == model.get_n_leaves()


def test_twenty_leaves_are_an_outline_that_says_what_the_rules_say():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a long name of a feature", "<b>", "c"])
    model = DecisionTreeClassifier(max_leaf_nodes=20).fit(X, rng.random(400) < 0.5)
    figure = figures.tree_figure(model, target="y")
    lines = [note.text for note in figure.layout.annotations]
    assert len(lines) == len(model.nodes_) == 39
    assert sum(line.endswith("</b>") for line in lines) == 20
    assert not any("<br>" in line or "<b>?" in line for line in lines)
    assert any("a long name of a feature?" in line for line in lines)
    # One below the other in the order of the tree, indented by depth, all of them within the figure.
    notes = figure.layout.annotations
    assert [note.x for note in notes] == model.nodes_.depths.tolist()
    assert [note.y for note in notes] == [-line for line in range(39)]
    low, high = figure.layout.yaxis.range
    assert low < notes[-1].y
    assert notes[0].y < high
    assert figure.layout.height >= 20 * 39
    assert not figures.tree_figure(model, max_depth=2).data[0].line.shape


def test_a_large_tree_has_no_words_and_a_tree_for_numbers_has_means():
    X, _ = ball(200)
    y = X[:, 0] * X[:, 1]
    large = figures.tree_figure(DecisionTreeRegressor().fit(X, y))
    assert not large.layout.annotations
    small = figures.tree_figure(DecisionTreeRegressor(max_depth=1).fit(X, y))
    assert "mean" in named(small, "nodes")[0].customdata[0]


def test_names_cannot_smuggle_markup_in():
    X = pd.DataFrame({"<b>x": [0.0, 1.0]})
    figure = figures.tree_figure(DecisionTreeClassifier().fit(X, ["<i>", "b"]))
    assert all(
        "<b>" not in note.text and "<i>" not in note.text for note in figure.layout.annotations
    )


def test_themes():
    model = DecisionTreeClassifier().fit(LOANS, DEFAULT)
    check_themes(lambda theme: figures.tree_figure(model, theme=theme))


def test_refusals():
    X, y = ball(20)
    sentence = "model must be a fitted decision tree of assay, but is 'SVC'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.tree_figure(SVC().fit(X, y))
    sentence = "feature_names must be 2 names, but is 1."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.tree_figure(DecisionTreeClassifier().fit(X, y), ["one"])
