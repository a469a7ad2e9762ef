"""The one place that makes a guarantee: a theorem, its inputs as they are written down, and what was observed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_above, decimal_below, decimal_ratio, decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.claim import OVER_EXAMPLES, Claim, Direction, Status
from assay.theory.generalization.online_to_batch import INDEPENDENT
from assay.theory.registry import Theorem, find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID

LONGEST_WITNESS = 1000
# How rows are drawn, nobody can compute; everything else the code that calls here brings about.
_ASSUMED = (IID, INDEPENDENT)
LIKELY = "P[{formula} <= {promised}] >= 1 - {delta}"
_LIKELY_LEAST = "P[{formula} >= {promised}] >= 1 - {delta}"
_OVER = {
    "always": "always",
    "probability": OVER_EXAMPLES,
    "expectation": "expectation",
    "limit": "in the limit of infinitely many examples",
}


def guarantee(
    theorem: str | Theorem,
    inputs: Mapping[str, Any],
    observed: Number | tuple[int, int] | None = None,
    *,
    of: str,
    formula: str = "",
    certified: str = "this classifier",
    known: Iterable[Assumption] = (),
    assumptions: Iterable[Assumption] | None = None,
    number: Callable[[Any], Any] | None = lambda value: value,
    most: int | None = None,
    form: str | None = None,
    quantifier: str | None = None,
    textbook: tuple[str, str] | None = None,
    witness: Sequence[float] | None = None,
    evaluated: Mapping[str, Any] | None = None,
    direction: Direction = "at most",
) -> Guarantee:
    """What a theorem promises for these inputs, beside what was observed.

    Parameters
    ----------
    theorem : str or Theorem
        Its id, or itself.
    inputs : mapping
        What it needs; numbers that are not whole are written as decimal text. A `delta` among them is what the
        promise spends.
    observed : number, tuple of (count, rows), or None
        What was seen; a tuple is a share. Text is taken as it is.
    of, formula : str
        The quantity, in words and as a formula.
    certified : str
        What the promise is about.
    known : iterable of Assumption
        What is known better than usual; conditions that the theorem does not name are added.
    assumptions : iterable of Assumption, optional
        All conditions, where they are not the theorem's own with `known` in their places.
    number : callable, optional
        The number among what the theorem gives; None where it gives none.
    most : int, optional
        The largest number that says anything: 1 for a share.
    form : str, optional
        The promise as a formula, with ``{formula}``, ``{promised}`` and ``{delta}``, where it is not the usual one.
    quantifier : str, optional
        Over what the promise holds; by default as the theorem holds.
    textbook : tuple of (str, str), optional
        The classical theorem beside and its number; by default the twin of the theorem, if it has one.
    witness : sequence of float, optional
        The vector that the inputs speak of; one that is too long is left out.
    evaluated : mapping, optional
        The inputs as the theorem takes them, where they are written down otherwise.
    direction : {"at most", "at least"}
        What the theorem's number is to the quantity.

    Examples
    --------
    >>> print(guarantee("perceptron-margin-mistakes", {"radius": 1.0, "margin": 0.1}, 37, of="mistakes", formula="M"))
    mistakes: at most 100, observed 37, by perceptron-margin-mistakes
    """
    entry = find_theorem(theorem) if isinstance(theorem, str) else theorem
    given = written(inputs)
    all_known = conditions(entry, known) if assumptions is None else tuple(assumptions)
    void = any(a.status == "violated" for a in all_known)
    promised = None
    if number is not None and not void:
        taken = given if evaluated is None else evaluated
        promised = _promised(number(entry(**taken)), most, direction)
        if textbook is None:
            beside = entry.textbook(**taken)
            textbook = None if beside is None else (entry.textbook_id, decimal_above(beside))
    delta = str(given.get("delta", "0"))
    if void or (promised is None and number is not None):
        statement = at_most(formula, None)
    else:
        usual = "{formula} <= {promised}" if delta == "0" else LIKELY
        usual = usual if direction == "at most" else _LIKELY_LEAST
        statement = (form or usual).format(formula=formula, promised=promised, delta=delta)
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=of,
        promised_text=promised,
        observed_text=_observed(observed),
        delta=delta,
        inputs=given,
        assumptions=all_known,
        statement=statement,
        quantifier=quantifier or _OVER[entry.holds],
        certified=certified,
        textbook=textbook,
        witness=_witness(witness),
        direction=direction,
    )


def judged(guarantee: Guarantee, *known: Assumption) -> Guarantee:
    """A guarantee with more assumptions, and without its number where one of them was found to be false.

    Examples
    --------
    >>> excess = guarantee("ridge-primal-dual", {"penalty": 2.0, "distance": 0.5}, of="excess", formula="P(w) - min P")
    >>> print(judged(excess, Assumption("the kernel is one", "violated")).statement)
    nothing is promised about P(w) - min P
    """
    more = replace(guarantee, assumptions=guarantee.assumptions + known)
    if guarantee.promised is None or all(a.status != "violated" for a in known):
        return more
    # A formula, and a bound behind it; where it holds with a probability, that stands around the formula.
    of = guarantee.statement.partition(" <= ")[0].removeprefix("P[")
    return replace(more, promised_text=None, textbook=None, statement=at_most(of, None))


def at_most(what: str, number: str | None) -> str:
    """A promise as a formula.

    Examples
    --------
    >>> at_most("M", "11"), at_most("M", None)
    ('M <= 11', 'nothing is promised about M')
    """
    return f"nothing is promised about {what}" if number is None else f"{what} <= {number}"


def by_construction(theorem: str, evidence: str = "") -> tuple[Assumption, ...]:
    """All that a theorem assumes, as brought about by the code, with one evidence for all of it."""
    names = find_theorem(theorem).assumes
    return tuple(Assumption(name, "by construction", evidence) for name in names)


def written(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs as a document carries them: numbers that are not whole as the decimal they print as.

    Examples
    --------
    >>> written({"rows": 7, "margin": 0.1})
    {'rows': 7, 'margin': '0.1'}
    """
    return {
        name: decimal_text(value) if isinstance(value, float | Fraction | Decimal) else value
        for name, value in inputs.items()
    }


