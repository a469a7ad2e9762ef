"""Rows that come in units: units without a wrong row, exactly, and the metrics of a report, by betting on units."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.theory.claim import DRAWN, FIRST, OVER_HOLDOUT, SETTLED, Claim, metric_claim
from assay.theory.needs import inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_below
from assay.theory.tail.binomial import FIXED_BEFORE, upper_rate
from assay.theory.tail.integer_verifier import confirm_rate
from assay.theory.tail.rates import SAME_PREVALENCE
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT, Units
from assay.theory.tail.unit_ratio import UNITS_BOUNDED, counted_units, unit_ratio_betting


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    wrong, units = _wrong_units(inputs["units"])
    return confirm_rate(
        wrong, units, inside_unit("delta", inputs["delta"]).low, promised, at_length
    )


@theorem(
    kind="error",
    statement=r"\Pr[e>0]\le\sup\{p:\Pr[\mathrm{Bin}(G,p)\le k]\ge\delta\},\quad k=|\{g:e_g>0\}|",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE),
    claim=Claim("holdout", ("unit-any-error", "unit-any-beyond"), OVER_HOLDOUT, (DRAWN, FIRST)),
    checker=_confirm,
)
def units_wholly_right(units: Units, delta: Number) -> float:
    """The share of new units in which some row is wrong.

    Theorem  Over G independent units, those in which some row is wrong are binomial, however rows of one unit depend
             on one another. So the exact bound for counts holds for units.
    Needs    units: triples (errors e, rows r, number of such units), whole, 0 <= e <= r, r and the number at
             least 1; at most 10^9 units.  delta: strictly between 0 and 1.
    Gives    the smallest double p with P[Bin(G, p) <= k] <= delta, decided without rounding.
    Source   Clopper & Pearson, The use of confidence or fiducial limits (Biometrika 1934).

    Examples
    --------
    >>> round(units_wholly_right([(0, 5, 190), (1, 5, 4), (5, 5, 6)], delta=0.05), 12)
    0.083335151066
    """
    wrong, total = _wrong_units(units)
    return upper_rate(wrong, total, inside_unit("delta", delta).low)


def _wrong_units(units: Any) -> tuple[int, int]:
    """Units with a wrong row, and all units."""
    histogram = counted_units(units)
    wrong = sum(many for (errors, _), many in histogram.items() if errors)
    return wrong, sum(histogram.values())


@theorem(
    kind="rate",
    statement=r"1-\frac{\mathbb E\,e}{\mathbb E\,r}\ge1-\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_g"
    r"\big(1-\tfrac j{64}\tfrac{e_g-t\,r_g}M\big)<\tfrac1\delta\Big\}",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE, UNITS_BOUNDED),
    claim=metric_claim(
        DRAWN,
        FIRST,
        SETTLED,
        quantities=("accuracy", "precision", "recall", "specificity", "jaccard"),
    ),
)
def unit_rate_at_least(units: Units, most_rows: int, delta: Number) -> float:
    """A share of rows of which more is better, where rows come in units: accuracy, precision, recall, specificity.

    Theorem  Of the rows of unit g let r_g count, such as those that are taken for the label, and e_g of these not be
             what they should. Units without such a row say nothing and are left out: given that they have one,
             units are independent still, and E e / E r is what it was. One minus the upper bound on that ratio, which
             `unit_ratio_betting` gives, is a lower bound on the share of rows that are.
    Needs    units: triples (failures e, rows r, number of such units), whole, 0 <= e <= r, r and the number at least 1;
             at most 10^9 units.  most_rows M: whole, at least every r.  delta: strictly between 0 and 1.
    Gives    a lower bound, rounded down; 0 where no rate is excluded.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting
             (JRSS B 2024), with an even mixture over a grid of constant bets, on e - t r.

    Examples
    --------
    >>> units = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)]
    >>> round(unit_rate_at_least(units, most_rows=10, delta=0.05), 12)
    0.838040748791
    """
    return double_below(_at_least(units, most_rows, delta))


@theorem(
    kind="rate",
    statement=r"F_1\ge\frac{2J_L}{1+J_L},\quad J_L=1-\sup\Big\{t:\tfrac1{64}\sum_{j=1}^{64}\prod_g"
    r"\big(1-\tfrac j{64}\tfrac{e_g-t\,r_g}M\big)<\tfrac1\delta\Big\}",
    assumes=(UNITS_INDEPENDENT, FIXED_BEFORE, UNITS_BOUNDED, SAME_PREVALENCE),
    claim=metric_claim(DRAWN, FIRST, SETTLED, DRAWN, quantities=("f1",)),
)
def unit_f1_at_least(units: Units, most_rows: int, delta: Number) -> float:
    """The F1 score of a class, where rows come in units.

    Theorem  Of the rows of unit g let r_g be of the class or be taken for it, and e_g of these not both. Over many
             units they give the Jaccard index J = 1 - E e / E r, and F1 = 2 J / (1 + J) grows with J.
    Needs    units: triples (rows e that are not both, rows r, number of such units), whole, 0 <= e <= r, r and the
             number at least 1; at most 10^9 units.  most_rows M: whole, at least every r.  delta: strictly
             between 0 and 1.
    Gives    a lower bound, rounded down; 0 where no score is excluded.
    Source   Derived from `unit_rate_at_least`: the argument stands in the statement.

    Examples
    --------
    >>> units = [(0, 2, 60), (0, 10, 60), (1, 5, 40), (2, 8, 25), (4, 10, 15)]
    >>> round(unit_f1_at_least(units, most_rows=10, delta=0.05), 9)
    0.911884842
    """
    jaccard = _at_least(units, most_rows, delta)
    return double_below(2 * jaccard / (1 + jaccard))


def _at_least(units: Units, most_rows: int, delta: Number) -> Fraction:
    return 1 - Fraction(unit_ratio_betting(units, most_rows, delta))
