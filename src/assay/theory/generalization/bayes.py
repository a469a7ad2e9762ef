"""The best predictions there are, from a known joint distribution on finitely many values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import each, nonnegative, real
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact

Table = Iterable[Iterable[Number]]
"""A weight for every pair: a row for each value of x, a column for each value of y."""


def _read(table: Table) -> list[list[Fraction]]:
    require(isinstance(table, Iterable), "table", "a sequence of rows", table)
    given = [each(f"table[{i}]", row, nonnegative) for i, row in enumerate(table)]
    rows = [[entry.low for entry in row] for row in given]
    widths = {len(row) for row in rows}
    require(len(widths) == 1 and widths != {0}, "table", "rows of one length, at least 1", table)
    return rows


@theorem(
    "T86",
    kind="identity",
    statement=r"\arg\min_f\mathbb E(y-f(x))^2=\mathbb E[y\mid x]",
    assumes=(Condition("joint-distribution-given", "the joint distribution is the given one"),),
)
def bayes_regressor(table: Table, outcomes: Iterable[Number]) -> list[float]:
    """The predictions of least expected square error.

    Theorem  Among all functions of x, the conditional mean of y given x has the smallest
             expected square error.
    Needs    table: a row for each x and a column for each outcome of y, weights finite, >= 0,
             each row with a weight above zero; they are divided by their sum.  outcomes: the
             value of y in each column, finite.
    Gives    the conditional mean of each row, rounded to the nearest double.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Proposition 1.3.

    Examples
    --------
    >>> bayes_regressor(table=[[1, 1], [1, 3]], outcomes=[0, 2])
    [1.0, 1.5]
    """
    rows = _read(table)
    values = [value.low for value in each("outcomes", outcomes, real)]
    must = f"one value for each column of the table, {len(rows[0])} numbers"
    require(len(values) == len(rows[0]), "outcomes", must, outcomes)
    for i, row in enumerate(rows):
        zeros = [float(weight) for weight in row]
        require(any(row), f"table[{i}]", "a row with a weight above zero", zeros)
    return [float(_mean(row, values)) for row in rows]


def _mean(weights: list[Fraction], values: list[Fraction]) -> Fraction:
    total = sum(w * v for w, v in zip(weights, values, strict=True))
    return Fraction(total) / sum(weights)


@theorem(
    "T87",
    kind="identity",
    statement=r"R^*=\mathbb E\left[1-\max_c\Pr(c\mid x)\right]",
    assumes=(Condition("joint-distribution-given", "the joint distribution is the given one"),),
)
def bayes_classifier_error(table: Table) -> float:
    """The smallest error any classifier can have.

    Theorem  No classifier errs less than the one that predicts a most likely class at every x,
             and its error is E[1 - max_c P(c | x)].
    Needs    table: a row for each x and a column for each class, weights finite, >= 0, not all
             zero; they are divided by their sum.
    Gives    the error, rounded up.
    Source   Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition (1996),
             Theorem 2.1; Sakulwongtana, Supervised Learning (lecture notes), Definition 1.7.

    Examples
    --------
    >>> bayes_classifier_error(table=[[3, 1], [2, 2]])
    0.375
    """
    rows = _read(table)
    total = sum(sum(row) for row in rows)
    require(total > 0, "table", "weights of which at least one is above zero", table)
    return exact(1 - Fraction(sum(max(row) for row in rows)) / total).up()
