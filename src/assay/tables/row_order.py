"""Whether rows may be taken for independent draws: what the order of a table says about it.

A holdout that is drawn at random hides what changes along the file, for neighbours are on both sides of it. So the
order of the training rows is looked at (`assay.evidence.order_tests`), unless it is said to mean nothing.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.certificates.issue.distinct_rows import Overlap
from assay.errors import BadParameter, Words, require, setting
from assay.evidence.order_check import DECLARED, OrderCheck, status_of
from assay.evidence.order_tests import FEWEST, LOOKED_AT, check_order, spread_blocks
from assay.evidence.rows import first_rows
from assay.guarantees.assumption import Assumption
from assay.tables.holdout_size import HoldoutSize
from assay.tables.order_columns import order_columns
from assay.tables.source import Loaded
from assay.theory.tail.binomial import IID
from assay.types import Array, Ints

Order = Literal["none"]


def require_order(order: str | None, size: HoldoutSize, time: str | None) -> None:
    """Refuse what cannot be said of an order, or contradicts what is held out."""
    require(order in (None, "none"), "order", "'none', or left out", order)
    if order == "none" and size.last:
        which = Words("time", "{}", "time") if time is not None else setting("holdout", "last")
        raise BadParameter(
            "Give ",
            setting("order", "none"),
            " or ",
            which,
            ", but not both: one says that no order is that of time.",
        )


def order_known(
    loaded: Loaded,
    train: Ints,
    digests: NDArray[np.uint8],
    *,
    overlap: Overlap,
    order: Order | None,
    told: bool = True,
) -> Assumption | None:
    """What is known of the draw of training rows; None where nothing was looked at.

    Parameters
    ----------
    loaded : Loaded
        The table.
    train : array of int
        Its training rows.
    digests : array
        Those of the features of all rows.
    overlap : {"drop", "keep", "refuse"}
        As in `assay.fit_table`. Where copies are held out together, only rows without one are looked at: the order of
        the others depends on which were drawn.
    order : {"none"}, optional
        Whether it was declared that the order says nothing.
    told : bool
        Whether what is found may be told; where a ledger keeps the looks, only what was charged for is.
    """
    if order == "none":
        return declared()
    if not told:
        return None
    rows = train
    if overlap != "keep":
        first = first_rows(digests)
        rows = train[np.bincount(first, minlength=len(first))[first[train]] == 1]
    rows = rows[spread_blocks(len(rows), LOOKED_AT)]
    names = None if loaded.row_names is None else loaded.row_names.take(pa.array(rows))
    y = loaded.y[rows]
    kinds = np.unique(y, return_inverse=True)[1]
    target = y.astype(np.float64) if loaded.task == "quantity" else kinds
    return checked_order(loaded.take(rows), target, row_names=names)


def declared() -> Assumption:
    """What is known of the draw where somebody says that the order means nothing."""
    return Assumption(IID, "declared", DECLARED)


def checked_order(cells: Any, target: Array, *, row_names: Any = None) -> Assumption | None:
    """What is known of the draw of rows after a look at their order; None where they are too few.

    Parameters
    ----------
    cells : Arrow table or sparse matrix
        The rows, in their order.
    target : array
        Classes as whole numbers, or quantities as floats.
    row_names : Arrow table, optional
        Columns that only name the rows.
    """
    if len(target) < FEWEST:
        return None
    columns, times = order_columns(cells, row_names)
    check = check_order(columns, target, times=times)
    return Assumption(IID, status_of(check), check)


def way_out(known: Assumption | None) -> tuple[str, ...]:
    """What to do about rows whose order tells something."""
    if known is None or known.status != "violated" or not isinstance(known.evidence, OrderCheck):
        return ()
    if known.evidence.sorted_by_target:
        return (
            "If the file was sorted by its target after the rows were drawn, say --order none.",
        )
    return (
        "Where the order tells something, rows held out at random promise nothing about rows to come. To test on what "
        "comes last, say "
        "--holdout last, or --time with a column of times; if rows belong together, name what they belong to with "
        "--unit; if the order of the file is not the order of sampling, say --order none.",
    )