def conditions(
    theorem: Theorem, known: Iterable[Assumption] = (), claim: Claim | None = None
) -> tuple[Assumption, ...]:
    """The theorem's assumptions in their order, each as it is known, and then what else is known.

    Where nothing is known of one, its usual status is that of the `claim`, by default the theorem's first; without
    a claim, how rows are drawn is assumed, and everything else holds by construction.
    """
    better = {assumption.name: assumption for assumption in known}
    usual: dict[str, Status] = dict.fromkeys(_ASSUMED, "assumed")
    if claim is not None or theorem.claims:
        ways = (claim or theorem.claims[0]).known
        usual = {name: way.default for name, way in zip(theorem.assumes, ways, strict=True)}
    own = [
        better.pop(name, Assumption(name, usual.get(name, "by construction")))
        for name in theorem.assumes
    ]
    return (*own, *better.values())


def _promised(value: Any, most: int | None, direction: Direction) -> str | None:
    """A number as text, rounded outward; None where it is infinite."""
    least = value if most is None else min(value, most)
    if isinstance(least, int):
        return str(least)
    outward = decimal_above if direction == "at most" else decimal_below
    return outward(float(least)) if math.isfinite(least) else None


def _observed(seen: Number | tuple[int, int] | None) -> str | None:
    if seen is None or isinstance(seen, str):
        return seen
    return decimal_ratio(*seen) if isinstance(seen, tuple) else decimal_text(seen)


def _witness(vector: Sequence[float] | None) -> tuple[str, ...] | None:
    """A vector as decimal text, unless it is so long that it would drown the certificate."""
    if vector is None or len(vector) > LONGEST_WITNESS:
        return None
    return tuple(decimal_text(float(weight)) for weight in vector)
