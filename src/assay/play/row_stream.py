"""What every stream of a file does with a chunk: play the rows before the first bad one, then refuse that one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.data.examples import Examples
from assay.errors import BadData, Remedy, Where
from assay.learners.common.sign_labels import plain
from assay.learners.registry import name_of
from assay.play.remedies import WITH_LABEL
from assay.types import Array


class RowStream:
    """Base of the streams. Everything learned stays learned: when a row cannot be, all rows before it have been.

    Attributes
    ----------
    source : str
        What the stream is called in refusals.
    """

    source: str

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        """How many rows come before one that cannot be played, and the refusal of that one."""
        raise NotImplementedError

    def _play(self, examples: Examples) -> None:
        """Play rows that have been looked at."""
        raise NotImplementedError

    def _learn(self, examples: Examples) -> None:
        assert examples.y is not None
        good, refusal = self._until_bad(examples)
        self._play(replace(examples, X=examples.X[:good], y=examples.y[:good]))
        if refusal is not None:
            raise refusal


class PolicyStream(RowStream):
    """Base of the streams of policies."""

    policy: Any

    @property
    def name(self) -> str:
        """The policy's name."""
        return name_of(self.policy)


def bad_number(
    source: str, value: float, where: Where, why: str, remedy: Remedy | None = None
) -> BadData:
    """The refusal of a number that is missing, or that cannot be played."""
    if math.isnan(value):
        return BadData(f"{source} holds no value in ", where, ".", remedy=remedy)
    return BadData(f"{source} holds {value:g} in ", where, f", {why}", remedy=remedy)


def unknown_label(source: str, examples: Examples, row: int, known: Array, what: str) -> BadData:
    """The refusal of a label that nobody has declared, or of an arm."""
    assert examples.y is not None
    listed = ", ".join(repr(plain(label)) for label in known[:10])
    return BadData(
        f"{source} holds {'the label ' if what == 'labels' else ''}{plain(examples.y[row])!r} in ",
        Where(row=examples.first_row + row, name=examples.target or None),
        f", which is none of the {what} {listed}.",
        remedy=(f"Declare all {what}", WITH_LABEL, "."),
    )


def typed(labels: Sequence[str], like: Array) -> Array:
    """Labels given as text, in the type that a column has them; a KeyError or ValueError where they are of another.

    Examples
    --------
    >>> typed(["2", "1"], np.array([1, 2, 1])).tolist(), typed(["b", "a"], np.array(["a"])).tolist()
    ([1, 2], ['a', 'b'])
    """
    truths = {"true": True, "false": False, "1": True, "0": False}
    if like.dtype.kind == "b":
        return np.unique([truths[label.lower()] for label in labels])
    if like.dtype.kind in "iuf":
        return np.unique(np.array([float(label) for label in labels]).astype(like.dtype))
    return np.unique(np.array(labels, dtype=object))
