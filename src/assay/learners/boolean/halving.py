"""Halving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.guarantees.boolean import halving_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.version_space import VersionSpaceClassifier
from assay.learners.registry import register
from assay.record.boolean import VersionSpaceRecord


@register(
    "halving",
    use="rules over yes/no features: the majority that fits",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class Halving(VersionSpaceClassifier):
    r"""Predict with the majority of the concepts that no example has refuted.

    If the labels are given by one of the concepts, at most :math:`\lfloor\log_2|H|\rfloor` mistakes are
    made (``halving-mistakes``): each refutes at least half of what is left. With a prefix-free code every
    concept has the weight 2 to the minus its bits, and a target of s bits costs at most s mistakes
    (``generalized-halving-mistakes``). On a net of the sphere (`halfspaces`) this learns linear
    separators (``halving-cover-mistakes``). A tie counts as positive.

    Parameters
    ----------
    concepts : str, dict, list of functions or array, default="disjunctions"
        The class: a name or what a function of `assay.learners.boolean.concepts` gives
        (`disjunctions`, `conjunctions`, `dnf`, `stumps`, `intervals`, `halfspaces`); functions from rows to
        truth values; or a table of labels, a row for each concept, whose examples are the numbers of
        its columns.
    code : None, "size" or array of int, default=None
        The bits of each concept in a prefix-free code: "size" has short words for concepts with few
        literals; without a code all concepts weigh the same.
    trace : bool, default=False
        Whether `record_` holds, for each round that refuted a concept, how many are left, their share
        of the weight, and the mistakes so far.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    left_ : int
        How many concepts are left.
    formula_ : str
        A concept that is left, as text: the heaviest, and of these the first.
    record_ : VersionSpaceRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Littlestone (1988). Learning quickly when irrelevant attributes abound.
    .. [2] Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Halving
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 10))
    >>> model = Halving("conjunctions").fit(X, X[:, 2] & X[:, 7])
    >>> model.formula_, model.left_
    ('x2 AND x7', 1)
    >>> print(model.guarantees()[0])
    mistakes: at most 10, observed 3, by halving-mistakes
    """

    concepts: Any = "disjunctions"
    code: Any = None
    trace: bool = False

    def _guarantees(
        self, record: VersionSpaceRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return halving_guarantees(record, of)
