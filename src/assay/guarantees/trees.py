"""Guarantees of decision trees: a short description promises a small error on new examples."""

from __future__ import annotations

from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.tree import TreeRecord
from assay.theory.generalization.finite_class import CONSISTENT
from assay.theory.generalization.occam import FIXED_LANGUAGE
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import CODE_FIXED
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS


def description_guarantees(
    record: TreeRecord, delta: Number = 0.05, bits: int | None = None
) -> list[Guarantee]:
    """What the description's length says about the error, the exact bound first.

    The length belongs to the tree that was learned, so that only theorems about all lengths at once apply: the
    exact one, the textbook's for trees without training errors, and the textbook's for all. That for a length fixed
    before the examples is asked for by naming one.

    Parameters
    ----------
    record : TreeRecord
    delta : number
        The probability that a promise fails, each of them by itself.
    bits : int, optional
        A length fixed before the examples were seen, which the description must stay below.

    Examples
    --------
    >>> record = TreeRecord(100, 3, None, 5, 3, 2, 4, 2, 0, 12)
    >>> for guarantee in description_guarantees(record):
    ...     print(guarantee)
    error: at most 0.170696, observed 0.03, failing with probability at most 0.05, by occam-exact
    error: no promise by occam-prefix-free, because it is not true that the hypothesis makes no error on the examples
    error: at most 0.26784, observed 0.03, failing with probability at most 0.05, by regularized-occam
    """
    if record.errors is None or record.bits is None:
        return []
    errors, rows = record.errors, record.rows
    seen = f"errors on {errors} of {rows} examples"
    known = [
        Assumption(INDEPENDENT_DRAWS, "assumed"),
        Assumption(FIXED_LANGUAGE, "declared", record.language),
        Assumption(CODE_FIXED, "declared", record.language),
        Assumption(CONSISTENT, "violated" if errors else "checked", seen),
    ]
    sample = {"rows": rows, "delta": delta}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("occam-exact", {"errors": errors, "bits": record.bits, **sample}),
        ("occam-prefix-free", {"bits": record.bits, "code": "prefix-free", **sample}),
        (
            "regularized-occam",
            {"errors": errors, "bits": record.bits, "code": "prefix-free", **sample},
        ),
    ]
    if bits is not None:
        limit = count("bits", bits, at_least=1)
        [fixed] = [name for name in find_theorem("occam-bits").assumes if "number of bits" in name]
        short = record.bits < limit
        evidence = f"{record.bits} bits, of fewer than {limit}"
        known.append(Assumption(fixed, "declared" if short else "violated", evidence))
        asked.append(("occam-bits", {"bits": limit, **sample}))
    return [
        error_guarantee(theorem, inputs, observed=(errors, rows), known=known)
        for theorem, inputs in asked
    ]


def pruning_guarantee(record: TreeRecord) -> list[Guarantee]:
    """Up to which price of a leaf a tree is the best of its subtrees; none for a single leaf, which always is.

    Examples
    --------
    >>> pruned = {"price": 0.1, "weakest": (0.5, 0.25, 3)}
    >>> [guarantee] = pruning_guarantee(TreeRecord(100, 3, None, 5, 3, 2, 4, 2, 0, 12, **pruned))
    >>> print(guarantee)
    price of a leaf: at most 0.125, observed 0.1, by weakest-link-optimal
    """
    if record.weakest is None:
        return []
    risk, below, leaves = record.weakest
    return [
        guarantee(
            "weakest-link-optimal",
            {"risk": risk, "branch_risk": below, "leaves": leaves},
            record.price,
            of="price of a leaf",
            formula="no subtree has a lower impurity + z leaves, for any z",
            certified="this tree, among all trees that come from it by pruning",
        )
    ]
