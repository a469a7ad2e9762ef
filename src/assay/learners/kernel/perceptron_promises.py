"""What the theorems promise about a run of the kernel perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData, BadParameter
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.kernels import AllProducts
from assay.learners.kernel.feature_space import MOST, along_the_weights, best_comparator
from assay.learners.kernel.mistake_sum import MistakeSum
from assay.learners.kernel.trust import Defect, defect_of, taken_on_trust
from assay.learners.search.small_dnf import explained, small_dnf
from assay.theory.mistake.kernel_perceptron import (
    KERNEL,
    kernel_perceptron_mistakes,
    perceptron_dnf_mistakes,
)
from assay.theory.mistake.perceptron import UPDATES_ON_MISTAKES
from assay.theory.needs import count
from assay.theory.registry import find_theorem

_THEOREM = "kernel-perceptron-mistakes"
_DNF = "perceptron-dnf-mistakes"
# Whole numbers up to this are sums of doubles without rounding.
_EXACT = 2.0**53
_OVERFLOWN = (
    "No theorem can be applied to this run: kernel values of its mistakes are too large for double precision. "
    "Scale the features."
)


def kernel_perceptron_guarantees(
    player: MistakeSum,
    of: str,
    declared: Mapping[str, Any],
    names: Any,
    defect: Defect | None = None,
) -> list[Guarantee]:
    """What was declared, and the bound of the best comparator in hindsight.

    Nothing where the kernel matrix has a defect, of the sample or of the mistaken examples.
    """
    guarantees = []
    kernel = _is_kernel(player, defect)
    if "squared_norm" in declared:
        guarantees.append(_by_declared_norm(player, of, declared["squared_norm"], kernel))
    if "terms" in declared:
        guarantees.append(_by_terms(player, of, count("terms", declared["terms"]), names))
    if not player.updates or not player.largest_square:
        return guarantees
    values = None
    if not player.forgotten and player.updates <= MOST:
        values = player.values()
    if not math.isfinite(player.largest_square + (0.0 if values is None else values.sum())):
        raise BadData(_OVERFLOWN)
    if values is None:
        best = along_the_weights(
            player.updates, player.squared_length, player.error, player.largest_square
        )
    else:
        best = best_comparator(values, player.labels)
    inputs = {
        "largest_diagonal": _diagonal(player),
        "squared_norm": best.squared_norm,
        "hinge_loss": best.loss,
    }
    witness = None if best.coefficients is None else best.coefficients.tolist()
    known = (kernel, _rule(player))
    best_bound = mistake_guarantee(
        _THEOREM, inputs, player.updates, of=of, known=known, witness=witness
    )
    return [*guarantees, best_bound]


def _is_kernel(player: MistakeSum, defect: Defect | None) -> Assumption:
    kernel = player.kernel
    if defect is None and not kernel.known_psd and 0 < len(player.labels) <= MOST:
        values = player.values()
        defect = None if values is None else defect_of(values)
    if defect is None and player.squared_length < -player.error:
        defect = "eigenvalue", player.squared_length / max(1, player.updates)
    doubts = taken_on_trust(kernel, defect)
    return doubts[0] if doubts else Assumption(KERNEL, "by construction", repr(kernel))


def _by_declared_norm(
    player: MistakeSum, of: str, squared_norm: Any, kernel: Assumption
) -> Guarantee:
    """The bound for a vector that separates all examples with margin one, of at most this length."""
    separable = "some vector in feature space of that length has margin one on every example"
    diagonal = _diagonal(player) if player.largest_square else 1.0
    inputs = {"largest_diagonal": diagonal, "squared_norm": squared_norm}
    allowed = kernel_perceptron_mistakes(**inputs)
    if player.updates > allowed and not player.forgotten:
        wide = Assumption(separable, "violated", f"such examples allow at most {allowed} mistakes")
    else:
        wide = Assumption(separable, "declared", f"squared norm {squared_norm}")
    return mistake_guarantee(
        _THEOREM, inputs, player.updates, of=of, assumptions=(wide, kernel, _rule(player))
    )


def _by_terms(player: MistakeSum, of: str, terms: int, names: Any) -> Guarantee:
    """The bound for a monotone DNF of so many terms, with the kernel of all products."""
    if player.kernel != AllProducts():
        raise BadParameter(
            f"terms must be declared for the kernel AllProducts(), but the kernel is {player.kernel!r}."
        )
    target = find_theorem(_DNF).assumes[0]
    rows = sparse.csr_matrix(player.examples).toarray()
    boolean = bool(np.isin(rows, (0.0, 1.0)).all())
    ones = int(rows.sum(axis=1).max(initial=0)) if boolean else player.width
    inputs = {"terms": terms, "features": max(1, player.width), "most_ones": ones}
    if boolean:
        allowed = perceptron_dnf_mistakes(**inputs)
        witness = None
        if not player.forgotten and len(rows) <= MOST:
            witness = small_dnf(rows == 1, player.labels.astype(int), False)
        formula = explained(witness, terms, allowed, player.updates, target, names)
    else:
        why = "a mistaken example has a feature that is not 0 or 1"
        formula = Assumption(target, "violated", why)
    rule = _rule(player)
    if boolean and player.largest_square * player.updates > _EXACT:
        why = "scores are rounded; KTermDNF computes them exactly"
        rule = Assumption(UPDATES_ON_MISTAKES, "assumed", why)
    return mistake_guarantee(_DNF, inputs, player.updates, of=of, known=(formula, rule))


def _diagonal(player: MistakeSum) -> float:
    """The largest k(x, x) of a mistake, and as much more as rounding can have added to the weights."""
    share = player.error / (player.largest_square * max(player.updates, 1))
    return player.largest_square * (1 + share) * (1 + 1e-12)


def _rule(player: MistakeSum) -> Assumption:
    if player.forgotten:
        why = f"{player.forgotten} mistaken examples were forgotten to keep the budget"
        return Assumption(UPDATES_ON_MISTAKES, "violated", why)
    return Assumption(UPDATES_ON_MISTAKES, "by construction")
