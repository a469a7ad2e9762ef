"""Regret of the weighted average of experts' predictions: entropic and square loss."""

from __future__ import annotations

from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln

PREDICTS_AVERAGE = Condition(
    "weighted-average-updates",
    "each prediction is the weighted average, and each weight is multiplied by exp(-rate * loss)",
)
UNIT_OUTCOMES = Condition(
    "unit-predictions-and-outcomes", "the experts' predictions and the outcomes lie between 0 and 1"
)
UNIFORM_START = Condition("weights-start-equal", "the weights start equal")

# The largest rates at which exp(-rate * loss) is concave in the prediction.
ENTROPIC_RATE = Fraction(1)
SQUARE_RATE = Fraction(1, 2)
MIXABLE_RATES = {"square": SQUARE_RATE, "entropic": ENTROPIC_RATE}


@theorem(
    "T23",
    kind="regret",
    statement=r"L_{WA}-\min_i L_i\le \tfrac1\eta\ln K=\ln K\quad(\eta=1)",
    assumes=(UNIT_OUTCOMES, UNIFORM_START, PREDICTS_AVERAGE),
)
def wa_entropic_regret(experts: int, learning_rate: Number = ENTROPIC_RATE) -> float:
    """Regret of the weighted average under the entropic loss.

    Theorem  With the loss -y ln p - (1 - y) ln(1 - p) and a rate n <= 1, the weighted average
             of K experts loses at most ln(K) / n more than the best of them, over any number
             of rounds.
    Needs    experts K: whole, >= 1.  learning_rate n: 0 < n <= 1; 1 when not given.
    Gives    an upper bound, rounded up.
    Source   Kivinen & Warmuth, Averaging expert predictions (1999); Sakulwongtana, Supervised
             Learning (lecture notes), Theorem 5.2.

    Examples
    --------
    >>> round(wa_entropic_regret(experts=10), 6)
    2.302585
    """
    return _regret(experts, learning_rate, ENTROPIC_RATE)


@theorem(
    "T24",
    kind="regret",
    statement=r"L_{WA}-\min_i L_i\le \tfrac1\eta\ln K=2\ln K\quad(\eta=\tfrac12)",
    assumes=(UNIT_OUTCOMES, UNIFORM_START, PREDICTS_AVERAGE),
)
def wa_square_regret(experts: int, learning_rate: Number = SQUARE_RATE) -> float:
    """Regret of the weighted average under the square loss.

    Theorem  With the loss (y - p)^2 and a rate n <= 1/2, the weighted average of K experts
             loses at most ln(K) / n more than the best of them, over any number of rounds.
    Needs    experts K: whole, >= 1.  learning_rate n: 0 < n <= 1/2; 1/2 when not given.
    Gives    an upper bound, rounded up.
    Source   Kivinen & Warmuth, Averaging expert predictions (1999); Sakulwongtana, Supervised
             Learning (lecture notes), Theorem 5.2.

    Examples
    --------
    >>> round(wa_square_regret(experts=10), 6)
    4.60517
    """
    return _regret(experts, learning_rate, SQUARE_RATE)


def _regret(experts: int, learning_rate: Number, largest: Fraction) -> float:
    k = count("experts", experts, at_least=1)
    return (ln(k) / _rate(learning_rate, largest)).up()


def _rate(learning_rate: Number, largest: Fraction) -> Enclosure:
    eta = positive("learning_rate", learning_rate)
    must = f"at most {largest}, where the loss is still exp-concave"
    require(eta.low <= largest, "learning_rate", must, learning_rate)
    return eta


@theorem(
    "L13",
    kind="potential",
    statement=r"\sum_t\Big[L(y_t,\hat y_t)-\sum_iu_iL(y_t,x_{t,i})\Big]\le\frac{d(u,v_1)-d(u,v_{T+1})}\eta",
    assumes=(
        Condition(
            "mixable-rate",
            "the rate is at most 1 for the entropic loss and at most 1/2 for the square loss",
        ),
        UNIT_OUTCOMES,
        PREDICTS_AVERAGE,
    ),
)
def wa_progress_potential(
    divergence_before: Number, divergence_after: Number, learning_rate: Number
) -> float:
    """How much more than a mixture of experts the weighted average may lose meanwhile.

    Theorem  Over any stretch of rounds the loss in excess of a mixture u of the experts is at
             most the fall of the relative entropy d(u, v), divided by the rate; with the
             entropic loss, rate 1 and outcomes 0 or 1, it is exactly that.
    Needs    divergence_before d(u, v) at the start: finite, >= 0.  divergence_after d(u, v) at
             the end: finite, >= 0.  learning_rate n: 0 < n <= 1.
    Gives    an upper bound on the excess loss of the stretch, rounded up.
    Source   Kivinen & Warmuth, Averaging expert predictions (1999); Sakulwongtana, Supervised
             Learning (lecture notes), proof of Theorem 5.2.

    Examples
    --------
    >>> wa_progress_potential(divergence_before=2, divergence_after=0.5, learning_rate=0.5)
    3.0
    """
    before = nonnegative("divergence_before", divergence_before)
    after = nonnegative("divergence_after", divergence_after)
    return ((before - after) / _rate(learning_rate, ENTROPIC_RATE)).up()
