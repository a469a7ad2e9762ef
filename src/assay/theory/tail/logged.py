"""What a policy would lose, from rounds that another one played: betting on weighted losses of any size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from assay.theory.claim import DRAWN, FIRST, SETTLED, Condition, Direction, Quantity, logged_claim
from assay.theory.needs import inside_unit, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above, double_below
from assay.theory.tail.nonnegative_mean import Histogram, NonnegativeMean

ROUNDS_ALIKE = Condition(
    "rounds-alike",
    "contexts and losses of the rounds are independent draws from where the policy is to be used; actions may "
    "depend on earlier rounds",
)
DRAWN_AS_LOGGED = Condition(
    "drawn-as-logged",
    "every action was drawn with the logged probabilities, whatever its losses were to be",
)
POLICY_BEFORE = Condition(
    "policy-before",
    "in every round the policy, and what forecasts losses, were settled before its loss was looked at",
)

_KNOWN = (DRAWN, SETTLED, FIRST)


def _at_least(returns: Histogram, delta: Any, shift: Any) -> Fraction:
    """The mean of what was shifted, shifted back; no larger than it can be."""
    mean = NonnegativeMean(returns, inside_unit("delta", delta).low).at_least()
    return min(Fraction(mean) - nonnegative("shift", shift).low, Fraction(1))


_Checks = Callable[[Mapping[str, Any], Fraction, bool], tuple[bool, bool]]


def _checker(at_least: Callable[[Fraction], Fraction], least: int) -> _Checks:
    """What decides a promise from the lower bound on a mean that it comes from."""

    def confirm(
        inputs: Mapping[str, Any], promised: Fraction, at_length: bool
    ) -> tuple[bool, bool]:
        level, shift = inside_unit("delta", inputs["delta"]).low, inputs.get("shift", -least)
        by = nonnegative("shift", shift).low
        mean = NonnegativeMean(inputs["returns"], level)
        claimed = at_least(promised)
        sound = claimed <= least or mean.excludes(claimed + by)
        best = min(max(Fraction(mean.at_least()) - by, Fraction(least)), Fraction(1))
        return sound, claimed >= best - Fraction(1, 10**9)

    return confirm


def _claims(quantity: Quantity, direction: Direction) -> Any:
    return logged_claim(*_KNOWN, quantities=(quantity,), direction=direction)


@theorem(
    kind="rate",
    statement=r"\mathbb E\,\ell\ge\sup\Big\{m:\tfrac1{40}\sum_{j=1}^{40}\prod_t\Big(1-c_j+c_j\frac{y_t}{m+\kappa}\Big)"
    r"\ge\tfrac1\delta\Big\},\quad y_t=w_t\ell_t",
    assumes=(ROUNDS_ALIKE, DRAWN_AS_LOGGED, POLICY_BEFORE),
    claim=_claims("policy-loss", "at least"),
    checker=_checker(lambda promised: promised, 0),
)
def logged_loss_at_least(returns: Histogram, delta: Number, shift: Number = 0) -> float:
    """What a policy loses at least, from weighted losses of logged rounds.

    Theorem  Let w_t be the probability of the logged action under the policy over that with which it was drawn. Given
             the past, w_t l_t has at most the policy's mean loss m as its mean, and is nonnegative. Forty gamblers,
             the j-th of whom risks the share c_j, own together (1/40) sum_j prod_t (1 - c_j + c_j w_t l_t / m): a
             nonnegative supermartingale started at 1, which ever reaches 1 / delta with probability at most delta.
             It falls as m grows, so what is excluded for some m is excluded for all smaller ones. The same holds for
             any y_t >= 0 of mean at most m + kappa, such as doubly robust estimates shifted by kappa.
    Needs    returns: pairs (y, number of rounds), y >= 0, at most 4,096 different ones.  delta: strictly between 0
             and 1.  shift kappa: what was added to every return, >= 0.
    Gives    a lower bound, rounded down, at every moment at once; 0 where no mean is excluded.
    Source   Karampatziakis, Mineiro & Ramdas, Off-policy confidence sequences (ICML 2021); Waudby-Smith, Wu, Ramdas,
             Karampatziakis & Mineiro, Anytime-valid off-policy inference (2022), with a mixture over a grid of bets.

    Examples
    --------
    >>> round(logged_loss_at_least([(5, 60), (0, 940)], 0.05), 12)
    0.197405622251
    """
    return max(double_below(_at_least(returns, delta, shift)), 0.0)


@theorem(
    kind="error",
    statement=r"\mathbb E\,\ell\le1-\sup\Big\{m:\tfrac1{40}\sum_{j=1}^{40}\prod_t\Big(1-c_j+c_j"
    r"\frac{y_t}{m+\kappa}\Big)\ge\tfrac1\delta\Big\},\quad y_t=w_t(1-\ell_t)",
    assumes=(ROUNDS_ALIKE, DRAWN_AS_LOGGED, POLICY_BEFORE),
    claim=_claims("policy-loss", "at most"),
    checker=_checker(lambda promised: 1 - promised, 0),
)
def logged_loss_at_most(returns: Histogram, delta: Number, shift: Number = 0) -> float:
    """What a policy loses at most, from weighted gains of logged rounds.

    Theorem  One less the loss lies between 0 and 1 as well, so the lower bound of `logged_loss_at_least` on its mean is
             one less an upper bound on the mean loss.
    Needs    returns: pairs (w (1 - l), number of rounds), or other y >= 0 of mean at most 1 + kappa less the mean
             loss, at most 4,096 different ones.  delta: strictly between 0 and 1.  shift kappa: >= 0.
    Gives    an upper bound, rounded up, at every moment at once; 1 where none smaller is known.
    Source   As `logged_loss_at_least`.

    Examples
    --------
    >>> round(logged_loss_at_most([(2, 400), (0, 600)], 0.05), 9)
    0.295504633
    """
    return min(double_above(1 - _at_least(returns, delta, shift)), 1.0)


@theorem(
    kind="difference",
    statement=r"\mathbb E\,\ell_{\text{old}}-\mathbb E\,\ell_{\text{new}}\ge\sup\Big\{m:\tfrac1{40}\sum_{j=1}^{40}"
    r"\prod_t\Big(1-c_j+c_j\frac{y_t}{m+1}\Big)\ge\tfrac1\delta\Big\},\quad y_t=1+(w_t-1)(1-\ell_t)",
    assumes=(ROUNDS_ALIKE, DRAWN_AS_LOGGED, POLICY_BEFORE),
    claim=_claims("policy-improvement", "at least"),
    checker=_checker(lambda promised: promised, -1),
)
def logged_improvement(returns: Histogram, delta: Number) -> float:
    """By how much a new policy loses less than the one that made the log.

    Theorem  Rounds are paired with themselves: given the past, (w_t - 1)(1 - l_t) has at most the old policy's mean
             loss less the new one's as its mean, and is at least -1. So y_t = 1 + (w_t - 1)(1 - l_t) is nonnegative,
             and the gamblers of `logged_loss_at_least` bet on it with a shift of 1.
    Needs    returns: pairs (y, number of rounds), y >= 0, at most 4,096 different ones.  delta: strictly between 0
             and 1.
    Gives    a lower bound on old - new, rounded down, at every moment at once; -1 where none is excluded.
    Source   Derived from Karampatziakis, Mineiro & Ramdas (ICML 2021), section 5.

    Examples
    --------
    >>> round(logged_improvement([("1.8", 500), (1, 500)], 0.05), 9)
    0.360489977
    """
    return max(double_below(_at_least(returns, delta, 1)), -1.0)


@theorem(
    kind="difference",
    statement=r"\mathbb E\,\ell_{\text{old}}-\mathbb E\,\ell_{\text{new}}\ge L_{\text{old}}-U_{\text{new}},\quad "
    r"\text{each at }\tfrac12\delta",
    assumes=(ROUNDS_ALIKE, DRAWN_AS_LOGGED, POLICY_BEFORE),
    claim=_claims("policy-improvement", "at least"),
)
def logged_improvement_apart(
    old_returns: Histogram,
    new_returns: Histogram,
    delta: Number,
    old_shift: Number = 0,
    new_shift: Number = 0,
) -> float:
    """By how much a new policy loses less than an old one, from a log that a third one made.

    Theorem  With probability at least 1 - delta both hold: the old policy loses at least L, by `logged_loss_at_least`,
             and the new one at most U, by `logged_loss_at_most`, each at delta / 2.
    Needs    old_returns, old_shift: as the first takes them.  new_returns, new_shift: as the second does.  delta:
             strictly between 0 and 1.
    Gives    a lower bound on old - new, rounded down, at every moment at once.
    Source   A union bound: the argument stands in the statement.

    Examples
    --------
    >>> round(logged_improvement_apart([(2, 400), (0, 600)], [(2, 450), (0, 550)], 0.05), 6)
    0.49196
    """
    half = inside_unit("delta", delta).low / 2
    least = max(_at_least(old_returns, half, old_shift), Fraction(0))
    most = 1 - max(_at_least(new_returns, half, new_shift), Fraction(0))
    return max(double_below(least - most), -1.0)
