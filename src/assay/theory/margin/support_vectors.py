"""Support vector machines: duality, what the support vectors say, and the two ways to weigh the losses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.margin.matrices import vector
from assay.theory.needs import count, each, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact


@theorem(
    "T96",
    kind="identity",
    statement=r"\tfrac12\|w\|^2+C\sum_i\xi_i=\sum_i\alpha_i-\tfrac12\|w\|^2,\quad"
    r"\alpha_i(y_if_i-1+\xi_i)=0,\quad(C-\alpha_i)\xi_i=0",
    assumes=(
        Condition(
            "weights-are-dual-sum",
            "the weights are the sum of the examples, each times its label and its alpha",
        ),
        Condition(
            "dual-feasible",
            "every alpha lies between zero and C, and with a bias the sum of y times alpha is zero",
        ),
    ),
)
def svm_duality_kkt(square: Number, hinge: Number, total: Number, C: Number | None = None) -> float:
    """The duality gap of a support vector machine: how far it can be from the best one.

    Theorem  Let w be the sum of alpha y x with 0 <= alpha <= C and, if there is a bias, a sum of
             y alpha of zero. No machine's half squared norm plus C times its hinge losses is below
             the sum of the alphas less half the squared norm of w. The two agree exactly for the best
             machine, and there y f > 1 only where alpha = 0, y f < 1 only where alpha = C,
             and y f = 1 in between.
    Needs    square: the squared norm of w, finite, >= 0.  hinge: the sum of its hinge losses, finite,
             >= 0.  total: the sum of the alphas, finite, >= 0.  C: finite, > 0; or nothing for the
             hard margin, with a hinge of zero.
    Gives    the primal less the dual, rounded up: the primal is above the least one by at most that.
    Source   Cortes & Vapnik, Support-vector networks (1995); Sakulwongtana, Supervised Learning
             (lecture notes), Propositions 3.3 to 3.5, with the slack in its place.

    Examples
    --------
    >>> svm_duality_kkt(square=1, hinge=0, total=1), svm_duality_kkt(4, hinge=0.5, total=4.5, C=2)
    (0.0, 0.5)
    """
    norm, loss = nonnegative("square", square), nonnegative("hinge", hinge)
    weight = nonnegative("total", total)
    if C is None:
        require(loss.high == 0, "hinge", "zero for the hard margin", hinge)
        return (norm - weight).up()
    return (norm + positive("C", C) * loss - weight).up()


def kkt_residual(margins: Sequence[Number], alphas: Sequence[Number], C: Number) -> float:
    """The worst complementary slackness of a machine: zero for the best one, rounded up.

    Parameters
    ----------
    margins : sequence of numbers
        y f(x) on every example.
    alphas : sequence of numbers
        The weight of every example, between zero and `C`.
    C : number
        The price of a hinge loss.

    Examples
    --------
    >>> kkt_residual([1, 2.5, 0.5], [0.25, 0, 2], C=2), kkt_residual([1.5], [0.5], C=2)
    (0.0, 0.25)
    """
    scores, cap = vector("margins", margins), positive("C", C).low
    require(len(scores) >= 1, "margins", "a sequence of at least one number", margins)
    weights = tuple(entry.low for entry in each("alphas", alphas, nonnegative))
    require(len(weights) == len(scores), "the length of alphas", str(len(scores)), len(weights))
    worst = Fraction(0)
    for place, (alpha, score) in enumerate(zip(weights, scores, strict=True)):
        require(alpha <= cap, f"alphas[{place}]", f"at most C, {C!r}", alphas[place])
        slack = max(Fraction(0), 1 - score)
        worst = max(worst, abs(alpha * (score - 1 + slack)), (cap - alpha) * slack)
    return exact(worst).up()


@theorem(
    "T97",
    kind="error",
    holds="expectation",
    statement=r"\mathrm{LOO}(S)\le\frac{n_{sv}}m,\qquad"
    r"\mathbb E[\mathrm{err}_D(\mathrm{SVM}_{m-1})]\le\frac{\mathbb E[n_{sv}]}m",
    assumes=(
        Condition(
            "examples-drawn-independently",
            "the examples are drawn independently from one distribution",
        ),
        Condition(
            "kernel-and-c-fixed",
            "kernel, feature map, scaling and C were fixed before the rows were seen",
        ),
    ),
)
def svm_loo(support: int, rows: int) -> float:
    """The share of support vectors: always above the leave-one-out error, on average above the error.

    Theorem  Left out, an example that is no support vector leaves the machine as it is, which gets it
             right; so at most n_sv of the m leave-one-out predictions are wrong, always. Their mean
             is the expected error of a machine trained on m - 1 examples, so that is at most the
             expected share of support vectors. A single share promises nothing about the error.
    Needs    support n_sv: examples with alpha > 0, or with y f <= 1, whole, 0 <= n_sv <= m.  rows m:
             whole, >= 1.
    Gives    n_sv / m, rounded up.
    Source   Vapnik, The Nature of Statistical Learning Theory (1995); Luntz & Brailovsky (1969) for
             the mean of leaving one out; Sakulwongtana, Supervised Learning (lecture notes), Remarks
             17 and 20, in expectation.

    Examples
    --------
    >>> svm_loo(support=27, rows=400)
    0.0675
    """
    m, kept = count("rows", rows, at_least=1), count("support", support)
    require(kept <= m, "support", f"at most the number of rows {m}", support)
    return exact(Fraction(kept, m)).up()


class Equivalent(NamedTuple):
    """One objective written twice, as exact fractions."""

    machine: Fraction
    """Half the squared norm plus C times the hinge losses."""
    risk: Fraction
    """The hinge losses plus the penalty times the squared norm, all of it times C: the same."""
    penalty: Fraction
    """1 / (2 C)."""


@theorem(
    "T98",
    kind="identity",
    statement=r"\tfrac12\|w\|^2+C\sum_i\xi_i=C\Bigl(\sum_i\xi_i+\lambda\|w\|^2\Bigr),\quad"
    r"\lambda=\frac1{2C}",
)
def svm_regularization_equivalence(hinge: Number, square: Number, C: Number) -> Equivalent:
    """The objective of a support vector machine as a regularised risk.

    Theorem  Half the squared norm plus C times the summed hinge losses is C times the hinge losses
             plus the squared norm over 2 C; so both have the same best machine.
    Needs    hinge: the sum of the hinge losses, finite, >= 0.  square: the squared norm, finite,
             >= 0.  C: finite, > 0.
    Gives    both sides and the penalty, as exact fractions.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 21.

    Examples
    --------
    >>> both = svm_regularization_equivalence(hinge=3, square=2, C=0.5)
    >>> both.machine == both.risk, float(both.penalty)
    (True, 1.0)
    """
    loss, norm = nonnegative("hinge", hinge).low, nonnegative("square", square).low
    cap = positive("C", C).low
    penalty = 1 / (2 * cap)
    return Equivalent(norm / 2 + cap * loss, cap * (loss + penalty * norm), penalty)
