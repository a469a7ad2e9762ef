"""The conservative wrapper: a learner told only of its mistakes keeps its mistake bound."""

from __future__ import annotations

from assay.theory.claim import BUILT, LABELLED, SAID, Condition, run_claim
from assay.theory.needs import count
from assay.theory.registry import theorem


@theorem(
    "T18",
    kind="mistakes",
    statement=r"M_{A'}\le M_A",
    assumes=(
        Condition(
            "deterministic-with-class-bound",
            "the learner is deterministic and its bound holds for every sequence that a concept of "
            "its class labels",
        ),
        Condition("labelled-by-concept", "the sequence is labelled by a concept of that class"),
        Condition(
            "shown-mistakes-only",
            "the wrapper shows the learner the mistaken examples only, and undoes all else",
        ),
    ),
    claim=run_claim("mistakes", SAID, LABELLED, BUILT),
)
def conservative_wrapper_mistakes(mistakes: int) -> int:
    """Mistakes of a learner that is made to learn from its mistakes only.

    Theorem  The examples on which the wrapper errs, taken alone, are a sequence of the same
             class on which the learner errs every time; so there are at most as many as its
             bound M allows. A bound on regret does not carry over.
    Needs    mistakes M, the bound of the learner inside: whole, >= 0.
    Gives    the same whole number.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.4.

    Examples
    --------
    >>> conservative_wrapper_mistakes(mistakes=9)
    9
    """
    return count("mistakes", mistakes)
