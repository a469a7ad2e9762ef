"""Guarantees of support vector machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import excess_guarantee
from assay.record.margin import LinearMachineRecord, MarginRecord
from assay.theory.registry import find_theorem

OPTIMAL = "the machine satisfies the KKT conditions, up to the tolerance"
SCALED = "every example has margin one after scaling"

# What a few operations on doubles can lose.
_MORE = 1 + 1e-12
# The KKT conditions say nothing of a score where they fail by the whole margin.
_TRAINED = 1.0


def loo_guarantees(
    support: int, rows: int, errors: int | None, *, residual: float, tolerance: float
) -> list[Guarantee]:
    """What the number of support vectors says: about leaving one out always, about the error on average.

    Examples that may lie on the margin are to be counted with them.

    Examples
    --------
    >>> for guarantee in loo_guarantees(25, 400, 11, residual=5e-4, tolerance=1e-3):
    ...     print(guarantee)
    leave-one-out error: at most 0.0625, observed 0.0275, by svm-loo
    error of a machine from one example less: at most 0.0625, by svm-loo
    """
    seen = f"they fail by {residual:.2g} at most"
    # Beyond one, an example that carries nothing may be on the wrong side.
    held = residual <= tolerance and residual < _TRAINED
    optimal = Assumption(OPTIMAL, "checked" if held else "violated", seen)
    drawn, fixed = find_theorem("svm-loo").assumes
    given = {"support": support, "rows": rows}
    always = guarantee(
        "svm-loo",
        given,
        None if errors is None else (errors, rows),
        of="leave-one-out error",
        formula="LOO(S)",
        assumptions=(optimal,),
        quantifier="always",
        certified="this learner on this sample",
    )
    on_average = guarantee(
        "svm-loo",
        given,
        of="error of a machine from one example less",
        formula="E[err_D]",
        assumptions=(optimal, Assumption(drawn, "assumed"), Assumption(fixed, "declared")),
        quantifier="expectation",
        certified="this learner on samples like this one",
    )
    return [always, on_average]


def duality_guarantees(record: MarginRecord, *, hard: bool = False) -> list[Guarantee]:
    """How far the objective of a machine with the hinge loss can be above the least, and its worst slackness.

    Losses come weighted. With a hard margin the machine is meant scaled so that every example has margin one.

    Examples
    --------
    >>> record = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, slack=0.125)
    >>> for guarantee in duality_guarantees(record):
    ...     print(guarantee)
    excess of the objective: at most 0.250001, by svm-duality-kkt
    complementary slackness: at most 0.250001, observed 0.125, by svm-duality-kkt
    """
    square = record.norm**2
    lost = 0.0 if hard else max(0.0, record.primal - 0.5 * square)
    # Rounding may put the dual above the primal by a last digit, where both are the least value.
    total = min(max(0.0, record.dual + 0.5 * square), square + lost)
    slip = record.rounding + 1e-15 * (square + lost)
    known = by_construction("svm-duality-kkt")
    given: dict[str, Any] = {"square": square, "hinge": lost + slip, "total": total, "C": 1}
    if hard:
        # The loss is zero; what rounding hides is taken off the other side.
        given = {"square": square, "hinge": 0.0, "total": max(0.0, total - slip)}
        why = f"the least is {record.least:.6g} before it"
        known += (Assumption(SCALED, "checked" if record.least > 0 else "violated", why),)
    slackness = guarantee(
        "svm-duality-kkt",
        given,
        record.slack,
        of="complementary slackness",
        formula="max_i slack_i",
        assumptions=known,
        quantifier="always",
        certified="this fit",
    )
    return [excess_guarantee("svm-duality-kkt", given, known), slackness]


def dual_excess_guarantee(record: MarginRecord) -> Guarantee:
    """The same for other losses than the hinge.

    Examples
    --------
    >>> print(dual_excess_guarantee(MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1, rounding=0.125)))
    excess of the objective: at most 0.375001, by penalised-duality
    """
    square = record.norm**2
    slip = record.rounding + 1e-15 * (square + abs(record.primal))
    conjugate = -min(record.dual, record.primal) - 0.5 * square + slip
    given = {"objective": record.primal, "square": square, "conjugate": conjugate}
    return excess_guarantee("penalised-duality", given, by_construction("penalised-duality"))


def margin_guarantees(
    record: MarginRecord, *, price: float | None = None, bias: float = 0.0
) -> list[Guarantee]:
    """What the margin of a classifier is, and what none can be above; how far its nearest example is.

    Parameters
    ----------
    price : float, optional
        C, where the loss is the hinge and C is finite: the objective is then told as a regularised risk, too.
    bias : float
        The intercept, where it is no part of the norm.

    Examples
    --------
    >>> record = MarginRecord(2, 2, 0, 0.5, 0.5, 0.0, 1.0, 1.0, 1, 1, floor=0.5)
    >>> for guarantee in margin_guarantees(record, price=2.0, bias=-1.0):
    ...     print(guarantee)
    margin of any separator: at most 1.00001, observed 1, by svm-margin
    distance of the example of least margin: at most 1.00001, observed 1, by point-plane-distance
    objective as a regularised risk: at most 0.500001, observed 0.5, by svm-regularization-equivalence
    """
    guarantees = []
    if record.floor > 0:
        guarantees.append(_widest(record))
    if record.norm > 0:
        guarantees.append(_distance(record, bias))
    if price is not None and math.isfinite(price):
        guarantees.append(_risk(record, price))
    return guarantees


def _widest(record: MarginRecord) -> Guarantee:
    """A separator scaled to margin one has no loss, so half its squared length is no less than the floor."""
    evidence = f"scaled so; no machine's objective is below {record.floor:.6g}"
    return guarantee(
        "svm-margin",
        {"norm": math.sqrt(2 * record.floor) / _MORE, "smallest": 1.0},
        record.margin,
        of="margin of any separator",
        formula="margin",
        assumptions=by_construction("svm-margin", evidence)[:1],
        quantifier="always",
        certified="this sample",
    )


def _distance(record: MarginRecord, bias: float) -> Guarantee:
    """Along the weights, which is all that counts: the plane's normal is the only axis."""
    along = (record.least * _MORE - bias) / record.norm
    given = {
        "weights": [decimal_text(record.norm)],
        "point": [decimal_text(along)],
        "bias": decimal_text(bias),
    }
    distance = abs(record.least) / record.norm
    # A bias far larger than the score leaves its last digits in the point.
    slip = 4e-16 * (abs(record.least) + abs(bias)) / record.norm
    return _identity(
        "point-plane-distance",
        "distance of the example of least margin",
        given,
        lambda foot: foot.distance + slip,
        distance,
    )


