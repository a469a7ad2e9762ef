from __future__ import annotations

import numpy as np
import pytest

from assay.boolean import conjunctions, disjunctions, dnf, halfspaces, intervals, stumps
from assay.errors import BadData, BadParameter
from assay.learners.boolean import build, needs_boolean
from tests.learners.boolean.shared import refuses
from tests.naive import concepts as naive


def tables(spec, d):
    """Each concept of a class as its truth table."""
    built = build(spec, d)
    points = np.array(naive.points(d), dtype=float)
    words = built.words(points, np.arange(built.size))
    return [tuple(bool(int(w) >> t & 1) for t in range(len(points))) for w in words]


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("most", [None, 0, 1, 2])
def test_the_classes_are_those_of_the_definitions(d, negations, most):
    for make, twin in ((disjunctions, naive.disjunctions), (conjunctions, naive.conjunctions)):
        # With more literals than one, a feature and its negation may meet.
        found = tables(make(most, negations), d)
        wanted = [naive.table(c, d) for c in twin(d, most, negations)]
        assert len(set(found)) == len(found)
        assert set(found) == set(wanted)


@pytest.mark.parametrize(("d", "literals", "terms"), [(2, 2, 2), (3, 2, 2), (3, 1, 3), (3, 3, 1)])
@pytest.mark.parametrize("negations", [False, True])
def test_dnf(d, literals, terms, negations):
    found = tables(dnf(literals, terms, negations), d)
    wanted = [naive.table(c, d) for c in naive.dnf(d, literals, terms, negations)]
    assert sorted(found) == sorted(wanted)


def test_sizes():
    assert build("disjunctions", 16).size == 2**16
    assert build(disjunctions(negations=True), 3).size == 28
    assert build(dnf(2), 4).size == 2**10
    assert build(stumps([0.1, 0.2]), 5).size == 20
    assert build(intervals([0, 1, 2]), 2).size == 13
    assert build(halfspaces(0.2), 2).size == 32
    assert build(dnf(2, 2), 16).size == 1 + 136 + 136 * 135 // 2
    assert build(disjunctions(2, negations=True), 100).size == 1 + 200 + 200 * 199 // 2 - 100 + 1


def test_concepts_over_more_terms_than_a_word_has_bits():
    built = build(conjunctions(2, negations=True), 50)
    X = (np.random.default_rng(0).random((64, 50)) < 0.5).astype(float)
    words = built.words(X, np.arange(built.size))
    for place in (0, 1, 60, 100, 101, 3000, built.size - 2):
        text = built.formula(place, None)
        wanted = np.ones(64, dtype=bool)
        for part in [] if text == "TRUE" else text.split(" AND "):
            value = X[:, int(part.split("x")[1])] == 1
            wanted &= ~value if part.startswith("NOT") else value
        assert [int(words[place]) >> t & 1 for t in range(64)] == wanted.astype(int).tolist()
    assert built.formula(built.size - 1, None) == "x0 AND NOT x0"
    assert words[-1] == 0


def test_codes_are_prefix_free():
    for spec, d in ((disjunctions(), 8), (disjunctions(negations=True), 4), (dnf(2, 2), 5)):
        bits = build(spec, d).bits
        assert sum(0.5 ** int(b) for b in bits) <= 1
        assert bits.min() == 1  # the empty one
    for spec, d in ((stumps([0.5]), 3), (intervals([0.0]), 2), (np.eye(5), 1)):
        assert sum(0.5 ** int(b) for b in build(spec, d).bits) <= 1


def test_formulas():
    assert build(stumps([0.5]), 2).formula(3, ["a", "b"]) == "b < 0.5"
    assert build(intervals([0.0, 2.0]), 1).formula(0, None) == "FALSE"
    assert build(intervals([0.0, 2.0]), 1).formula(2, None) == "0 <= x0 <= 2"
    assert build(conjunctions(1, negations=True), 2).formula(3, ["a", "b"]) == "NOT a"
    assert build(dnf(2, 2), 3).formula(231 % 20, None)
    assert build(halfspaces(1.0), 2).formula(0, None) == "+1.000 x0 +0.000 x1 >= 0"


def test_intervals_hold_their_ends():
    built = build(intervals([0.0, 1.0]), 1)
    names = [built.formula(i, None) for i in range(built.size)]
    X = np.array([[-0.1], [0.0], [0.5], [1.0], [1.1]])
    words = built.words(X, np.arange(built.size))
    said = {n: [int(w) >> t & 1 for t in range(5)] for n, w in zip(names, words, strict=True)}
    assert said == {
        "FALSE": [0, 0, 0, 0, 0],
        "0 <= x0 <= 0": [0, 1, 0, 0, 0],
        "0 <= x0 <= 1": [0, 1, 1, 1, 0],
        "1 <= x0 <= 1": [0, 0, 0, 1, 0],
    }


def test_tables_and_functions():
    assert build(np.array([[0, 1], [1, 1]]), 1).size == 2
    assert build([np.sum], 3).size == 1
    assert needs_boolean(conjunctions())
    assert not needs_boolean([np.sum])


def test_refusals():
    with refuses(
        "concepts must be one of disjunctions, conjunctions, dnf, stumps, intervals, "
        "halfspaces, but is 'circles'.",
        BadParameter,
    ):
        build("circles", 3)
    with refuses("concepts must hold labels of -1 and 1, or 0 and 1, but holds 2.", BadParameter):
        build(np.array([[0, 2]]), 1)
    with refuses(
        "With a table of labels X must have one column, the numbers of the points, but has 3.",
        BadData,
    ):
        build(np.eye(3), 3)
    with refuses(
        "The class of disjunctions has about 2^100 concepts over 100 terms, but at most 4,194,304 over "
        "4,096 can be kept. Limit the literals or terms, or use a learner that keeps none: OnlineDisjunction, "
        "KTermDNF, Winnow.",
        BadParameter,
    ):
        build("disjunctions", 100)
    with refuses(
        "The class intervals cannot be made: intervals() missing 1 required positional "
        "argument: 'points'.",
        BadParameter,
    ):
        build("intervals", 2)
    for odd in (3, [], [[1, 2], [3]], "", [1, 2]):
        with pytest.raises(BadParameter, match=r"^concepts must be "):
            build(odd, 2)
    with refuses("thresholds[1] must be a finite number, but is nan.", BadParameter):
        build(stumps([0.5, np.nan]), 2)
    with refuses("thresholds must be at least one number, but is [].", BadParameter):
        build(stumps([]), 2)
    with refuses(
        "The class of stumps has 8,000,000 concepts, but at most 4,194,304 can be kept.",
        BadParameter,
    ):
        build(stumps(np.arange(4000.0)), 1000)
