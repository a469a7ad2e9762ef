"""Learners that keep every concept of a finite class that no example has refuted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.compiled.boolean.version_space import version_space_rounds, vote_weights
from assay.errors import BadData, BadParameter
from assay.learners.boolean.concept_class import ConceptClass, HalfspaceClass
from assay.learners.boolean.concepts import build, needs_boolean
from assay.learners.boolean.online import BooleanPlayer, OnlineBooleanClassifier
from assay.learners.boolean.words import BLOCK, blocks, first_bad, label_word
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.record.boolean import LONGEST_WORD, SphereNet, VersionSpaceRecord
from assay.types import Array, Floats, Ints


class VersionSpaceClassifier(OnlineBooleanClassifier):
    """Base of the learners that keep the concepts not yet refuted; a subclass says how they predict."""

    concepts: Any

    #: Nothing more is learned from a second pass.
    max_iter = 1
    n_iter_no_change = 1
    warm_start = False
    #: Whether the first concept left predicts, rather than the majority.
    _first = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        # A dict's features are known only when it has been read; until then any number will do.
        built = build(self.concepts, max(width, 1))
        weights = weights_of(getattr(self, "code", None), built)
        return VersionSpacePlayer(width, built, weights, self._first)

    def _boolean(self) -> bool:
        return needs_boolean(self.concepts)

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        super()._grow(x, index)
        dtype = np.dtype(np.float64)
        # In the same list, which the caller holds.
        self.players_[:] = [self._begin(len(index), dtype) for _ in self.players_]
        for player in self.players_:
            player.tracing = self.trace

    @property
    def left_(self) -> int | tuple[int, ...]:
        """How many concepts are left, for each binary problem."""
        check_is_fitted(self, "players_")
        left = tuple(int(player.alive.sum()) for player in self.players_)
        return left[0] if len(left) == 1 else left


def weights_of(code: Any, concepts: ConceptClass) -> Ints:
    """The weight of each concept: one, or 2^-bits as a whole multiple of 2^-62.

    Examples
    --------
    >>> weights_of([1, 2, 2], build([len, len, len], 1)).tolist() == [2**61, 2**60, 2**60]
    True
    """
    if code is None:
        return np.ones(concepts.size, dtype=np.int64)
    bits = np.asarray(concepts.bits if isinstance(code, str) and code == "size" else code)
    lengths = bits.dtype.kind in "iu" and bits.shape == (concepts.size,) and (bits >= 0).all()
    if not lengths:
        raise BadParameter(
            f"code must be None, 'size', or {concepts.size} whole numbers, the bits of each concept, "
            f"but is {code!r:.80}."
        )
    if bits.max() > LONGEST_WORD:
        raise BadParameter(
            f"code must have words of at most {LONGEST_WORD} bits, but has {bits.max()}."
        )
    weights = np.left_shift(np.int64(1), (LONGEST_WORD - bits).astype(np.int64))
    total = sum(map(int, weights))
    if total > 1 << LONGEST_WORD:
        raise BadParameter(
            "code must have the lengths of a prefix-free code, but their sum of 2^-bits is "
            f"{total / (1 << LONGEST_WORD):.6g}, above 1."
        )
    return weights


class VersionSpacePlayer(BooleanPlayer):
    """A version space on one binary problem.

    Attributes
    ----------
    alive : array of bool
        Which concepts no example has refuted.
    refuted : int
        Rounds whose label no concept left has; there nothing was deleted.
    """

    # The class follows from the learner's parameters, so it is not saved.
    __slots__ = ("built", "prior")
    arrays = ("weights", "bias", "alive")

    def __init__(self, width: int, built: ConceptClass, prior: Ints, first: bool) -> None:
        super().__init__(width, np.dtype(np.float64), constant=False)
        self.built, self.prior = built, prior
        self.first = first
        self.alive = np.ones(built.size, dtype=bool)
        self.refuted = 0
        self.longest = 0.0

    def _require_state(self) -> None:
        super()._require_state()
        if not self.alive.any():
            raise ValueError("no concept of a player is left")

    @property
    def boolean(self) -> bool:  # type: ignore[override]
        """Whether features must be 0 or 1."""
        return self.built.boolean

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        if not rows.width:
            raise BadData("The first example must have at least one feature.")
        stop = first_bad(rows, boolean=self.boolean)
        places = np.flatnonzero(self.alive)
        weights = self.prior[places]
        alike = bool((weights == weights[0]).all())
        mistakes = changes = 0
        for start, block in blocks(rows, stop):
            words = self.built.words(block, places)
            self.longest = max(self.longest, _longest(block)) if not self.boolean else 0.0
            left, wrong, changed, refuted = version_space_rounds(
                words,
                weights,
                places,
                alike,
                label_word(signs[start : start + len(block)]),
                len(block),
                self.first,
                updated[changes:],
            )
            updated[changes : changes + changed] += start
            changes += changed
            mistakes += wrong
            self.refuted += refuted
            places, weights = places[:left], weights[:left]
        self.alive = np.zeros(self.built.size, dtype=bool)
        self.alive[places] = True
        return mistakes, changes, stop

    def scores(self, rows: Rows) -> Floats:
        """The vote on every row, from -1 to 1; a tie is positive."""
        places = np.flatnonzero(self.alive)
        if self.first:
            places = places[:1]
        weights = self.prior[places]
        total = int(weights.sum())
        votes = np.zeros(len(rows))
        if not rows.width:
            return votes
        alike = bool((weights == weights[0]).all())
        yes = np.empty(BLOCK, dtype=np.int64)
        for start, block in blocks(rows, len(rows)):
            vote_weights(self.built.words(block, places), weights, alike, len(block), yes)
            # Whole numbers until the last step, which keeps the sign.
            lead = yes[: len(block)] - (total - yes[: len(block)])
            votes[start : start + len(block)] = lead / total
        return votes

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> VersionSpaceRecord:
        """What happened so far; the names are those of the features."""
        built, net = self.built, None
        if isinstance(built, HalfspaceClass):
            net = SphereNet(built.radius, built.margin, built.net.shape[1])
        return VersionSpaceRecord(
            **self._recorded(trace),
            refuted=self.refuted,
            longest=self.longest,
            first=self.first,
            coded=bool((self.prior > 1).any()),
            concepts=built,
            alive=self.alive,  # another array after every pass
            prior=self.prior,
            net=net,
            names=names,
        )

    def formula(self, names: Sequence[Any] | None) -> str:
        """The concept that is left; of several the heaviest, and of these the first."""
        return self.record(trace=False, names=names).formula

    def _marks(self) -> dict[str, float]:
        return {
            "left": float(self.alive.sum()),
            "weight_left": int(self.prior[self.alive].sum()) / int(self.prior.sum()),
            "mistakes": float(self.mistakes),
        }


def _longest(block: Array) -> float:
    """The largest length of an example."""
    return float(np.sqrt((block.astype(np.float64) ** 2).sum(axis=1)).max(initial=0.0))
