"""Regret of actions that are chosen by intervals around a linear loss: optimism, and what any choice may cost."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, nonnegative, one_of, positive
from assay.theory.registry import theorem
from assay.theory.regret.exp3 import UNIT_LOSSES
from assay.theory.rounding import Enclosure, Number, exact, ln, sqrt

LINEAR = Condition(
    "linear-mean-loss",
    "given the past, the mean loss of every action is 1/2 plus one vector times its features",
)
SHORT_PARAMETER = Condition(
    "parameter-within-norm", "that vector is no longer than the declared parameter norm"
)
SHORT_FEATURES = Condition(
    "features-within-norm", "no features of an action are longer than the feature norm"
)
TOLD_AT_ONCE = Condition(
    "losses-told-in-turn", "every loss was learned before the next action was chosen, and once"
)
OWN_LOSSES = Condition(
    "learned-losses-unselected",
    "every loss that was learned is one of the policy's own choices or was logged, unweighted, without regard to "
    "its size",
)
BY_LEAST_SQUARES = Condition(
    "ridge-intervals",
    "the intervals are those of least squares with the penalty, from the losses less 1/2",
)
OPTIMISTIC = Condition(
    "optimistic-choice", "the action of the least lower end is chosen, but for explored rounds"
)


def _radius(grown: Enclosure, norm: Enclosure, penalty: Enclosure, delta: Number) -> Enclosure:
    surprise = 2 * ln(1 / inside_unit("delta", delta))
    return sqrt(penalty) * norm + sqrt(surprise + grown) / 2


@theorem(
    kind="regret",
    statement=(
        r"\mathrm{Reg}_T\le E+2\beta_T\sqrt{\tfrac{T}{\ln 2}\,D\ln\big(1+\tfrac{TL^2}{\lambda D}\big)},\quad "
        r"\beta_T=\max\Big\{\tfrac12,\sqrt\lambda\,S"
        r"+\tfrac12\sqrt{2\ln\tfrac1\delta+D\ln\big(1+\tfrac{TL^2}{\lambda D}\big)}\Big\}"
    ),
    assumes=(
        UNIT_LOSSES,
        LINEAR,
        SHORT_PARAMETER,
        SHORT_FEATURES,
        TOLD_AT_ONCE,
        OWN_LOSSES,
        OPTIMISTIC,
    ),
)
def linucb_regret(
    rounds: int,
    dimension: int,
    feature_norm: Number,
    parameter_norm: Number,
    penalty: Number,
    delta: Number,
    explored: int = 0,
    form: Form = "sharp",
) -> float:
    """Regret of optimism on linear losses, on all runs but a share delta, at every moment at once.

    Theorem  With losses in [0, 1] whose means are 1/2 + <theta, x>, |theta| <= S, features x of
             length L at most in D dimensions, and penalty n, choosing by the least lower end of the
             ellipsoid costs in T rounds, with probability at least 1 - delta for all T at once, at most
             2 b sqrt(T G / ln 2) more than the best action of every round, plus 1 for each of E
             explored rounds. Here G = D ln(1 + T L^2 / (n D)) bounds the growth of ln det V, and
             b = max(1/2, sqrt(n) S + sqrt(2 ln(1 / delta) + G) / 2) the radius. The textbook form is
             4 sqrt(T G) b, with the paper's 4 for 2 / sqrt(ln 2) = 2.402.
    Needs    rounds T: whole, >= 1.  dimension D: whole, >= 1.  feature_norm L: finite, > 0.
             parameter_norm S: finite, >= 0.  penalty n: finite, > 0.  delta: strictly between 0 and 1.
             explored E: whole, >= 0.  form: "sharp" or "textbook".
    Gives    an upper bound, rounded up, and at most the number of rounds.
    Source   Abbasi-Yadkori, Pal & Szepesvari, Improved algorithms for linear stochastic bandits (NIPS
             2011), Theorems 2 and 3. Theorem 3 prints ln(lambda + n L / d) and ln(1 + n L / (lambda
             d)): its proof, by the trace of V, gives L^2, which is used here; where L > 1 the
             printed form is too small. min(1, u) <= ln(1 + u) / ln 2 gives the sharp constant.

    Examples
    --------
    >>> round(linucb_regret(100000, 5, feature_norm=1, parameter_norm=0.5, penalty=1, delta=0.05), 3)
    22586.405
    """
    t = count("rounds", rounds, at_least=1)
    d = count("dimension", dimension, at_least=1)
    norm, penalised = positive("feature_norm", feature_norm), positive("penalty", penalty)
    short = nonnegative("parameter_norm", parameter_norm)
    one_of("form", form, "sharp", "textbook")
    grown = d * ln(1 + t * norm * norm / (penalised * d))
    radius = _radius(grown, short, penalised, delta)
    explorations = count("explored", explored)
    if radius.low < exact("0.5").low:  # min(1, 2 b w) <= 2 b min(1, w) needs no less
        radius = exact("0.5")
    width = 4 * sqrt(t * grown) if form == "textbook" else 2 * sqrt(t * grown / ln(2))
    return min((width * radius + explorations).up(), float(t))


@theorem(
    kind="regret",
    holds="probability",
    statement=(
        r"\mathrm{Reg}_T\le\sum_{t\le T}\min\Big\{1,\ u_t(a_t)-\min_a l_t(a)\Big\},\quad "
        r"l_t,u_t=\tfrac12+\langle\hat\theta_t,x\rangle\mp\beta_t\|x\|_{V_t^{-1}}"
    ),
    assumes=(UNIT_LOSSES, LINEAR, SHORT_PARAMETER, OWN_LOSSES, BY_LEAST_SQUARES),
)
def interval_regret(gaps: Number, delta: Number) -> float:
    """Regret of any choices on linear losses, read off the intervals of the run.

    Theorem  With losses in [0, 1] whose means are 1/2 + <theta, x>, |theta| <= S, all means lie, with
             probability at least 1 - delta in all rounds at once, within sqrt(n) S + sqrt(2 ln(1 / delta)
             + ln(det V / det n I)) / 2 times the root of x' V^-1 x of their least squares. Then no
             round costs more than the upper end of the action chosen less the least lower end, and
             the run not more than their sum.
    Needs    gaps: the sum over the rounds; finite, >= 0.  delta: strictly between 0 and 1, that by
             which the intervals were made.
    Gives    an upper bound on this run's regret, rounded up, whatever chose the actions.
    Source   Abbasi-Yadkori, Pal & Szepesvari, Improved algorithms for linear stochastic bandits (NIPS
             2011), Theorem 2; derived: the sum stands in the statement.

    Examples
    --------
    >>> interval_regret(gaps=12.5, delta=0.05)
    12.5
    """
    inside_unit("delta", delta)
    return nonnegative("gaps", gaps).up()
