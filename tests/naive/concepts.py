"""Classes of boolean concepts, written from their definitions: each concept a function to True or False."""

from __future__ import annotations

import itertools


def literals(d, negations=False):
    return [(j, 1) for j in range(d)] + ([(j, 0) for j in range(d)] if negations else [])


def disjunctions(d, most=None, negations=False):
    """Every OR, as the set of points where it is true; equal ones once."""
    chosen = literals(d, negations)
    return _distinct(
        d,
        (
            lambda x, s=s: any(x[j] == v for j, v in s)
            for k in range((len(chosen) if most is None else most) + 1)
            for s in itertools.combinations(chosen, k)
        ),
    )


def conjunctions(d, most=None, negations=False):
    chosen = literals(d, negations)
    return _distinct(
        d,
        (
            lambda x, s=s: all(x[j] == v for j, v in s)
            for k in range((len(chosen) if most is None else most) + 1)
            for s in itertools.combinations(chosen, k)
        ),
    )


def dnf(d, most_literals, most_terms, negations=False):
    """Every OR of terms, as sets of terms; a term that holds a literal and its negation is none."""
    terms = [
        s
        for k in range(1, most_literals + 1)
        for s in itertools.combinations(literals(d, negations), k)
        if len({j for j, _ in s}) == k
    ]
    return [
        lambda x, chosen=chosen: any(all(x[j] == v for j, v in s) for s in chosen)
        for k in range(min(most_terms, len(terms)) + 1)
        for chosen in itertools.combinations(terms, k)
    ]


def points(d):
    return list(itertools.product((0, 1), repeat=d))


def table(function, d):
    return tuple(bool(function(x)) for x in points(d))


def _distinct(d, functions):
    found = {}
    for function in functions:
        found.setdefault(table(function, d), function)
    return list(found.values())
