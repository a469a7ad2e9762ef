"""What a policy with context did, at no more than 2,000 moments of a run of any length."""

from __future__ import annotations

import numpy as np

from assay.types import Floats, Ints

_MOST = 2000


class ContextHistory:
    """Losses, actions and exploration so far, at moments that are spread evenly.

    Parameters
    ----------
    arms : int
        The number of actions.

    Examples
    --------
    >>> history = ContextHistory(2)
    >>> history.add(np.array([0, 1, 1]), np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.5, 1.0]), np.array([1, 1, 1]))
    >>> history.rounds.tolist(), history.losses.tolist(), history.best.tolist(), history.plays[-1].tolist()
    ([1, 2, 3], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1, 2])
    """

    def __init__(self, arms: int) -> None:
        self._arms, self._step, self.played = arms, 1, 0
        self.loss, self.likeliest = 0.0, 0
        self.counts, self.truths = np.zeros(arms, dtype=np.int64), np.zeros(arms, dtype=np.int64)
        self._kept: list[tuple[int, float, float, int, Ints]] = []

    def add(
        self, actions: Ints, losses: Floats, chances: Floats, truths: Ints | None = None
    ) -> None:
        """Rounds that were played, with the right actions where they are known."""
        ends = np.arange(self._step - self.played % self._step, len(actions) + 1, self._step)
        begin = 0
        for end in [*ends.tolist(), len(actions)]:
            part = slice(begin, end)
            self.loss += float(losses[part].sum())
            self.likeliest += int((chances[part] > 0.5).sum())
            self.counts += np.bincount(actions[part], minlength=self._arms)
            if truths is not None:
                self.truths += np.bincount(truths[part], minlength=self._arms)
            if end > begin and (self.played + end) % self._step == 0:
                self._keep(self.played + end)
            begin = end
        self.played += len(actions)

    def _keep(self, rounds: int) -> None:
        best = float(rounds - self.truths.max())
        self._kept.append((rounds, self.loss, best, self.likeliest, self.counts.copy()))
        if len(self._kept) > _MOST:
            self._step *= 2
            self._kept = [kept for kept in self._kept if kept[0] % self._step == 0]

    @property
    def rounds(self) -> Ints:
        """How many rounds had been played."""
        return np.array([kept[0] for kept in self._kept], dtype=np.int64)

    @property
    def losses(self) -> Floats:
        """What they had cost."""
        return np.array([kept[1] for kept in self._kept])

    @property
    def best(self) -> Floats:
        """What the action would have cost that was best until then, where right actions are known."""
        return np.array([kept[2] for kept in self._kept])

    @property
    def certain(self) -> Ints:
        """In how many of them the action had a probability of more than a half."""
        return np.array([kept[3] for kept in self._kept], dtype=np.int64)

    @property
    def plays(self) -> Ints:
        """How often each action had been taken."""
        return np.array([kept[4] for kept in self._kept], dtype=np.int64)
