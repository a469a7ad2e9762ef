"""What happened in a run of the kernel perceptron, and the mistaken examples in feature space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.record.online import OnlineRecord
from assay.types import Floats

Defect = tuple[str, float]
"""What a kernel matrix was found to have that that of a kernel has not, and how much of it."""


class KnownKernel(Protocol):
    """A kernel, as far as theorems are concerned; its `repr` names it."""

    @property
    def known_psd(self) -> bool:
        """Whether it is positive semidefinite by construction."""


@dataclass(frozen=True)
class FeatureComparator:
    """The vector u = sum_i a_i phi(x_i).

    Attributes
    ----------
    coefficients : array, or None
        a; None where u is the weight vector itself, scaled.
    squared_norm : float
        a'Ka, rounded up.
    loss : float
        Its total hinge loss on the examples, rounded up; zero where it separates them.
    """

    coefficients: Floats | None
    squared_norm: float
    loss: float


class KeptInFeatureSpace(Protocol):
    """The mistaken examples as they were kept, and what is computed of them when somebody asks.

    That is the same whenever it is computed.
    """

    def values(self) -> Floats | None:
        """The kernel between the mistaken examples; None where that is not known any more."""

    def best(self, values: Floats) -> FeatureComparator:
        """The separator of least length if there is one, else the comparator of the least bound."""


@dataclass(frozen=True, kw_only=True)
class KernelRecord(OnlineRecord):
    """The run of the kernel perceptron on one binary problem; the radius is that in feature space.

    Attributes
    ----------
    features : int
        The number of features.
    squared_length : float
        Of the weights in feature space.
    defect : (str, float) or None
        What the kernel matrix of the sample has that that of a kernel has not.
    kernel : KnownKernel
        The kernel.
    all_products : bool
        Whether it is that of all products of features.
    labels : array
        The labels of -1 and +1 of the mistaken examples that were kept.
    examples : array, CSR matrix or strings
        These examples; of a precomputed kernel their places.
    mistaken : KeptInFeatureSpace
        The values of the kernel between them.
    names : sequence or None
        What the features are called.
    """

    features: int
    squared_length: float
    defect: Defect | None
    kernel: KnownKernel = field(repr=False, compare=False)
    all_products: bool = field(repr=False, compare=False)
    labels: Floats = field(repr=False, compare=False)
    examples: Any = field(repr=False, compare=False)
    mistaken: KeptInFeatureSpace = field(repr=False, compare=False)
    names: Sequence[Any] | None = field(repr=False, compare=False)

    @property
    def forgotten(self) -> int:
        """How many mistaken examples had to go."""
        return self.updates - self.kept

    @property
    def error(self) -> float:
        """How far rounding can have taken the squared length of the weights from its true value.

        A score is a sum of up to m values of at most D, each good to some d + 10 units of the last place.
        """
        m = self.updates
        return 2 * m * (m + self.features + 10) * 2.0**-52 * m * self.largest_square
