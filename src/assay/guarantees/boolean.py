"""Mistake bounds of the learners of boolean concepts, from the records of their runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.boolean_text import disjunction_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.small_dnf import explained, small_dnf
from assay.record.boolean import (
    EliminationRecord,
    MajorityRecord,
    MistakenRecord,
    SphereNet,
    VersionSpaceRecord,
)
from assay.theory.complexity.cover import covering_number_sphere
from assay.theory.mistake.version_space import halving_cover_mistakes
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.tuning import WEIGHTED_MAJORITY_BETA

MOST = 10_000
"""How many mistaken examples are looked at for a formula that explains them."""

# A formula in evidence names so many literals at most.
_NAMED = 10


# Elimination


def elimination_guarantees(record: EliminationRecord, of: str) -> list[Guarantee]:
    """The bound in the number of features.

    The mistaken examples alone decide: the others changed nothing. If all of them are negative, what is
    left is true in none of them, so it agrees with all. A positive example was mistaken only if each of
    its literals had been true in a mistaken negative one, and then no disjunction agrees with both.
    """
    if not record.width:
        return []
    theorem = "literal-disjunction-mistakes" if record.negations else "online-disjunction-mistakes"
    target = find_theorem(theorem).assumes[0]
    if record.missed_positives:
        formula = Assumption(
            target,
            "violated",
            "a mistaken positive example sets nothing that no mistaken negative example sets, "
            "so no disjunction agrees with both",
        )
    else:
        left = record.literals_left
        text = disjunction_text(left[:_NAMED], record.names)
        text += f" OR {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        formula = Assumption(
            target,
            "checked",
            f"{text!r} agrees with all {record.mistakes} mistaken examples; the others changed nothing",
        )
    inputs = {"features": record.width}
    return [mistake_guarantee(theorem, inputs, record.mistakes, of=of, known=[formula])]


# Version spaces


def consistent_guarantees(record: VersionSpaceRecord, of: str) -> list[Guarantee]:
    """The bound of any learner that follows a concept which agrees with everything so far."""
    return [_by_class("con-mistakes", {"class_size": record.class_size}, record, of)]


def halving_guarantees(record: VersionSpaceRecord, of: str) -> list[Guarantee]:
    """The bound in the size of the class, or in the bits of a code; for halfspaces also that of their net."""
    if record.coded:
        # Any concept that agrees with the whole run may be taken for the target: the shortest.
        inputs = {"bits": record.shortest_word}
        return [_by_class("generalized-halving-mistakes", inputs, record, of)]
    by_size = _by_class("halving-mistakes", {"class_size": record.class_size}, record, of)
    return [by_size] if record.net is None else [_on_a_net(record, record.net, of), by_size]


def _by_class(
    theorem: str, inputs: dict[str, int], record: VersionSpaceRecord, of: str
) -> Guarantee:
    """A bound that needs the labels to be given by a concept of the class."""
    inside = _in_class(record, find_theorem(theorem).assumes[0])
    return mistake_guarantee(theorem, inputs, record.mistakes, of=of, known=[inside])


def _in_class(record: VersionSpaceRecord, name: str) -> Assumption:
    """Whether some concept of the class agrees with every example, and which."""
    if record.refuted:
        why = f"no concept of the class agrees with all {record.rounds} examples"
        return Assumption(name, "violated", why)
    others = "" if record.left == 1 else f", as do {record.left - 1:,} others"
    seen = f"{record.formula!r} agrees with all {record.rounds} examples{others}"
    return Assumption(name, "checked", seen)


def _on_a_net(record: VersionSpaceRecord, net: SphereNet, of: str) -> Guarantee:
    """The bound in margin and radius, which are declared by the class."""
    separable, covering = find_theorem("halving-cover-mistakes").assumes
    allowed = halving_cover_mistakes(net.radius, net.margin, net.features)
    if record.longest > net.radius * (1 + 1e-12):
        wide = Assumption(separable, "violated", f"an example has length {record.longest:.6g}")
    elif record.refuted or record.mistakes > allowed:
        wide = Assumption(separable, "violated", "no vector of the net agrees with all examples")
    else:
        declared = f"radius {net.radius:g}, margin {net.margin:g}"
        wide = Assumption(separable, "declared", declared)
    most = covering_number_sphere(net.features, net.margin / (2 * net.radius))
    small = Assumption(
        covering,
        "checked" if record.class_size <= most else "violated",
        f"{record.class_size:,} vectors, at most {most:,}",
    )
    return mistake_guarantee(
        "halving-cover-mistakes",
        {"radius": net.radius, "margin": net.margin, "features": net.features},
        record.mistakes,
        of=of,
        known=(wide, small),
    )


# Disjunctions of so many features


def majority_guarantees(record: MajorityRecord, of: str) -> list[Guarantee]:
    """The bound in the mistakes of the best disjunction, for the factor that was given."""
    if not record.width:
        return []
    inputs: dict[str, Any] = {
        "best_mistakes": record.best_mistakes,
        "literals": record.literals,
        "features": record.width,
    }
    if record.beta != WEIGHTED_MAJORITY_BETA:  # which is the theorem's own
        inputs["beta"] = record.beta
    return [mistake_guarantee("wm-k-disjunction-mistakes", inputs, record.mistakes, of=of)]


# DNF


def k_term_dnf_guarantees(
    record: MistakenRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """What `_dnf_guarantees` gives for the kernel perceptron over all products."""
    sizes = {"features": record.literals, "most_ones": record.most_ones}
    return _dnf_guarantees("perceptron-dnf-mistakes", sizes, record, of, declared)


def monomial_winnow_guarantees(
    record: MistakenRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """What `_dnf_guarantees` gives for Winnow over all products."""
    sizes = {"features": record.width}
    return _dnf_guarantees("winnow-dnf-mistakes", sizes, record, of, declared)


def _dnf_guarantees(
    theorem: str,
    sizes: Mapping[str, int],
    record: MistakenRecord,
    of: str,
    declared: Mapping[str, Any],
) -> list[Guarantee]:
    """The bound for as many terms as were declared, and for those of a formula that explains the mistakes.

    `sizes` are the inputs of the theorem beside the number of terms.
    """
    if not record.width:
        return []
    bound, witness = find_theorem(theorem), None
    if len(record.signs) == record.mistakes <= MOST:
        witness = small_dnf(record.examples, record.signs, record.negations)
    asked: list[tuple[int, int | None, int | None]] = []
    if "terms" in declared:
        terms = count("terms", declared["terms"])
        asked.append((terms, terms, bound(terms=terms, **sizes)))
    if witness is not None:
        asked.append((len(witness.terms), None, None))
    target = bound.assumes[0]
    return [
        mistake_guarantee(
            theorem,
            {"terms": terms, **sizes},
            record.mistakes,
            of=of,
            known=[explained(witness, meant, allowed, record.mistakes, target, record.names)],
        )
        for terms, meant, allowed in asked
    ]
