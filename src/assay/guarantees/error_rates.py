"""Guarantees about the error of what an online run left behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import LIKELY, guarantee
from assay.guarantees.guarantee import Guarantee
from assay.theory.claim import OVER_EXAMPLES
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number

THIS = "this classifier"
DRAWN_AFRESH = "the predictor that draws one of the hypotheses afresh for each example"


def error_guarantee(
    theorem: str,
    inputs: Mapping[str, Any],
    *,
    of: str = "error",
    formula: str = "err_D(h)",
    certified: str = THIS,
    observed: Number | tuple[int, int] | None = None,
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
    observed : number or tuple of (errors, rows), optional
        What was seen; never given for a promise in expectation.
    known : iterable of Assumption
        Those of the theorem's assumptions about which more is known than that rows are assumed to be
        independent and all else holds by construction.

    Examples
    --------
    >>> print(error_guarantee("online-to-batch-random-stopping", {"mistakes": 8, "rows": 64}))
    error: at most 0.125, by online-to-batch-random-stopping
    """
    entry = find_theorem(theorem)
    expected = entry.holds == "expectation"
    return guarantee(
        entry,
        inputs,
        None if expected else observed,
        of=of,
        formula=formula,
        form="E[{formula}] <= {promised}" if expected else LIKELY,
        certified=certified,
        # One set of facts serves several theorems, each of which takes what it asks for.
        known=[assumption for assumption in known if assumption.name in entry.assumes],
        most=1,
        quantifier="expectation" if expected else OVER_EXAMPLES,
    )
