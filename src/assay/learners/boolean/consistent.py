"""CON: predict with any concept that agrees with all examples so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.guarantees.boolean import consistent_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.version_space import VersionSpaceClassifier
from assay.learners.registry import register
from assay.record.boolean import VersionSpaceRecord


@register(
    "consistent",
    use="rules over yes/no features: the first that fits all rows",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class Consistent(VersionSpaceClassifier):
    r"""Predict with the first concept of a class that no example has refuted.

    If the labels are given by one of the concepts, at most :math:`|H|-1` mistakes are made
    (``con-mistakes``): each refutes the concept that was followed. `Halving` makes fewer.

    Parameters
    ----------
    concepts : str, dict, list of functions or array, default="disjunctions"
        The class, as for `Halving`; its order is the order in which concepts are tried.
    trace : bool, default=False
        Whether `record_` holds, for each round that refuted a concept, how many are left and the
        mistakes so far.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    left_ : int
        How many concepts are left.
    formula_ : str
        The concept that predicts, as text.
    record_ : VersionSpaceRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Mansour, Introduction to Machine Learning, lecture 4 (2012), section 4.3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Consistent
    >>> table = np.eye(5)  # five concepts, each true of one point
    >>> model = Consistent(table).fit([[0], [1], [2], [3], [4]], [0, 0, 0, 0, 1])
    >>> model.formula_
    'concept 4'
    >>> print(model.guarantees()[0])
    mistakes: at most 4, observed 4, by con-mistakes
    """

    _first = True

    concepts: Any = "disjunctions"
    trace: bool = False

    def _guarantees(
        self, record: VersionSpaceRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return consistent_guarantees(record, of)
