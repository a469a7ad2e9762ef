"""Shares of which more is better: precision, recall, F1 and their means over classes, bounded from below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, TOLD, Condition, metric_claim
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_below
from assay.theory.tail.binomial import FIXED_BEFORE, IID, lower_rate
from assay.theory.tail.integer_verifier import confirm_rate_at_least
from assay.theory.tail.integers import MOST_ROWS

SAME_PREVALENCE = Condition(
    "same-prevalence", "the classes are as frequent in these rows as where the model is used"
)

CLASSES_FIRST = Condition(
    "classes-first", "which classes there are was settled before these rows were seen"
)


def _confirm_rate(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    whole_only(inputs, "successes", "rows")
    k, n = successes_of(inputs["successes"], inputs["rows"])
    level = inside_unit("delta", inputs["delta"]).low
    return confirm_rate_at_least(k, n, level, promised, at_length)


@theorem(
    kind="rate",
    statement=r"p\ge\inf\{t:\Pr[\mathrm{Bin}(n,t)\ge k]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE),
    claim=metric_claim(
        DRAWN, FIRST, quantities=("accuracy", "precision", "recall", "specificity", "jaccard")
    ),
    checker=_confirm_rate,
)
def rate_at_least(successes: int, rows: int, delta: Number) -> float:
    """The largest success rate that counts can promise: accuracy, precision, recall, specificity, Jaccard.

    Theorem  If k of n independent rows are successes, their rate is above every p with
             P[Bin(n, p) >= k] <= delta, with probability at least 1 - delta. Given how many rows the model
             flags, the right ones are binomial (precision); given how many are positive, the ones flagged
             are (recall); given how many the two agree to call negative, the rest are (Jaccard).
    Needs    successes k: whole, 0 <= k <= n.  rows n: whole, >= 1, those in the denominator.  delta: strictly
             between 0 and 1.
    Gives    the largest double p with P[Bin(n, p) >= k] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934).

    Examples
    --------
    >>> rate_at_least(successes=180, rows=200, delta=0.05)
    0.8580107484090549
    """
    k, n = successes_of(successes, rows)
    return lower_rate(k, n, inside_unit("delta", delta).low)


def _confirm_f1(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    names = ("true_positives", "false_positives", "false_negatives")
    whole_only(inputs, *names)
    hits, rows = hits_in(*(inputs[name] for name in names))
    level = inside_unit("delta", inputs["delta"]).low
    return confirm_f1(hits, rows, level, promised, at_length)


def confirm_f1(
    hits: int, rows: int, level: Fraction, promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    """F1 is promised where the Jaccard index that it stands for is."""
    if not 0 <= promised < 1:
        return False, True
    return confirm_rate_at_least(hits, rows, level, promised / (2 - promised), at_length)


@theorem(
    kind="rate",
    statement=r"F_1\ge\frac{2J_L}{1+J_L},\quad J_L=\inf\{t:\Pr[\mathrm{Bin}(m,t)\ge\mathrm{TP}]\ge\delta\},\quad "
    r"m=\mathrm{TP}+\mathrm{FP}+\mathrm{FN}",
    assumes=(IID, FIXED_BEFORE, SAME_PREVALENCE),
    claim=metric_claim(DRAWN, FIRST, DRAWN, quantities=("f1",)),
    checker=_confirm_f1,
)
def f1_at_least(
    true_positives: int, false_positives: int, false_negatives: int, delta: Number
) -> float:
    """The F1 score of a class, exactly.

    Theorem  Given that m rows are not true negatives, the true positives among them are binomial with the
             Jaccard index J as their rate, and F1 = 2 J / (1 + J) grows with J. So a lower bound for J is
             one for F1, at the same level.
    Needs    true_positives, false_positives, false_negatives: whole, zero or more, not all zero.  delta:
             strictly between 0 and 1.
    Gives    a lower bound, rounded down.
    Source   Derived from Clopper & Pearson (Biometrika 1934): the argument stands in the statement.

    Examples
    --------
    >>> round(f1_at_least(true_positives=180, false_positives=20, false_negatives=30, delta=0.05), 12)
    0.845985578374
    """
    hits, rows = hits_in(true_positives, false_positives, false_negatives)
    return double_below(lower_f1(hits, rows, inside_unit("delta", delta).low))


def lower_f1(hits: int, rows: int, level: Fraction) -> Fraction:
    """F1 for the smallest Jaccard index that is not excluded, or one a hair below; zero without rows."""
    jaccard = Fraction(lower_rate(hits, rows, level)) if rows else Fraction(0)
    return 2 * jaccard / (1 + jaccard)


def _confirm_means(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    classes = counts_by_class(inputs["successes"], inputs["rows"])
    level = inside_unit("delta", inputs["delta"]).low / len(classes)
    lows = [Fraction(lower_rate(k, n, level)) for k, n in classes]
    sound = all(
        confirm_rate_at_least(k, n, level, low, at_length)[0]
        for (k, n), low in zip(classes, lows, strict=True)
    )
    return at_most_the_mean(promised, lows, sound)


@theorem(
    kind="rate",
    statement=r"\frac1K\sum_cp_c\ge\frac1K\sum_c\inf\{t:\Pr[\mathrm{Bin}(n_c,t)\ge k_c]\ge\delta/K\}",
    assumes=(IID, FIXED_BEFORE),
    claim=metric_claim(
        DRAWN, FIRST, quantities=("balanced-accuracy", "macro-precision"), listed=True
    ),
    checker=_confirm_means,
)
def mean_rate_at_least(successes: Sequence[int], rows: Sequence[int], delta: Number) -> float:
    """A mean of rates over classes: balanced accuracy, macro recall, macro precision.

    Theorem  With probability at least 1 - delta the K bounds of the classes, each at level delta / K, hold at
             once, and so does their mean.
    Needs    successes k_c and rows n_c: as many whole numbers as classes, 0 <= k_c <= n_c, n_c >= 1.  delta:
             strictly between 0 and 1.
    Gives    a lower bound, rounded down.
    Source   Clopper & Pearson (Biometrika 1934) for each class, Boole (1854) for all of them.

    Examples
    --------
    >>> round(mean_rate_at_least(successes=[180, 90], rows=[200, 120], delta=0.05), 9)
    0.756258998
    """
    classes = counts_by_class(successes, rows)
    level = inside_unit("delta", delta).low / len(classes)
    return mean_below([Fraction(lower_rate(k, n, level)) for k, n in classes])


def _confirm_macro(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    names = ("true_positives", "false_positives", "false_negatives")
    classes = hits_by_class(*(inputs[name] for name in names))
    level = inside_unit("delta", inputs["delta"]).low / len(classes)
    lows = [lower_f1(hits, rows, level) for hits, rows in classes]
    sound = all(
        hits == 0 or confirm_f1(hits, rows, level, low, at_length)[0]
        for (hits, rows), low in zip(classes, lows, strict=True)
    )
    return at_most_the_mean(promised, lows, sound)


@theorem(
    kind="rate",
    statement=r"\frac1K\sum_cF_{1,c}\ge\frac1K\sum_c\frac{2J_c}{1+J_c},\quad "
    r"J_c=\inf\{t:\Pr[\mathrm{Bin}(m_c,t)\ge\mathrm{TP}_c]\ge\delta/K\}",
    assumes=(IID, FIXED_BEFORE, SAME_PREVALENCE, CLASSES_FIRST),
    claim=metric_claim(DRAWN, FIRST, DRAWN, TOLD, quantities=("macro-f1",), listed=True),
    checker=_confirm_macro,
)
def macro_f1_at_least(
    true_positives: Sequence[int],
    false_positives: Sequence[int],
    false_negatives: Sequence[int],
    delta: Number,
) -> float:
    """The mean of the F1 scores of all classes.

    Theorem  With probability at least 1 - delta the K bounds of the classes, each at level delta / K, hold at
             once, and so does their mean. Of a class that no row is of, and none is taken for, nothing is
             promised; it counts all the same, or the rows would choose the classes and their number.
    Needs    true_positives, false_positives, false_negatives: as many whole numbers as classes, zero or more,
             not all of them zero.  delta: strictly between 0 and 1.
    Gives    a lower bound, rounded down.
    Source   Derived from Clopper & Pearson (Biometrika 1934) for each class, Boole (1854) for all of them.

    Examples
    --------
    >>> round(macro_f1_at_least([180, 90], [20, 30], [30, 20], delta=0.05), 9)
    0.77779841
    """
    classes = hits_by_class(true_positives, false_positives, false_negatives)
    level = inside_unit("delta", delta).low / len(classes)
    return mean_below([lower_f1(hits, rows, level) for hits, rows in classes])


def mean_below(values: Sequence[Fraction]) -> float:
    """The largest double that is not above the mean."""
    return double_below(sum(values, Fraction(0)) / len(values))


def at_most_the_mean(
    promised: Fraction, lows: Sequence[Fraction], sound: bool
) -> tuple[bool, bool]:
    """Whether a promise is at most the mean of bounds that hold, and whether it is no smaller."""
    mean = sum(lows, Fraction(0)) / len(lows)
    slack = Fraction(1, 10**12)
    return sound and 0 <= promised <= mean, promised * (1 + slack) >= mean


def successes_of(successes: int, rows: int) -> tuple[int, int]:
    """Successes and rows as whole numbers, refused where they do not fit together."""
    n, k = count("rows", rows, at_least=1), count("successes", successes)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    require(k <= n, "successes", f"at most the number of rows {n}", successes)
    return k, n


def counts_by_class(
    successes: Any, rows: Any, name: str = "successes", least: int = 1
) -> list[tuple[int, int]]:
    """Pairs of counts and rows, one for each class or group."""
    first, second = whole_list(name, successes), whole_list("rows", rows)
    require(len(first) == len(second), "rows", f"as many as {name}, {len(first)}", len(second))
    require(len(first) >= least, name, f"of at least {least} {_plural(least)}", len(first))
    for place, (k, n) in enumerate(zip(first, second, strict=True)):
        require(1 <= n <= MOST_ROWS, f"rows[{place}]", f"between 1 and {MOST_ROWS}", n)
        require(k <= n, f"{name}[{place}]", f"at most the number of rows {n}", k)
    return list(zip(first, second, strict=True))


def _plural(least: int) -> str:
    return "class or group" if least == 1 else "classes or groups"


def whole_list(name: str, values: Any) -> list[int]:
    """A sequence of whole numbers, zero or more; a refusal names the place."""
    listed = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    listed = listed or hasattr(values, "tolist")  # an array
    require(listed, name, "a sequence of whole numbers", values)
    return [count(f"{name}[{place}]", value) for place, value in enumerate(values)]


def whole_only(inputs: Mapping[str, Any], *names: str) -> None:
    """A document carries counts as numbers and not as text."""
    for name in names:
        require(type(inputs[name]) is int, name, "a whole number, not text", inputs[name])


def hits_in(hits: Any, false_alarms: Any, misses: Any, place: str = "") -> tuple[int, int]:
    """The true positives, and the rows that are not true negatives."""
    names = ("true_positives", "false_positives", "false_negatives")
    values = zip(names, (hits, false_alarms, misses), strict=True)
    cells = [count(f"{name}{place}", value) for name, value in values]
    rows = sum(cells)
    if not place:
        require(rows >= 1, "true_positives", "above zero, or another of the three counts", 0)
    require(rows <= MOST_ROWS, f"true_positives{place}", f"of at most {MOST_ROWS} rows", rows)
    return cells[0], rows


def hits_by_class(hits: Any, false_alarms: Any, misses: Any) -> list[tuple[int, int]]:
    """The same of every class."""
    names = ("true_positives", "false_positives", "false_negatives")
    given = zip(names, (hits, false_alarms, misses), strict=True)
    columns = [whole_list(name, values) for name, values in given]
    for name, column in zip(names[1:], columns[1:], strict=True):
        must = f"as many as true_positives, {len(columns[0])}"
        require(len(column) == len(columns[0]), name, must, len(column))
    require(bool(columns[0]), "true_positives", "of at least one class", 0)
    classes = [
        hits_in(hit, alarm, miss, f"[{place}]")
        for place, (hit, alarm, miss) in enumerate(zip(*columns, strict=True))
    ]
    require(any(rows for _, rows in classes), "true_positives", "above zero in some class", 0)
    return classes
