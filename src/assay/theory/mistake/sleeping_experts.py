"""Expected mistakes of combined sleeping experts, and the two ends of their total weight."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, ln, power

RULE = Condition(
    "sleeping-weights",
    "each awake expert's weight is multiplied by (1 + eps)^(P / (1 + eps) - loss), where P is the "
    "weighted mean loss of those awake; sleepers keep theirs",
)
UNIT_LOSSES = Condition(
    "unit-losses-of-mistakes", "every loss lies between 0 and 1 (a mistake is a loss of 1)"
)


@theorem(
    "T21",
    kind="mistakes",
    holds="expectation",
    statement=r"\mathbb E[M(A,S_i)]\le(1+\varepsilon)"
    r"\Big(M_i+\frac{\ln K}{\ln(1+\varepsilon)}\Big)",
    assumes=(
        UNIT_LOSSES,
        Condition(
            "follows-awake-by-weight",
            "an awake expert is followed with probability proportional to its weight",
        ),
        Condition(
            "examples-ignore-coin",
            "examples and outcomes do not depend on the coin of their own round",
        ),
        RULE,
    ),
)
def sleeping_experts_mistakes(expert_loss: Number, experts: int, epsilon: Number) -> float:
    """Expected mistakes on the rounds in which a given expert was awake.

    Theorem  The total weight never exceeds the K it starts with, while expert i holds
             (1 + eps)^(P_i / (1 + eps) - M_i), where P_i is the learner's expected loss and M_i
             the expert's own, both over the rounds in which i was awake. So
             P_i <= (1 + eps)(M_i + ln K / ln(1 + eps)), for every i at once.
    Needs    expert_loss M_i: finite, >= 0.  experts K: whole, >= 1.  epsilon: finite, > 0.
    Gives    an upper bound on the expected number, rounded up; the sum of the weighted mean
             losses P over those rounds obeys it on every run.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.18, which states
             O(ln K / eps); the constant is that of its proof. Freund, Schapire, Singer & Warmuth,
             Using and combining predictors that specialize (1997).

    Examples
    --------
    >>> round(sleeping_experts_mistakes(expert_loss=20, experts=10, epsilon=0.1), 6)
    48.574744
    """
    loss, k = nonnegative("expert_loss", expert_loss), count("experts", experts, at_least=1)
    growth = 1 + positive("epsilon", epsilon)
    return (growth * (loss + ln(k) / ln(growth))).up()


@theorem("L10", kind="potential", statement=r"W_{t+1}\le W_t\le K", assumes=(UNIT_LOSSES, RULE))
def sleeping_experts_weight_potential(experts: int) -> float:
    """How much weight sleeping experts can hold together, awake or not.

    Theorem  With p their shares and P the mean loss, the awake weight is multiplied by at most
             (1 - z)(1 + z) <= 1, where z = P eps / (1 + eps); the rest does not move.
    Needs    experts K: whole, >= 1.
    Gives    an upper bound on the total weight at any time.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, proof of Theorem 6.18.

    Examples
    --------
    >>> sleeping_experts_weight_potential(experts=3)
    3.0
    """
    return exact(count("experts", experts, at_least=1)).up()


@theorem(
    "L11",
    kind="potential",
    statement=r"W\ge(1+\varepsilon)^{P_i/(1+\varepsilon)-M_i}",
    assumes=(RULE,),
)
def sleeping_experts_expert_potential(
    learner_loss: Number, expert_loss: Number, epsilon: Number
) -> float:
    """How much weight sleeping experts must hold, thanks to one of them.

    Theorem  The exponents of expert i's factors add up to P_i / (1 + eps) - M_i.
    Needs    learner_loss P_i, the sum of P over the rounds in which i was awake: finite, >= 0.
             expert_loss M_i over the same rounds: finite, >= 0.  epsilon: finite, > 0.
    Gives    a lower bound on the total weight, rounded down.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, proof of Theorem 6.18.

    Examples
    --------
    >>> sleeping_experts_expert_potential(learner_loss=0, expert_loss=0, epsilon=0.1)
    1.0
    """
    paid = nonnegative("learner_loss", learner_loss)
    loss, growth = nonnegative("expert_loss", expert_loss), 1 + positive("epsilon", epsilon)
    return power(growth, paid / growth - loss).down()
