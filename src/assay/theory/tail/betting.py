"""The mean of losses in [0, 1] by betting against it: the tightest for losses between 0 and 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.errors import BadData, require
from assay.theory.claim import DRAWN, FIRST, GRADED, SETTLED, Condition, holdout_claims
from assay.theory.needs import inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, ln
from assay.theory.tail.binomial import FIXED_BEFORE, IID
from assay.theory.tail.hoeffding import validation_hoeffding

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.types import Floats

ORDER_FIXED = Condition(
    "order-fixed", "the order of the rows was fixed before their losses were seen"
)

# No bet risks more than this share of the wealth.
_SHARE = 0.75
# What floating point can lose in a sum of logarithms: nine roundings in each term (its factor is a
# quarter or more), one in each partial sum.
_PER_TERM, _PER_SUM, _LOG_SLACK = 2.0**-49, 2.0**-52, 1e-10


def betting_hoeffding(losses: ArrayLike, delta: Number, anytime: bool = False) -> float:
    """The same mean by Hoeffding's inequality, which a single look at all rows satisfies."""
    x = losses_in_unit(losses)
    return validation_hoeffding(sum_of_losses(x), x.size, delta)


@theorem(
    kind="error",
    statement=r"\mathbb E\,\ell\le\inf\Big\{m:\max_{t\le n}\prod_{i\le t}\big(1-\lambda_i(m)(\ell_i-m)\big)"
    r"\ge\tfrac1\delta\Big\}",
    assumes=(IID, FIXED_BEFORE, ORDER_FIXED),
    textbook=("validation-hoeffding", betting_hoeffding),
    claim=holdout_claims(DRAWN, FIRST, SETTLED, quantities=GRADED, classes=False),
)
def bounded_betting(losses: ArrayLike, delta: Number, anytime: bool = False) -> float:
    """A mean loss, promised by the gambler whom a larger mean would have made rich.

    Theorem  If the losses have mean m or more, wealth that multiplies by 1 - b_t (l_t - m) with bets
             b_t >= 0 fixed before l_t is a nonnegative supermartingale started at 1, so it ever
             reaches 1 / delta with probability at most delta. Each factor grows with m, hence
             every m above the first at which wealth reached 1 / delta is excluded.
    Needs    losses: in the order in which they were drawn, at least one, each between 0 and 1.
             delta: strictly between 0 and 1.  anytime: whether more rows may follow after a look.
    Gives    an upper bound, rounded up; 1 when no mean below 1 is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), hedged capital with predictable plug-in bets.

    Examples
    --------
    >>> losses = [0.3 * (i * (5**0.5 - 1) / 2 % 1) for i in range(1, 201)]
    >>> round(bounded_betting(losses, 0.05), 9)
    0.170146339
    """
    import numpy as np

    x = losses_in_unit(losses)
    need = ln(1 / inside_unit("delta", delta)).up()
    bets = predictable_bets(x, need, anytime)
    target = need * (1 + 1e-12) + _LOG_SLACK

    def wealthy(m: float) -> bool:
        logs = np.log1p(-np.minimum(bets, _SHARE / (1 - m)) * (x - m))
        path = np.cumsum(logs)
        lost = _PER_TERM * np.abs(logs).sum() + _PER_SUM * x.size * np.abs(path).max()
        return bool(path.max() - lost >= target)

    excluded, possible = 1.0, float(np.mean(x))
    while (middle := possible + (excluded - possible) / 2) not in (possible, excluded):
        if excluded - possible <= 1e-15 * excluded:
            break
        possible, excluded = (possible, middle) if wealthy(middle) else (middle, excluded)
    return excluded


def losses_in_unit(losses: ArrayLike) -> Floats:
    """The losses as a float array; refuses values outside [0, 1], naming the first."""
    import numpy as np

    try:
        x = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData(f"losses must be numbers: {error}.") from None
    require(x.ndim == 1, "losses", "one-dimensional", x.shape)
    require(x.size >= 1, "losses", "at least one number", "empty")
    outside = np.flatnonzero(~((x >= 0) & (x <= 1)))
    if outside.size:
        row, rows = int(outside[0]), "row" if outside.size == 1 else "rows"
        raise BadData(
            f"losses must lie between 0 and 1, but row {row} holds {float(x[row])!r}"
            f" ({outside.size} such {rows}). Divide the loss by its largest possible value."
        )
    return x


def predictable_bets(x: Floats, need: float, anytime: bool) -> Floats:
    """Each bet sized by the variance seen before it, as if the mean had to be settled in n rows.

    Examples
    --------
    >>> import numpy as np
    >>> predictable_bets(np.array([0.5, 0.5]), 2.0, anytime=False).round(3).tolist()
    [2.828, 4.0]
    """
    import numpy as np

    t = np.arange(1.0, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.append(0.25, variance[:-1])
    horizon = t * np.log(t + 1) if anytime else np.full(x.size, float(x.size))
    return np.asarray(np.sqrt(2 * need / (horizon * before)))


def sum_of_losses(x: Floats) -> float:
    """The sum, correctly rounded whatever the order."""
    return math.fsum(x.tolist())
