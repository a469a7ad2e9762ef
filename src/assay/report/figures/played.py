"""What a figure takes of a run: the record of a learner or policy that was played, and what it promises of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.certificates.certificate import Certificate
from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee

Bounds = Sequence[Guarantee] | Certificate


def record_of(run: Any) -> Any:
    """The record of a learner or policy that was played; anything else as it is.

    Examples
    --------
    >>> record_of([0.5, 1.0])
    [0.5, 1.0]
    """
    if not hasattr(type(run), "record_"):
        return run
    try:
        return run.record_
    except AttributeError:  # it has not begun
        raise BadParameter(
            f"This figure needs rounds that were played, but this {type(run).__name__} has played none."
        ) from None


def promises_of(run: Any, bounds: Any = None) -> Any:
    """The bounds that were given; where none were, those of the learner or policy itself.

    Examples
    --------
    >>> promises_of([0.5, 1.0]), promises_of([0.5, 1.0], ())
    ((), ())
    """
    if bounds is not None:
        return bounds
    return run.guarantees() if hasattr(type(run), "record_") else ()
