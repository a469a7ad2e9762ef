"""Regret of fixed share against sequences of experts, and the share and rate that make it least."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, inside_unit, positive
from assay.theory.registry import theorem
from assay.theory.regret.hedge import BOUNDED_LOSSES, LOSS_IS_MEAN
from assay.theory.regret.weighted_average import ENTROPIC_RATE, SQUARE_RATE, UNIT_OUTCOMES
from assay.theory.rounding import Enclosure, Number, exact, ln, sqrt
from assay.theory.tuning import decimal_log

SHARING = Condition(
    "fixed-share-weights",
    "the weights start equal; each is multiplied by exp(-rate * loss) and they are normalised, then "
    "a fixed share of the whole is taken from all alike and handed out evenly",
)
AVERAGES = Condition(
    "predicts-weighted-average", "each prediction is the weighted average of the advice"
)
_RATES: dict[str, Fraction] = {"square": SQUARE_RATE, "entropic": ENTROPIC_RATE}


@theorem(
    kind="regret",
    statement=(
        r"\sum_tv_t\cdot\ell_t-\min_{(i_t)}\sum_t\ell_{t,i_t}\le\frac{C}\eta+\frac{\eta TB^2}8,\quad "
        r"C=(S+1)\ln K+S\ln\tfrac1\alpha+(T-1-S)\ln\frac1{1-\alpha+\alpha/K}"
    ),
    assumes=(BOUNDED_LOSSES, SHARING, LOSS_IS_MEAN),
)
def fixed_share_regret(
    rounds: int,
    experts: int,
    switches: int,
    learning_rate: Number | None = None,
    share: Number | None = None,
    largest_loss: Number = 1,
) -> float:
    """Regret of fixed share against the best sequence of experts with few switches.

    Theorem  With losses in [0, B], rate n and share a, fixed share over K experts loses in T
             rounds at most C / n + n T B^2 / 8 more than any sequence of experts that switches
             at most S times, where C = (S + 1) ln K + S ln(1 / a) + (T - 1 - S) ln(1 / (1 - a
             + a / K)). At a = S / (T - 1) C is at most (S + 1) ln K + (T - 1) H(a), with H the
             entropy in nats, and the best rate for that gives B sqrt(T C / 2).
    Needs    rounds T: whole, >= 1.  experts K: whole, >= 1.  switches S: whole, 0 <= S <= T - 1.
             learning_rate n: finite, > 0, and share a: 0 < a < 1; both, or neither for the
             best ones.  largest_loss B: finite, > 0.
    Gives    an upper bound, rounded up.
    Source   Herbster & Warmuth, Tracking the best expert (1998); Cesa-Bianchi & Lugosi,
             Prediction, Learning, and Games (2006), section 5.2; constants from the proof.

    Examples
    --------
    >>> round(fixed_share_regret(rounds=10000, experts=10, switches=4), 3)
    483.776
    >>> round(fixed_share_regret(100, 10, 1, learning_rate=0.5, share=0.01), 6)
    26.442667
    """
    t, k, s = _sizes(rounds, experts, switches)
    b = positive("largest_loss", largest_loss)
    both = (learning_rate is None) == (share is None)
    require(both, "share", "given together with the learning rate, or neither of them", share)
    if learning_rate is None or share is None:
        return (b * sqrt(t * _least_cost(t, k, s) / 2)).up()
    eta, alpha = positive("learning_rate", learning_rate), inside_unit("share", share)
    return (_cost(t, k, s, alpha) / eta + eta * t * b**2 / 8).up()


@theorem(
    kind="regret",
    statement=(
        r"L_A-\min_{(i_t)}\sum_tL(y_t,x_{t,i_t})\le\frac{C}\eta,\quad "
        r"C=(S+1)\ln K+S\ln\tfrac1\alpha+(T-1-S)\ln\frac1{1-\alpha+\alpha/K}"
    ),
    assumes=(UNIT_OUTCOMES, SHARING, AVERAGES),
)
def fixed_share_mixable_regret(
    rounds: int,
    experts: int,
    switches: int,
    share: Number,
    learning_rate: Number | None = None,
    loss: Literal["square", "entropic"] = "square",
) -> float:
    """Regret of the average by fixed share, under the square or the entropic loss.

    Theorem  At a rate n of at most 1/2 (square loss) or 1 (entropic loss) and with share a, the
             weighted average of K experts loses in T rounds at most C / n more than any sequence
             of experts that switches at most S times, with C as in fixed-share-regret.
    Needs    rounds T: whole, >= 1.  experts K: whole, >= 1.  switches S: whole, 0 <= S <= T - 1.
             share a: 0 < a < 1.  learning_rate n: above 0, at most 1/2 (square) or 1
             (entropic), which it is when not given.  loss: "square" or "entropic".
    Gives    an upper bound, rounded up.
    Source   Herbster & Warmuth, Tracking the best expert (1998); constants from the proof.

    Examples
    --------
    >>> round(fixed_share_mixable_regret(100, 10, 1, share=0.01), 6)
    20.192667
    """
    t, k, s = _sizes(rounds, experts, switches)
    require(loss in _RATES, "loss", "'square' or 'entropic'", loss)
    largest = _RATES[loss]
    eta = positive("learning_rate", largest if learning_rate is None else learning_rate)
    must = f"at most {largest}, where the loss is still exp-concave"
    require(eta.low <= largest, "learning_rate", must, learning_rate)
    return (_cost(t, k, s, inside_unit("share", share)) / eta).up()


def _sizes(rounds: int, experts: int, switches: int) -> tuple[int, int, int]:
    t, k = count("rounds", rounds, at_least=1), count("experts", experts, at_least=1)
    s = count("switches", switches)
    require(s <= t - 1, "switches", f"at most the rounds less one, {t - 1}", switches)
    return t, k, s


def _cost(t: int, k: int, s: int, share: Enclosure) -> Enclosure:
    """The logarithm of one over the weight that the sequence starts with."""
    stay = 1 - share + share / k
    return (s + 1) * ln(k) + s * ln(1 / share) + (t - 1 - s) * ln(1 / stay)


def _least_cost(t: int, k: int, s: int) -> Enclosure:
    entropy = exact(0)
    for part in (s, t - 1 - s):
        if part:
            entropy += part * ln(Fraction(t - 1, part))
    return (s + 1) * ln(k) + entropy


def best_share(rounds: int, switches: int) -> float:
    """The share for so many switches, ``S / (T - 1)``; half a switch for none, at most one half.

    A choice, not a promise: the bounds hold at the share that was used.

    Examples
    --------
    >>> best_share(rounds=101, switches=4)
    0.04
    """
    return min(0.5, max(switches, 0.5) / max(rounds - 1, 1))


def fixed_share_rate(
    rounds: int, experts: int, switches: int, share: float, largest_loss: float = 1.0
) -> float:
    """The rate that makes fixed-share-regret least, ``sqrt(8 C / T) / B``.

    Examples
    --------
    >>> round(fixed_share_rate(rounds=10000, experts=10, switches=4, share=4 / 9999), 6)
    0.192682
    """
    t, k, s = count("rounds", rounds, at_least=1), count("experts", experts, at_least=1), switches
    s, part = min(s, t - 1), float(inside_unit("share", share).low)
    stay = 1 - part + part / k
    cost = (s + 1) * decimal_log(k) - s * decimal_log(part) - (t - 1 - s) * decimal_log(stay)
    # A single expert needs no rate.
    return math.sqrt(8 * (cost or 1.0) / t) / largest_loss
