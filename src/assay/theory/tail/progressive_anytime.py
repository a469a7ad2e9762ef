"""The error of a learner that changes as it goes, promised at every moment of the stream at once."""

from __future__ import annotations

from fractions import Fraction

from assay.theory.claim import BUILT, DRAWN, OVER_STREAM, Condition, stream_claim
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.mixture import mixture_bound, read_run

PREDICTED_FIRST = Condition("predicted-first", "every row was predicted before its truth was used")

# Exponents 8, 4, 2, ..., 2^-16: the least is about the best one for 10^12 rows. The weights favour
# large exponents, which short streams and rare errors need, and sum to one.
_EXPONENTS = tuple(2.0 ** (3 - j) for j in range(20))
_WEIGHTS = tuple(Fraction(24, 5 * (j + 4) * (j + 5)) for j in range(20))


@theorem(
    kind="error",
    statement=r"\frac1n\sum_{t\le n}\mathrm{err}_D(h_{t-1})\le\sup\Bigl\{p:\sum_{j=0}^{19}"
    r"\frac{24/5}{(j+4)(j+5)}\,\frac{e^{-\lambda_jS_n}}{(1-p(1-e^{-\lambda_j}))^n}<\tfrac1\delta\Bigr\}"
    r"\ \text{for all }n\text{ at once},\quad\lambda_j=2^{3-j}",
    assumes=(IID, PREDICTED_FIRST),
    claim=stream_claim(DRAWN, BUILT, quantifier=OVER_STREAM),
)
def progressive_anytime(errors: Number, rows: int, delta: Number) -> float:
    """The mean error of all hypotheses of an online run, at every moment at once.

    Theorem  Row t is predicted by h_(t-1), learnt from the rows before it, with expected loss p_t.
             For every l > 0 the product of exp(-l X_t) / (1 - p_t (1 - exp(-l))) is a
             supermartingale, ln(1 - p (1 - exp(-l))) is concave in p, and a weighted mean of
             supermartingales is one: by Ville's inequality it ever reaches 1 / delta with
             probability at most delta.
    Needs    errors: the number of errors or the sum of the losses in [0, 1], 0 <= errors <= n.
             rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    an upper bound on the mean of the p_t, rounded up, valid for all n simultaneously
             and for any stopping rule.
    Source   Blum, Kalai & Langford, Beating the hold-out (COLT 1999), for progressive validation;
             Howard, Ramdas, McAuliffe & Sekhon, Time-uniform Chernoff bounds via nonnegative
             supermartingales (Probability Surveys 2020). The weights are ours.

    Examples
    --------
    >>> round(progressive_anytime(errors=50, rows=1000, delta=0.05), 9)
    0.07601626
    """
    return mixture_bound(_EXPONENTS, _WEIGHTS, *read_run(errors, rows, delta))
