"""What the support vector machines share: kernels, rows, one machine's fit, and its scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from assay.errors import BadData, require
from assay.kernels import Kernel, Linear, Precomputed, as_kernel
from assay.kernels.strings import takes_strings
from assay.learners.common import kinds, number_records
from assay.learners.common.accepted import ANYTHING, Accepted, require_accepted
from assay.learners.common.guaranteed import Guaranteed
from assay.learners.common.settings import Settled
from assay.learners.kernel.dual_search import Dual, Optimum, solve
from assay.learners.kernel.examples import are_strings, read_examples, read_sample, shape_of
from assay.learners.kernel.gram import Gram, scores
from assay.learners.kernel.kernel_learner import KernelLearner
from assay.learners.kernel.proven_gap import free_terms, proven_gap
from assay.record.margin import SIGNED, MarginRecord, SupportMachineRecord
from assay.types import Floats, Ints

# Up to so many examples kernel values are kept in double precision.
_DOUBLE = 5000
# Sparse rows of so many cells are written out for the search.
_FEW_CELLS = 1 << 20
# A separator without errors is asked for itself, so it is sought to more digits than scores need.
HARD_TOLERANCE = 1e-8


class SupportVectorMachine(KernelLearner, Settled, Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the machines that are found through the dual with working sets."""

    enough: ClassVar[tuple[str, ...]] = (
        "dual_coef_",
        "intercept_",
        "gamma_",
        "kernel_",
        "support_",
        "support_vectors_",
        "classes_",
        "settings_",
    )
    state = kinds.declare(
        dual_coef_=kinds.table("machines", "support"),
        records_=kinds.each(number_records.kind_of(MarginRecord, SIGNED), "machines"),
        intercept_=kinds.floats("machines"),
        gamma_=kinds.amount,
        kernel_=kinds.instance(Kernel),
        support_=kinds.counts("support"),
        support_vectors_=kinds.examples(),
    )
    earlier_state: ClassVar[Any] = {"facts_": number_records.read_rows(MarginRecord)}
    later_state: ClassVar[Any] = {
        **Settled.later_state,
        "kernel_": lambda model: as_kernel(
            model.kernel,
            gamma=model.gamma_ or model.gamma,
            degree=model.degree,
            coef0=model.coef0,
            X=None,
        ),
    }
    settings: ClassVar[tuple[str, ...]] = ("C", "tol")

    #: To which the search goes at least where nothing holds the variables.
    _hard_tolerance: ClassVar[float] = HARD_TOLERANCE

    accepted: ClassVar[Mapping[str, Accepted]] = {"verbose": ANYTHING}

    records_: list[MarginRecord]
    dual_coef_: Any

    tol: float
    C: float
    shrinking: bool
    cache_size: float
    max_iter: int

    def _require_parameters(self) -> None:
        require_accepted(self)
        require(_real(self.C) and self.C > 0, "C", "a number above zero", self.C)
        require(_real(self.tol) and 0 < self.tol < math.inf, "tol", "a number above zero", self.tol)
        size = self.cache_size
        require(_real(size) and 0 < size < math.inf, "cache_size", "a number above zero", size)
        most: Any = self.max_iter
        count = isinstance(most, int | np.integer) and bool(most >= -1)
        require(count, "max_iter", "-1 for no limit, or a count", most)

    def _rows(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> tuple[Any, Any, Floats]:
        """The examples, their labels and their weights."""
        X, y = read_sample(self, X, y, dtype=[np.float64, np.float32], **how)
        if sample_weight is None:
            return X, np.asarray(y), np.ones(shape_of(X)[0])
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, allow_all_zero_weights=True
        )
        weights = np.maximum(weights, 0.0)
        if not weights.any():
            raise BadData("Invalid input - all samples have zero or negative weights.")
        return X, np.asarray(y), weights

    def _looked_at(self, X: Any) -> Kernel:
        self.kernel_ = kernel = super()._looked_at(X)
        self.gamma_ = float(getattr(kernel, "gamma", 0.0))
        return kernel

    @property
    def _gamma(self) -> float:
        """The same by the name that tools for scikit-learn's machines look for."""
        return self.gamma_

    def _gram(self, kernel: Kernel, X: Any) -> Gram:
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= _FEW_CELLS:
            X = X.toarray()  # so that the search goes the way that it goes on dense rows
        return Gram(kernel, X, single=self._in_single(X.shape[0]))

    def _in_single(self, rows: int) -> bool:
        """Whether kernel values of so many examples are kept in single precision."""
        return _in_single(rows, self.C)

    @property
    def _tolerance(self) -> float:
        return self._tolerance_of(self.tol, self.C)

    def _tolerance_of(self, tol: float, C: float) -> float:
        return tol if math.isfinite(C) else min(tol, self._hard_tolerance)

    def _search(self, dual: Dual, gram: Gram, **start: Any) -> Optimum:
        return solve(
            dual,
            gram,
            tolerance=self._tolerance,
            most_steps=self.max_iter,
            room=1e6 * self.cache_size,
            shrinking=bool(self.shrinking),
            **start,
        )

    def _solve(self, dual: Dual, gram: Gram) -> tuple[Optimum, float]:
        """Where the search ended, and the intercept."""
        best = self._search(dual, gram)
        if best.gap > self._tolerance:
            warnings.warn(
                f"{type(self).__name__} stopped before the KKT conditions hold to {self._tolerance:g}: they fail by "
                f"{best.gap:.2g}. Scale the features, or raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return best, bias_of(dual, best)

    def _keep(self, X: Any, coefficients: Floats, intercepts: list[float], codes: Ints) -> None:
        """Hold on to the support vectors, class by class, and to what each machine makes of them."""
        support = np.flatnonzero((coefficients != 0).any(axis=0))
        self.support_ = support = support[np.argsort(codes[support], kind="stable")]
        coefficients = np.ascontiguousarray(coefficients[:, support])
        self.intercept_ = np.array(intercepts)
        precomputed = isinstance(self.kernel_, Precomputed)
        sparse_rows = sparse.issparse(X) and not precomputed
        self.dual_coef_ = sparse.csr_matrix(coefficients) if sparse_rows else coefficients
        self.support_vectors_ = X[:0, :0] if precomputed else X[support]
        if sparse.issparse(self.support_vectors_):
            self.support_vectors_.sort_indices()

    @property
    def coef_(self) -> Any:
        """The weights of the features, one row for each machine; only with the linear kernel.

        Sparse where the rows of the sample were. They follow from the support vectors, so nobody can write them over.
        """
        check_is_fitted(self, "dual_coef_")
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self.dual_coef_ @ self.support_vectors_
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    @property
    def _dual(self) -> Floats:
        """The coefficients of the support vectors as an array."""
        dual = self.dual_coef_
        return np.asarray(dual.toarray() if sparse.issparse(dual) else dual)

    @property
    def _weights(self) -> Floats:
        """The weights of the features as an array."""
        return np.asarray(self._dual @ self.support_vectors_)

    @property
    def fit_status_(self) -> int:
        """Zero, or one where a search stopped before the KKT conditions hold to `tol`."""
        used = self.settings_
        tolerance = self._tolerance_of(used["tol"], used["C"])
        return int(any(record.residual > tolerance for record in self._records))

    def _scores(self, X: Any) -> Floats:
        """The scores of all machines, one column each."""
        check_is_fitted(self, "dual_coef_")
        X = read_examples(self, X, dtype=[np.float64, np.float32])
        kernel = self.kernel_
        if isinstance(kernel, Linear):
            sums = np.asarray(X @ self._weights.T)
        elif isinstance(kernel, Precomputed):
            sums = np.asarray(X[:, self.support_] @ self._dual.T)
        else:
            sums = scores(kernel, X, self.support_vectors_, self._dual)
        return np.asarray(sums + self.intercept_)

    def _has_support_in(self, X: Any) -> bool:
        """Whether the support vectors are where they were in the sample."""
        rows, features = shape_of(X)
        if features != self.n_features_in_ or self.support_.max(initial=-1) >= rows:
            return False
        if not self.support_vectors_.shape[0]:
            return True
        return bool((X[self.support_] != self.support_vectors_).sum() == 0)

    def _hold(self, records: list[MarginRecord]) -> None:
        self.records_ = [number_records.plain(record) for record in records]
        self._hold_settings()

    @property
    def _records(self) -> list[MarginRecord]:
        check_is_fitted(self, "records_")
        return list(self.records_)

    def _machines(self, weights: Any, **shared: Any) -> list[SupportMachineRecord]:
        """The records of all machines, with their intercepts and what they share."""
        used = self.settings_
        tolerance = self._tolerance_of(used["tol"], used["C"])
        machines = zip(self._records, self._dual, self.intercept_.tolist(), weights, strict=True)
        made = []
        for record, beta, bias, w in machines:
            single = _in_single(record.rows, used["C"])
            if single:
                record = tightened(record, self.kernel_, self.support_vectors_, beta, bias)
            made.append(
                SupportMachineRecord(
                    **vars(record),
                    cost=used["C"],
                    tolerance=tolerance,
                    bias=bias,
                    weights=w,
                    double=not single,
                    kernel=self.kernel_,
                    defect=getattr(self, "defect_", None),
                    **shared,
                )
            )
        return made

    @property
    def n_iter_(self) -> Any:
        """The working sets solved."""
        return max(1, max(record.passes for record in self._records))

    def _require_state(self) -> None:
        """Refuse, in a model file, support vectors that do not fit the kernel."""
        precomputed, width = isinstance(self.kernel_, Precomputed), self.n_features_in_
        shape = (0, 0) if precomputed else (len(self.support_), width)
        fits = shape_of(self.support_vectors_) == shape
        fits = fits and are_strings(self.support_vectors_) == takes_strings(self.kernel_)
        if not fits or (precomputed and self.support_.max(initial=-1) >= width):
            raise ValueError("its support vectors do not fit its kernel")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and not tags.input_tags.pairwise
        return tags


def _in_single(rows: int, C: float) -> bool:
    return rows > _DOUBLE and math.isfinite(C)


def tightened(
    record: MarginRecord, kernel: Kernel, vectors: Any, beta: Floats, bias: float
) -> MarginRecord:
    """The record with the terms of support vectors between their bounds computed in double precision."""
    if isinstance(kernel, Precomputed) or not record.rounding:
        return record
    some = np.flatnonzero(beta)
    picked = vectors[some]
    squares = np.asarray(kernel.diagonal(picked), dtype=np.float64)
    terms = free_terms(kernel, picked, beta[some], bias, record.price, squares)
    rounding = min(max(0.0, record.settled + terms - record.gap), record.rounding)
    # The largest term was one of single precision, too.
    return replace(record, rounding=rounding, slack=min(record.slack, record.gap + rounding))


def _real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def bias_of(dual: Dual, best: Optimum) -> float:
    """The intercept: the mean violation of the variables between their bounds, else the middle of its interval."""
    free = (best.beta > dual.lower) & (best.beta < dual.upper)
    if free.any():
        v = dual.target[free] - best.scores[dual.row[free]]
        return float(v.mean())
    ends = [end for end in (best.high, best.low) if math.isfinite(end)]
    return float(np.mean(ends)) if ends else 0.0


def record_from(
    dual: Dual,
    best: Optimum,
    bias: float,
    losses: Callable[[Floats], Floats],
    caps: Floats,
    gram: Gram,
    *,
    least: float = 0.0,
    later: bool = False,
) -> MarginRecord:
    """Both objectives at the solution found; the hard margin's losses are what rounding left.

    What single precision does to the scores of support vectors between their bounds may be left for `later`.
    """
    n = len(best.scores)
    weights = np.bincount(dual.row, best.beta, minlength=n)
    square = max(0.0, float(weights @ best.scores))
    lost = losses(best.scores + bias)
    bounded = np.isfinite(caps)
    cost = float(caps[bounded] @ lost[bounded])
    at_bound = np.isfinite(dual.upper - dual.lower) & (best.beta != 0)
    at_bound &= (best.beta == dual.lower) | (best.beta == dual.upper)
    primal, value = 0.5 * square + cost, float(dual.target @ best.beta) - 0.5 * square
    proven = proven_gap(dual, best, gram, bias, losses, caps, later=later)
    known = math.isfinite(proven.excess)
    return MarginRecord(
        rows=n,
        support=int(np.count_nonzero(weights)),
        bounded=int(np.count_nonzero(at_bound)),
        primal=primal,
        dual=value,
        residual=best.gap,
        norm=math.sqrt(square),
        least=least,
        steps=best.steps,
        passes=best.rounds,
        slack=proven.slack if known else 0.0,
        rounding=max(0.0, proven.excess - max(0.0, primal - value)) if known else 0.0,
        floor=proven.floor,
        settled=proven.settled,
        price=float(caps.max()) if bounded.all() else 0.0,
        radius=math.sqrt(max(0.0, float(gram.diagonal.max(initial=0.0)))) * (1 + 1e-12),
    )
