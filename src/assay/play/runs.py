"""A sequence played by a learner that learns from its mistakes only, one hypothesis after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from assay.learners.common.sign_labels import plain
from assay.play.turns import Examples, Player
from assay.types import Array

_LONGEST_LOOK = 1 << 16


@dataclass(frozen=True)
class Run:
    """How long one hypothesis lasted.

    Attributes
    ----------
    mistakes : int
        Made before it came about.
    start, stop : int
        The rows it predicted rightly, one after the other.
    ended : bool
        Whether row `stop` was its mistake; otherwise the rows came to an end.
    hypothesis : callable
        Gives the hypothesis itself; to be called before the next run is asked for.
    """

    mistakes: int
    start: int
    stop: int
    ended: bool
    hypothesis: Callable[[], Any]

    @property
    def length(self) -> int:
        """Correct predictions in a row."""
        return self.stop - self.start


def runs(player: Player, examples: Examples, labels: Array) -> Iterator[Run]:
    """Play a sequence conservatively: the learner is taught its mistakes, each run reported in turn."""
    row, _ = player.row(examples)
    start = mistakes = 0
    look = 1
    while True:
        stop = _first_mistake(player, examples, labels, start, look)
        ended = stop < len(labels)
        yield Run(mistakes, start, stop, ended, partial(player.hypothesis, examples))
        if not ended:
            return
        player.teach(row(stop), plain(labels[stop]))
        # The next run is likely to be about as long as this one.
        start, look, mistakes = stop + 1, stop - start + 1, mistakes + 1


def _first_mistake(player: Player, examples: Examples, labels: Array, start: int, look: int) -> int:
    """The first row from `start` on which the hypothesis errs, looking further and further ahead."""
    while start < len(labels):
        look = min(look, _LONGEST_LOOK)
        stop = min(start + look, len(labels))
        wrong = np.flatnonzero(player.answers(examples, start, stop) != labels[start:stop])
        if wrong.size:
            return start + int(wrong[0])
        start, look = stop, 2 * look
    return start
