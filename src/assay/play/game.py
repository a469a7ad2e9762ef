"""The count of an online game: which errors a learner made while it was taught.

`play`, streams, delayed feedback and the service count alike: an example is wrong when the hypothesis
that its label is about to change predicts another label. Most of assay's learners count so for themselves
while a whole block is learned; the others are asked before they are taught.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from assay.play.turns import is_fitted


def counts_itself(learner: Any, classes: NDArray[Any]) -> bool:
    """Whether a learner's own record tells its errors: one binary problem, predicted and then learned.

    One that averages its weights counts the mistakes of those that are not averaged, and one that weighs
    its classes may leave some examples out.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron, SGDClassifier
    >>> two = np.array([0, 1])
    >>> counts_itself(Perceptron(), two), counts_itself(SGDClassifier(average=True), two)
    (True, False)
    """
    plainly = not getattr(learner, "average", False) and not getattr(learner, "class_weight", None)
    return len(classes) == 2 and hasattr(type(learner), "record_") and plainly


def counted(learner: Any) -> tuple[int, int]:
    """Rounds and mistakes so far by the learner's own record, the first of several problems; 0 when new."""
    for player in getattr(learner, "players_", ()):
        return int(player.rounds), int(player.mistakes)
    if hasattr(type(learner), "record_") and is_fitted(learner):
        record = learner.record_
        return int(record.rounds), int(record.mistakes)
    return 0, 0


class OwnCount:
    """The errors of a learner that counts itself, from now on.

    Parameters
    ----------
    learner : object
        One for which `counts_itself` is true.
    misses_first : callable
        Whether the next example is predicted wrongly; asked only of a learner that does not predict the first
        example it is ever taught.

    Examples
    --------
    >>> from assay import Perceptron
    >>> learner = Perceptron()
    >>> count = OwnCount(learner)
    >>> _ = learner.partial_fit([[1.0], [-1.0]], [True, False], classes=[False, True])
    >>> count.rows, count.errors(2)
    (2, 1)
    """

    def __init__(self, learner: Any, misses_first: Callable[[], bool] = lambda: False) -> None:
        self._learner = learner
        self._before = counted(learner)
        # A learner that begins with its first example has not predicted it: it is asked here.
        asked = not self._before[0] and not getattr(type(learner), "predicts_first", True)
        self._first = int(asked and bool(misses_first()))

    @property
    def rows(self) -> int:
        """Examples learned since, also when learning had to stop."""
        return counted(self._learner)[0] - self._before[0]

    def errors(self, rows: int) -> int:
        """Errors in so many examples; one that the learner left out was not predicted rightly."""
        made = counted(self._learner)[1] - self._before[1]
        return made + rows - self.rows + (self._first if self.rows else 0)
