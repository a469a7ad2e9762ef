"""The online game: predict an example, be told the truth, learn, go on to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from assay.certificates.format.quantity import AS_PLAYED, certified_by
from assay.certificates.issue.stream import predicted_first
from assay.errors import BadParameter, require
from assay.evidence.repeats import Repeats
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.play.game import Game
from assay.play.rows_again import RowsAgain
from assay.play.turns import Examples, classes_for, labels_of, require_learner
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive import progressive_validation
from assay.types import Array, Bools


@dataclass(frozen=True)
class Played:
    """What happened when a learner was played against a sequence.

    Attributes
    ----------
    learner : object
        The learner, having learned.
    rounds : int
        Examples played.
    mistakes : int
        Rounds on which the prediction, made before the label was told, was wrong.
    delta : number
        The probability with which `bound` may fail.
    predictions : array or None
        What was predicted, round by round, when traced.
    missed : array of bool or None
        On which rounds it was wrong, when traced.
    seen : RowsAgain or None
        The rows, as far as they are compared with each other.
    """

    learner: Any
    rounds: int
    mistakes: int
    delta: Number
    predictions: Array | None = None
    missed: Bools | None = None
    seen: RowsAgain | None = field(default=None, repr=False, compare=False)

    @cached_property
    def repeats(self) -> Repeats | None:
        """What was found about rows that came again; None where rows cannot be compared."""
        return None if self.seen is None else self.seen.repeats()

    @property
    def again(self) -> bool:
        """Whether rows came again more than chance allows: then nothing is promised."""
        return self.repeats is not None and self.repeats.alarm

    @property
    def error(self) -> float:
        """The progressive error: mistakes per round."""
        return self.mistakes / self.rounds

    @cached_property
    def bound(self) -> float:
        """An upper bound on the mean, over the rounds, of the chance to be wrong given all before.

        If the examples are independent draws, that is the mean true error of the hypotheses that were played. With
        the bounds of earlier rounds (`bound_at`) it holds at all moments at once, because the number of rounds was
        fixed by the sequence. It is 1 where rows came again more than chance allows: their labels were known.
        """
        if self.again:
            return 1.0
        return progressive_validation(self.mistakes, self.rounds, self.delta, horizon=self.rounds)

    def bound_at(self, round: int) -> float:
        """The bound as it stood after so many rounds; needs ``trace=True``."""
        if self.missed is None:
            raise BadParameter("bound_at needs the rounds one by one: play with trace=True.")
        now = count("round", round, at_least=1)
        require(now <= self.rounds, "round", f"at most {self.rounds}", round)
        made = int(np.count_nonzero(self.missed[:now]))
        if self.again:
            return 1.0
        return progressive_validation(made, now, self.delta, horizon=self.rounds)

    def guarantees(self, **declared: Any) -> list[Guarantee]:
        """The progressive bound, then what the learner's own theorems say about its whole run.

        Parameters
        ----------
        **declared
            Constants that were fixed before the run, such as ``radius`` and ``margin``.
        """
        known = [predicted_first(self.repeats), Assumption(IID, "not asked")]
        guarantees = [progressive_guarantee(self.mistakes, self.rounds, self.delta, known)]
        if hasattr(self.learner, "guarantees"):
            guarantees += self.learner.guarantees(**declared)
        return guarantees

    def __str__(self) -> str:
        counts = f"{self.mistakes:,} mistakes in {self.rounds:,} rounds ({self.error:.2%}); "
        if self.again and self.repeats is not None:
            return f"{counts}nothing is promised: {self.repeats.evidence}"
        return (
            f"{counts}each time it predicted, its chance of being wrong was on average at most {self.bound:.4g}, "
            f"failing with probability at most {self.delta}"
        )


def progressive_guarantee(
    mistakes: int, rounds: int, delta: Number, known: Sequence[Assumption] = ()
) -> Guarantee:
    """What an online run says about its hypotheses on average."""
    return error_guarantee(
        "progressive-validation",
        {"errors": mistakes, "rows": rounds, "delta": delta, "horizon": rounds},
        of=AS_PLAYED,
        formula="mean_t err_D(h_t)",
        certified=certified_by(AS_PLAYED, known),
        observed=decimal_ratio(mistakes, rounds),
        known=known,
    )


def play(
    learner: Any, X: Any, y: Any, *, trace: bool = False, delta: Number = 0.05, classes: Any = None
) -> Played:
    r"""Play a learner against a sequence: predict each example, then learn its label.

    The progressive error, mistakes :math:`S` per round, needs no holdout: every example is predicted
    before its label is used. The mean over the rounds of the chance to be wrong, given all before, is at most

    .. math:: \sup\Bigl\{p:\frac1J\sum_{j\le J}\frac{e^{-\lambda_jS}}{(1-p(1-e^{-\lambda_j}))^n}<\tfrac1\delta\Bigr\}

    with probability :math:`1-\delta` (``progressive-validation``). If the examples are independent draws from one
    distribution, that is the mean true error of the hypotheses. Examples that come again more often than chance
    allows were known when they were predicted: then nothing is promised.

    Parameters
    ----------
    learner : object
        One of assay's online learners, whose compiled step is then used; any classifier with
        ``partial_fit``; or any with ``predict_one`` and ``learn_one``, as River has them. It learns in
        place, and goes on from what it knows. Before it knows anything the first class is predicted
        (assay's own learners predict by the weights they start from).
    X : table or list of dicts
        The examples, in the order in which they are played.
    y : array-like
        Their labels.
    trace : bool, default=False
        Whether to keep the predictions round by round.
    delta : number, default=0.05
        The probability with which the bound may fail.
    classes : array-like, optional
        All labels there are; when not given, those the learner knows or those in `y`.

    Returns
    -------
    Played
        Mistakes, progressive error, its bound, and the predictions when traced.

    References
    ----------
    .. [1] Blum, Kalai & Langford, Beating the hold-out: bounds for k-fold and progressive
       cross-validation (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron, play
    >>> X = np.random.default_rng(0).normal(size=(1000, 5))
    >>> result = play(Perceptron(), X, X[:, 0] > 0)
    >>> result.mistakes, round(result.bound, 4)
    (73, 0.1007)
    """
    inside_unit("delta", delta)
    require_learner(learner)
    labels = labels_of(y, len(Examples(X)))
    game = Game(learner, classes_for(learner, labels, classes))
    predictions = game.learn_rows(X, labels, trace=trace)
    missed = None if predictions is None else predictions != labels
    return Played(learner, game.rows, game.errors, delta, predictions, missed, game.seen)
