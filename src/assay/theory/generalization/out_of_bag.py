"""What rows that a bag left out say about the trees, and about their vote."""

from __future__ import annotations

from fractions import Fraction

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, Condition, training_claim
from assay.theory.needs import count, inside_unit, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, ln
from assay.theory.tail.binomial import IID
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.kl import entropy_above

BAG_ALONE = Condition(
    "members-by-bag-alone",
    "each member depends on the rows of its own bag alone, and bags were drawn without looking at the rows",
)
HALF_WRONG = Condition(
    "vote-errs-with-half", "where the vote errs, its members lose one half or more on average"
)
MEAN_OF_MEMBERS = Condition(
    "prediction-is-mean", "the prediction is the mean of the members' predictions"
)
IN_RANGE = Condition(
    "within-declared-range", "targets and predictions lie within the range declared"
)

# A mean of losses may be given rounded up by so much; its lower end is that much lower.
_SLACK = Fraction(1, 10**9)


def _interval(loss: Number, left_out: int, level: Fraction) -> tuple[Fraction, Fraction]:
    """Between what the mean loss lies, both ends at once with probability one minus the level."""
    m = left_out
    need = (ln(2) + ln(m) / 2 + ln(1 / level)) / m
    seen = unit("loss", loss).low
    above = Fraction(entropy_above(seen, need))
    below = 1 - Fraction(entropy_above(min(1 - seen + _SLACK, Fraction(1)), need))
    return below, above


def _sizes(left_out: int, rows: int) -> int:
    n, m = count("rows", rows, at_least=1), count("left_out", left_out, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    require(m <= n, "left_out", f"at most the number of rows {n}", left_out)
    return m


@theorem(
    kind="error",
    statement=r"\frac1T\sum_t\ell_D(h_t)\le\sup\Bigl\{p:\mathrm{kl}\Bigl(\frac1T\sum_t\hat\ell_t\,\Big\|\,p\Bigr)"
    r"\le\frac{\ln(2\sqrt m/\delta)}m\Bigr\}",
    assumes=(IID, BAG_ALONE),
)
def out_of_bag_member(loss: Number, left_out: int, rows: int, delta: Number) -> float:
    """The mean error of the members of a bagged ensemble: that of one of them, drawn at random.

    Theorem  Let each of T predictors be judged on the rows that its bag left out, m of them at least, by
             losses in [0, 1]. With probability at least 1 - delta, the mean p of their expected
             losses and the mean q of their observed ones satisfy
             kl(q || p) <= ln(2 sqrt(m) / delta) / m.
    Needs    loss q: the mean over the predictors of their mean losses, 0 <= loss <= 1.  left_out m:
             whole, >= 1, the fewest rows left out by any bag.  rows: whole, >= m, of the whole
             sample.  delta: strictly between 0 and 1.
    Gives    an upper bound on p, rounded up.
    Source   Lorenzen, Igel & Seldin, On PAC-Bayesian bounds for random forests (2019), for
             the uniform distribution over the trees; Maurer, A note on the PAC Bayesian theorem
             (2004), for the constant.

    Examples
    --------
    >>> round(out_of_bag_member(loss=0.1, left_out=3600, rows=10000, delta=0.05), 6)
    0.120874
    """
    m = _sizes(left_out, rows)
    return float(_interval(loss, m, inside_unit("delta", delta).low)[1])


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(\text{vote})\le\min\Bigl\{2p_1,\ 4p_2,\ \frac{p_2-p^2}{p_2-p+\frac14}\Bigr\}",
    assumes=(IID, BAG_ALONE, HALF_WRONG),
    claim=training_claim(DRAWN, BUILT, BUILT),
)
def out_of_bag_vote(
    loss: Number,
    left_out: int,
    rows: int,
    delta: Number,
    tandem: Number | None = None,
    left_out_by_both: int | None = None,
) -> float:
    """The error of the vote of a bagged ensemble, from the rows that its bags left out.

    Theorem  Let W be the mean loss of the members at a fresh example, p its mean, and p2 the mean of
             its square. The vote errs only where W >= 1/2, so its error is at most 2 p, at most 4 p2,
             and at most (p2 - p^2) / (p2 - p + 1/4) if p < 1/2. The rows that a bag leaves out bound p
             from both sides, those that two bags both leave out bound p2, each but with probability
             delta / 2; without the second, p is bounded with probability 1 - delta.
    Needs    loss: the mean over the members of their mean losses on the rows left out, or a number
             above it by at most 1e-9, 0 <= loss <= 1.  left_out: whole, >= 1, the fewest rows left out
             by any bag.  rows: whole, >= left_out.  delta: strictly between 0 and 1.  tandem: the mean
             over all pairs of members, each member with itself too, of the mean product of
             their losses, rounded up, 0 <= tandem <= 1.  left_out_by_both: whole, >= 1, the fewest
             rows that any two bags both leave out; given if and only if tandem is.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Lorenzen, Igel & Seldin, On PAC-Bayesian bounds for random forests (2019), for 2 p;
             Masegosa, Lorenzen, Igel & Seldin, Second order PAC-Bayesian bounds for the weighted
             majority vote (2020), for 4 p2 and pairs of bags; Wu, Masegosa, Lorenzen, Igel & Seldin,
             Chebyshev-Cantelli PAC-Bayes-Bennett inequality (2021), for the third.

    Examples
    --------
    >>> told = {"loss": 0.2, "left_out": 7200, "rows": 20000, "delta": 0.05}
    >>> round(out_of_bag_vote(**told), 6)
    0.438904
    >>> round(out_of_bag_vote(**told, tandem=0.06, left_out_by_both=2600), 6)
    0.321124
    """
    m, level = _sizes(left_out, rows), inside_unit("delta", delta).low
    both = (tandem is None) == (left_out_by_both is None)
    require(both, "tandem", "given together with left_out_by_both", tandem)
    if tandem is None or left_out_by_both is None:
        return exact(2 * _interval(loss, m, level)[1]).up()
    pairs = count("left_out_by_both", left_out_by_both, at_least=1)
    require(pairs <= m, "left_out_by_both", f"at most left_out, {m}", left_out_by_both)
    low, high = _interval(loss, m, level / 2)
    _, square = _interval(unit("tandem", tandem).low, pairs, level / 2)
    return exact(min(2 * high, _from_two_moments(low, high, square))).up()


