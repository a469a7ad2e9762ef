"""What the fit of a support vector machine leaves behind."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from assay.record.kernel import Defect, KnownKernel
from assay.record.linear_fit import LinearFitRecord
from assay.types import Floats

SIGNED = ("primal", "dual", "least")
"""What of a machine may be below zero: its two objectives and its smallest margin."""


@dataclass(frozen=True)
class MarginRecord:
    r"""One machine: its two objectives, how far they are apart, and its margin.

    Attributes
    ----------
    rows : int
        Examples it learned from; those of weight zero do not count.
    support : int
        Examples whose dual variable is not zero.
    bounded : int
        Those among them whose dual variable is at its upper bound.
    primal, dual : float
        :math:`\tfrac12\|w\|^2` plus the weighted losses, and the value of the dual. No w has a primal
        value below any dual value, so what lies between them bounds what a perfect optimiser could gain.
    residual : float
        By how much the KKT conditions fail at worst, in units of the score.
    norm : float
        :math:`\|w\|` in the space of features.
    least : float
        The smallest :math:`y f(x)` among the examples; at most zero where one is misclassified, and zero for
        a regressor.
    steps : int
        Steps of the optimiser.
    passes : int
        Its working sets, or its passes over the examples.
    slack : float
        The largest of the products that complementary slackness makes zero; they sum to the gap.
    rounding : float
        What rounding can at most have taken off the gap, that of kernel values to single precision included:
        gap and rounding together bound what a perfect optimiser could gain.
    floor : float
        A number that no machine's objective is below: the dual with all rounding taken off, zero at least.
    radius : float
        The length of the longest example in the space of features, rounded up.
    settled : float
        The part of gap and rounding that does not come from support vectors between their bounds.
    price : float
        The largest bound of a dual variable; zero where there are none, or for a linear machine.
    beside : int
        Further examples on which the machine may rest, as far as the residual tells: those that may lie on the margin
        or below it, and those that alone keep the intercept from moving.

    Examples
    --------
    >>> record = MarginRecord(2, 2, 0, 0.5, 0.5, 0.0, 1.0, 1.0, 1, 1)
    >>> record.gap, record.margin
    (0.0, 1.0)
    """

    rows: int
    support: int
    bounded: int
    primal: float
    dual: float
    residual: float
    norm: float
    least: float
    steps: int
    passes: int
    slack: float = 0.0
    rounding: float = 0.0
    floor: float = 0.0
    radius: float = 0.0
    settled: float = 0.0
    price: float = 0.0
    beside: int = 0

    @property
    def gap(self) -> float:
        """The duality gap: primal minus dual."""
        return max(0.0, self.primal - self.dual)

    @property
    def excess(self) -> float:
        """What the objective can at most be above the least possible: the gap, rounding included."""
        return self.gap + self.rounding

    @property
    def margin(self) -> float | None:
        """The distance of the nearest example to the separating plane; None where none separates."""
        if not (self.least > 0 and self.norm > 0):
            return None
        return self.least / self.norm

    @property
    def width(self) -> float:
        """The distance from the plane at which the score is one: one over the norm."""
        return math.inf if self.norm == 0 else 1 / self.norm


@dataclass(frozen=True, kw_only=True)
class LinearMachineRecord(MarginRecord):
    """One linear machine: its weights besides, and what was asked of its fit.

    Attributes
    ----------
    weights : array
        The weights, that of the constant feature last if there is one.
    hinge : bool
        Whether the loss is the hinge, rather than its square.
    cost : float
        C, the weight of the losses.
    tolerance : float
        The share of the objective that the gap was to be within.
    fit : LinearFitRecord or None
        Of two classes, the errors on the sample.

    Examples
    --------
    >>> asked = {"weights": [1.0], "hinge": True, "cost": 2.0, "tolerance": 0.1}
    >>> LinearMachineRecord(2, 2, 0, 0.5, 0.5, 0.0, 1.0, 1.0, 1, 1, **asked).optimal
    True
    """

    weights: Floats = field(repr=False, compare=False)
    hinge: bool
    cost: float
    tolerance: float
    fit: LinearFitRecord | None = field(default=None, repr=False)

    @property
    def optimal(self) -> bool:
        """Whether the gap is what was asked for."""
        return self.gap <= self.tolerance * max(self.primal, 0.0)


@dataclass(frozen=True, kw_only=True)
class SupportMachineRecord(MarginRecord):
    """One machine of a kernel: its intercept besides, and what the machines of one fit share.

    Attributes
    ----------
    cost : float
        C, the weight of the losses; infinite for a hard margin.
    tolerance : float
        By how much the KKT conditions were allowed to fail.
    bias : float
        The intercept.
    weights : array or None
        The weights of the features, with the linear kernel.
    double : bool
        Whether kernel values were kept in double precision.
    critical : int
        At most so many examples of the sample cannot be taken away without a change, of all machines together.
    sample_rows : int
        The examples of the sample.
    kernel : KnownKernel
        The kernel.
    defect : (str, float) or None
        What its matrix on the sample has that that of a kernel has not.
    fit : LinearFitRecord or None
        Of two classes, with the linear kernel, the errors on the sample.
    """

    cost: float
    tolerance: float
    bias: float
    weights: Floats | None = field(default=None, repr=False, compare=False)
    double: bool = True
    critical: int = 0
    sample_rows: int = 0
    kernel: KnownKernel = field(repr=False, compare=False)
    defect: Defect | None = None
    fit: LinearFitRecord | None = field(default=None, repr=False)

    @property
    def hard(self) -> bool:
        """Whether no loss is allowed."""
        return math.isinf(self.cost)
