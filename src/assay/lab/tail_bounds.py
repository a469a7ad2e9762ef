"""How far tail bounds are from the truth: the exact tail of a binomial beside Hoeffding's and Chernoff's bounds."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binom

from assay.errors import require
from assay.guarantees.decimals import decimal_above, shown_up
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.theory.tail.chernoff import chernoff_lower_tail
from assay.theory.tail.hoeffding import hoeffding_general, hoeffding_tail


@dataclass(frozen=True)
class TailBounds:
    """How likely few errors are, and what bounds say.

    Attributes
    ----------
    rows, at_most : int
        At most so many errors of so many rows.
    rate : float
        The true error rate.
    exact : float
        The probability.
    promised : dict of str to float
        From theorems to their bounds on it.
    """

    rows: int
    rate: float
    at_most: int
    exact: float
    promised: dict[str, float]

    @property
    def tightest(self) -> str:
        """The theorem with the smallest bound, the first of equals."""
        return min(self.promised, key=lambda id: self.promised[id])

    @property
    def holds(self) -> bool:
        """Whether no bound is below the truth."""
        return all(self.exact <= bound * (1 + 1e-9) for bound in self.promised.values())

    def __str__(self) -> str:
        head = f"at most {self.at_most} errors in {self.rows} rows of rate {self.rate:g}: {self.exact:.4g}"
        lines = [
            f"  at most {shown_up(decimal_above(bound), 4)} by {id}"
            for id, bound in self.promised.items()
        ]
        return "\n".join([head, *lines])


def tail_bounds(rows: int, rate: Number, at_most: int) -> TailBounds:
    """How likely a classifier of this error rate shows at most so many errors, exactly and by the textbook's bounds.

    Hoeffding's inequality looks at how far the share is from the rate, Chernoff's also at the rate itself: it is the
    better one where the rate is small.

    Parameters
    ----------
    rows : int
        How many rows are drawn, independently.
    rate : number
        The true error rate, strictly between 0 and 1.
    at_most : int
        At most the expected number of errors.

    Returns
    -------
    TailBounds

    References
    ----------
    .. [1] Hoeffding (1963). Probability inequalities for sums of bounded random variables.

    Examples
    --------
    >>> from assay import tail_bounds
    >>> print(tail_bounds(100, 0.1, at_most=2))
    at most 2 errors in 100 rows of rate 0.1: 0.001945
      at most 0.2781 by hoeffding-tail
      at most 0.2781 by hoeffding-general
      at most 0.04077 by chernoff-lower-tail
    """
    n, p = count("rows", rows, at_least=1), inside_unit("rate", rate).low
    k = count("at_most", at_most)
    require(
        k <= n * p, "at_most", f"at most the expected number of errors {float(n * p):g}", at_most
    )
    short = n * p - k
    return TailBounds(
        rows=n,
        rate=float(p),
        at_most=k,
        exact=float(binom.cdf(k, n, float(p))),
        promised={
            "hoeffding-tail": hoeffding_tail(n, short / n),
            "hoeffding-general": hoeffding_general(short, [1] * n),
            "chernoff-lower-tail": chernoff_lower_tail(n * p, k),
        },
    )
