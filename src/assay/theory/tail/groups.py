"""Groups declared beforehand: the error of the worst of them, and the largest gap between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.theory.claim import Condition
from assay.theory.needs import inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above
from assay.theory.tail.binomial import FIXED_BEFORE, IID, lower_rate, upper_rate
from assay.theory.tail.integer_verifier import confirm_rate, confirm_rate_at_least
from assay.theory.tail.rates import counts_by_class

GROUPS_DECLARED = Condition("groups-declared", "the groups were named before these rows were seen")


def _confirm_worst(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    groups = counts_by_class(inputs["errors"], inputs["rows"], "errors")
    level = inside_unit("delta", inputs["delta"]).low
    answers = [confirm_rate(k, n, level, promised, at_length) for k, n in groups]
    # As small as it can be, where some group allows no smaller number.
    return all(sound for sound, _ in answers), any(tight for _, tight in answers)


@theorem(
    kind="error",
    statement=r"\max_g\mathrm{err}_g\le\max_g\,\sup\{p:\Pr[\mathrm{Bin}(n_g,p)\le k_g]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE, GROUPS_DECLARED),
    checker=_confirm_worst,
)
def worst_group(errors: Sequence[int], rows: Sequence[int], delta: Number) -> float:
    """The error of the group on which the model does worst, whichever it is.

    Theorem  One of the groups has the largest error. Its own exact bound fails with probability delta at most,
             and the largest bound of all groups is no smaller. So nothing has to be shared among the groups.
    Needs    errors k_g and rows n_g: as many whole numbers as groups, 0 <= k_g <= n_g, n_g >= 1.  delta: strictly
             between 0 and 1.
    Gives    an upper bound on every group's error, rounded up.
    Source   Berger, Multiparameter hypothesis testing and acceptance sampling (Technometrics 1982), the
             intersection-union test; Clopper & Pearson (Biometrika 1934) for each group.

    Examples
    --------
    >>> errors, rows = [20, 12, 10, 5, 2, 1], [400, 250, 150, 100, 60, 40]
    >>> round(worst_group(errors, rows, delta=0.05), 9)
    0.113188361
    """
    groups = counts_by_class(errors, rows, "errors")
    level = inside_unit("delta", delta).low
    return max(upper_rate(k, n, level) for k, n in groups)


def _confirm_gap(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    groups = counts_by_class(inputs["errors"], inputs["rows"], "errors", least=2)
    level = _shared(inputs["delta"], groups)
    ends = _ends(groups, level)
    sound = all(
        confirm_rate(k, n, level, high, at_length)[0]
        and confirm_rate_at_least(k, n, level, low, at_length)[0]
        for (k, n), (low, high) in zip(groups, ends, strict=True)
    )
    gap, slack = _largest(ends), Fraction(1, 10**12)
    return sound and promised >= gap, promised <= gap + slack


@theorem(
    kind="error",
    statement=r"\max_{g\ne h}(\mathrm{err}_g-\mathrm{err}_h)\le\max_{g\ne h}(p_g^+-p_h^-),\quad "
    r"p_g^\pm\text{ exact at }\frac\delta{2G}",
    assumes=(IID, FIXED_BEFORE, GROUPS_DECLARED),
    checker=_confirm_gap,
)
def group_gap(errors: Sequence[int], rows: Sequence[int], delta: Number) -> float:
    """How much larger the error of any group can be than that of any other.

    Theorem  With probability at least 1 - delta the errors of all G groups lie between their exact bounds, each
             at level delta / (2 G). Then no two of them are further apart than the upper bound of one and the
             lower bound of another.
    Needs    errors k_g and rows n_g: as many whole numbers as groups, two or more, 0 <= k_g <= n_g, n_g >= 1.
             delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Clopper & Pearson (Biometrika 1934) for each end, Boole (1854) for all of them.

    Examples
    --------
    >>> round(group_gap(errors=[20, 12, 10], rows=[400, 250, 150], delta=0.05), 9)
    0.110376892
    """
    groups = counts_by_class(errors, rows, "errors", least=2)
    return double_above(_largest(_ends(groups, _shared(delta, groups))))


def _shared(delta: Any, groups: Sequence[tuple[int, int]]) -> Fraction:
    return inside_unit("delta", delta).low / (2 * len(groups))


def _ends(groups: Sequence[tuple[int, int]], level: Fraction) -> list[tuple[Fraction, Fraction]]:
    return [
        (Fraction(lower_rate(k, n, level)), Fraction(upper_rate(k, n, level))) for k, n in groups
    ]


def _largest(ends: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """The largest distance from the lower end of one group to the upper end of another."""
    by_low = sorted(range(len(ends)), key=lambda g: ends[g][0])
    first, second = by_low[:2]
    return max(high - ends[second if g == first else first][0] for g, (_, high) in enumerate(ends))
