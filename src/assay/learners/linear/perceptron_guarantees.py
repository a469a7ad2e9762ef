"""What the theorems promise about a run of the perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.common.player import Player
from assay.learners.linear.disjunction import disjunction_of
from assay.theory.mistake.perceptron import (
    SEPARABLE,
    perceptron_disjunction_mistakes,
    perceptron_margin_mistakes,
)
from assay.theory.needs import count, positive
from assay.theory.registry import find_theorem


def perceptron_guarantees(player: Player, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
    """What was declared; the hinge bound of the best comparator in hindsight; the margin bound."""
    found = []
    if "margin" in declared:
        found.append(_by_declared_margin(player, of, declared))
    if "literals" in declared:
        found.append(_by_literals(player, of, declared["literals"]))
    # The weights are the sum of the mistaken examples, each times its label.
    best = player.hindsight.best(np.append(player.weights, player.bias))
    if best is None:
        return found
    radius = (player.hindsight.radius or 1.0) * _rounding(player)
    if not math.isfinite(radius + best.loss):
        raise BadData(
            "No theorem can be applied to this run: the square of an example's length overflows. Scale the features."
        )
    inputs = {"radius": radius, "norm": best.norm, "hinge_loss": best.loss}
    found.append(
        mistake_guarantee(
            "perceptron-hinge-mistakes", inputs, player.updates, of=of, witness=best.vector.tolist()
        )
    )
    if best.margin is not None:
        seen = (
            f"a witness separates all {player.hindsight.kept} mistaken examples; "
            "the others changed nothing"
        )
        known = [Assumption(SEPARABLE, "checked", seen)]
        wide = {"radius": radius, "margin": best.margin}
        found.append(
            mistake_guarantee(
                "perceptron-margin-mistakes",
                wide,
                player.updates,
                of=of,
                known=known,
                witness=best.vector.tolist(),
            )
        )
        if player.clean and player.passes is not None:
            found.append(
                mistake_guarantee(
                    "perceptron-passes",
                    wide,
                    player.passes,
                    of=of.replace("mistakes", "passes", 1),
                    known=known,
                    letter="passes",
                )
            )
    return found


def _rounding(player: Player) -> float:
    """What the radius is multiplied by, since scores and weights are rounded.

    With unit roundoff e/2, m updates and ||w|| at most c sqrt(m) R, rounding moves the weights by at most
    (e/3) c R (m+1)^1.5, and a score by (d+2) (e/2) c sqrt(m) R^2. A mistake then adds up to twice R times
    both to the squared length, on top of R^2: in all m R^2 times the share below.
    """
    m = max(player.updates, 1)
    step = float(np.finfo(player.weights.dtype).eps)
    share = step * (0.3 * (m + 1) ** 2.5 / m + 0.75 * (player.width + 2) * math.sqrt(m))
    share *= 1 + share  # which is c
    # A radius that was seen is rounded up by as much already.
    return math.sqrt(1 + share) if share > 1e-12 else 1.0


def _by_declared_margin(player: Player, of: str, declared: Mapping[str, Any]) -> Guarantee:
    """The margin bound for what was declared, or no number where the run shows it to be false."""
    margin = declared["margin"]
    radius = declared.get("radius", player.hindsight.radius or 1.0)
    longest, rounding = player.hindsight.radius, _rounding(player)
    outside = player.hindsight.largest > float(radius) ** 2 * (1 + 1e-12)
    told = f"radius {radius}, margin {margin}"
    radius = radius if rounding == 1.0 else float(radius) * rounding
    allowed = perceptron_margin_mistakes(radius, margin)
    if outside:
        said = Assumption(SEPARABLE, "violated", f"an example has length {longest:.6g}")
    elif player.updates > allowed:
        said = Assumption(SEPARABLE, "violated", f"such examples allow at most {allowed} mistakes")
    elif (widest := _widest(player, float(positive("margin", margin).low))) is not None:
        why = f"no vector has a margin above {widest:.6g} on the mistaken examples"
        said = Assumption(SEPARABLE, "violated", why)
    else:
        said = Assumption(SEPARABLE, "declared", told)
    inputs = {"radius": radius, "margin": margin}
    return mistake_guarantee(
        "perceptron-margin-mistakes", inputs, player.updates, of=of, known=[said]
    )


def _widest(player: Player, margin: float) -> float | None:
    """What no margin on the mistaken examples exceeds, where that is less than was declared."""
    if not player.hindsight.kept:
        return None
    ceiling = player.hindsight.widest(margin)[1] * (1 + 1e-9)  # sums are known up to rounding
    return ceiling if ceiling < margin else None


def _by_literals(player: Player, of: str, literals: Any) -> Guarantee:
    """The bound for a monotone disjunction of so many features."""
    target, constant, _ = find_theorem("perceptron-disjunction-mistakes").assumes
    allowed = perceptron_disjunction_mistakes(literals, player.width)
    X, _, y = player.hindsight.examples()
    if not np.isin(X.arrays[0], (0.0, 1.0)).all():
        said = Assumption(target, "violated", "a mistaken example has a feature that is not 0 or 1")
    elif player.updates > allowed:
        said = Assumption(target, "violated", f"such labels allow at most {allowed} mistakes")
    elif (
        few := disjunction_of(count("literals", literals), X.whole, y, False, player.width)
    ) is not None and not few.consistent:
        why = f"no disjunction of so few features agrees with the {len(y)} mistaken examples"
        said = Assumption(target, "violated", why)
    else:
        said = Assumption(target, "declared", f"{literals} of {player.width} features")
    appended = Assumption(constant, "by construction" if player.constant else "violated")
    return mistake_guarantee(
        "perceptron-disjunction-mistakes",
        {"literals": literals, "features": player.width},
        player.updates,
        of=of,
        known=(said, appended),
    )
