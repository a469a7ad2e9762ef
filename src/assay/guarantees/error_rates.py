"""Guarantees about the error of what an online run left behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.certificates.issue.claims import statement
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_above, decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.claim import Status
from assay.theory.generalization.online_to_batch import INDEPENDENT
from assay.theory.registry import Theorem, find_theorem
from assay.theory.tail.binomial import IID

THIS = "this classifier"
DRAWN_AFRESH = "the predictor that draws one of the hypotheses afresh for each example"

# How rows are drawn, nobody can compute; everything else the code that calls here brings about.
_ASSUMED = (IID, INDEPENDENT)


def error_guarantee(
    theorem: str,
    inputs: Mapping[str, Any],
    *,
    of: str = "error",
    formula: str = "err_D(h)",
    certified: str = THIS,
    observed: str | None = None,
    known: Iterable[Assumption] = (),
) -> Guarantee:
    """A promise about an error rate, with probability or in expectation.

    Parameters
    ----------
    theorem : str
        Its id.
    inputs : mapping
        What it needs; numbers are written as decimal text.
    of, formula : str
        The quantity, in words and as a formula.
    certified : str
        Which predictor it is about.
    observed : str, optional
        What was seen, as decimal text; never given for a promise in expectation.
    known : iterable of Assumption
        Those of the theorem's assumptions about which more is known than that rows are assumed to be
        independent and all else holds by construction.

    Examples
    --------
    >>> print(error_guarantee("online-to-batch-random-stopping", {"mistakes": 8, "rows": 64}))
    error: at most 0.125, by online-to-batch-random-stopping
    """
    entry = find_theorem(theorem)
    told = {assumption.name: assumption for assumption in known}
    assumptions = tuple(
        told.get(name, Assumption(name, _usual(entry, name))) for name in entry.assumes
    )
    written = {name: _written(value) for name, value in inputs.items()}
    promised = textbook = None
    if all(a.status != "violated" for a in assumptions):
        promised = decimal_above(min(float(entry(**written)), 1.0))
        beside = entry.textbook(**written)
        textbook = None if beside is None else (entry.textbook_id, decimal_above(beside))
    delta = str(written.get("delta", "0"))
    expected = entry.holds == "expectation"
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=of,
        promised=promised,
        observed=None if expected else observed,
        delta=delta,
        inputs=written,
        assumptions=assumptions,
        statement=_expectation(formula, promised)
        if expected
        else statement(formula, promised, delta),
        quantifier="expectation" if expected else "probability over the examples",
        certified=certified,
        textbook=textbook,
    )


def _usual(theorem: Theorem, name: str) -> Status:
    """How a condition is known where nothing better is: by the theorem's own claim, if it has one."""
    if theorem.claims:
        return theorem.known(theorem.claims[0].role)[name].default
    return "assumed" if name in _ASSUMED else "by construction"


def _expectation(formula: str, promised: str | None) -> str:
    return (
        f"nothing is promised about {formula}"
        if promised is None
        else f"E[{formula}] <= {promised}"
    )


def _written(value: Any) -> Any:
    """Whole numbers and text as they are; other numbers as the decimal they print as."""
    return value if isinstance(value, int | str) else decimal_text(value)
