"""Disjunctions by elimination, from a whole sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.guarantees.formula import disjunction_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.batch import BatchBooleanClassifier
from assay.learners.boolean.concept_class import description_bits
from assay.learners.boolean.online_disjunction import EliminationPlayer
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.sign_labels import plain
from assay.learners.registry import register
from assay.record.formula import DisjunctionRecord
from assay.types import Array


@register(
    "disjunction-classifier",
    use="an OR of yes/no features, fitted at once",
    promise="bounds its error from training rows alone",
)
class DisjunctionClassifier(BatchBooleanClassifier):
    r"""The OR of all features that are set in no negative example.

    If the labels are an OR of some of the d features, it errs on no example of the sample, and on those to
    come with probability below :math:`\frac1m(d\ln2+\ln\frac1\delta)`, unless the sample of m was unlucky
    (``disjunction-pac``, ``occam-finite-class``). The fewer features are left, the better the promise
    (``occam-prefix-free``).

    Parameters
    ----------
    negations : bool, default=False
        Whether every feature also stands for its negation.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one. With more than two, each against the rest.
    formula_ : str, or tuple of str
        What was learned, as text; one formula for each class when there are more than two.
    errors_ : array of int
        On how many examples of the sample each formula errs.
    rows_ : int
        The size of the sample.
    record_ : DisjunctionRecord, or list of them
        Errors on the sample, and the length of the formula.

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.2.1.

    Examples
    --------
    >>> from assay import DisjunctionClassifier
    >>> from assay.data.synthetic.disjunction import disjunction
    >>> data = disjunction(500, 12, relevant=3, negated=True, random_state=1)
    >>> model = DisjunctionClassifier(negations=True).fit(data.X, data.y)
    >>> model.formula_
    'NOT x4 OR x5 OR x9'
    >>> print(model.guarantees(delta=0.05)[0])
    error: at most 0.0318403, observed 0, failing with probability at most 0.05, by occam-finite-class
    """

    state = kinds.declare(errors_=kinds.counts("problems"))

    #: With an error also how many rows are enough for it.
    declares = ("error",)

    def __init__(self, negations: bool = False) -> None:
        self.negations = negations

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Drop every literal that is true in some negative example.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Of 0 and 1.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rows, labels = self._sample(X, y)
        self._require_cells(rows, self._begin(rows.width, rows.dtype))
        players, errors = [], []
        for label in self._positives:
            negative = labels != label
            # A feature is left if it is set in no negative example, a negation if in all of them.
            on = np.asarray(rows.whole[negative].sum(axis=0)).ravel()
            player = self._begin(rows.width, rows.dtype)
            player.weights[:] = on == 0
            player.negated[:] = (on == negative.sum())[: len(player.negated)]
            players.append(player)
            errors.append(int(((player.scores(rows) >= 0) == negative).sum()))
        self.players_ = players
        self.errors_ = np.array(errors, dtype=np.int64)
        self.rows_ = len(labels)
        return self

    def _begin(self, width: int, dtype: np.dtype[Any]) -> EliminationPlayer:
        return EliminationPlayer(width, np.dtype(np.float64), bool(self.negations))

    @property
    def _positives(self) -> Array:
        """The label that is positive in each problem."""
        return self.classes_[1:] if len(self.classes_) == 2 else self.classes_

    @property
    def record_(self) -> DisjunctionRecord | list[DisjunctionRecord]:
        """What the fit left behind; a list where there are more than two classes."""
        check_is_fitted(self, "players_")
        several = len(self.players_) > 1
        records = [
            DisjunctionRecord(
                rows=self.rows_,
                errors=int(errors),
                features=len(player.weights),
                negations=len(player.negated) > 0,
                bits=description_bits(len(player.weights) + len(player.negated), len(player.left)),
                label=plain(label) if several else None,
            )
            for label, player, errors in zip(
                self._positives, self.players_, self.errors_, strict=True
            )
        ]
        return records if several else records[0]

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the theorems promise about the error, each with its own failure probability.

        First the bound for all disjunctions alike, which needs a formula without errors on the sample;
        then by the formula's own length, without errors and with any number of them.
        """
        records = self.record_ if isinstance(self.record_, list) else [self.record_]
        return [
            g
            for record in records
            for g in disjunction_guarantees(record, terms.delta, terms.get("error"))
        ]
