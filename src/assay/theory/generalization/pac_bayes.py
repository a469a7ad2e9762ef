"""PAC-Bayes certificates: all distributions over classifiers at once, paid for by their distance to a prior."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, SETTLED, Condition, training_claim
from assay.theory.needs import count, inside_unit, nonnegative, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln
from assay.theory.tail.binomial import IID
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.kl import entropy_above

PRIOR_FIXED = Condition("prior-fixed", "the prior was fixed before the rows were seen")
GAUSSIAN = Condition(
    "normal-posterior",
    "every example is scaled to length one in the feature space of the kernel, and the classifiers are "
    "drawn from a normal distribution of unit variance around the weights",
)


def _bound(loss: Number, divergence: Enclosure, rows: int, delta: Number, name: str) -> float:
    m, level = count("rows", rows, at_least=1), inside_unit("delta", delta)
    require(m <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    need = (divergence + ln(2) + ln(m) / 2 + ln(1 / level)) / m
    return entropy_above(unit(name, loss).low, need)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(Q)\le\sup\Bigl\{p:\mathrm{kl}(\mathrm{err}_S(Q)\,\|\,p)"
    r"\le\frac{\mathrm{KL}(Q\|P)+\ln(2\sqrt m/\delta)}m\Bigr\}\text{ for all }Q",
    assumes=(IID, PRIOR_FIXED),
)
def pac_bayes_kl(loss: Number, divergence: Number, rows: int, delta: Number) -> float:
    """The error of a predictor that draws a classifier afresh for each row.

    Theorem  Let P be fixed before m independent rows are seen. With probability at least 1 - delta,
             every distribution Q over the classifiers satisfies
             kl(err_S(Q) || err_D(Q)) <= (KL(Q || P) + ln(2 sqrt(m) / delta)) / m, where the errors
             are those of a classifier drawn from Q; losses in [0, 1] may stand for errors.
    Needs    loss err_S(Q): 0 <= loss <= 1.  divergence KL(Q || P): finite, >= 0.  rows m: whole,
             >= 1.  delta: strictly between 0 and 1.
    Gives    the smallest double p above the loss with kl(loss || p) at least that large.
    Source   Langford & Seeger (2001) and Langford, Tutorial on practical prediction theory (JMLR
             2005), for the inequality; Maurer, A note on the PAC Bayesian theorem (2004), for
             2 sqrt(m) in place of m + 1.

    Examples
    --------
    >>> round(pac_bayes_kl(loss=0.05, divergence=10, rows=1000, delta=0.05), 12)
    0.100781878231
    """
    return _bound(loss, nonnegative("divergence", divergence), rows, delta, "loss")


@theorem(
    kind="error",
    statement=r"\Pr_{v\sim N(w,I)}[y\,v\cdot x\le0]\le\sup\Bigl\{p:\mathrm{kl}\Bigl("
    r"\frac1m\sum_i\Phi\Bigl(-\frac{y_i\,w\cdot x_i}{\|x_i\|}\Bigr)\Big\|p\Bigr)"
    r"\le\frac{\|w-w_0\|^2/2+\ln(2\sqrt m/\delta)}m\Bigr\}",
    assumes=(IID, PRIOR_FIXED, GAUSSIAN),
)
def pac_bayes_linear(gibbs: Number, norm: Number, rows: int, delta: Number) -> float:
    """The error of a linear or kernel machine whose weights are drawn afresh around the learnt ones.

    Theorem  Let the prior be normal around w0, the origin or a vector from other rows, and Q normal
             around w, both with unit variance. Then KL(Q || P) is half of ||w - w0||^2, a
             classifier drawn from Q errs on a row with probability Phi(-y w . x / ||x||), and
             pac-bayes-kl holds for all w, of every length and direction, at once.
    Needs    gibbs: the mean of Phi(-y w . x / ||x||) over the rows, 0 <= gibbs <= 1.  norm
             ||w - w0||: finite, >= 0.  rows m: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    an upper bound on the error of the drawn classifier, rounded up.
    Source   Langford & Shawe-Taylor, PAC-Bayes & margins (NIPS 2002).

    Examples
    --------
    >>> round(pac_bayes_linear(gibbs=0.1, norm=4, rows=1000, delta=0.05), 6)
    0.160111
    """
    return _bound(gibbs, nonnegative("norm", norm) ** 2 / 2, rows, delta, "gibbs")


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(\mathrm{sgn}(w\cdot x))\le2\,\varepsilon,\quad"
    r"\varepsilon\text{ the bound of pac-bayes-linear}",
    assumes=(IID, PRIOR_FIXED, GAUSSIAN),
    claim=training_claim(DRAWN, SETTLED, BUILT),
)
def pac_bayes_linear_vote(gibbs: Number, norm: Number, rows: int, delta: Number) -> float:
    """The error of a linear or kernel machine itself, by its margins.

    Theorem  Where sgn(w . x) is wrong, a classifier drawn around w is wrong with probability at least
             one half. So the machine errs with at most twice the error of the drawn classifier,
             which pac-bayes-linear bounds; the two fail together. The length of w may be chosen to
             make the bound least: it does not change the machine, and the bound holds for all.
    Needs    as pac-bayes-linear.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Langford & Shawe-Taylor, PAC-Bayes & margins (NIPS 2002).

    Examples
    --------
    >>> round(pac_bayes_linear_vote(gibbs=0.1, norm=4, rows=1000, delta=0.05), 6)
    0.320222
    """
    return 2 * pac_bayes_linear(gibbs, norm, rows, delta)
