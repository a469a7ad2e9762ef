"""What the theorems say about a run of online gradient descent on the hinge loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.compiled.linear.gradient_descent import DRIFT, PAID, RATE, RIVAL, SQUARES
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.subject import another_quantity
from assay.theory.needs import positive
from assay.theory.regret.gradient_descent import FALLING_RATES, HINGE_STEPS, KNOWN_SCALE

if TYPE_CHECKING:
    from assay.learners.linear.gradient_descent import GradientDescentPlayer

_EPSILON = 2.0**-52
# The receipt is rounded up by this much, and lengths are compared up to it.
_SLACK = 1e-11

_PROJECTED = (
    "each step ends at the nearest point of the ball, which is no farther from any comparator in it"
)
_CAPPED = "steps end where the loss is zero, for which the same inequality holds"


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
    steps = [Assumption(HINGE_STEPS, "by construction", _how(player))]
    regret, mistakes = "ogd-hinge-regret", "ogd-mistakes"
    if player.rule.rate == 0:
        regret, mistakes = "ogd-anytime-regret", "ogd-anytime-mistakes"
        steps.append(Assumption(FALLING_RATES, "by construction", f"the last rate is {rate:.6g}"))
    scale = Assumption(KNOWN_SCALE, "checked", said)
    # Lengths are known up to rounding.
    inside = seen <= closed["radius"] * (1 + _SLACK)
    beyond = Assumption(KNOWN_SCALE, "checked" if inside else "violated", said)
    name, paid = another_quantity(of, "regret"), float(player.numbers[PAID])
    found = []
    for inputs, about in ((receipt, scale), (closed, beyond)):
        guarantee = mistake_guarantee(
            regret, inputs, 0, of=name, assumptions=(about, *steps), letter="regret"
        )
        found.append(replace(guarantee, observed=decimal_text(paid - rival.loss)))
    found.append(
        mistake_guarantee(
            mistakes,
            receipt | {"hinge_loss": rival.loss},
            player.mistakes,
            of=of,
            assumptions=(scale, *steps),
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
    rule, seen = player.rule, player.hindsight.radius
    squares, weighted = float(player.numbers[SQUARES]), float(player.numbers[DRIFT])
    distance = (
        2 * norm if rule.ball else math.sqrt(norm**2 + 2 * rate * rival_loss + rate**2 * squares)
    )
    lost = 2 * _rounding(player, rate, distance, norm)
    radius = float(positive("radius", declared.get("radius", rule.radius or seen)).low)
    receipt = {"norm": norm, "radius": seen, "rounds": player.rounds}
    closed = {"norm": norm, "radius": radius, "rounds": player.rounds}
    if rule.rate == 0:
        receipt |= {"last_rate": rate, "weighted_squares": (weighted + lost) * (1 + _SLACK)}
        # The rates never assume less than the radius that the learner was given, nor, where nobody
        # declares one, than what was seen.
        closed["radius"] = max(radius, rule.radius, 0.0 if "radius" in declared else seen)
    else:
        receipt |= {
            "learning_rate": rate,
            "squared_norms": (squares + lost / rate) * (1 + _SLACK),
        }
        closed["learning_rate"] = rate
    return receipt, closed


def _rounding(player: GradientDescentPlayer, rate: float, distance: float, norm: float) -> float:
    """What rounding in the run can add to the regret: steps and sums are off by some last digits."""
    radius, longest = player.hindsight.radius, distance + norm
    digits = player.updates * (player.width + 8) * _EPSILON
    steps = distance * (longest + rate * radius) / rate + longest * radius
    return digits * (steps + float(player.numbers[PAID] + player.numbers[RIVAL]))


def _how(player: GradientDescentPlayer) -> str:
    said = ((_PROJECTED, player.rule.ball > 0), (_CAPPED, player.rule.proximal))
    return "; ".join(text for text, so in said if so)
