"""Where error comes from: class and sample, or noise, bias and variance."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import nonnegative, real, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@theorem(
    "T55",
    kind="identity",
    statement=(
        r"\mathrm{err}_D(h_S)=\min_{h\in H}\mathrm{err}_D(h)"
        r"+\left(\mathrm{err}_D(h_S)-\min_{h\in H}\mathrm{err}_D(h)\right)"
    ),
    assumes=(Condition("hypothesis-in-class", "the hypothesis belongs to the class"),),
)
def error_decomposition(error: Number, best: Number) -> float:
    """The part of an error that more examples could remove.

    Theorem  The true error of a hypothesis of the class is the smallest in the class (the
             approximation error, which no sample removes) plus the rest, the estimation
             error, which is never negative.
    Needs    error: 0 <= error <= 1.  best, the smallest error in the class: 0 <= best <= error.
    Gives    the estimation error, rounded up.
    Source   Shalev-Shwartz & Ben-David, Understanding Machine Learning, section 5.2;
             Sakulwongtana, Supervised Learning (lecture notes), Remark 52.

    Examples
    --------
    >>> error_decomposition(error=0.3, best=0.1)
    0.2
    """
    total, least = unit("error", error), unit("best", best)
    require(least.low <= total.low, "best", f"at most the error {error!r}", best)
    return (total - least).up()


@theorem(
    "T88",
    kind="identity",
    statement=(r"\mathbb E(y'-A_S)^2=\mathrm{Var}(y')+(f^*-\mathbb EA_S)^2+\mathrm{Var}(A_S)"),
    assumes=(
        Condition("new-outcome-independent", "the new outcome is independent of the sample"),
        Condition("square-loss", "the loss is the square loss"),
    ),
)
def bias_variance(noise: Number, bias: Number, variance: Number) -> float:
    """The expected square error of a learner at a point, from its three sources.

    Theorem  If the new outcome y' is independent of the sample, the expected square error of
             the prediction A is Var(y') + (E y' - E A)^2 + Var(A).
    Needs    noise Var(y'): finite, >= 0.  bias E y' - E A: finite.  variance Var(A): finite,
             >= 0.
    Gives    the expected square error, rounded up.
    Source   Geman, Bienenstock & Doursat, Neural networks and the bias/variance dilemma (1992);
             Sakulwongtana, Supervised Learning (lecture notes), Proposition 1.4.

    Examples
    --------
    >>> bias_variance(noise=1, bias=-0.5, variance=2.25)
    3.5
    """
    spread = nonnegative("noise", noise) + nonnegative("variance", variance)
    return (spread + real("bias", bias) ** 2).up()
