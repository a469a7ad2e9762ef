"""From a batch that a judge has gone through to new items: the batch is itself a sample of where the model is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, FIRST, TOLD, judged_claim
from assay.theory.needs import inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln
from assay.theory.tail.binomial import FIXED_BEFORE, IID, upper_rate
from assay.theory.tail.finite_population import SAMPLE_OF_BATCH
from assay.theory.tail.integer_verifier import confirm_rate
from assay.theory.tail.judged import LABELLED_AT_RANDOM, STRATA_FIRST, judged_strata
from assay.theory.tail.judged_mean import MOST_ITEMS, RANDOM_ORDER, SCORES_FIRST, ScoredBatch
from assay.theory.tail.kl import entropy_above, relative_entropy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# How delta is shared: nine tenths for the batch, of which few items are labelled, a tenth for the step beyond it.
_BATCH, _BEYOND = Fraction(9, 10), Fraction(1, 10)


def _confirm_strata(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    level = inside_unit("delta", inputs["delta"]).low
    most, items = _most_wrong(inputs["strata"], level)
    return confirm_rate(most, items, _BEYOND * level, promised, at_length)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\mathrm{CP}_+(K^*,N,\tfrac1{10}\delta),\quad "
    r"K^*\text{ by judged strata at }\tfrac9{10}\delta",
    assumes=(LABELLED_AT_RANDOM, STRATA_FIRST, IID, FIXED_BEFORE),
    claim=judged_claim(DRAWN, TOLD, DRAWN, FIRST, quantities=("error",), drawn=True),
    checker=_confirm_strata,
)
def judged_strata_draws(strata: Sequence[Sequence[int]], delta: Number) -> float:
    """The error of a model, from a judge's verdicts on many rows and the labels of a few.

    Theorem  If the N rows of the batch are independent draws, the number of those that are wrong is binomial. It is at
             most K* with probability at least 1 - 9 delta / 10, by `judged_strata`; and the rate is above the exact
             bound for the true number with probability at most delta / 10. That bound grows with the number.
    Needs    strata: for each verdict how many rows have it, how many of these are labelled, and how many of those are
             wrong: whole numbers as `judged_strata` takes them.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Derived from Fisher (1932) and Clopper & Pearson (Biometrika 1934): the argument stands in the statement.

    Examples
    --------
    >>> round(judged_strata_draws([(1000, 100, 80), (9000, 300, 3)], 0.05), 6)
    0.116439
    """
    level = inside_unit("delta", delta).low
    return upper_rate(*_most_wrong(strata, level), _BEYOND * level)


def _most_wrong(strata: Any, level: Fraction) -> tuple[int, int]:
    """How many rows may be wrong, and how many there are."""
    listed = isinstance(strata, Sequence) and not isinstance(strata, str)
    must = "a sequence of (rows, labelled, wrong), one for each verdict"
    require(listed and all(len(one) == 3 for one in strata), "strata", must, strata)
    columns = [[one[place] for one in strata] for place in range(3)]
    most = judged_strata(columns[0], columns[1], columns[2], _BATCH * level)
    items: int = sum(columns[0])
    return most, items


def _confirm_mean(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    level = inside_unit("delta", inputs["delta"]).low
    batch = ScoredBatch(inputs["residuals"], inputs["items"], inputs["scores"], _BATCH * level)
    if promised >= 1:
        return True, entropy_above(Fraction(batch.bound()), _need(batch.items, level)) >= 1
    # The largest mean of the batch from which the promise follows.
    mean = _entropy_below(promised, _need(batch.items, level))
    sound = mean is not None and batch.excludes(mean)
    least = entropy_above(Fraction(batch.bound()), _need(batch.items, level))
    return sound, promised <= Fraction(least) + Fraction(1, 10**9)


@theorem(
    kind="error",
    statement=r"\mathbb E\,Y\le\sup\{p\ge U:N\,\mathrm{kl}(U\,\|\,p)\le\ln\tfrac{10}\delta\},\quad "
    r"U\text{ by judged mean at }\tfrac9{10}\delta",
    assumes=(SAMPLE_OF_BATCH, SCORES_FIRST, RANDOM_ORDER, IID, FIXED_BEFORE),
    claim=judged_claim(
        DRAWN,
        TOLD,
        BUILT,
        DRAWN,
        FIRST,
        quantities=("error", "mean-loss"),
        drawn=True,
        most=(("items", MOST_ITEMS),),
    ),
    checker=_confirm_mean,
)
def judged_mean_draws(residuals: ArrayLike, items: int, scores: int, delta: Number) -> float:
    """The mean loss of a model, from a judge's scores of many rows and the labels of a few.

    Theorem  If the N rows of the batch are independent draws, their mean loss q satisfies P[q <= p and N kl(q || p) >=
             ln(10 / delta)] <= delta / 10, p being the true mean. It is at most U with probability at least
             1 - 9 delta / 10, by `judged_mean`; and what is excluded for U is excluded for every smaller mean.
    Needs    residuals, items N, scores: as `judged_mean` takes them.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Derived from Waudby-Smith & Ramdas (JRSS B 2024) and Hoeffding (1963), Theorem 1: the argument stands in
             the statement.

    Examples
    --------
    >>> residuals = [0.5 + 0.1 * ((i * 5**0.5) % 1 - 0.5) for i in range(200)]
    >>> round(judged_mean_draws(residuals, items=5000, scores=50_000, delta=0.05), 6)
    0.137002
    """
    level = inside_unit("delta", delta).low
    batch = ScoredBatch(residuals, items, scores, _BATCH * level)
    return entropy_above(min(Fraction(batch.bound()), Fraction(1)), _need(batch.items, level))


def _need(items: int, level: Fraction) -> Enclosure:
    """How far, by relative entropy, the true mean may be from that of so many draws."""
    return ln(1 / (_BEYOND * level)) / items


def _entropy_below(mean: Fraction, need: Enclosure) -> Fraction | None:
    """The largest double q below a mean p < 1 at which kl(q || p) certainly is the need or more; None where none is."""
    if mean <= 0 or relative_entropy(Fraction(0), mean).low < need.high:
        return None
    low, high = 0.0, float(mean)
    while (middle := low + (high - low) / 2) not in (low, high):
        far = Fraction(middle) < mean and relative_entropy(Fraction(middle), mean).low >= need.high
        low, high = (middle, high) if far else (low, middle)
    return Fraction(low)
