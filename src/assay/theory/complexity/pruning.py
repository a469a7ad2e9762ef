"""Weakest-link pruning of a decision tree."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@theorem(
    "T106",
    kind="identity",
    statement=r"g(t)=\frac{R(t)-R(T_t)}{|T_t|-1},\qquad T(\lambda)=\arg\min_{T'}R(T')+\lambda\,|T'|",
    assumes=(
        Condition(
            "leaf-costs-add-up",
            "what a tree costs is the sum of what its leaves cost, and a leaf costs zero or more",
        ),
    ),
)
def weakest_link_optimal(risk: Number, branch_risk: Number, leaves: int) -> float:
    """The price of a leaf from which on it pays to make a node one.

    Theorem  Let R(t) be what node t costs as a leaf and R(T_t) what the leaves below it cost. Among all
             trees that come from T by making nodes leaves, let T(z) have the least R + z |leaves|,
             and among those the fewest leaves. T(z) exists and is unique for every z >= 0, the T(z)
             are nested, and making again and again the node with the smallest
             g(t) = (R(t) - R(T_t)) / (|T_t| - 1) a leaf, with all that have the same, goes through
             all of them: T(z) is the tree that is left when every g exceeds z.
    Needs    risk R(t): finite, >= 0.  branch_risk R(T_t): 0 <= R(T_t) <= R(t).  leaves |T_t|: whole,
             >= 2.
    Gives    g(t), rounded down: up to this price the node need not become a leaf.
    Source   Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), section
             3.3; Sakulwongtana, Supervised Learning (lecture notes), Definition 4.3.

    Examples
    --------
    >>> weakest_link_optimal(risk=0.5, branch_risk=0.25, leaves=3)
    0.125
    """
    own, below = nonnegative("risk", risk), nonnegative("branch_risk", branch_risk)
    require(below.low <= own.low, "branch_risk", f"at most the risk {risk!r}", branch_risk)
    return ((own - below) / (count("leaves", leaves, at_least=2) - 1)).down()