def _from_two_moments(low: Fraction, high: Fraction, square: Fraction) -> Fraction:
    """The largest chance of W >= 1/2 when its mean lies between low and high and that of its square is at most this."""
    simple = 4 * square
    # In p the third form rises up to p = 2 p2, where it equals 4 p2, and then falls.
    worst = min(max(2 * square, low), high)
    if high >= Fraction(1, 2) or worst**2 >= square:
        return simple
    return min(simple, (square - worst**2) / (square - worst + Fraction(1, 4)))


@theorem(
    kind="error",
    statement=r"\frac{\mathbb E(\bar f(x)-y)^2}{(b-a)^2}\le\sup\Bigl\{p:\mathrm{kl}\Bigl(\frac1T\sum_t"
    r"\frac{\widehat{\mathrm{mse}}_t}{(b-a)^2}\,\Big\|\,p\Bigr)\le\frac{\ln(2\sqrt m/\delta)}m\Bigr\}",
    assumes=(IID, BAG_ALONE, MEAN_OF_MEMBERS, IN_RANGE),
)
def out_of_bag_square(loss: Number, left_out: int, rows: int, delta: Number) -> float:
    """The mean squared error of a bagged regressor, as a share of the squared range of the target.

    Theorem  If the target and every member's prediction lie in [a, b], the squared error of the mean of
             the members is at most the mean of their squared errors, and out-of-bag-member
             bounds that, divided by (b - a)^2.
    Needs    loss: the mean over the members of their mean squared errors on the rows left out, divided
             by (b - a)^2, 0 <= loss <= 1.  left_out, rows, delta: as out-of-bag-member.
    Gives    an upper bound on the mean squared error divided by (b - a)^2, rounded up.
    Source   Jensen's inequality, and Lorenzen, Igel & Seldin, On PAC-Bayesian bounds for random
             forests (2019).

    Examples
    --------
    >>> round(out_of_bag_square(loss=0.01, left_out=3600, rows=10000, delta=0.05), 6)
    0.018016
    """
    return out_of_bag_member(loss, left_out, rows, delta)


@theorem(
    kind="identity",
    holds="expectation",
    statement=r"\mathbb E\Bigl[\frac1{|V|}\sum_{i\in V}\mathbf 1[H_i(x_i)\ne y_i]\Bigr]"
    r"=\frac1{|V|}\sum_{i\in V}\mathbb E[\mathrm{err}_D(H_i)]",
    assumes=(IID, BAG_ALONE),
)
def out_of_bag_unbiased(errors: int, rows: int) -> float:
    """What the out-of-bag error rate estimates, on average: the error of smaller ensembles.

    Theorem  Given the bags, let V be the rows that some bag left out, and H_i the vote of the members
             whose bags left out row i. The expected share of i in V with H_i wrong at row i is the mean
             over V of the expected errors of the H_i: ensembles of fewer members, each from one row less.
    Needs    errors: whole, 0 <= errors <= rows.  rows |V|: whole, >= 1.
    Gives    the share. It is no bound: the H_i share rows and members, so their errors may all fall
             together, and no confidence follows from their number alone.
    Source   Breiman, Out-of-bag estimation (1996), for the estimate; the identity is derived.

    Examples
    --------
    >>> out_of_bag_unbiased(errors=5, rows=100)
    0.05
    """
    n, k = count("rows", rows, at_least=1), count("errors", errors)
    require(k <= n, "errors", f"at most the number of rows {n}", errors)
    return exact(Fraction(k, n)).up()
