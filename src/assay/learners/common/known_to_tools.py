"""Learners that scikit-learn's own tools take for one of scikit-learn's, where these ask of which class one is."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeVar

C = TypeVar("C", bound=type)


def known_to_tools(module: str, name: str | None = None) -> Callable[[C], C]:
    """Let `isinstance` with a class of scikit-learn's say yes to the learners of a class of ours.

    Parameters
    ----------
    module : str
        Where in scikit-learn that class is.
    name : str, optional
        That of the class, where it is another than that of ours.
    """

    def known(kind: C) -> C:
        theirs = getattr(importlib.import_module(f"sklearn.{module}"), name or kind.__name__)
        theirs.register(kind)
        return kind

    return known
