"""A bound as a curve: the theorem behind a guarantee, evaluated at every moment of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.certificates.certificate import Certificate
from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem
from assay.types import Array, Floats, Ints

# Theorems about policies whose rule does not depend on when the run ends.
_ANYTIME = {
    "adahedge-regret",
    "epsilon-greedy-regret",
    "kl-ucb-regret",
    "linucb-regret",
    "squarecb-regret",
    "thompson-bayesian-regret",
    "ucb1-gap-free-regret",
    "ucb1-regret",
}
# Inputs that grow with the run, and the column of a trace in which they stand.
_RUNNING = {
    "best_mistakes": "best",
    "gap": "gap",
    "squared_losses": "squared_losses",
    "variance": "variance",
}


def claims_of(bounds: Sequence[Guarantee] | Certificate) -> tuple[Guarantee, ...]:
    """Guarantees as they are, or those of a certificate; refuses anything else.

    Examples
    --------
    >>> from assay import certify
    >>> [claim.of for claim in claims_of(certify(errors=3, rows=100))]
    ['error']
    """
    claims = bounds.claims if isinstance(bounds, Certificate) else tuple(bounds)
    for guarantee in claims:
        if not isinstance(guarantee, Guarantee):
            raise BadParameter(
                f"bounds must be guarantees or a certificate, but holds {guarantee!r}."
            )
    return claims


def on_average(guarantee: Guarantee) -> str:
    """What to add to a promise that is one of expectation only."""
    return ", on average" if guarantee.quantifier == "expectation" else ""


def drawable(bounds: Sequence[Guarantee] | Certificate, kind: str) -> list[Guarantee]:
    """The guarantees of one kind that promise a number."""
    return [g for g in claims_of(bounds) if g.kind == kind and g.value is not None]


def every_moment(guarantee: Guarantee) -> bool:
    """Whether the theorem may be applied to the run as it stood after any number of rounds.

    It may not where the rate was tuned to the number of rounds and the theorem speaks of its end only.

    Examples
    --------
    >>> from assay.guarantees.regrets import regret_guarantee
    >>> inputs = {"rounds": 100, "experts": 5}
    >>> every_moment(regret_guarantee("hedge-regret", inputs, 1.0, of="regret"))
    False
    >>> every_moment(regret_guarantee("hedge-regret", inputs | {"form": "anytime"}, 1.0, of="regret"))
    True
    """
    inputs = guarantee.inputs
    if "rounds" not in inputs:
        return True
    return (
        guarantee.theorem in _ANYTIME
        or "learning_rate" in inputs
        or inputs.get("form") == "anytime"
    )


def bound_over_rounds(
    guarantee: Guarantee, at: Ints, columns: Mapping[str, Array] | None = None
) -> tuple[Ints, Floats]:
    """What the theorem of a guarantee promises after so many rounds.

    Parameters
    ----------
    guarantee : Guarantee
    at : array of int
        Numbers of rounds, from 1 on; the last is the end of the run.
    columns : mapping, optional
        The trace of the run: inputs that grow with it are read there. Without it they are taken as they
        were at the end, which makes the bound larger than it need be, never smaller.

    Returns
    -------
    rounds, bound : arrays
        One point at the end only, where the theorem speaks of nothing else.

    Examples
    --------
    >>> from assay.guarantees.regrets import regret_guarantee
    >>> inputs = {"rounds": 100, "experts": 5, "form": "anytime"}
    >>> guarantee = regret_guarantee("hedge-regret", inputs, 1.0, of="regret")
    >>> bound_over_rounds(guarantee, np.array([25, 100]))[1].round(3).tolist()
    [6.343, 12.686]
    """
    end = float(guarantee.value or 0.0)
    if not every_moment(guarantee):
        return at[-1:], np.array([end])
    inputs, traced = dict(guarantee.inputs), columns or {}
    # A comparator that switches needs as many rounds.
    at = at[at > int(inputs.get("switches", 0))]
    running = {
        name: traced[column]
        for name, column in _RUNNING.items()
        if name in inputs and column in traced
    }
    if "rounds" not in inputs and not running:
        return at, np.full(len(at), end)
    theorem = find_theorem(guarantee.theorem)
    bound = np.empty(len(at))
    for place, moment in enumerate(at.tolist()):
        now = {
            name: _as_before(inputs[name], column[moment - 1]) for name, column in running.items()
        }
        if "rounds" in inputs:
            now["rounds"] = moment
        bound[place] = float(theorem(**(inputs | now)))
    return at, bound


def _as_before(written: Any, value: Any) -> int | float:
    """A number of the kind that stood in the guarantee."""
    return int(value) if isinstance(written, int) else max(float(value), 0.0)
