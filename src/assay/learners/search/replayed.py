"""The rows that changed an online learner, found by playing them again."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.common.training_promises import (
    FROM_THESE_ROWS,
    MarginPromises,
    TrainingFacts,
    features_fixed,
    read_from_rows,
)
from assay.types import Array, Bools, Floats, Ints

if TYPE_CHECKING:
    from assay.guarantees.assumption import Assumption

_DRIVEN = "played again in this order, the rows give the same learner, bit for bit"
_OTHER = (
    "played again in this order, these rows give another learner: it was fitted to other rows, in another "
    "order, or went on from earlier ones"
)
_ORDER = "the order is that of these rows in every pass; that it says nothing about their labels is for you to say"


class MistakePromises(MarginPromises):
    """Of learners that change on mistakes: by the rows that changed them; of two classes also by margins."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        # Only here: a first fit should not wait for the theorems.
        from assay.guarantees.assumption import Assumption
        from assay.theory.generalization.compression import (
            MISTAKE_DRIVEN,
            SAME_ORDER,
            SETTINGS_FIXED,
        )

        changed, same = replayed(self, X, y)
        labels = np.asarray(y)
        wrong = np.asarray(self.predict(X)) != labels  # type: ignore[attr-defined]
        rule = Assumption(MISTAKE_DRIVEN, *(("checked", _DRIVEN) if same else ("violated", _OTHER)))
        read, kernel = "", getattr(self, "kernel", None)
        if isinstance(kernel, str):
            read = read_from_rows(self, self._sample_of(X, y)[0])
        known: tuple[Assumption, ...] = (
            rule,
            Assumption(SAME_ORDER, "declared", _ORDER),
            features_fixed(read),
        )
        if read:
            known += (Assumption(SETTINGS_FIXED, "violated", FROM_THESE_ROWS.format(read)),)
        return TrainingFacts(
            len(labels),
            margins=self._row_margins(X, y),
            mistaken=int(changed.sum()),
            errors=int((wrong & ~changed).sum()),
            known=known,
            trusted=self._trusted,
        )

    @property
    def _theorems(self) -> int:
        return 2

    @property
    def _trusted(self) -> tuple[Assumption, ...]:
        return ()

    def _row_margins(self, X: Any, y: Any) -> Floats | None:
        return super()._training_facts(X, y).margins


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
