"""What an online run promises: its hypotheses on average, or one of them on the rows after it."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, OVER_EXAMPLES, Condition, stream_claim
from assay.theory.needs import count, counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, ln, sqrt
from assay.theory.tail.binomial import IID, upper_rate
from assay.theory.tail.exact_twins import finite_class_hoeffding
from assay.theory.tail.integers import MOST_ROWS, log_level, sixty_digits
from assay.theory.tail.mixture import mixture_bound, read_run
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST

HORIZON_FIXED = Condition(
    "row-count-fixed",
    "the number of rows for which the bound is made was fixed before they were seen",
)
JUDGED_AFTER = Condition(
    "judged-on-later-rows",
    "the hypothesis was learnt from the rows before it alone, and is judged on all rows after it or on "
    "its first run of correct answers",
)

_LARGEST = 8  # the largest bet; larger ones pay only where an error is all but impossible


def _read(
    errors: Number, rows: int, delta: Number, horizon: int | None
) -> tuple[Fraction, int, Fraction, int]:
    total, n, level = read_run(errors, rows, delta)
    until = n if horizon is None else count("horizon", horizon, at_least=1)
    require(until <= MOST_ROWS, "horizon", f"at most {MOST_ROWS}", horizon)
    return total, n, level, until


@theorem(
    kind="error",
    statement=r"\frac1n\sum_{t\le n}\mathrm{err}_D(h_{t-1})\le\frac Sn"
    r"+\sqrt{\tfrac12\ln\tfrac1\delta}\,\Bigl(\frac{\sqrt N}n+\frac1{\sqrt N}\Bigr)",
    assumes=(IID, PREDICTED_FIRST, HORIZON_FIXED),
)
def progressive_validation_azuma(
    errors: Number, rows: int, delta: Number, horizon: int | None = None
) -> float:
    """The mean error of the hypotheses of an online run, by the method of bounded differences.

    Theorem  Row t is predicted by a hypothesis learnt from the rows before it, with expected loss
             p_t. The sums of p_t - X_t are a martingale with steps of at most 1, so for every
             l > 0 they ever exceed ln(1 / delta) / l + n l / 2 with probability at most delta;
             l = sqrt(2 ln(1 / delta) / N) gives sqrt(2 ln(1 / delta) / n) at n = N.
    Needs    errors S: the number of errors or the sum of the losses in [0, 1], 0 <= S <= n.
             rows n: whole, >= 1.  delta: strictly between 0 and 1.  horizon N: whole, >= 1, and
             then the bound holds for all n at once; or nothing, and n was fixed in advance.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Cesa-Bianchi, Conconi & Gentile, On the generalization ability of on-line learning
             algorithms (2004). The form with a horizon is from its proof.

    Examples
    --------
    >>> round(progressive_validation_azuma(errors=50, rows=1000, delta=0.05), 12)
    0.127404551204
    """
    total, n, level, until = _read(errors, rows, delta, horizon)
    root = sqrt(until)
    return (exact(total) / n + sqrt(ln(1 / level) / 2) * (root / n + 1 / root)).up()


@theorem(
    kind="error",
    statement=r"\frac1n\sum_{t\le n}\mathrm{err}_D(h_{t-1})\le\sup\Bigl\{p:\frac1J\sum_{j\le J}"
    r"\frac{e^{-\lambda_jS}}{(1-p(1-e^{-\lambda_j}))^n}<\tfrac1\delta\Bigr\},\quad"
    r"\lambda_1=4\sqrt{\tfrac{\ln(1/\delta)}{2N}},\ \dots,\ \lambda_J=8\text{ in geometric steps},\ "
    r"J=\lceil\log_2\tfrac8{\lambda_1}\rceil+1",
    assumes=(IID, PREDICTED_FIRST, HORIZON_FIXED),
    textbook=("progressive-validation-azuma", progressive_validation_azuma),
    claim=stream_claim(DRAWN, BUILT, BUILT, quantifier=OVER_EXAMPLES),
)
def progressive_validation(
    errors: Number, rows: int, delta: Number, horizon: int | None = None
) -> float:
    """The mean error of the hypotheses of an online run, each judged on the next row.

    Theorem  Row t is predicted by a hypothesis learnt from the rows before it, with expected loss
             p_t. For every l > 0 the product of exp(-l X_t) / (1 - p_t (1 - exp(-l))) is a
             supermartingale, and so is a mean over several l; by Ville's inequality it ever
             reaches 1 / delta with probability at most delta. Since ln(1 - p (1 - exp(-l))) is
             concave in p, the p_t may be replaced by their mean.
    Needs    errors S: the number of errors or the sum of the losses in [0, 1], 0 <= S <= n.
             rows n: whole, >= 1.  delta: strictly between 0 and 1.  horizon N: whole, >= 1, and
             then the bound holds for all n at once; or nothing, and n was fixed in advance.
    Gives    an upper bound on the mean of the p_t, rounded up: the error of the predictor that
             draws one of the hypotheses afresh for each row. It says nothing about the last one.
    Source   Blum, Kalai & Langford, Beating the hold-out (COLT 1999), for progressive validation;
             Howard, Ramdas, McAuliffe & Sekhon, Time-uniform Chernoff bounds via nonnegative
             supermartingales (Probability Surveys 2020). The grid is ours.

    Examples
    --------
    >>> round(progressive_validation(errors=50, rows=1000, delta=0.05), 12)
    0.073598584228
    """
    total, n, level, until = _read(errors, rows, delta, horizon)
    exponents = bets(level, until)
    weights = [Fraction(1, len(exponents))] * len(exponents)
    return mixture_bound(exponents, weights, total, n, level)


def bets(level: Fraction, horizon: int) -> list[float]:
    """The grid of exponents for a level and a number of rows.

    Examples
    --------
    >>> [round(bet, 6) for bet in bets(Fraction(1, 20), 1000)]
    [0.154809, 0.298776, 0.576626, 1.112867, 2.147792, 4.145158, 8.0]
    """
    return [float(bet) for bet in _grid(level, horizon)]


@sixty_digits
def _grid(level: Fraction, horizon: int) -> list[Decimal]:
    # Any numbers fixed in advance are valid; decimals come out the same on every machine.
    smallest = 4 * (log_level(1 / level) / (2 * horizon)).sqrt()
    spread = (_LARGEST / smallest).ln()
    size = max(1, int((spread / Decimal(2).ln()).to_integral_value(rounding=ROUND_CEILING)) + 1)
    return [smallest if j == 0 else smallest * (spread * j / (size - 1)).exp() for j in range(size)]


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(\mathrm{vote})\le2\,\varepsilon,\quad"
    r"\varepsilon\text{ the bound of progressive-validation}",
    assumes=(IID, PREDICTED_FIRST, HORIZON_FIXED),
)
def progressive_validation_vote(
    errors: Number, rows: int, delta: Number, horizon: int | None = None
) -> float:
    """The error of the vote of all hypotheses of an online run, each with one vote per row it judged.

    Theorem  Where the vote is wrong, the true label has at most half of the votes, so at least half
             of the hypotheses err. By Markov's inequality the vote errs with at most twice their
             mean error, which progressive-validation bounds; the two fail together.
    Needs    as progressive-validation.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Langford & Shawe-Taylor, PAC-Bayes & margins (NIPS 2002), for the factor of two.

    Examples
    --------
    >>> round(progressive_validation_vote(errors=50, rows=1000, delta=0.05), 12)
    0.147197168457
    """
    return 2 * progressive_validation(errors, rows, delta, horizon)


def _share(delta: Number, checkpoints: int | None, mistakes: int | None) -> Fraction:
    level = inside_unit("delta", delta).low
    one = (checkpoints is None) != (mistakes is None)
    require(one, "checkpoints or mistakes", "given, one of the two", (checkpoints, mistakes))
    if checkpoints is not None:
        return level / count("checkpoints", checkpoints, at_least=1)
    i = count("mistakes", mistakes)
    return level / ((i + 1) * (i + 2))


def suffix_holdout_hoeffding(
    errors: int,
    rows: int,
    delta: Number,
    checkpoints: int | None = None,
    mistakes: int | None = None,
) -> float:
    """`suffix-holdout` with Hoeffding's exponential in place of the tail."""
    share = _share(delta, checkpoints, mistakes)
    return finite_class_hoeffding(errors, rows, 1, share)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h_j)\le\sup\{p:\Pr[\mathrm{Bin}(n_j,p)\le k_j]\ge\delta_j\},\quad"
    r"\delta_j=\tfrac\delta J\text{ or }\tfrac\delta{(i_j+1)(i_j+2)}",
    assumes=(IID, JUDGED_AFTER),
    textbook=("uniform-convergence-finite", suffix_holdout_hoeffding),
)
def suffix_holdout(
    errors: int,
    rows: int,
    delta: Number,
    checkpoints: int | None = None,
    mistakes: int | None = None,
) -> float:
    """The error of one hypothesis of an online run, whichever was chosen, on the rows after it.

    Theorem  Given the rows a hypothesis was learnt from, the rows after it are a fresh holdout. So
             each of J checkpoints declared in advance obeys its exact bound at delta / J, all at
             once; and so does, at delta / ((i + 1)(i + 2)), the hypothesis after the i-th mistake
             of a learner that changes on mistakes only, for all i at once. A run of correct
             answers that ended with its first mistake is k = 0 errors in as many rows.
    Needs    errors k: whole, 0 <= k <= n, of this hypothesis on the rows after it.  rows n: whole,
             >= 1: all rows after it, or its run of correct answers with k = 0.  delta: strictly
             between 0 and 1.  checkpoints J: whole, >= 1; or mistakes i made before it: whole,
             >= 0.
    Gives    the smallest double that the proof allows.
    Source   Clopper & Pearson (1934) for the tail; Littlestone, From on-line to batch learning
             (COLT 1989), for testing hypotheses on later rows; Blum, Hopcroft & Kannan,
             Foundations of Data Science, Theorem 6.15, for the run.

    Examples
    --------
    >>> round(suffix_holdout(errors=5, rows=500, delta=0.05, checkpoints=10), 6)
    0.028042
    >>> round(suffix_holdout(errors=0, rows=200, delta=0.05, mistakes=3), 12)
    0.029513049607
    """
    k, n = counts(errors, rows)
    return upper_rate(k, n, _share(delta, checkpoints, mistakes))
