"""The least hinge loss, as a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize, sparse
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees
from assay.guarantees.optimality import loss_guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import MAYBE_FIT, keep_fit
from assay.learners.linear.batch import BatchLinearClassifier, double
from assay.learners.registry import register
from assay.record.training_loss import TrainingLossRecord
from assay.types import Floats


@register(
    "hinge-loss-lp",
    use="a linear rule by a linear program, for small tables",
    promise="bounds its error from training rows alone",
)
class HingeLossLP(BatchLinearClassifier):
    r"""Minimise :math:`\sum_i\xi_i` subject to :math:`y_i(w\cdot x_i+b)\ge1-\xi_i` and :math:`\xi\ge0`.

    There is no penalty: if some plane separates the classes the loss is zero, and which of these planes is found is
    not said. Solved by HiGHS. With more than two classes, each is told from the rest.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept b.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, n_features), or (n_classes, n_features) with more than two
    intercept_ : array of shape (1,) or (n_classes,)
    hinge_ : array of shape (1,) or (n_classes,)
        The total hinge loss of each problem.
    n_iter_ : int
        Steps of the simplex method, in all problems.
    record_ : TrainingLossRecord
        Loss and errors on the training rows.

    References
    ----------
    .. [1] Bennett & Mangasarian (1992). Robust linear programming discrimination of two linearly inseparable sets.
    .. [2] Huangfu & Hall (2018). Parallelizing the dual revised simplex method.

    Examples
    --------
    >>> from assay import HingeLossLP
    >>> model = HingeLossLP().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> model.hinge_.round(6).tolist()
    [2.666667]
    """

    #: What a fit leaves, all of it or nothing.
    state = kinds.declare(
        hinge_=kinds.amounts("problems"),
        n_iter_=kinds.count,
        rows_=kinds.whole(1),
        training_errors_=kinds.whole(most="rows_"),
        linear_fit_=MAYBE_FIT,
    )

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> HingeLossLP:
        """Find weights of the least hinge loss.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, labels = self._sample(X, y)
        X = double(X)
        signs = self._signs(labels)
        solved = [_solve(X, sign, free=self.fit_intercept) for sign in signs]
        weights = np.array([w for w, _ in solved])
        self.n_iter_ = max(1, sum(steps for _, steps in solved))
        self.coef_ = np.ascontiguousarray(weights[:, : X.shape[1]])
        self.intercept_ = weights[:, -1].copy() if self.fit_intercept else np.zeros(len(signs))
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        # What the weights really cost, not what the solver says up to its tolerance.
        losses = np.maximum(0.0, 1.0 - np.array(signs).T * scores)
        self.hinge_ = losses.sum(axis=0)
        self.rows_ = len(labels)
        chosen = self._chosen(scores[:, 0] if len(signs) == 1 else scores)
        self.training_errors_ = int(np.count_nonzero(chosen != labels))
        keep_fit(self, X, labels, self._chosen_of_columns, constant=self.fit_intercept)
        return self

    @property
    def record_(self) -> TrainingLossRecord:
        """What the fit left behind; the losses of all problems are added up."""
        check_is_fitted(self, "coef_")
        # From above: each score, and the sum, may be a few units in the last place off.
        total = float(self.hinge_.sum()) * (1 + 1e-12 + self.rows_ * 2e-16)
        fit = getattr(self, "linear_fit_", None)
        return TrainingLossRecord(self.rows_, self.training_errors_, "hinge", total, fit=fit)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The training error, from the hinge loss (``surrogate-upper-bounds``).

        With more than two classes a wrong choice is a mistake in at least one of the problems, so that the
        losses of all are added up. Of two classes also what the capacity of halfspaces says about the error.
        """
        if not hasattr(self, "record_"):
            return []
        record = self.record_
        return [loss_guarantee(record), *halfspace_guarantees(record.fit, terms.delta)]


def _solve(X: Any, signs: Floats, *, free: bool) -> tuple[Floats, int]:
    """The weights, the intercept last, and the steps of the solver."""
    n, d = X.shape
    rows = sparse.csr_array(X)
    if free:
        rows = sparse.hstack([rows, np.ones((n, 1))], format="csr")
    turned = sparse.diags_array(-signs) @ rows
    system = sparse.hstack([turned, -sparse.eye_array(n)], format="csc")
    cost = np.concatenate([np.zeros(rows.shape[1]), np.ones(n)])
    bounds = [(None, None)] * rows.shape[1] + [(0, None)] * n
    done = optimize.linprog(cost, A_ub=system, b_ub=-np.ones(n), bounds=bounds, method="highs")
    if done.x is None:
        why = str(done.message).split("(")[0].strip() or "It gave no reason."
        raise BadData(
            f"HiGHS could not find the least hinge loss of {n} rows with {d} features: "
            f"{why} Scale the features to a common size."
        )
    return np.asarray(done.x[: rows.shape[1]]), int(done.nit)
