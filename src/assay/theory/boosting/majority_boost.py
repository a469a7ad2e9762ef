"""Boosting by reweighting with a known edge and an unweighted majority vote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, double_above, double_below, exp, ln, power

WEAK_LEARNER = Condition(
    "weak-learner-edge",
    "in every round the weak hypothesis is right on at least half plus the edge of the weight",
)
REWEIGHTING = Condition(
    "majority-boost-weights",
    "the weights start at 1, and a wrong example's is multiplied by (1/2 + edge) / (1/2 - edge)",
)
MAJORITY = Condition(
    "output-is-majority", "the output is the unweighted majority of all the weak hypotheses"
)


def _edge(value: Number) -> Enclosure:
    g = positive("edge", value)
    require(g.low < Fraction(1, 2), "edge", "below 1/2", value)
    return g


@theorem(
    "T77",
    kind="training-error",
    statement=r"\#\text{wrong}\le n(1-4\gamma^2)^{T/2}\le n e^{-2T\gamma^2}",
    assumes=(WEAK_LEARNER, REWEIGHTING, MAJORITY),
)
def boosting_training_error(examples: int, rounds: int, edge: Number, form: Form = "sharp") -> int:
    """Training examples that the boosted majority can still get wrong.

    Theorem  If each of T calls (T odd) returns a hypothesis right on at least 1/2 + g of the
             current weight, the majority is wrong on at most n (1 - 4 g^2)^(T/2) of the n
             examples (sharp), hence at most n exp(-2 T g^2) (textbook).
    Needs    examples n: whole, >= 1.  rounds T: whole, >= 1, odd.  edge g: 0 < g < 1/2.
             form: "sharp" or "textbook".
    Gives    the largest whole number of wrong examples the bound allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.7; Freund & Schapire,
             Game theory, on-line prediction and boosting (1996).

    Examples
    --------
    >>> boosting_training_error(examples=100, rounds=227, edge=0.1)
    0
    >>> boosting_training_error(examples=100, rounds=101, edge=0.1)
    12
    """
    n, t = count("examples", examples, at_least=1), count("rounds", rounds, at_least=1)
    g = _edge(edge)
    require(t % 2 == 1, "rounds", "an odd number, so that no vote is tied", rounds)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        return (n * exp(-2 * t * g**2)).floor()
    return (n * power(1 - 4 * g**2, Fraction(t, 2))).floor()


@theorem(
    "T78",
    kind="complexity",
    statement=r"T>\frac{\ln n}{2\gamma^2}\quad\text{or}\quad T>\frac{2\ln n}{\ln(1/(1-4\gamma^2))}",
    assumes=(WEAK_LEARNER, REWEIGHTING, MAJORITY),
)
def boosting_rounds(examples: int, edge: Number, form: Form = "sharp") -> int:
    """Rounds of boosting after which no training example is wrong.

    Theorem  Once n (1 - 4 g^2)^(T/2) < 1, that is T > 2 ln(n) / ln(1 / (1 - 4 g^2)) (sharp), for
             which T > ln(n) / (2 g^2) suffices (textbook), the majority is right on all of the n
             examples.
    Needs    examples n: whole, >= 1.  edge g: 0 < g < 1/2.  form: "sharp" or "textbook".
    Gives    the smallest odd whole number certainly above the threshold.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.7.

    Examples
    --------
    >>> boosting_rounds(examples=100, edge=0.1)
    227
    >>> boosting_rounds(examples=100, edge=0.1, form="textbook")
    231
    """
    n, g = count("examples", examples, at_least=1), _edge(edge)
    one_of("form", form, "sharp", "textbook")
    threshold = ln(n) / (2 * g**2) if form == "textbook" else 2 * ln(n) / -ln(1 - 4 * g**2)
    above = threshold.floor() + 1
    return above if above % 2 == 1 else above + 1


@theorem(
    "T79",
    kind="sample-size",
    statement=r"n\ge\frac1\varepsilon\left(b\,T(n)\ln2+\ln\frac1\delta\right)",
    assumes=(
        Condition(
            "examples-drawn-independently",
            "the examples are drawn independently from one distribution",
        ),
        Condition(
            "weak-class-of-bits",
            "the weak hypotheses come from a class of at most 2^bits members fixed before the data",
        ),
        WEAK_LEARNER,
        Condition(
            "boosting-rounds-run",
            "boosting runs for the rounds that boosting-rounds gives for the sample, in the same form",
        ),
    ),
)
def boosting_sample_size(
    bits: Number, accuracy: Number, delta: Number, edge: Number, form: Form = "sharp"
) -> int:
    """Examples with which a boosted weak learner reaches a small error.

    Theorem  T votes from a class of at most 2^b hypotheses form a class of at most 2^(b T). After
             T(n) rounds, T(n) from boosting-rounds, the vote is consistent with the n examples, so
             with probability at least 1 - delta its error is at most eps as soon as
             n >= (b T(n) ln 2 + ln(1 / delta)) / eps.
    Needs    bits b: finite, > 0 (for hypotheses of at most c bits, b = c + 1).  accuracy eps and
             delta: strictly between 0 and 1.  edge g: 0 < g < 1/2.  form of T(n): "sharp" or
             "textbook".
    Gives    the smallest whole n that satisfies the inequality.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.7; the explicit form is
             derived from its Occam bound.

    Examples
    --------
    >>> boosting_sample_size(bits=20, accuracy=0.1, delta=0.05, edge=0.25, form="textbook")
    10428
    """
    b, eps = positive("bits", bits), inside_unit("accuracy", accuracy)
    d = inside_unit("delta", delta)
    _edge(edge)
    one_of("form", form, "sharp", "textbook")
    n, needed = 0, 1
    # The right side never falls as n grows, so climbing from below ends at the smallest solution.
    while n < needed:
        n = needed
        needed = ((b * boosting_rounds(n, edge, form) * ln(2) - ln(d)) / eps).ceil()
    return n


class Minimax(NamedTuple):
    """The value of the game between examples and hypotheses, with the strategies that prove it."""

    low: float
    """Every example is right with at least this probability when hypotheses are drawn by `votes`."""
    high: float
    """No hypothesis is right on more than this share of the `weights`."""
    votes: tuple[Fraction, ...]
    """A distribution over the hypotheses."""
    weights: tuple[Fraction, ...]
    """A distribution over the examples, the hardest there is."""


@theorem(
    "T80",
    kind="identity",
    statement=(
        r"\min_p\max_j\sum_ip_iA_{ij}=\max_q\min_i\sum_jA_{ij}q_j=\tfrac12+\gamma^*,\quad "
        r"A_{ij}=\mathbb 1[h_j\text{ is right on }x_i]"
    ),
)
def boosting_minimax(right: Sequence[Sequence[int]]) -> Minimax:
    """The largest edge a weak learner can have on these examples, and the vote that uses it.

    Theorem  Some hypothesis is right on at least 1/2 + g of the weight for every weighting of the
             examples, if and only if some distribution over the hypotheses makes every example
             right with probability at least 1/2 + g.
    Needs    right: one row per example, one entry per hypothesis, 1 where it is right, else 0.
    Gives    the value of the game between two doubles, and both strategies as exact fractions:
             the value is proved by them, not by the solver that found them.
    Source   von Neumann, Zur Theorie der Gesellschaftsspiele (1928); Freund & Schapire, Game
             theory, on-line prediction and boosting (1996); Blum, Hopcroft & Kannan, Foundations
             of Data Science, Section 6.7.

    Examples
    --------
    >>> game = boosting_minimax([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> round(game.low, 9), [str(share) for share in game.votes]
    (0.666666667, ['1/3', '1/3', '1/3'])
    """
    rows = _table(right)
    import numpy as np
    from scipy.optimize import linprog

    table = np.array(rows, dtype=float)
    m, k = table.shape
    # Maximise v with A q >= v for every example; the duals of these rows weigh the examples.
    solution = linprog(
        c=np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([-table, np.ones(m)]),
        b_ub=np.zeros(m),
        A_eq=np.append(np.ones(k), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * k + [(None, None)],
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"the linear program of the game was not solved: {solution.message}")
    votes, weights = _shares(solution.x[:k]), _shares(-solution.ineqlin.marginals)
    low = min(sum(q for q, hit in zip(votes, row, strict=True) if hit) for row in rows)
    columns = zip(*rows, strict=True)
    high = max(sum(p for p, hit in zip(weights, column, strict=True) if hit) for column in columns)
    return Minimax(double_below(Fraction(low)), double_above(Fraction(high)), votes, weights)


def _table(right: Any) -> list[list[int]]:
    must = "a table of zeros and ones, one row per example"
    require(isinstance(right, Iterable), "right", must, right)
    rows = [list(row) if isinstance(row, Iterable) else [] for row in right]
    require(bool(rows) and all(rows), "right", must, right)
    require(len({len(row) for row in rows}) == 1, "right", f"{must}, all of one length", right)
    require(all(hit in (0, 1) for row in rows for hit in row), "right", must, right)
    return [[int(hit) for hit in row] for row in rows]


def _shares(solution: Any) -> tuple[Fraction, ...]:
    """The solver's floats as an exact distribution; thirds come back as thirds."""
    parts = [max(Fraction(0), Fraction(float(x)).limit_denominator(10**9)) for x in solution]
    total = sum(parts)
    return tuple(part / total for part in parts)


@theorem(
    "L18", kind="potential", statement=r"W_t\le n(1+2\gamma)^t", assumes=(WEAK_LEARNER, REWEIGHTING)
)
def boosting_weight_potential(examples: int, rounds: int, edge: Number) -> float:
    """How large the total weight of the examples can be after some rounds.

    Theorem  At most 1/2 - g of the weight is wrong and grows by (1/2 + g) / (1/2 - g), so the total
             grows by at most 1 + 2 g per round.
    Needs    examples n: whole, >= 1.  rounds t: whole, >= 0.  edge g: 0 < g < 1/2.
    Gives    an upper bound on the total weight, rounded up.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.7.

    Examples
    --------
    >>> boosting_weight_potential(examples=100, rounds=2, edge=0.1)
    144.0
    """
    n, t, g = count("examples", examples, at_least=1), count("rounds", rounds), _edge(edge)
    return (n * (1 + 2 * g) ** t).up()


@theorem(
    "L19",
    kind="potential",
    statement=r"w_i=\left(\frac{1/2+\gamma}{1/2-\gamma}\right)^{r_i}",
    assumes=(REWEIGHTING,),
)
def boosting_example_potential(wrong: int, edge: Number) -> float:
    """The weight of an example on which so many weak hypotheses were wrong.

    Theorem  Each wrong weak hypothesis multiplies the weight by (1/2 + g) / (1/2 - g), so an example
             that the majority of T gets wrong weighs at least that to the power (T + 1) / 2.
    Needs    wrong r: whole, >= 0.  edge g: 0 < g < 1/2.
    Gives    a lower bound on the weight, rounded down.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.7.

    Examples
    --------
    >>> boosting_example_potential(wrong=2, edge=0.1)
    2.25
    """
    r, g = count("wrong", wrong), _edge(edge)
    half = Fraction(1, 2)
    return (((half + g) / (half - g)) ** r).down()
