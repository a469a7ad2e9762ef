"""The conservative wrapper: a learner that is told of its mistakes only."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.common.guaranteed import Certified, Terms
from assay.learners.common.sign_labels import classes_of, plain
from assay.play.online_inside import OnlineInside
from assay.play.runs import runs
from assay.play.turns import Examples, Player, require_learner
from assay.record.online import OnlineRecord
from assay.theory.registry import find_theorem
from assay.types import Array


def conservative(learner: Any) -> Conservative:
    r"""Make a learner change its hypothesis only when it makes a mistake.

    If a deterministic learner makes at most :math:`M` mistakes on every sequence that a concept of its
    class labels, so does the wrapped one (``conservative-wrapper-mistakes``): the examples on which it
    errs are themselves such a sequence. A bound on regret does not carry over. What is won is that a
    hypothesis stays the same between two mistakes, which the conversions of `to_batch` need.

    Parameters
    ----------
    learner : estimator with ``partial_fit``, or with ``predict_one`` and ``learn_one``
        It is not changed: the wrapper works with a copy.

    Returns
    -------
    Conservative
        A classifier with ``fit`` (one pass), ``partial_fit``, ``predict``, ``predict_one``,
        ``learn_one``, ``record_`` and ``guarantees``.

    References
    ----------
    .. [1] Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> from assay import conservative
    >>> X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 25)
    >>> model = conservative(BernoulliNB()).fit(X, X[:, 0])
    >>> model.record_.rounds, model.record_.mistakes
    (100, 2)
    """
    return Conservative(learner)


def is_conservative(learner: Any) -> bool:
    """Whether a learner changes on its mistakes only, by its own rule; its class says so.

    Examples
    --------
    >>> from assay import Perceptron, SGDClassifier
    >>> is_conservative(Perceptron()), is_conservative(SGDClassifier())
    (True, False)
    """
    return bool(getattr(type(learner), "conservative", False))


def _single(model: Conservative) -> bool:
    return hasattr(model.learner, "learn_one")


class Conservative(Certified, OnlineInside):
    """A learner that is shown an example only when its current hypothesis errs on it.

    Parameters
    ----------
    learner : estimator
        The learner inside.

    Attributes
    ----------
    learner_ : estimator
        The copy that learns.
    classes_ : array
        The labels.
    record_ : OnlineRecord
        Rounds and mistakes.
    """

    conservative = True
    _played = "learner_"

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: Any, y: Any) -> Any:
        """Forget everything and play a sample once.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of dicts
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        for name in ("learner_", "classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        examples, labels = self._sample(X, y)
        self._open(classes_of(labels))
        return self._play(examples, labels)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Play some more examples, once each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of dicts
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels there are; needed in the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "learner_")
        examples, labels = self._sample(X, y, reset=first)
        if first:
            self._open(classes)
        return self._play(examples, labels)

    def _play(self, examples: Examples, labels: Array) -> Any:
        if self._by_itself:
            self._player.teach_rows(examples, 0, len(labels), labels)
            return self
        for run in runs(self._player, examples, labels):
            self._rounds += run.length + run.ended
            self._missed += run.ended
        return self

    def _open(self, classes: Any) -> None:
        if classes is None:
            raise BadData(
                "classes must be given in the first call of partial_fit: all labels there are."
            )
        require_learner(self.learner)
        known = np.unique(np.asarray(classes))
        if len(known) < 2:
            raise BadData(
                f"Conservative needs at least two classes, but y holds 1 class: {plain(known[0])!r}."
            )
        self.classes_, self.learner_ = known, clone(self.learner, safe=False)
        self._player = Player(self.learner_, known)
        # What is conservative already is left to itself, and counts for itself.
        self._by_itself = len(known) == 2 and is_conservative(self.learner_)
        self._rounds = self._missed = 0

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        examples = self._examples(X)
        return self._player.answers(examples, 0, len(examples))

    @available_if(_single)  # type: ignore[untyped-decorator]
    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; None before anything was played."""
        if not hasattr(self, "learner_"):
            return None
        return self._player.ask(x)

    @available_if(_single)  # type: ignore[untyped-decorator]
    def learn_one(self, x: Any, y: Any, classes: Any = None) -> None:
        """Play one example, a vector or a dict, with its label."""
        if not hasattr(self, "learner_"):
            self._open([False, True] if classes is None and isinstance(y, bool) else classes)
        wrong = self.predict_one(x) != y
        if self._by_itself or wrong:
            self._player.teach(x, y)
        self._missed += wrong
        self._rounds += 1

    @property
    def record_(self) -> OnlineRecord:
        """What happened."""
        check_is_fitted(self, "learner_")
        if self._by_itself:
            record: OnlineRecord = self.learner_.record_
            return record
        return OnlineRecord(rounds=self._rounds, mistakes=self._missed, updates=self._missed)

    #: `mistakes`, the mistake bound of the learner inside, which the wrapper keeps; and what that learner takes.
    declares = None

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The theorems about this run.

        Those of the learner inside hold for the examples it was shown, which are those of the mistakes.
        """
        made, declared = self.record_.mistakes, dict(terms.declared)
        mistakes = declared.pop("mistakes", None)
        guarantees: list[Guarantee] = []
        if mistakes is not None:
            bounded, labelled, shown = find_theorem("conservative-wrapper-mistakes").assumes
            known = (
                Assumption(bounded, "declared", f"at most {mistakes} mistakes")
                if made <= mistakes
                else Assumption(bounded, "violated", f"{made} mistakes were made")
            )
            guarantees.append(
                mistake_guarantee(
                    "conservative-wrapper-mistakes",
                    {"mistakes": mistakes},
                    made,
                    of="mistakes",
                    assumptions=(
                        known,
                        Assumption(labelled, "declared"),
                        Assumption(shown, "by construction"),
                    ),
                )
            )
        if made and hasattr(self.learner_, "guarantees"):
            guarantees += self.learner_.guarantees(delta=terms.delta, **declared)
        return guarantees
