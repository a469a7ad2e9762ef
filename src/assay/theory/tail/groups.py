"""Groups named beforehand: the error of each, of the worst of them, and the largest gap between two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.theory.claim import DRAWN, FIRST, TOLD, Condition, group_claim
from assay.theory.needs import counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above
from assay.theory.tail.binomial import FIXED_BEFORE, IID, lower_rate, tail_at_most, upper_rate
from assay.theory.tail.integer_verifier import confirm_counts, confirm_rate, confirm_rate_at_least
from assay.theory.tail.rates import counts_by_class

GROUPS_DECLARED = Condition("groups-declared", "the groups were named before these rows were seen")

# Of more groups than this, each is decided by enclosures.
_AT_LENGTH = 20


@theorem(
    kind="error",
    statement=r"\mathrm{err}_g\le\sup\{p:\Pr[\mathrm{Bin}(n_g,p)\le k_g]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE, GROUPS_DECLARED),
    claim=group_claim(DRAWN, FIRST, TOLD, quantity="group-error"),
    checker=confirm_counts,
)
def group_exact(errors: int, rows: int, delta: Number) -> float:
    """The error of one group of rows.

    Theorem  Given which rows are of the group, each of them errs with the group's error rate, independently. So
             its exact bound fails with probability delta at most; those of G groups, each at delta / G, hold
             at once, however groups overlap.
    Needs    errors k_g: whole, 0 <= k_g <= n_g.  rows n_g: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the smallest double p with P[Bin(n_g, p) <= k_g] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934) for each group, Boole (1854)
             for all of them.

    Examples
    --------
    >>> round(group_exact(errors=20, rows=400, delta=0.05 / 6), 9)
    0.082389236
    """
    k, n = counts(errors, rows)
    return upper_rate(k, n, inside_unit("delta", delta).low)


def _confirm_worst(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    groups = counts_by_class(inputs["errors"], inputs["rows"], "errors")
    level = inside_unit("delta", inputs["delta"]).low
    at_length = at_length and len(groups) <= _AT_LENGTH
    answers = [confirm_rate(k, n, level, promised, at_length) for k, n in groups]
    # As small as it can be, where some group allows no smaller number.
    return all(sound for sound, _ in answers), any(tight for _, tight in answers)


@theorem(
    kind="error",
    statement=r"\max_g\mathrm{err}_g\le\max_g\,\sup\{p:\Pr[\mathrm{Bin}(n_g,p)\le k_g]\ge\delta\}",
    assumes=(IID, FIXED_BEFORE, GROUPS_DECLARED),
    claim=group_claim(DRAWN, FIRST, TOLD, quantity="worst-group-error", listed=True),
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
    return _largest(groups, inside_unit("delta", delta).low)[0]


def _confirm_gap(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    groups = counts_by_class(inputs["errors"], inputs["rows"], "errors", least=2)
    level = inside_unit("delta", inputs["delta"]).low / 2
    at_length = at_length and len(groups) <= _AT_LENGTH
    pairs = _farthest(groups, level)

    def within(high: float, low: float, top: int | None, bottom: int | None) -> bool:
        """Whether no group's error can be above `high`, but for one, and none below `low`, but for one."""
        return all(
            (g == top or confirm_rate(k, n, level, Fraction(high), at_length)[0])
            and (g == bottom or confirm_rate_at_least(k, n, level, Fraction(low), at_length)[0])
            for g, (k, n) in enumerate(groups)
        )

    (high, g), (low, h) = pairs[0]
    sound = within(high, low, None, None)
    if g == h:
        # The same group has both ends, and each other end is that of the others.
        (_, _), (second_low, _) = pairs[1]
        (second_high, _), (_, _) = pairs[2]
        sound = sound and within(second_high, second_low, g, g)
    gap = _gap(pairs)
    return sound and promised >= gap, promised <= gap + Fraction(1, 10**12)


