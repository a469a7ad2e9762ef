"""How many bits describe a hypothesis: the prefix-free code of trees, and Kraft's inequality."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, each
from assay.theory.registry import theorem
from assay.theory.rounding import exact

_THRESHOLD_BITS = 64
# 2^-1100 is far below the smallest double.
_LONGEST = 1100


@theorem(
    "T48",
    kind="complexity",
    statement=(r"\mathrm{size}=I\,(1+\lceil\log_2d\rceil)+L\,(1+\lceil\log_2C\rceil)+64\,\theta"),
    assumes=(
        Condition(
            "features-and-classes-known",
            "the features, their values and the classes are known before the examples",
        ),
    ),
)
def tree_description_length(
    internal: int, leaves: int, features: int, classes: int, thresholds: int = 0
) -> int:
    """Bits that write down a decision tree in a prefix-free code.

    Theorem  Write the nodes in preorder: a bit tells leaf from internal node; a leaf adds
             ceil(log2 C) bits for its class, an internal node ceil(log2 d) bits for its
             feature, and 64 more for a threshold if the feature is a number. Reading stops
             at the end of the tree, so no tree's word begins another's.
    Needs    internal I: whole, >= 0.  leaves L: whole, >= I + 1.  features d: whole, >= 1.
             classes C: whole, >= 1.  thresholds: whole, 0 <= thresholds <= I.
    Gives    the exact number of bits.
    Source   Constant from the proof: Blum, Hopcroft & Kannan, Foundations of Data Science,
             section 6.2.3, give the order n log d for n nodes.

    Examples
    --------
    >>> tree_description_length(internal=2, leaves=5, features=4, classes=2)
    16
    """
    nodes, ends = count("internal", internal), count("leaves", leaves, at_least=1)
    require(ends > nodes, "leaves", f"more than the number of internal nodes {nodes}", leaves)
    numeric = count("thresholds", thresholds)
    require(
        numeric <= nodes, "thresholds", f"at most the number of internal nodes {nodes}", thresholds
    )
    feature = _choice_bits(count("features", features, at_least=1))
    label = _choice_bits(count("classes", classes, at_least=1))
    return nodes * (1 + feature) + ends * (1 + label) + numeric * _THRESHOLD_BITS


def _choice_bits(options: int) -> int:
    """The rounded-up logarithm to base 2, in integers."""
    return (options - 1).bit_length()


@theorem(
    "T107",
    kind="identity",
    statement=r"\sum_h2^{-\mathrm{size}(h)}\le1",
    assumes=(Condition("prefix-free", "no description begins another"),),
)
def kraft_inequality(lengths: Iterable[int]) -> float:
    """The part of all coin-flip sequences that the words of a code begin.

    Theorem  If no word begins another, the words' lengths satisfy sum 2^(-length) <= 1.
    Needs    lengths: whole numbers, >= 0.
    Gives    the sum, rounded up; above 1 no prefix-free code has these lengths.
    Source   Kraft, A device for quantizing, grouping, and coding amplitude-modulated pulses
             (1949); Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.2.

    Examples
    --------
    >>> kraft_inequality([1, 2, 3, 3])
    1.0
    """
    words = each("lengths", lengths, lambda name, value: exact(count(name, value)))
    # Longer words are counted as if shorter, which can only raise the sum.
    parts = (Fraction(1, 1 << min(word.low.numerator, _LONGEST)) for word in words)
    return exact(sum(parts, start=Fraction(0))).up()
