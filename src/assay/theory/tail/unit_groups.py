"""Groups of rows that come in units: the mean over units of the share of a group's rows that is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, TOLD, group_claim
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.groups import GROUPS_DECLARED
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT, Units, unit_mean_betting


@theorem(
    kind="error",
    statement=r"\theta_g\le\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_{u\text{ in }g}"
    r"\big(1-\tfrac j{64}(x_u-t)\big)<\tfrac1\delta\Big\}",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE, GROUPS_DECLARED),
    claim=group_claim(DRAWN, FIRST, TOLD, quantity="group-unit-mean-error"),
)
def group_unit_mean(units: Units, delta: Number) -> float:
    """The chance that a row of a new unit is wrong, averaged over the units that have rows of a group.

    Theorem  Given which units have rows of the group, these are independent, and so are the shares of such rows that
             are wrong. So `unit-mean-betting` bounds their mean; the bounds of G groups, each at delta / G, hold at
             once, also where a unit has rows of several groups.
    Needs    units: triples (errors e, rows r, number of such units), whole, 0 <= e <= r, r and the number
             at least 1, counting the rows of the group alone.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; 1 when no mean below 1 is excluded.
    Source   Waudby-Smith & Ramdas (JRSS B 2024) for each group, Boole (1854) for all of them.

    Examples
    --------
    >>> round(group_unit_mean([(0, 5, 150), (1, 5, 30), (2, 5, 20)], 0.05), 12)
    0.100476957016
    """
    return unit_mean_betting(units, delta)


@theorem(
    kind="error",
    statement=r"\max_g\theta_g\le\max_g\,\theta_g^+(\delta)",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE, GROUPS_DECLARED),
    claim=group_claim(DRAWN, FIRST, TOLD, quantity="worst-group-unit-mean-error"),
)
def worst_group_unit_mean(groups: Sequence[Units], delta: Number) -> float:
    """The mean over units on the group where it is largest, whichever that is.

    Theorem  One of the groups has the largest mean. Its own bound fails with probability delta at most, and the largest
             bound of all groups is no smaller. So nothing has to be shared among the groups.
    Needs    groups: for each the triples that `group-unit-mean` takes.  delta: strictly between 0 and 1.
    Gives    an upper bound on every group's mean, rounded up.
    Source   Berger (Technometrics 1982), the intersection-union test; Waudby-Smith & Ramdas (JRSS B 2024) for each
             group.

    Examples
    --------
    >>> round(worst_group_unit_mean([[(0, 5, 150), (1, 5, 50)], [(0, 5, 30), (2, 5, 20)]], 0.05), 9)
    0.268215812
    """
    require(len(groups) > 0, "groups", "a list with the units of each group", groups)
    return max(unit_mean_betting(units, delta) for units in groups)
