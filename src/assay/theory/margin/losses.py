"""Losses of a margin y f(x): which of them are convex, and which rule their gradient steps are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.margin.matrices import dot, matrix, vector
from assay.theory.needs import inside_unit, real
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, exp, ln

Loss = Literal["hinge", "square", "exponential", "logistic", "zero-one"]


def _hinge(margin: Fraction) -> Enclosure:
    return exact(max(Fraction(0), 1 - margin))


def _square(margin: Fraction) -> Enclosure:
    return exact((1 - margin) ** 2)


def _exponential(margin: Fraction) -> Enclosure:
    return exp(-margin)


def _logistic(margin: Fraction) -> Enclosure:
    # Base 2, so that it is one at zero and bounds the error.
    if margin < 0:
        return (-margin + ln(1 + exp(margin))) / ln(2)
    return ln(1 + exp(-margin)) / ln(2)


def _zero_one(margin: Fraction) -> Enclosure:
    return exact(int(margin <= 0))


_LOSSES: dict[str, Callable[[Fraction], Enclosure]] = {
    "hinge": _hinge,
    "square": _square,
    "exponential": _exponential,
    "logistic": _logistic,
    "zero-one": _zero_one,
}


@theorem(
    "T103",
    kind="identity",
    statement=r"s\,\ell(a)+(1-s)\,\ell(b)-\ell(sa+(1-s)b)\ge0\text{ for convex }\ell",
)
def convexity_rules(
    loss: Loss, first: Number, second: Number, share: Number = Fraction(1, 2)
) -> float:
    """How far the chord of a loss lies above it: never below zero for a convex one.

    Theorem  The hinge, square, exponential and logistic losses are convex in the prediction, so that
             no chord of theirs passes below them; the 0-1 loss is not. Sums of convex functions are
             convex, and so are convex functions of affine ones, hence the risk of a linear
             machine in its weights; x'Mx is convex if and only if M is positive semidefinite;
             the sets {f <= c} of a convex f are convex, the sets {f = c} need not be.
    Needs    loss: "hinge", "square", "exponential", "logistic" or "zero-one".  first, second: the
             margins at the ends, finite numbers.  share: of the first, strictly between 0 and 1.
    Gives    the chord less the loss, rounded down.
    Source   Boyd & Vandenberghe, Convex Optimization (2004), chapter 3; Sakulwongtana, Supervised
             Learning (lecture notes), Remark 8, with sublevel sets in place of level sets.

    Examples
    --------
    >>> convexity_rules("hinge", 0, 2), convexity_rules("zero-one", -1, 0.5, share=0.5)
    (0.5, -0.5)
    """
    names = ", ".join(repr(name) for name in _LOSSES)
    require(loss in _LOSSES, "loss", f"one of {names}", loss)
    a, b = real("first", first).low, real("second", second).low
    s, of = inside_unit("share", share).low, _LOSSES[loss]
    return (s * of(a) + (1 - s) * of(b) - of(s * a + (1 - s) * b)).down()


class TwoRules(NamedTuple):
    """The weights after one pass of two rules that are one, as exact fractions."""

    gradient: tuple[Fraction, ...]
    """By steps of length one against the gradient of max(0, -y w . x)."""
    perceptron: tuple[Fraction, ...]
    """By adding y x to the weights on every mistake, a score of zero counted as one."""


@theorem(
    "T104",
    kind="identity",
    statement=r"w\gets w-\partial_w\max(0,-y\,w\cdot x)\iff w\gets w+yx\text{ where }y\,w\cdot x\le0",
    assumes=(
        Condition(
            "zero-score-is-mistake",
            "a score of zero counts as a mistake, and there the gradient is taken as -yx",
        ),
    ),
)
def perceptron_as_sgd(X: Sequence[Sequence[Number]], y: Sequence[Number]) -> TwoRules:
    """One pass of the perceptron, and one of stochastic gradient descent.

    Theorem  Stochastic gradient descent on max(0, -y w . x) with steps of length one from w = 0 is the
             perceptron that counts a score of zero as a mistake.
    Needs    X: rows of finite numbers, all of one length.  y: as many labels, each -1 or +1.
    Gives    the weights of both after the last row, as exact fractions.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.3.2.

    Examples
    --------
    >>> rules = perceptron_as_sgd([[1, 0], [1, 1], [0, 1]], [1, -1, -1])
    >>> rules.gradient == rules.perceptron, [int(weight) for weight in rules.perceptron]
    (True, [0, -1])
    """
    table = matrix("X", X)
    labels = vector("y", y, len(table))
    for place, label in enumerate(labels):
        require(abs(label) == 1, f"y[{place}]", "-1 or +1", y[place])
    w = v = tuple(Fraction(0) for _ in table[0])
    for row, label in zip(table, labels, strict=True):
        # The slope of max(0, -s) in s = y w . x is -1 up to the corner, and 0 beyond.
        slope = -1 if label * dot(w, row) <= 0 else 0
        w = tuple(a - slope * label * x for a, x in zip(w, row, strict=True))
        score = dot(v, row)
        predicted = (score > 0) - (score < 0)
        if predicted != label:
            v = tuple(a + label * x for a, x in zip(v, row, strict=True))
    return TwoRules(w, v)
