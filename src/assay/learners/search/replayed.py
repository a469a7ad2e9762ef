"""The rows that changed an online learner, found by playing them again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.types import Array, Bools, Ints


def replayed(model: Any, X: Any, y: Any) -> tuple[Bools, bool]:
    """Which rows change a fresh learner on its way through the sample, and whether it ends as this one did.

    A learner that was fitted is fitted again; one that was shown its rows once is shown them once.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = Perceptron().fit(X, [0, 1, 1, 1])
    >>> changed, same = replayed(model, X, [0, 1, 1, 1])
    >>> changed.tolist(), same
    ([True, True, True, False], True)
    """
    twin = clone(model).set_params(warm_start=False, trace=False)
    changed = np.zeros(len(y), dtype=bool)
    begin = twin._begin

    def watched(width: int, dtype: Any) -> Player:
        player: Player = begin(width, dtype)
        play = player._pass

        def noting(rows: Rows, signs: Any, updated: Ints) -> tuple[int, int, int]:
            mistakes, updates, played = play(rows, signs, updated)
            changed[updated[:updates]] = True
            return mistakes, updates, played

        setattr(player, "_pass", noting)  # noqa: B010 - an instance may play in its own way
        return player

    twin._begin = watched
    seed = getattr(model, "order_seed_", None)
    twin._order_seed = lambda: seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if model.players_[0].passes is None:
            twin.partial_fit(X, y, classes=model.classes_)
        else:
            twin.fit(X, y)
    same = twin.classes_.tolist() == model.classes_.tolist()
    same = same and all(map(_alike, model.players_, twin.players_))
    return changed, same


def _alike(one: Player, other: Player) -> bool:
    """Whether two players have the same weights, or mistaken examples, to the last bit."""
    return all(
        np.array_equal(part, counterpart)
        for part, counterpart in zip(_parts(one), _parts(other), strict=True)
    )


def _parts(player: Any) -> list[Array]:
    parts = [player.weights, player.bias]
    if hasattr(player, "kernel"):
        parts.append(np.array(repr(player.kernel)))
    if hasattr(player, "examples"):
        examples = player.examples
        parts += [examples.toarray() if sparse.issparse(examples) else examples, player.labels]
    return parts
