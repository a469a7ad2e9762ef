"""Expected mistakes of the weighted majority when one expert, drawn by weight, is followed."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.mistake.weighted_majority import RULE
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exp, ln

DRAWN = Condition(
    "follows-by-weight", "one expert is followed, drawn with probability proportional to its weight"
)
BLIND = Condition(
    "advice-ignores-coin", "advice and outcomes do not depend on the coin of their own round"
)


@theorem(
    kind="mistakes",
    holds="expectation",
    statement=r"\mathbb E[M]\le\frac{\ln(1/\beta)\,\min_iM_i+\ln K}{1-\beta}",
    assumes=(RULE, DRAWN, BLIND),
)
def randomized_majority_mistakes(
    best_mistakes: int, experts: int, beta: Number | None = None
) -> float:
    """Expected mistakes of following an expert drawn by weight, against the best expert.

    Theorem  If the share F of the weight is wrong in a round, the total falls to 1 - (1 - b) F of
             itself, and it is never below the b^M_i that expert i still holds. So the shares add
             up to at most (ln(1 / b) M_i + ln K) / (1 - b), for every i; and F is the chance of
             a mistake.
    Needs    best_mistakes M_i: whole, >= 0.  experts K: whole, >= 1.
             beta b: 0 < b < 1; 1/e when not given.
    Gives    an upper bound on the expected number, rounded up; the sum of the wrong shares obeys
             it on every run.
    Source   Littlestone & Warmuth, The weighted majority algorithm (1994).

    Examples
    --------
    >>> round(randomized_majority_mistakes(best_mistakes=5, experts=16), 6)
    12.296054
    """
    best, k = count("best_mistakes", best_mistakes), count("experts", experts, at_least=1)
    b = exp(-1) if beta is None else inside_unit("beta", beta)
    return ((best * ln(1 / b) + ln(k)) / (1 - b)).up()
