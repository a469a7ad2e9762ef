"""Losses that are never below the mistake they stand for."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number, ln

Surrogate = Literal["hinge", "exponential", "square", "logistic"]
SURROGATES = ("hinge", "exponential", "square", "logistic")


@theorem(
    "T99",
    kind="training-error",
    statement=(
        r"\mathbb 1[yf\le0]\le\max(0,1-yf),\ e^{-yf},\ (1-yf)^2,\ \log_2(1+e^{-yf});\qquad"
        r"\mathrm{err}_S\le\tfrac1m\sum_i\ell(y_i,f(x_i))"
    ),
    assumes=(
        Condition("total-of-named-loss", "the total is that of the named loss over the rows"),
    ),
)
def surrogate_upper_bounds(total: Number, rows: Number, loss: Surrogate = "hinge") -> float:
    """The error rate on the rows a loss was summed over.

    Theorem  A mistake, y f <= 0, costs at least one in the hinge loss max(0, 1 - y f), in the
             exponential loss exp(-y f), in the square loss (1 - y f)^2 = (y - f)^2, and in
             the logistic loss ln(1 + exp(-y f)) / ln 2; nothing costs less than zero. So the
             error rate is at most the mean loss. With several classes the logistic loss is
             -ln p, p being the probability that the softmax gives the right class.
    Needs    total loss over all rows, in natural logarithms for the logistic loss: finite,
             >= 0.  rows: a whole number >= 1.  loss: one of the four names.
    Gives    an upper bound on the error rate, rounded up; it may exceed 1.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.3.2; Sakulwongtana,
             Supervised Learning (lecture notes), Remark 29; the logistic case is derived.

    Examples
    --------
    >>> surrogate_upper_bounds(total=25, rows=100)
    0.25
    >>> surrogate_upper_bounds(total=25, rows=100, loss="logistic")
    0.3606737602222409
    """
    require(loss in SURROGATES, "loss", "'hinge', 'exponential', 'square' or 'logistic'", loss)
    mean = nonnegative("total", total) / count("rows", rows, at_least=1)
    return (mean / ln(2) if loss == "logistic" else mean).up()
