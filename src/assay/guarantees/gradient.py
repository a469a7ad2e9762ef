"""Guarantees about regret and mistakes, from the record of online gradient descent on the hinge loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.subject import another_quantity
from assay.record.gradient import GradientRecord
from assay.theory.needs import positive
from assay.theory.regret.gradient_descent import FALLING_RATES, HINGE_STEPS, KNOWN_SCALE

_EPSILON = 2.0**-52
# The receipt is rounded up by this much, and lengths are compared up to it.
_SLACK = 1e-11

_PROJECTED = (
    "each step ends at the nearest point of the ball, which is no farther from any comparator in it"
)
_CAPPED = "steps end where the loss is zero, for which the same inequality holds"


def gradient_guarantees(
    record: GradientRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """Regret against the rival with the squares that were seen, without them, and the mistakes.

    Nothing where the loss is another one, or no step was made.
    """
    if not record.hinge or record.radius == 0.0:
        return []
    receipt, closed = _inputs(record, declared)
    seen = (
        f"{record.updates} steps, on examples no longer than {record.radius:.6g}; "
        f"the comparator's length is {record.rival.norm:.6g}"
    )
    how = ((_PROJECTED, record.max_norm > 0), (_CAPPED, record.proximal))
    rules = [Assumption(HINGE_STEPS, "by construction", "; ".join(text for text, so in how if so))]
    kind = "ogd-hinge-regret", "ogd-mistakes"
    if record.falling:
        kind = "ogd-anytime-regret", "ogd-anytime-mistakes"
        last = f"the last rate is {record.rate:.6g}"
        rules.append(Assumption(FALLING_RATES, "by construction", last))
    scale = Assumption(KNOWN_SCALE, "checked", seen)
    # Lengths are known up to rounding.
    inside = record.radius <= closed["radius"] * (1 + _SLACK)
    beyond = Assumption(KNOWN_SCALE, "checked" if inside else "violated", seen)
    regret = record.loss - record.rival.loss
    name = another_quantity(of, "regret")
    return [
        *(
            mistake_guarantee(
                kind[0], inputs, regret, of=name, assumptions=(about, *rules), letter="regret"
            )
            for inputs, about in ((receipt, scale), (closed, beyond))
        ),
        mistake_guarantee(
            kind[1],
            receipt | {"hinge_loss": record.rival.loss},
            record.mistakes,
            of=of,
            assumptions=(scale, *rules),
        ),
    ]


def _inputs(
    record: GradientRecord, declared: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The theorem's inputs: with the squares of the run, and from the scale alone."""
    rate, seen = record.rate, record.radius
    norm = record.max_norm or record.rival.norm
    lost = 2 * _rounding(record, norm)
    radius = float(positive("radius", declared.get("radius", record.known_radius or seen)).low)
    receipt = {"norm": norm, "radius": seen, "rounds": record.rounds}
    closed = {"norm": norm, "radius": radius, "rounds": record.rounds}
    if record.falling:
        weighted = (record.weighted_squares + lost) * (1 + _SLACK)
        receipt |= {"last_rate": rate, "weighted_squares": weighted}
        # The rates never assume less than the radius that the learner was given, nor, where nobody
        # declares one, than what was seen.
        closed["radius"] = max(radius, record.known_radius, 0.0 if "radius" in declared else seen)
    else:
        squares = (record.squares + lost / rate) * (1 + _SLACK)
        receipt |= {"learning_rate": rate, "squared_norms": squares}
        closed["learning_rate"] = rate
    return receipt, closed


def _rounding(record: GradientRecord, norm: float) -> float:
    """What rounding in the run can add to the regret: steps and sums are off by some last digits."""
    rate, radius = record.rate, record.radius
    distance = (
        2 * norm
        if record.max_norm
        else math.sqrt(norm**2 + 2 * rate * record.rival.loss + rate**2 * record.squares)
    )
    longest = distance + norm
    digits = record.updates * (record.width + 8) * _EPSILON
    steps = distance * (longest + rate * radius) / rate + longest * radius
    return digits * (steps + (record.loss + record.counted_loss))
