"""Kernels: positive semidefinite tables, what keeps them so, and the feature maps behind some of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.margin.matrices import Matrix, Vector, dot, symmetric, times, vector
from assay.theory.needs import count, each, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, exp

Combination = Literal["scale", "sum", "product", "polynomial"]
MappedKernel = Literal["all-products", "square", "square-plus-one", "exponential"]


class Definiteness(NamedTuple):
    """Whether a table is positive semidefinite, with a proof if it is not."""

    semidefinite: bool
    witness: tuple[Fraction, ...] | None
    """A vector c with c'Kc + slack c'c below zero; None if there is none."""
    form: Fraction | None
    """That negative number."""


@theorem(
    "T100",
    kind="identity",
    statement=r"k\text{ is a kernel}\iff c^\top Kc\ge0\text{ for every Gram matrix }K=K^\top"
    r"\text{ and every }c",
)
def kernel_psd(gram: Sequence[Sequence[Number]], slack: Number = 0) -> Definiteness:
    """Whether a Gram matrix is positive semidefinite, decided without rounding.

    Theorem  A function is the inner product of some feature map if and only if each of its Gram
             matrices is symmetric and has c'Kc >= 0 for every c. One vector with c'Kc < 0 proves
             that it is none.
    Needs    gram: a symmetric table of finite numbers.  slack: finite, >= 0, added on the diagonal
             for tables that were rounded.
    Gives    the answer, and a vector that proves it where the answer is no.
    Source   Mercer (1909); Aronszajn, Theory of reproducing kernels (1950); Sakulwongtana, Supervised
             Learning (lecture notes), Theorem 2.2.

    Examples
    --------
    >>> kernel_psd([[2, 1], [1, 2]]).semidefinite, kernel_psd([[1, 2], [2, 1]]).form
    (True, Fraction(-3, 1))
    """
    table, more = symmetric("gram", gram), nonnegative("slack", slack).low
    shifted = tuple(
        tuple(value + (more if i == j else 0) for j, value in enumerate(row))
        for i, row in enumerate(table)
    )
    witness = _negative_direction(shifted)
    if witness is None:
        return Definiteness(True, None, None)
    return Definiteness(False, witness, dot(witness, times(shifted, witness)))


def _negative_direction(table: Matrix) -> Vector | None:
    """A vector with a negative quadratic form, by symmetric elimination; None if there is none."""
    n = len(table)
    rest = [list(row) for row in table]
    # Row i holds the combination of unit vectors whose quadratic form is what is left at (i, i).
    basis = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    left = list(range(n))
    while left:
        for i in left:
            if rest[i][i] < 0:
                return tuple(basis[i])
        pivot = next((i for i in left if rest[i][i] > 0), None)
        if pivot is None:
            crossed = next(((i, j) for i in left for j in left if rest[i][j]), None)
            if crossed is None:
                return None
            # Two directions of length zero that are not orthogonal: their right difference is negative.
            i, j = crossed
            sign = 1 if rest[i][j] < 0 else -1
            return tuple(a + sign * b for a, b in zip(basis[i], basis[j], strict=True))
        left.remove(pivot)
        lead = rest[pivot]
        for i in left:
            share = rest[i][pivot] / lead[pivot]
            if share:
                rest[i] = [a - share * b for a, b in zip(rest[i], lead, strict=True)]
                basis[i] = [a - share * b for a, b in zip(basis[i], basis[pivot], strict=True)]
    return None


@theorem(
    "T101",
    kind="identity",
    statement=r"k_1,k_2\text{ kernels},\ c\ge0,\ p\text{ with coefficients}\ge0\Rightarrow "
    r"c\,k_1,\ k_1+k_2,\ k_1k_2,\ p(k_1)\text{ kernels}",
    assumes=(
        Condition(
            "tables-are-gram-matrices",
            "the given tables are Gram matrices of kernels on the same points",
        ),
    ),
)
def kernel_closure(
    combination: Combination,
    first: Sequence[Sequence[Number]],
    second: Sequence[Sequence[Number]] | None = None,
    coefficients: Sequence[Number] | None = None,
) -> tuple[tuple[Fraction, ...], ...]:
    """The Gram matrix of a kernel made from others.

    Theorem  A kernel times a number c >= 0, the sum and the product of two kernels, and a polynomial
             of a kernel with coefficients >= 0 are kernels; so are limits of kernels, such as
             exp(k), and k(g(x), g(t)) for any map g.
    Needs    combination: "scale", "sum", "product" or "polynomial".  first, and second for a sum or
             a product: symmetric tables of one size that are positive semidefinite.
             coefficients, all >= 0: the factor for "scale"; from the constant on for "polynomial".
    Gives    the table, entry by entry, as exact fractions; it is positive semidefinite again.
    Source   Schur (1911) for the product; Blum, Hopcroft & Kannan, Foundations of Data Science,
             Theorem 6.17; Sakulwongtana, Supervised Learning (lecture notes), Propositions 2.2 to
             2.5.

    Examples
    --------
    >>> table = kernel_closure("product", [[2, 1], [1, 2]], [[1, -1], [-1, 1]])
    >>> [[int(value) for value in row] for row in table]
    [[2, -1], [-1, 2]]
    """
    names = ("scale", "sum", "product", "polynomial")
    must = "one of " + ", ".join(map(repr, names))
    require(combination in names, "combination", must, combination)
    a = _gram("first", first)
    if combination in ("sum", "product"):
        require(second is not None, "second", f"given for a {combination}", second)
        require(coefficients is None, "coefficients", "left out here", coefficients)
        b = _gram("second", second)
        require(len(b) == len(a), "the size of second", str(len(a)), len(b))
        added = combination == "sum"
        return tuple(
            tuple(x + y if added else x * y for x, y in zip(left, right, strict=True))
            for left, right in zip(a, b, strict=True)
        )
    require(second is None, "second", f"left out for '{combination}'", second)
    require(coefficients is not None, "coefficients", "given here", coefficients)
    c = [entry.low for entry in each("coefficients", coefficients, nonnegative)]
    if combination == "scale":
        require(len(c) == 1, "the length of coefficients", "1", len(c))
        c = [Fraction(0), *c]
    return tuple(
        tuple(sum((f * x**i for i, f in enumerate(c)), Fraction(0)) for x in row) for row in a
    )


def _gram(name: str, rows: object) -> Matrix:
    table = symmetric(name, rows)
    require(_negative_direction(table) is None, name, "positive semidefinite", rows)
    return table


class BothSides(NamedTuple):
    """A kernel of two points by its formula, and by the inner product of its features."""

    kernel: Fraction | float
    """By the formula; rounded to a double for the exponential."""
    features: Fraction
    """By the features, exactly; for the exponential, by the first of them."""
    remainder: float
    """How far the two may lie apart, rounded up: zero but for the exponential."""


@theorem(
    "T102",
    kind="identity",
    statement=r"\prod_i(1+x_it_i)=\sum_A\prod_{i\in A}x_it_i,\quad"
    r"(x\cdot t)^2=\sum_ix_i^2t_i^2+\sum_{i<j}(\sqrt2x_ix_j)(\sqrt2t_it_j),\quad "
    r"e^{a\,x\cdot t}=\sum_n\frac{a^n}{n!}(x\cdot t)^n",
)
def kernel_feature_identities(
    kernel: MappedKernel,
    x: Sequence[Number],
    t: Sequence[Number],
    scale: Number = 1,
    terms: int = 25,
) -> BothSides:
    """A kernel of two points, and the inner product of the features behind it.

    Theorem  The product of 1 + x_i t_i has the features prod of x_i over i in A, one for each set A;
             (x . t)^2 has x_i^2 and sqrt(2) x_i x_j for i < j; (1 + x . t)^2 has these, 1, and
             sqrt(2) x_i; exp(a x . t) has, in one dimension, sqrt(a^n / n!) x^n for n >= 0.
             Feature maps are unique up to an isometry only.
    Needs    kernel: "all-products", "square", "square-plus-one" or "exponential".  x, t: as many
             finite numbers, at least one; at most 16 for "all-products".  scale a: finite, > 0, and
             terms: whole, >= 1, for the exponential alone.
    Gives    both sides, exact but for the exponential, whose first terms are summed and whose
             remainder is bounded.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.6; Sakulwongtana,
             Supervised Learning (lecture notes), Remarks 10 to 14, with sqrt(2) on mixed products and
             the sum from n = 0.

    Examples
    --------
    >>> kernel_feature_identities("square", [1, 2], [3, 4])
    BothSides(kernel=Fraction(121, 1), features=Fraction(121, 1), remainder=0.0)
    """
    names = ("all-products", "square", "square-plus-one", "exponential")
    must = "one of " + ", ".join(map(repr, names))
    require(kernel in names, "kernel", must, kernel)
    a = vector("x", x)
    require(len(a) >= 1, "the length of x", "at least 1", len(a))
    products = [left * right for left, right in zip(a, vector("t", t, len(a)), strict=True)]
    inner = sum(products, Fraction(0))
    if kernel == "exponential":
        factor, first = positive("scale", scale).low, count("terms", terms, at_least=1)
        return _exponential_sides(factor * inner, first)
    if kernel == "all-products":
        require(len(a) <= 16, "the length of x", "at most 16", len(a))
        sets = itertools.chain.from_iterable(
            itertools.combinations(products, size) for size in range(len(a) + 1)
        )
        formula = math.prod((1 + value for value in products), start=Fraction(1))
        return BothSides(
            formula, sum((math.prod(s, start=Fraction(1)) for s in sets), Fraction(0)), 0.0
        )
    if kernel == "square-plus-one":
        # 1 + x . t is an inner product too, of points with one more coordinate of 1.
        products, inner = [Fraction(1), *products], inner + 1
    # A feature sqrt(2) x_i x_j contributes twice the product of its plain parts.
    mixed = sum((2 * p * q for p, q in itertools.combinations(products, 2)), Fraction(0))
    return BothSides(inner**2, sum((p * p for p in products), Fraction(0)) + mixed, 0.0)


def _exponential_sides(power: Fraction, terms: int) -> BothSides:
    term, total = Fraction(1), Fraction(0)
    for n in range(terms):
        total += term
        term *= power / (n + 1)
    value = exp(power)
    # Taylor's remainder: the next term times the largest derivative in between.
    left: Enclosure = abs(term) * exp(max(power, Fraction(0)))
    return BothSides(
        value.up(), total, (left + (value.high - value.low) + exact(value.up()) - value.high).up()
    )