@theorem(
    kind="error",
    statement=r"\max_{g\ne h}(\mathrm{err}_g-\mathrm{err}_h)\le\max_{g\ne h}(p_g^+-p_h^-),\quad "
    r"p_g^\pm\text{ exact at }\frac\delta2",
    assumes=(IID, FIXED_BEFORE, GROUPS_DECLARED),
    claim=group_claim(DRAWN, FIRST, TOLD, quantity="group-gap", listed=True),
    checker=_confirm_gap,
)
def group_gap(errors: Sequence[int], rows: Sequence[int], delta: Number) -> float:
    """How much larger the error of any group can be than that of any other.

    Theorem  Some two groups are furthest apart; which, the distribution fixes. The exact upper bound of the one and
             the lower bound of the other, at level delta / 2 each, hold with probability 1 - delta at least, and the
             largest distance between an upper and a lower bound of two groups is no smaller than theirs. So nothing
             has to be shared among the groups.
    Needs    errors k_g and rows n_g: as many whole numbers as groups, two or more, 0 <= k_g <= n_g, n_g >= 1.
             delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Clopper & Pearson (Biometrika 1934) for each end; Berger (Technometrics 1982) for the worst pair.

    Examples
    --------
    >>> round(group_gap(errors=[20, 12, 10], rows=[400, 250, 150], delta=0.05), 9)
    0.09413898
    """
    groups = counts_by_class(errors, rows, "errors", least=2)
    return min(double_above(_gap(_farthest(groups, inside_unit("delta", delta).low / 2))), 1.0)


_End = tuple[float, int]


def _gap(pairs: Sequence[tuple[_End, _End]]) -> Fraction:
    """The largest distance from an upper end to the lower end of another group."""
    return max(Fraction(high) - Fraction(low) for (high, g), (low, h) in pairs if g != h)


def _farthest(groups: Sequence[tuple[int, int]], level: Fraction) -> list[tuple[_End, _End]]:
    """The largest upper end and the smallest lower end; where one group has both, each with the next of the other."""
    high, low = _largest(groups, level), _smallest(groups, level)
    if high[1] != low[1]:
        return [(high, low)]
    alone = {high[1]}
    return [
        (high, low),
        (high, _smallest(groups, level, without=alone)),
        (_largest(groups, level, without=alone), low),
    ]


def _largest(
    groups: Sequence[tuple[int, int]], level: Fraction, without: set[int] | None = None
) -> _End:
    """The largest exact upper bound, and whose it is."""

    def covered(k: int, n: int, best: float) -> bool:
        return k < n and best > 0 and tail_at_most(k, n, Fraction(best), level)

    return _extreme(groups, without, covered, lambda k, n: upper_rate(k, n, level))


def _smallest(
    groups: Sequence[tuple[int, int]], level: Fraction, without: set[int] | None = None
) -> _End:
    """The smallest exact lower bound, and whose it is: the upper one of what is right, turned round."""

    def covered(k: int, n: int, best: float) -> bool:
        low = -best
        return low <= 0 or (k > 0 and tail_at_most(n - k, n, 1 - Fraction(low), level))

    end, whose = _extreme(groups, without, covered, lambda k, n: -lower_rate(k, n, level))
    return -end, whose


def _extreme(
    groups: Sequence[tuple[int, int]],
    without: set[int] | None,
    covered: Callable[[int, int, float], bool],
    end: Callable[[int, int], float],
) -> _End:
    """The largest end; a group that the best one so far covers needs one look and no search."""
    places = [g for g in range(len(groups)) if g not in (without or ())]
    # Wide ones first, so that few have to be searched.
    places.sort(key=lambda g: groups[g][1])
    best, whose = None, places[0]
    for g in places:
        if best is None or not covered(*groups[g], best):
            own = end(*groups[g])
            if best is None or own > best:
                best, whose = own, g
    assert best is not None
    return best, whose
