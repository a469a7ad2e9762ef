"""A table of experts' losses of which the best expert, and by how much, is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.data.synthetic.draws import generator, is_count, require_counts
from assay.errors import require
from assay.types import Floats


@dataclass(frozen=True)
class ExpertLosses:
    """Losses, rounds by experts.

    Parameters
    ----------
    losses : numpy.ndarray
        0.0 or 1.0 in each round for each expert.
    best : int
        The expert with the least total loss, from 0.
    best_loss, gap : int
        Its total loss, and how much more every other expert loses at least; one of them loses
        exactly so much more.
    """

    losses: Floats
    best: int
    best_loss: int
    gap: int


def expert_losses(
    rounds: int, experts: int, *, best_loss: int, gap: int = 1, random_state: int = 0
) -> ExpertLosses:
    """Draw losses with a single best expert.

    Parameters
    ----------
    rounds, experts : int
        At least one round and two experts.
    best_loss : int
        In how many rounds the best expert errs.
    gap : int
        At least 1; no expert can lose more than there are rounds.
    random_state : int
        The seed.

    Examples
    --------
    >>> table = expert_losses(100, 4, best_loss=10, gap=5, random_state=1)
    >>> totals = table.losses.sum(axis=0)
    >>> float(totals[table.best]), float(np.partition(totals, 1)[1])
    (10.0, 15.0)
    """
    require_counts(rounds=rounds, experts=experts, gap=gap)
    require(experts >= 2, "experts", "at least 2", experts)
    most = rounds - gap
    good = is_count(best_loss, 0) and best_loss <= most
    must = f"a whole number from 0 to {most}, which is the rounds less the gap"
    require(good, "best_loss", must, best_loss)
    rng = generator(random_state)
    best, second = (int(expert) for expert in rng.choice(experts, size=2, replace=False))
    totals = rng.integers(best_loss + gap, rounds + 1, size=experts)
    totals[best], totals[second] = best_loss, best_loss + gap
    losses = np.zeros((rounds, experts))
    for expert, total in enumerate(totals):
        losses[rng.choice(rounds, size=total, replace=False), expert] = 1.0
    return ExpertLosses(losses, best, int(best_loss), int(gap))
