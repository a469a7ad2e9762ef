"""Boolean concepts as text: ``odor=foul OR spore_print=green``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.types import Floats

Literal = tuple[int, bool]
"""A feature by its place, and whether it stands for itself or for its negation."""


def literal_text(literal: Literal, names: Sequence[Any] | None) -> str:
    """One literal.

    Examples
    --------
    >>> literal_text((3, True), None), literal_text((0, False), ["odor=foul"])
    ('x3', 'NOT odor=foul')
    """
    place, plain = literal
    name = f"x{place}" if names is None else str(names[place])
    return name if plain else f"NOT {name}"


def disjunction_text(literals: Iterable[Literal], names: Sequence[Any] | None) -> str:
    """An OR of literals; of none it is false.

    Examples
    --------
    >>> disjunction_text([(0, True), (2, False)], ["a", "b", "c"]), disjunction_text([], None)
    ('a OR NOT c', 'FALSE')
    """
    return " OR ".join(literal_text(literal, names) for literal in literals) or "FALSE"


def conjunction_text(literals: Iterable[Literal], names: Sequence[Any] | None) -> str:
    """An AND of literals; of none it is true.

    Examples
    --------
    >>> conjunction_text([(0, True), (2, False)], ["a", "b", "c"]), conjunction_text([], None)
    ('a AND NOT c', 'TRUE')
    """
    return " AND ".join(literal_text(literal, names) for literal in literals) or "TRUE"


def dnf_text(terms: Iterable[Sequence[Literal]], names: Sequence[Any] | None) -> str:
    """An OR of ANDs.

    Examples
    --------
    >>> dnf_text([[(0, True), (1, False)], [(2, True)]], ["a", "b", "c"])
    '(a AND NOT b) OR c'
    """
    listed = list(terms)
    texts = [conjunction_text(term, names) for term in listed]
    if len(listed) > 1:
        texts = [
            f"({text})" if len(term) > 1 else text for term, text in zip(listed, texts, strict=True)
        ]
    return " OR ".join(texts) or "FALSE"


def threshold_formula(weights: Floats, negated: Floats, names: Sequence[Any] | None) -> str:
    """The concept "the weights of the true literals sum to their number or more", as text.

    Literals that reach the threshold alone are joined by "or". The others are left out when all of them
    together stay below it, which makes the formula a disjunction; else their sum is written down.

    Examples
    --------
    >>> threshold_formula(np.array([4.0, 1, 0.5, 2]), np.zeros(0), ["a", "b", "c", "d"])
    'a'
    >>> threshold_formula(np.array([4.0, 1, 1, 2]), np.zeros(0), ["a", "b", "c", "d"])
    'a OR (2 d + b + c >= 4)'
    """
    d, threshold = len(weights), len(weights) + len(negated)
    named = [literal_text((j, True), names) for j in range(d)]
    named += [literal_text((j, False), names) for j in range(len(negated))]
    both = np.append(weights, negated)
    heavy = both >= threshold
    alone = [named[i] for i in np.flatnonzero(heavy)]
    light = np.where(heavy, 0.0, both)
    # A feature and its negation are never both true.
    most = np.maximum(light[:d], light[d:]).sum() if len(negated) else light.sum()
    if most >= threshold:
        order = np.argsort(-light, kind="stable")
        terms = [
            ("" if light[i] == 1 else f"{light[i]:.6g} ") + named[i] for i in order if light[i] > 0
        ]
        reached = f"{' + '.join(terms)} >= {threshold}"
        alone.append(f"({reached})" if alone else reached)
    return " OR ".join(alone) or "false"
