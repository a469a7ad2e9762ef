"""What its training rows promise about a linear support vector machine."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import row_norms

from assay.learners.common.sparse_coef import dense_coef
from assay.learners.common.training_promises import MarginPromises, TrainingFacts, settings_fixed
from assay.learners.search.near_minimiser import NearMachine, kept_rows, reach_of
from assay.types import Floats

# How near to the least objective the search is made again, and how many cells it may look at for that.
_TOLERANCE = 1e-9
_CELLS = 4e9
_FEWEST, _MOST = 1000, 100_000


class LinearSupportPromises(MarginPromises):
    """By the rows that do not clear the margin; of two classes also by the margins."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        facts = super()._training_facts(X, y)
        if not self._supported:
            return facts
        X, labels = self._sample_of(X, y)
        lengths = np.sqrt(np.asarray(row_norms(X, squared=True)) + self._constant**2)
        support, least = kept_rows(self._near(X, labels, lengths), lengths)
        known = (*facts.known, settings_fixed(self, X, labels), least)
        return replace(facts, support=support, known=known)

    @property
    def _supported(self) -> bool:
        """Whether the rows below the margin alone give the machine again: with a squared length, which has a dual."""
        return bool(self.records_)  # type: ignore[attr-defined]

    @property
    def _theorems(self) -> int:
        return 2 if self._supported else 1

    @property
    def _constant(self) -> float:
        model: Any = self
        return float(model.intercept_scaling) if model.fit_intercept else 0.0

    def _near(self, X: Any, labels: Any, lengths: Floats) -> list[NearMachine]:
        """All machines, searched for again; the intercept is a weight like the others."""
        cells = max(1, X.nnz if hasattr(X, "nnz") else X.size)
        most = int(min(_MOST, max(_FEWEST, _CELLS / cells)))
        twin = clone(self).set_params(penalty="l2", tol=_TOLERANCE, max_iter=most, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is looked at below
            twin.fit(X, labels)
        model: Any = self
        coef = dense_coef(model)
        scores = np.asarray(X @ twin.coef_.T + twin.intercept_)
        machines = []
        for column, (record, signs) in enumerate(
            zip(twin._records, twin._signs(labels), strict=True)
        ):
            reach = reach_of(record.excess)
            moved = np.append(
                coef[column] - twin.coef_[column],
                (model.intercept_[column] - twin.intercept_[column]) / (self._constant or 1.0),
            )
            near = NearMachine(
                rows=np.arange(len(labels)),
                signs=signs,
                scores=scores[:, column],
                below=reach * lengths,
                weights=reach + float(np.linalg.norm(moved)) * (1 + 1e-9),
                intercept=0.0,
                gap=record.excess,
            )
            machines.append(near)
        return machines