def _risk(record: MarginRecord, price: float) -> Guarantee:
    square = record.norm**2
    lost = max(0.0, record.primal - 0.5 * square) * _MORE
    given = {"hinge": lost / price * _MORE, "square": square * _MORE, "C": float(price)}
    return _identity(
        "svm-regularization-equivalence",
        "objective as a regularised risk",
        given,
        lambda both: both.risk,
        record.primal,
    )


def _identity(
    theorem: str, of: str, given: Mapping[str, Any], pick: Any, observed: float
) -> Guarantee:
    """One side of an identity as the theorem evaluates it, rounded up, beside the other as the fit has it."""
    return guarantee(
        theorem,
        given,
        observed,
        of=of,
        formula=of,
        assumptions=by_construction(theorem),
        number=lambda both: math.nextafter(float(pick(both)), math.inf),
        quantifier="always",
        certified="this fit",
    )


def dimension_guarantee(
    norm: float,
    radius: float,
    seen: str,
    *,
    bias: float | None = None,
    features: int | None = None,
    witness: Sequence[float] | None = None,
) -> Guarantee:
    """The VC dimension of the separators that are at least as wide as one, on rows no longer than its own.

    Parameters
    ----------
    norm : float
        The length of the separator that has a score of one or more on every row.
    bias : float, optional
        Its intercept, where it has one that is no part of the norm.
    radius : float
        The length of the longest row.
    seen : str
        The rows on which this was checked.
    features : int, optional
        How many features all halfspaces would have, whose dimension stands beside.
    witness : sequence of float, optional
        The separator.

    Examples
    --------
    >>> print(dimension_guarantee(2.0, 1.0, "100 rows", features=50))
    VC dimension of separators with this margin: at most 4, by vc-large-margin
    """
    # A constant feature, of the size at which the bias adds least, makes an affine separator a linear one.
    shift = abs(bias or 0.0)
    constant = math.sqrt(shift * radius / norm)
    length = math.hypot(norm, shift / constant if constant else 0.0)
    why = f"the class is made of these; the fit is one of them on {seen}"
    name = find_theorem("vc-large-margin").assumes[0]
    plain = None
    if features is not None:
        other = "vc-halfspaces-homogeneous" if bias is None else "vc-halfspaces-affine"
        plain = (other, str(find_theorem(other)(features=features)))
    return guarantee(
        "vc-large-margin",
        {"norm": length * _MORE, "radius": math.hypot(radius, constant) * _MORE},
        of="VC dimension of separators with this margin",
        formula="VC",
        assumptions=[Assumption(name, "checked", why)],
        quantifier="always",
        certified="the class of separators at least as wide",
        textbook=plain,
        witness=witness,
    )


def linear_machine_guarantees(record: LinearMachineRecord) -> list[Guarantee]:
    """What the support vectors, the duality gap and the margin of one linear machine promise."""
    # A gap that was asked for may still leave scores too rough to tell who carries the machine.
    tolerance = math.inf if record.optimal else 0.0
    critical = min(record.support + record.beside, record.rows)
    guarantees = loo_guarantees(
        critical, record.rows, None, residual=record.residual, tolerance=tolerance
    )
    if record.hinge:
        guarantees += duality_guarantees(record)
        guarantees += margin_guarantees(record, price=record.cost)
    else:
        guarantees += [dual_excess_guarantee(record), *margin_guarantees(record)]
    if record.margin is not None:
        least = record.least * (1 - 1e-9)
        wide = dimension_guarantee(
            record.norm / least,
            record.radius,
            f"its {record.rows} rows",
            features=len(record.weights),
            witness=[weight / least for weight in record.weights],
        )
        guarantees.append(wide)
    return guarantees
