"""Regret of UCB1 on arms whose rewards are drawn independently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, ln, sqrt

PI = Enclosure(Fraction("3.141592653589793"), Fraction("3.141592653589794"))
INDEPENDENT = Condition(
    "arm-outcomes-independent",
    "each arm's outcomes are independent draws from one distribution on [0, 1]",
)
UCB1_RULE = Condition(
    "ucb1-rule",
    "each arm is played once, then always the one of best mean plus sqrt(2 ln t / plays)",
)


@theorem(
    "T32",
    kind="regret",
    holds="expectation",
    statement=(
        r"\mathbb E[\mathrm{Reg}]\le 8\sum_{i:\Delta_i>0}\frac{\ln T}{\Delta_i}"
        r"+\Big(1+\frac{\pi^2}{3}\Big)\sum_i\Delta_i"
    ),
    assumes=(
        INDEPENDENT,
        Condition(
            "gaps-are-distances", "each gap is the distance of the arm's mean to the best mean"
        ),
        UCB1_RULE,
    ),
)
def ucb1_regret(rounds: int, gaps: Sequence[Number]) -> float:
    """Expected regret of UCB1 against the best arm.

    Theorem  UCB1 loses in T rounds, on average, at most 8 ln(T) / D summed over the arms with a
             gap D > 0 to the best mean, plus (1 + pi^2 / 3) times the sum of the gaps.
    Needs    rounds T: whole, >= 1.  gaps D: numbers between 0 and 1, at least one (those of best
             arms are 0 and count nothing).
    Gives    an upper bound on the expectation, rounded up; a single run may exceed it.
    Source   Auer, Cesa-Bianchi & Fischer, Finite-time analysis of the multiarmed bandit problem
             (2002), Theorem 1; Sakulwongtana, Supervised Learning (lecture notes), Remark 41,
             names the algorithm.

    Examples
    --------
    >>> round(ucb1_regret(rounds=1000, gaps=[0, 0.1, 0.5]), 6)
    665.718428
    """
    t = count("rounds", rounds, at_least=1)
    require(isinstance(gaps, Iterable), "gaps", "a sequence of numbers", gaps)
    arms = [unit(f"gaps[{i}]", gap) for i, gap in enumerate(gaps)]
    require(len(arms) >= 1, "gaps", "a sequence of at least one number", gaps)
    behind = [gap for gap in arms if gap.low > 0]
    plays = sum((8 * ln(t) / gap for gap in behind), exact(0))
    return (plays + (1 + PI**2 / 3) * sum(behind, exact(0))).up()


@theorem(
    kind="regret",
    holds="expectation",
    statement=(r"\mathbb E[\mathrm{Reg}]\le 2\sqrt{8(K-1)T\ln T}+\Big(1+\frac{\pi^2}{3}\Big)(K-1)"),
    assumes=(INDEPENDENT, UCB1_RULE),
)
def ucb1_gap_free_regret(rounds: int, arms: int) -> float:
    """Expected regret of UCB1 whatever the gaps between the arms are.

    Theorem  On any K arms UCB1 loses in T rounds, on average, at most
             2 sqrt(8 (K - 1) T ln T) + (1 + pi^2 / 3)(K - 1) more than the best arm.
    Needs    rounds T: whole, >= 1.  arms K: whole, >= 1.
    Gives    an upper bound on the expectation, rounded up; a single run may exceed it.
    Source   Auer, Cesa-Bianchi & Fischer, Finite-time analysis of the multiarmed bandit problem
             (2002), proof of Theorem 1; constant from the proof, split at the gap where both parts
             are equal.

    Examples
    --------
    >>> round(ucb1_gap_free_regret(rounds=1000, arms=10), 6)
    1449.081613
    """
    t = count("rounds", rounds, at_least=1)
    behind = count("arms", arms, at_least=1) - 1
    return (2 * sqrt(8 * behind * t * ln(t)) + (1 + PI**2 / 3) * behind).up()
