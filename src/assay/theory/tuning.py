"""Step sizes that make the bounds smallest. They are choices, not promises: ordinary floats.

A bound is evaluated at the step size that was used, so an error in its last digit costs nothing.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Literal

from assay.theory.needs import Form, count, one_of, positive
from assay.theory.rounding import Number

# The factor for which weighted majority's two constants meet: M <= 2.6324 (M_i + ln K).
WEIGHTED_MAJORITY_BETA = 0.36787944117144233  # 1 / e
_DIGITS = Context(prec=40)

_WEIGHTED_AVERAGE_RATES = {"entropic": 1.0, "square": 0.5}


def hedge_rate(rounds: int, experts: int, largest_loss: Number = 1, form: Form = "sharp") -> float:
    """Hedge's rate for a known number of rounds, losses between 0 and B.

    ``sqrt(8 ln K / T) / B`` makes the sharp bound least, ``sqrt(2 ln K / T) / B`` the textbook's.
    A single expert needs no rate; the answer is then 1 / B.

    Examples
    --------
    >>> round(hedge_rate(rounds=100, experts=10, form="textbook"), 6)
    0.214597
    >>> round(hedge_rate(rounds=100, experts=10), 6)
    0.429193
    """
    one_of("form", form, "sharp", "textbook")
    t = count("rounds", rounds, at_least=1)
    b = float(positive("largest_loss", largest_loss).low)
    return math.sqrt((8 if form == "sharp" else 2) * _log_count("experts", experts) / t) / b


def hedge_anytime_rate(round_number: int, experts: int, largest_loss: Number = 1) -> float:
    """Hedge's rate in round t when nobody knows how many rounds there will be.

    ``2 sqrt(ln K / t) / B``, with weights proportional to exp(-rate * total loss so far). The
    regret after any T rounds is at most ``B sqrt(T ln K)``: the form "anytime" of hedge-regret.

    Examples
    --------
    >>> round(hedge_anytime_rate(round_number=100, experts=10), 6)
    0.303485
    """
    t = count("round_number", round_number, at_least=1)
    b = float(positive("largest_loss", largest_loss).low)
    return 2.0 * math.sqrt(_log_count("experts", experts) / t) / b


def exp3_rate(rounds: int, arms: int) -> float:
    """EXP3's rate for a known number of rounds, ``sqrt(2 ln K / (T K))``.

    Examples
    --------
    >>> round(exp3_rate(rounds=1000, arms=10), 7)
    0.0214597
    """
    t = count("rounds", rounds, at_least=1)
    return math.sqrt(2.0 * _log_count("arms", arms) / (t * arms))


def exp3_anytime_rate(round_number: int, arms: int) -> float:
    """EXP3's rate in round t when nobody knows how many rounds there will be.

    ``sqrt(ln K / (t K))``, with weights proportional to exp(-rate * total estimated loss). The
    expected regret after any T rounds is at most ``2 sqrt(T K ln K)``.

    Examples
    --------
    >>> round(exp3_anytime_rate(round_number=1000, arms=10), 6)
    0.015174
    """
    t = count("round_number", round_number, at_least=1)
    return math.sqrt(_log_count("arms", arms) / (t * arms))


def gradient_step(rounds: int, norm: Number, radius: Number) -> float:
    """The step of online gradient descent for a known number of rounds, ``U / (R sqrt T)``.

    Examples
    --------
    >>> gradient_step(rounds=100, norm=2, radius=1)
    0.2
    """
    t = count("rounds", rounds, at_least=1)
    u, r = positive("norm", norm).low, positive("radius", radius).low
    return float(u / r) / math.sqrt(t)


def gradient_anytime_step(round_number: int, norm: Number, radius: Number) -> float:
    """The step of online gradient descent in round t when the number of rounds is unknown.

    ``U sqrt(2 / t) / R``, with the weights pulled back into the ball of radius U after each step.
    The regret after any T rounds is at most ``2 sqrt(2) U R sqrt(T)``.

    Examples
    --------
    >>> round(gradient_anytime_step(round_number=100, norm=2, radius=1), 6)
    0.282843
    """
    t = count("round_number", round_number, at_least=1)
    u, r = positive("norm", norm).low, positive("radius", radius).low
    return float(u / r) * math.sqrt(2.0 / t)


def weighted_average_rate(loss: Literal["entropic", "square"]) -> float:
    """The largest rate at which the loss is exp-concave: 1 (entropic) or 1/2 (square).

    Examples
    --------
    >>> weighted_average_rate("square")
    0.5
    """
    one_of("loss", loss, "entropic", "square")
    return _WEIGHTED_AVERAGE_RATES[loss]


def weighted_majority_beta() -> float:
    """The factor by which weighted majority shrinks a wrong expert, ``1 / e``.

    Examples
    --------
    >>> round(weighted_majority_beta(), 6)
    0.367879
    """
    return WEIGHTED_MAJORITY_BETA


def _log_count(name: str, value: int) -> float:
    """The logarithm of a number of experts or arms; 1 for a single one, so that no rate is zero."""
    k = count(name, value, at_least=1)
    return decimal_log(k) if k > 1 else 1.0


def decimal_log(number: float) -> float:
    """The natural logarithm by decimals: that of the C library differs by machine in the last bit.

    Examples
    --------
    >>> decimal_log(10)
    2.302585092994046
    """
    return float(_DIGITS.ln(Decimal(number)))
