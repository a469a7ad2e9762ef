"""Rules read as sentences, and say of every row what the tree says."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay import DecisionTreeClassifier, DecisionTreeRegressor
from tests.learners.trees.samples import LOAN_X, LOAN_Y, labels, table

DATA = Path(__file__).parents[3] / "examples" / "data"
SENTENCE = re.compile(r"(?:IF (.+) THEN|ALWAYS) (\w+) is (.+) \((?:[\d.]+ of )?[\d.]+\)")
WORDS = [f"v{c}" for c in range(6)]


@cache
def parsed(text):
    """A condition as it is printed: the feature, whether it may be missing or only not be, ranges, and words."""
    name, said = re.fullmatch(r"(\w+) is (.+)", text).groups()
    if said == "not missing":
        return name, False, True, (), ()
    parts = [part for piece in said.split(", ") for part in piece.split(" or ")]
    ranges, words = [], []
    for part in parts:
        bounds = re.fullmatch(r"(?:above (\S+))?(?: and )?(?:at most (\S+))?", part)
        if bounds is None:
            words.append(part)
        else:
            above, at_most = bounds.groups()
            ranges.append((float(above or "-inf"), float(at_most or "inf")))
    return name, "missing" in words, False, ranges, [word for word in words if word != "missing"]


def holds(text, row):
    """Whether a condition is true of a row; None and NaN are missing."""
    name, may_miss, any_value, ranges, words = parsed(text)
    cell = row[name]
    if cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell)):
        return may_miss
    if any_value or _word(cell) in words:
        return True
    return any(above < float(np.float32(cell)) <= at_most for above, at_most in ranges)


def _word(cell):
    return str(cell).lower() if isinstance(cell, bool | np.bool_) else str(cell)


@cache
def split(rule):
    conditions, _, said = SENTENCE.fullmatch(rule).groups()
    return () if conditions is None else tuple(conditions.split(" AND ")), said


def said_by(rules, row):
    """What the only rule that applies says."""
    found = [said for parts, said in map(split, rules) if all(holds(p, row) for p in parts)]
    assert len(found) == 1, (row, found)
    return found[0]


def assert_rules_are_the_tree(model, frame):
    rules = list(map(str, model.rules()))
    said = [said_by(rules, row) for row in frame.to_dict(orient="records")]
    assert said == [str(label) for label in model.predict(frame)]


@pytest.mark.parametrize("algorithm", ["cart", "c4.5", "id3"])
def test_loan_table(algorithm):
    model = DecisionTreeClassifier(algorithm=algorithm).fit(LOAN_X, LOAN_Y)
    assert_rules_are_the_tree(model, LOAN_X)


@pytest.mark.parametrize("algorithm", ["cart", "c4.5"])
@pytest.mark.parametrize("name", ["zoo", "house_votes_84"])
def test_real_tables(algorithm, name):
    found = pd.read_parquet(DATA / f"{name}.parquet")
    X, y = found.drop(columns="target"), found["target"].astype(str)
    model = DecisionTreeClassifier(algorithm=algorithm).fit(X, y)
    assert model.score(X, y) == 1.0
    assert_rules_are_the_tree(model, X)


@pytest.mark.parametrize("thresholds", ["middle", "short"])
@pytest.mark.parametrize("splits", ["binary", "multiway"])
def test_random_tables(thresholds, splits):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        cells = table(rng, 150, features=2, digits=2, missing=0.1, arity=(3, 6))
        frame = pd.DataFrame(cells[:, :2].astype(float), columns=["a", "b"])
        for name, column in zip(("c", "d"), cells[:, 2:].T, strict=True):
            frame[name] = [None if np.isnan(c) else WORDS[int(c)] for c in column]
        y = labels(rng, cells, 3)
        model = DecisionTreeClassifier(thresholds=thresholds, splits=splits).fit(frame, y)
        assert_rules_are_the_tree(model, frame)


def test_cells_next_to_thresholds():
    """A threshold that is printed short divides float32 cells as the one that is used."""
    rng = np.random.default_rng(0)
    x = (rng.normal(size=60) * 10.0 ** rng.integers(-6, 6, 60)).astype(np.float32)
    y = rng.integers(0, 2, 60)
    model = DecisionTreeClassifier().fit(x[:, None], y)
    t = model.nodes_.threshold[np.isfinite(model.nodes_.threshold)].astype(np.float32)
    near = np.concatenate(
        [x, t, np.nextafter(t, np.float32(9e9)), np.nextafter(t, np.float32(-9e9))]
    )
    rows = [{"x0": float(cell)} for cell in near]
    rules = list(map(str, model.rules()))
    said = [said_by(rules, row) for row in rows]
    assert said == [str(label) for label in model.predict(near[:, None])]


def test_a_broken_rule_is_caught():
    """The check sees a threshold that is rounded too far."""
    x = np.array([[0.1234], [0.1236]], np.float32)
    model = DecisionTreeClassifier().fit(x, ["a", "b"])
    broken = [str(rule).replace("0.1235", "0.12") for rule in model.rules()]
    assert [said_by(broken, {"x0": c}) for c in x[:, 0]] != ["a", "b"]


def test_a_single_leaf_and_missing_against_the_rest():
    model = DecisionTreeClassifier(max_depth=1, min_samples_leaf=5).fit(
        [[1.0]] * 5, [0, 0, 0, 1, 1]
    )
    assert list(map(str, model.rules())) == ["ALWAYS class is 0 (3 of 5)"]
    assert model.drawing() == "class is 0 (3 of 5)"
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [np.nan]], [0, 0, 1])
    assert list(map(str, model.rules())) == [
        "IF x0 is not missing THEN class is 0 (2 of 2)",
        "IF x0 is missing THEN class is 1 (1 of 1)",
    ]
    assert model.predict([[5.0], [np.nan]]).tolist() == [0, 1]


def test_drawing():
    model = DecisionTreeClassifier().fit(LOAN_X, LOAN_Y)
    assert model.drawing("default").splitlines() == [
        "income?",
        "├─ high: default is no (3 of 3)",
        "└─ low or medium: education?",
        "   ├─ highschool: income?",
        "   │  ├─ medium: default is no (2 of 2)",
        "   │  └─ low: default is yes (1 of 1)",
        "   └─ bachelor or graduate: default is yes (4 of 4)",
    ]
    tree = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2]], [0.0, 1.0])
    assert tree.drawing().splitlines() == [
        "x0?",
        "├─ at most 1.5: target is 0 (1)",
        "└─ above 1.5: target is 1 (1)",
    ]


def test_names_that_could_be_misread_stand_in_quotes():
    words = [
        "missing",
        "red or blue",
        "red",
        "blue, dark",
        "above 3",
        'say "x"',
        '"x"',
        "salt (sea)",
    ]
    frame = pd.DataFrame({"a is b": [*words, None], "x AND y": [0.0] * 8 + [1.0]})
    model = DecisionTreeClassifier(splits="multiway").fit(frame, [*words, "none"])
    rules = [str(rule) for rule in model.rules("this is")]
    assert rules[0].startswith('IF "a is b" is ')
    quoted = [f'"{w}"' for w in words[:2] + words[3:5]] + [r'"\"x\""']
    plain = ["red", 'say "x"', "salt (sea)"]
    ends = [f'IF "a is b" is {w} THEN "this is" is {w} (1 of 1)' for w in quoted + plain]
    assert sorted(rules) == sorted(
        [*ends, 'IF "a is b" is missing THEN "this is" is none (1 of 1)']
    )
    assert len({rule.split(" THEN ")[0] for rule in rules}) == 9
    # Without quotes the category and the missing cell would read alike.
    assert len({rule.split(" THEN ")[0].replace('"', "") for rule in rules}) < 9
    two = DecisionTreeClassifier().fit(frame, ["p"] * 8 + ["q"])
    assert two.drawing().splitlines()[0] in ('"a is b"?', '"x AND y"?')
