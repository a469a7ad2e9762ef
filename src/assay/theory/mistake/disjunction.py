"""Mistake bounds for learners of disjunctions by elimination, and what no learner can beat."""

from __future__ import annotations

from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import count
from assay.theory.registry import theorem


@theorem(
    "T15",
    kind="mistakes",
    statement=r"M\le d",
    assumes=(
        Condition(
            "labels-monotone-disjunction-of-some",
            "the labels are a monotone disjunction of some of the d boolean features",
        ),
        Condition(
            "drops-on-false-positives",
            "the hypothesis starts as the disjunction of all, and drops what a false positive sets",
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def online_disjunction_mistakes(features: int) -> int:
    """Mistakes of elimination on a monotone disjunction.

    Theorem  The hypothesis always contains the target's features, so it errs only by saying yes;
             each such mistake drops at least one of the d features.
    Needs    features d: whole, >= 1.
    Gives    a whole number; every mistake is a false positive.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.10.

    Examples
    --------
    >>> online_disjunction_mistakes(features=20)
    20
    """
    return count("features", features, at_least=1)


@theorem(
    "T16",
    kind="mistakes",
    statement=r"\max M\ge d\ \text{ for every deterministic learner}",
    assumes=(
        Condition("deterministic-learner", "the learner is deterministic"),
        Condition(
            "adversarial-disjunction",
            "an adversary chooses the examples, and the labels as some monotone disjunction's",
        ),
    ),
)
def online_disjunction_lower(features: int) -> int:
    """Mistakes that any deterministic learner of monotone disjunctions can be forced to make.

    Theorem  Show e_1, ..., e_d and each time answer the opposite of the prediction. The
             disjunction of the features whose example was predicted negative gives these labels.
    Needs    features d: whole, >= 1.
    Gives    a whole number: a lower bound on the worst case, not on a single run.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.11.

    Examples
    --------
    >>> online_disjunction_lower(features=20)
    20
    """
    return count("features", features, at_least=1)


@theorem(
    "T17",
    kind="mistakes",
    statement=r"M\le d+1",
    assumes=(
        Condition(
            "labels-disjunction-of-literals",
            "the labels are a disjunction of features and negated features, possibly of none",
        ),
        Condition(
            "drops-true-literals",
            "the hypothesis starts as the disjunction of all 2 d literals, and drops on a mistake "
            "those that are true",
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def literal_disjunction_mistakes(features: int) -> int:
    """Mistakes of elimination on a disjunction of literals.

    Theorem  Only a negative example can be mistaken. The first such mistake drops exactly one of
             each pair of opposite literals, d in all; each later one at least one of the rest.
    Needs    features d: whole, >= 1.
    Gives    a whole number; every mistake is a false positive.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.6.

    Examples
    --------
    >>> literal_disjunction_mistakes(features=20)
    21
    """
    return count("features", features, at_least=1) + 1
