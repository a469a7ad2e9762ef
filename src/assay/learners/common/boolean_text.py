"""Boolean concepts as text: ``odor=foul OR spore_print=green``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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
