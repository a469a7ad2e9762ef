"""Guarantees of the perceptron, the margin perceptron and Winnow, from the records of their runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.disjunctions import Disjunction, disjunction_of, smallest_disjunction
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.margin import dimension_guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.subject import another_quantity
from assay.record.online import KeptExamples, MarginPerceptronRecord, OnlineRecord, WinnowRecord
from assay.theory.mistake.margin_perceptron import RULE, UNIT_LENGTH, margin_perceptron_updates
from assay.theory.mistake.perceptron import (
    SEPARABLE,
    perceptron_disjunction_mistakes,
    perceptron_margin_mistakes,
)
from assay.theory.mistake.winnow import RULE as WINNOW_RULE
from assay.theory.mistake.winnow import winnow_disjunction_mistakes
from assay.theory.needs import count, positive
from assay.theory.registry import find_theorem

_UPDATES = "margin-perceptron-updates"
_WINNOW = "winnow-disjunction-mistakes"


def _kept(record: OnlineRecord) -> KeptExamples:
    assert record.hindsight is not None, "a run whose examples nobody kept has no such guarantee"
    return record.hindsight


# The perceptron


def perceptron_guarantees(
    record: OnlineRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """What was declared; the hinge bound of the best comparator in hindsight; the margin bound."""
    guarantees = []
    if "margin" in declared:
        guarantees.append(_by_declared_margin(record, of, declared))
    if "literals" in declared:
        guarantees.append(_by_literals(record, of, declared["literals"]))
    best = record.comparator
    if best is None:
        return guarantees
    radius = (record.radius or 1.0) * _rounding(record)
    if not math.isfinite(radius + best.loss):
        raise BadData(
            "No theorem can be applied to this run: the square of an example's length overflows. Scale the features."
        )
    inputs = {"radius": radius, "norm": best.norm, "hinge_loss": best.loss}
    witness = best.vector.tolist()
    guarantees.append(
        mistake_guarantee(
            "perceptron-hinge-mistakes", inputs, record.updates, of=of, witness=witness
        )
    )
    if best.margin is None:
        return guarantees
    seen = f"a witness separates all {record.kept} mistaken examples; the others changed nothing"
    known = [Assumption(SEPARABLE, "checked", seen)]
    wide = {"radius": radius, "margin": best.margin}
    guarantees.append(
        mistake_guarantee(
            "perceptron-margin-mistakes", wide, record.updates, of=of, known=known, witness=witness
        )
    )
    if record.clean and record.passes is not None:
        guarantees.append(
            mistake_guarantee(
                "perceptron-passes",
                wide,
                record.passes,
                of=another_quantity(of, "passes"),
                known=known,
                letter="passes",
            )
        )
    return guarantees


def _rounding(record: OnlineRecord) -> float:
    """What the radius is multiplied by, since scores and weights are rounded.

    With unit roundoff e/2, m updates and ||w|| at most c sqrt(m) R, rounding moves the weights by at most
    (e/3) c R (m+1)^1.5, and a score by (d+2) (e/2) c sqrt(m) R^2. A mistake then adds up to twice R times
    both to the squared length, on top of R^2: in all m R^2 times the share below.
    """
    assert record.weights is not None
    m = max(record.updates, 1)
    step = float(np.finfo(record.weights.dtype).eps)
    share = step * (0.3 * (m + 1) ** 2.5 / m + 0.75 * (record.width + 2) * math.sqrt(m))
    share *= 1 + share  # which is c
    # A radius that was seen is rounded up by as much already.
    return math.sqrt(1 + share) if share > 1e-12 else 1.0


def _by_declared_margin(record: OnlineRecord, of: str, declared: Mapping[str, Any]) -> Guarantee:
    """The margin bound for what was declared, or no number where the run shows it to be false."""
    margin = declared["margin"]
    radius = declared.get("radius", record.radius or 1.0)
    rounding = _rounding(record)
    outside = record.largest_square > float(radius) ** 2 * (1 + 1e-12)
    separable = Assumption(SEPARABLE, "declared", f"radius {radius}, margin {margin}")
    radius = radius if rounding == 1.0 else float(radius) * rounding
    allowed = perceptron_margin_mistakes(radius, margin)
    why = ""
    if outside:
        why = f"an example has length {record.radius:.6g}"
    elif record.updates > allowed:
        why = f"such examples allow at most {allowed} mistakes"
    elif (widest := _widest(record, float(positive("margin", margin).low))) is not None:
        why = f"no vector has a margin above {widest:.6g} on the mistaken examples"
    if why:
        separable = Assumption(SEPARABLE, "violated", why)
    inputs = {"radius": radius, "margin": margin}
    return mistake_guarantee(
        "perceptron-margin-mistakes", inputs, record.updates, of=of, known=[separable]
    )


def _widest(record: OnlineRecord, margin: float) -> float | None:
    """What no margin on the mistaken examples exceeds, where that is less than was declared."""
    if not record.kept:
        return None
    ceiling = _kept(record).widest(margin)[1] * (1 + 1e-9)  # sums are known up to rounding
    return ceiling if ceiling < margin else None


def _by_literals(record: OnlineRecord, of: str, literals: Any) -> Guarantee:
    """The bound for a monotone disjunction of so many features."""
    target, constant, _ = find_theorem("perceptron-disjunction-mistakes").assumes
    allowed = perceptron_disjunction_mistakes(literals, record.width)
    X, _, y = _kept(record).examples()
    why = ""
    if not np.isin(X.arrays[0], (0.0, 1.0)).all():
        why = "a mistaken example has a feature that is not 0 or 1"
    elif record.updates > allowed:
        why = f"such labels allow at most {allowed} mistakes"
    else:
        few = disjunction_of(count("literals", literals), X.whole, y, False, record.width)
        if few is not None and not few.consistent:
            why = f"no disjunction of so few features agrees with the {len(y)} mistaken examples"
    labels = (
        Assumption(target, "violated", why)
        if why
        else Assumption(target, "declared", f"{literals} of {record.width} features")
    )
    appended = Assumption(constant, "by construction" if record.constant else "violated")
    return mistake_guarantee(
        "perceptron-disjunction-mistakes",
        {"literals": literals, "features": record.width},
        record.updates,
        of=of,
        known=(labels, appended),
    )


# The margin perceptron


def margin_perceptron_guarantees(record: MarginPerceptronRecord, of: str) -> list[Guarantee]:
    """The bound for the margin that was declared, and that for the largest margin in hindsight."""
    if not _kept(record).count:
        return []
    margin, eps = record.declared_margin, record.eps
    threshold = record.threshold
    _, separable, _ = find_theorem(_UPDATES).assumes
    reached = ""
    if record.margin is not None:
        reached = (
            f"the last pass changed nothing: every example of it has margin at least "
            f"{threshold:.6g}, the smallest being {record.margin:.6g}"
        )
    unit = Assumption(UNIT_LENGTH, "by construction")
    rule = Assumption(RULE, "by construction", reached)
    witness, ceiling = _kept(record).widest(max(threshold, margin / 1000))
    seen = None if witness is None else witness.margin
    about = another_quantity(of, "updates")

    def promise(known: Assumption, gamma: float, slack: float) -> Guarantee:
        return mistake_guarantee(
            _UPDATES,
            {"margin": gamma, "slack": slack},
            record.updates,
            of=about,
            assumptions=(unit, known, rule),
            witness=witness.vector.tolist() if witness and known.status == "checked" else None,
        )

    def checked(seen: float) -> Assumption:
        why = (
            f"a witness has margin {seen:.6g} on all {record.kept} examples that moved the weights; "
            "the others changed nothing"
        )
        return Assumption(separable, "checked", why)

    if seen is not None and seen >= margin:
        known = checked(seen)
    elif ceiling < margin:
        why = f"no vector has a margin above {ceiling:.6g} on the examples that moved the weights"
        known = Assumption(separable, "violated", why)
    elif record.updates > (allowed := margin_perceptron_updates(margin, eps)):
        known = Assumption(separable, "violated", f"it allows at most {allowed} updates")
    else:
        known = Assumption(separable, "declared", f"margin {margin}")
    guarantees = [promise(known, margin, eps)]
    # The rule knows only the threshold: it is that of every margin above it, with its own slack.
    if seen is not None and seen > threshold * (1 + 1e-6) and seen != margin:
        guarantees.append(promise(checked(seen), seen, (1 - threshold / seen) * (1 - 1e-9)))
    if record.margin is not None and 0 < record.margin < math.inf:
        guarantees.append(_dimension(record, record.margin * (1 - 1e-9)))
    return guarantees


def _dimension(record: OnlineRecord, reached: float) -> Guarantee:
    """How many points the separators as wide as this one can shatter, the examples being of length one."""
    assert record.weights is not None
    weights = record.weights if record.constant else record.weights[:-1]
    unit = weights / np.linalg.norm(weights)
    return dimension_guarantee(
        1 / reached,
        1.0,
        "the examples of its last pass, scaled to length one",
        features=len(weights),
        witness=(unit / reached).tolist(),
    )


# Winnow


def winnow_guarantees(
    record: WinnowRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """The bound for the number of literals declared, and for a disjunction found in hindsight."""
    came_late = "features appeared after the first mistake, so the threshold was not theirs"
    late = [Assumption(WINNOW_RULE, "violated", came_late)] if record.late else []

    def promise(known: Assumption, literals: int) -> Guarantee:
        return mistake_guarantee(
            _WINNOW,
            {"literals": literals, "features": record.literals},
            record.mistakes,
            of=of,
            known=(known, *late),
        )

    guarantees = []
    disjunction = None
    if _kept(record).complete:
        X, _, y = _kept(record).examples()
        disjunction = smallest_disjunction(X.whole, y, record.negations, record.width)
    if declared.get("literals") is not None:
        literals = count("literals", declared["literals"])
        guarantees.append(promise(_literals_known(record, literals, disjunction), literals))
    if disjunction is not None and record.rounds:
        known = _agreeing(record, disjunction)
        guarantees.append(promise(known, len(disjunction.literals)))
    return guarantees


def _agreeing(record: WinnowRecord, disjunction: Disjunction) -> Assumption:
    target, _ = find_theorem(_WINNOW).assumes
    status: Status = "checked" if disjunction.consistent else "violated"
    return Assumption(target, status, disjunction.told(record.names))


def _literals_known(record: WinnowRecord, literals: int, seen: Disjunction | None) -> Assumption:
    """How the number of literals that was declared is known, after the run."""
    target, _ = find_theorem(_WINNOW).assumes
    allowed = winnow_disjunction_mistakes(literals, record.literals)
    if seen is not None and not seen.consistent:
        return _agreeing(record, seen)
    if record.mistakes > allowed:
        return Assumption(target, "violated", f"it allows at most {allowed} mistakes")
    X, _, y = _kept(record).examples()
    if seen is None or len(seen.literals) > literals:
        # On the examples that were kept, which is enough to refute it, but not to show it.
        few = disjunction_of(literals, X.whole, y, record.negations, record.width)
        if few is not None and not few.consistent:
            why = f"no disjunction of so few literals agrees with the {len(y)} mistaken examples"
            return Assumption(target, "violated", why)
        seen = few if _kept(record).complete else None
    if seen is None:
        return Assumption(target, "declared", f"{literals} of {record.literals} literals")
    return _agreeing(record, seen)
