"""The tree code written out bit by bit, and Kraft's inequality on codes."""

import itertools
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.code_length import kraft_inequality, tree_description_length

# A tree is a class (a leaf) or (feature, threshold or None, children). The features of this table:
# two are numbers, one has two values, one has three; there are three classes.
ARITIES = {0: 2, 1: 2, 2: 2, 3: 3}
NUMERIC = {0, 1}
CLASSES = 3


def bits(number: int, options: int) -> str:
    width = (options - 1).bit_length()
    return format(number, f"0{width}b") if width else ""


def encode(tree) -> str:
    """The code as its description says, in preorder."""
    if isinstance(tree, int):
        return "0" + bits(tree, CLASSES)
    feature, threshold, children = tree
    word = "1" + bits(feature, len(ARITIES))
    if feature in NUMERIC:
        word += format(threshold, "064b")
    return word + "".join(encode(child) for child in children)


def decode(word: str):
    """Read one tree; return it with whatever follows."""
    if word[0] == "0":
        return int(word[1:3], 2), word[3:]
    feature, rest, threshold = int(word[1:3], 2), word[3:], None
    if feature in NUMERIC:
        threshold, rest = int(rest[:64], 2), rest[64:]
    children = []
    for _ in range(ARITIES[feature]):
        child, rest = decode(rest)
        children.append(child)
    return (feature, threshold, tuple(children)), rest


def tally(tree) -> tuple[int, int, int]:
    """Internal nodes, leaves, thresholds."""
    if isinstance(tree, int):
        return 0, 1, 0
    parts = [tally(child) for child in tree[2]]
    internal, leaves, thresholds = (sum(column) for column in zip(*parts, strict=True))
    return internal + 1, leaves, thresholds + (tree[0] in NUMERIC)


def node(children):
    def build(feature):
        threshold = st.integers(0, 2**64 - 1) if feature in NUMERIC else st.none()
        below = st.tuples(*[children] * ARITIES[feature])
        return st.tuples(st.just(feature), threshold, below)

    return st.sampled_from(sorted(ARITIES)).flatmap(build)


trees = st.recursive(st.integers(0, CLASSES - 1), node, max_leaves=20)


def test_the_loan_tree():
    assert tree_description_length(internal=2, leaves=5, features=4, classes=2) == 16


def test_a_stump_on_a_number():
    assert tree_description_length(1, 2, features=1, classes=2, thresholds=1) == 1 + 64 + 2 * 2
    assert tree_description_length(0, 1, features=7, classes=1) == 1


@settings(max_examples=100)
@given(trees)
def test_as_long_as_the_word_written_out(tree):
    internal, leaves, thresholds = tally(tree)
    ours = tree_description_length(internal, leaves, len(ARITIES), CLASSES, thresholds)
    assert ours == len(encode(tree))


@settings(max_examples=100)
@given(trees, st.text("01", max_size=10))
def test_reading_stops_at_the_end_of_the_tree(tree, more):
    assert decode(encode(tree) + more) == (tree, more)


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 600), st.integers(1, 600))
def test_monotone(internal, more, features, classes):
    leaves = internal + more
    size = tree_description_length(internal, leaves, features, classes)
    assert tree_description_length(internal, leaves + 1, features, classes) > size
    assert tree_description_length(internal, leaves, features + 1, classes) >= size
    assert tree_description_length(internal, leaves, features, classes + 1) >= size
    width = math.ceil(math.log2(features)) + 1
    assert tree_description_length(internal + 1, leaves + 1, features, classes) >= size + width


def words_of_binary_trees(depth: int, flag: bool) -> list[int]:
    """Lengths of the words of all binary trees up to a depth, two features and two classes."""
    lengths = [1 + flag] * 2
    for _ in range(depth):
        lengths = [1 + flag] * 2 + [
            1 + flag + a + b for a, b in itertools.product(lengths, repeat=2) for _ in range(2)
        ]
    return lengths


def test_all_trees_together_satisfy_kraft():
    for depth in range(4):
        assert kraft_inequality(words_of_binary_trees(depth, flag=True)) <= 1


def test_without_the_bit_that_tells_leaves_they_would_not():
    assert kraft_inequality(words_of_binary_trees(1, flag=False)) > 1


# Kraft's inequality.


def prefix_free(words) -> list[str]:
    """Those of the words that no other begins."""
    distinct = set(words)
    return [w for w in distinct if not any(v != w and w.startswith(v) for v in distinct)]


@settings(max_examples=100)
@given(st.lists(st.text("01", max_size=8), max_size=40))
def test_kraft_holds_for_prefix_free_codes(words):
    code = prefix_free(words)
    total = sum((Fraction(1, 2 ** len(w)) for w in code), Fraction(0))
    assert kraft_inequality([len(w) for w in code]) == total <= 1


def test_kraft_is_met_by_a_complete_code_and_broken_by_one_with_prefixes():
    assert kraft_inequality([1, 2, 3, 3]) == 1.0
    assert kraft_inequality(map(len, ["0", "1", "01"])) == 1.25
    assert kraft_inequality([]) == 0.0


def test_kraft_of_very_long_words_rounds_up():
    assert kraft_inequality([10**9]) == 5e-324
    assert kraft_inequality([1, 10**9]) == math.nextafter(0.5, 1)


# Refusals.

AT_LEAST = "a whole number of at least"


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ((-1, 5, 4, 2), f"internal must be {AT_LEAST} 0, but is -1."),
        ((0, 0, 4, 2), f"leaves must be {AT_LEAST} 1, but is 0."),
        ((2, 2, 4, 2), "leaves must be more than the number of internal nodes 2, but is 2."),
        ((2, 5, 0, 2), f"features must be {AT_LEAST} 1, but is 0."),
        ((2, 5, 4, 0), f"classes must be {AT_LEAST} 1, but is 0."),
        ((2, 5, 4, math.nan), f"classes must be {AT_LEAST} 1, but is nan."),
        ((2, 5, 4, True), f"classes must be {AT_LEAST} 1, but is True."),
        ((2, math.inf, 4, 2), f"leaves must be {AT_LEAST} 1, but is inf."),
        ((2, 5, 4, 2, 3), "thresholds must be at most the number of internal nodes 2, but is 3."),
    ],
)
def test_refusals_of_a_tree(inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        tree_description_length(*inputs)


@pytest.mark.parametrize(
    ("lengths", "sentence"),
    [
        ([1, -1], f"lengths[1] must be {AT_LEAST} 0, but is -1."),
        ([1.5], f"lengths[0] must be {AT_LEAST} 0, but is 1.5."),
        ([True], f"lengths[0] must be {AT_LEAST} 0, but is True."),
        (3, "lengths must be a sequence of numbers, but is 3."),
    ],
)
def test_refusals_of_kraft(lengths, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kraft_inequality(lengths)
