"""What the theorems say about a run of online gradient descent on the hinge loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.certificates.assumption import Assumption
from assay.certificates.decimals import decimal_text
from assay.certificates.guarantee import Guarantee
from assay.certificates.mistakes import mistake_guarantee
from assay.compiled.gradient_descent import DRIFT, LONGEST, PAID, RATE, RIVAL, SQUARES
from assay.theory.needs import positive
from assay.theory.regret.gradient_descent import HINGE_STEPS, KNOWN_SCALE

if TYPE_CHECKING:
    from assay.learners.linear.gradient_descent import GradientDescentPlayer

_EPSILON = 2.0**-52
# The receipt is rounded up by this much, and lengths are compared up to it.
_SLACK = 1e-11

_PROJECTED = (
    "each step ends at the nearest point of the ball, which is no farther from any comparator in it"
)
_CAPPED = "steps end where the loss is zero, for which the same inequality holds"
_FALLING = "the rates fall, so the norm is twice the ball's radius and a square counts by its rate over the last"


def regret_guarantees(
    player: GradientDescentPlayer, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """Regret against the rival with the squares that were seen, without them, and the mistakes."""
    rate = float(player.numbers[RATE])
    if not player.rule.hinge or player.hindsight.radius == 0.0:
        return []
    rival = player.hindsight.rival(rate, float(player.numbers[RIVAL]))
    norm = player.rule.ball or rival.norm
    receipt, closed = _inputs(player, rate, norm, rival.loss, declared)
    seen = player.hindsight.radius
    said = f"{player.updates} steps, on examples no longer than {seen:.6g}; the comparator's length is {rival.norm:.6g}"
    steps = Assumption(HINGE_STEPS, "by construction", _how(player))
    scale = Assumption(KNOWN_SCALE, "checked", said)
    # Lengths are known up to rounding.
    inside = seen <= closed["radius"] * (1 + _SLACK)
    beyond = Assumption(KNOWN_SCALE, "checked" if inside else "violated", said)
    regret, paid = of.replace("mistakes", "regret", 1), float(player.numbers[PAID])
    found = []
    for inputs, about in ((receipt, scale), (closed, beyond)):
        guarantee = mistake_guarantee(
            "ogd-hinge-regret", inputs, 0, of=regret, assumptions=(about, steps), letter="regret"
        )
        found.append(replace(guarantee, observed=decimal_text(paid - rival.loss)))
    found.append(
        mistake_guarantee(
            "ogd-mistakes",
            receipt | {"hinge_loss": rival.loss},
            player.mistakes,
            of=of,
            assumptions=(scale, steps),
        )
    )
    return found


def _inputs(
    player: GradientDescentPlayer,
    rate: float,
    norm: float,
    rival_loss: float,
    declared: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The theorem's inputs: with the squares of the run, and from the scale alone."""
    rule, rounds, seen = player.rule, player.rounds, player.hindsight.radius
    squares = float(player.numbers[SQUARES])
    anytime = rule.rate == 0
    if anytime:
        squares = float(player.numbers[DRIFT]) / rate
    distance = (
        2 * norm if rule.ball else math.sqrt(norm**2 + 2 * rate * rival_loss + rate**2 * squares)
    )
    squares += 2 / rate * _rounding(player, rate, distance, norm)
    reach = 2 * norm if anytime else norm
    receipt = {
        "norm": reach,
        "radius": seen,
        "rounds": rounds,
        "learning_rate": rate,
        "squared_norms": squares * (1 + _SLACK),
    }
    radius = float(positive("radius", declared.get("radius", rule.radius or seen)).low)
    closed: dict[str, Any] = {"norm": reach, "radius": radius, "rounds": rounds}
    if anytime:
        # The rates were computed from the longest gradient, so it is the radius here.
        radius = max(radius, float(player.numbers[LONGEST]) * (1 + _SLACK))
        last = norm / radius * math.sqrt(2 / rounds)
        # The sum of sqrt(T / t) over all rounds is below 2 T.
        closed |= {"radius": radius, "learning_rate": last, "squared_norms": 2 * rounds * radius**2}
    else:
        closed["learning_rate"] = rate
    return receipt, closed


def _rounding(player: GradientDescentPlayer, rate: float, distance: float, norm: float) -> float:
    """What rounding in the run can add to the regret: steps and sums are off by some last digits."""
    radius, longest = player.hindsight.radius, distance + norm
    digits = player.updates * (player.width + 8) * _EPSILON
    steps = distance * (longest + rate * radius) / rate + longest * radius
    return digits * (steps + float(player.numbers[PAID] + player.numbers[RIVAL]))


def _how(player: GradientDescentPlayer) -> str:
    said = [
        text
        for text, so in (
            (_PROJECTED, player.rule.ball > 0),
            (_CAPPED, player.rule.proximal),
            (_FALLING, player.rule.rate == 0),
        )
        if so
    ]
    return "; ".join(said)
