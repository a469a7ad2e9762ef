"""The online game: a learner predicts an example, is told its label now or later, learns it, and is counted.

`play`, streams, delayed feedback and the service play it alike: an example is wrong when the hypothesis that
its label is about to change predicts another label, or, where an answer was given earlier, when that answer was
another one. Most of assay's learners count so for themselves while a whole block is learned; the others are asked
before they are taught.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from assay.errors import BadData
from assay.evidence.repeats import Repeats
from assay.play.rows_again import RowsAgain
from assay.play.turns import Examples, Player, is_fitted, plays_rounds
from assay.types import Array


class Game(Player):
    """A learner that is asked and told, with what bounds and certificates need to know of it.

    Attributes
    ----------
    learner : object
        As for `assay.play`; it learns in place and goes on from what it knows.
    classes : array or None
        All labels there are.
    rows, errors : int
        Examples learned, and how many of them were predicted wrongly.
    seen : RowsAgain
        The rows, as far as they are compared with each other.

    Examples
    --------
    >>> from assay import Perceptron
    >>> game = Game(Perceptron(), np.array(["ham", "spam"]))
    >>> game.learn(np.array([1.0, 0.0]), "ham")
    >>> game.learn_rows(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array(["spam", "ham"]))
    >>> game.rows, game.errors, game.ask(np.array([1.0, 0.0]))
    (3, 2, 'ham')
    """

    def __init__(self, learner: Any, classes: Array | None = None) -> None:
        super().__init__(learner, classes)
        self.rows = self.errors = 0
        self.seen = RowsAgain(learner if self.known else None)
        self._judged: tuple[int, Repeats | None] = (-1, None)

    @property
    def at_once(self) -> bool:
        """Whether a block is learned at once, by a learner that counts its own errors."""
        return self.classes is not None and counts_itself(self.learner, self.classes)

    def learn(self, x: Any, label: Any) -> None:
        """Learn one example, and count it against the hypothesis that it is about to change."""
        if self.at_once:
            count = OwnCount(self.learner, lambda: bool(self.ask(x) != label))
            self.teach(x, label)
            errors = count.errors(1)
        else:
            errors = int(self.ask(x) != label)
            self.teach(x, label)
        self._learned(x, label, errors)

    def learn_answered(self, x: Any, label: Any, answer: Any) -> bool:
        """Learn one example whose answer was given earlier; return whether that was wrong."""
        self.teach(x, label)  # a refusal counts nothing
        wrong = bool(answer != label)
        self._learned(x, label, int(wrong))
        return wrong

    def _learned(self, x: Any, label: Any, errors: int) -> None:
        self.rows += 1
        self.errors += errors
        self.seen.add_one(x, label)

    def learn_rows(
        self, X: Any, y: Array, *, trace: bool = False, as_came: Any = None
    ) -> Array | None:
        """Learn rows in their order; everything before a row that is refused has been learned and counted.

        Parameters
        ----------
        X, y : table or list of dicts, and array
        trace : bool, default=False
            Whether to return what was predicted, row by row.
        as_came : table, optional
            The rows as they are to be compared, where `X` was made of them.
        """
        before = self.rows
        try:
            if trace or not self.at_once:
                answers = self._by_turns(Examples(X), y)
                return np.asarray(answers) if trace else None
            self._at_once(Examples(X), y)
            return None
        finally:
            done = self.rows - before
            if done:
                rows = X if as_came is None else as_came
                self.seen.add(rows if done == len(y) else rows[:done], y[:done])

    def _at_once(self, examples: Examples, y: Array) -> None:
        """Learn a block by the compiled loop, which counts for itself, also when it has to stop."""
        row, _ = self.row(examples)
        count = OwnCount(self.learner, lambda: bool(self.ask(row(0)) != y[0]))
        try:
            self.teach_rows(examples, 0, len(y), y)
        except BadData:
            self._count(count.rows, count)
            raise
        self._count(len(y), count)

    def _count(self, rows: int, count: OwnCount) -> None:
        self.rows += rows
        self.errors += count.errors(rows)

    def _by_turns(self, examples: Examples, y: Array) -> list[Any]:
        """Ask and teach row by row: several problems together, or a learner that does not count."""
        answers = []
        row, _ = self.row(examples)
        for place, label in enumerate(y.tolist()):
            x = row(place)
            answer = self.ask(x)
            self.teach(x, label)
            answers.append(answer)
            self.rows += 1
            self.errors += bool(answer != label)
        return answers

    def repeats(self) -> Repeats | None:
        """What is known about rows that came again; None where rows cannot be compared."""
        if self._judged[0] != self.rows:
            self._judged = self.rows, self.seen.repeats()
        return self._judged[1]

    def with_learner(self, learner: Any) -> Self:
        """The same game with a copy of its learner; what one learns the other does not."""
        twin = copy.copy(self)
        twin.learner, twin.seen = learner, self.seen.copy()
        return twin


def counts_itself(learner: Any, classes: Array) -> bool:
    """Whether a learner's own record tells its errors: one binary problem, predicted and then learned.

    One that averages its weights counts the mistakes of those that are not averaged, and one that weighs
    its classes may leave some examples out.

    Examples
    --------
    >>> from assay import Perceptron, SGDClassifier
    >>> two = np.array([0, 1])
    >>> counts_itself(Perceptron(), two), counts_itself(SGDClassifier(average=True), two)
    (True, False)
    """
    plainly = not getattr(learner, "average", False) and not getattr(learner, "class_weight", None)
    return len(classes) == 2 and plays_rounds(type(learner)) and plainly


def counted(learner: Any) -> tuple[int, int]:
    """Rounds and mistakes so far by the learner's own record, the first of several problems; 0 when new."""
    for player in getattr(learner, "players_", ()):
        return int(player.rounds), int(player.mistakes)
    if plays_rounds(type(learner)) and is_fitted(learner):
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
        rounds, mistakes = counted(self._learner)
        learned = rounds - self._before[0]
        return mistakes - self._before[1] + rows - learned + (self._first if learned else 0)
