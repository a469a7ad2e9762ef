"""Ridge regression on polynomials or waves, of a degree found by structural risk minimisation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import ridge_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.linear.ridge import EARLIER_RIDGE, RIDGE_RECORD, Ridge
from assay.learners.registry import register
from assay.types import Floats


@register(
    "basis-ridge",
    use="a quantity that is a sum of curves",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False, kw_only=True)
class BasisRidge(CertifiedQuantity, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Ridge regression on functions of each feature: :math:`f(x)=b+\sum_j\sum_{k\le n}w_{jk}\,\phi_k(x_j)`.

    The classes of degree 1, 2, 3, ... contain one another. Structural risk minimisation takes the degree whose
    training error, times a factor that grows with the number of functions h and falls with the number of rows m, is
    least: the mean square over :math:`1-\sqrt{p-p\ln p+\frac{\ln m}{2m}}` with :math:`p=h/m`, and infinity where
    that is not above zero. The factor is a practical form of a bound on the risk; it chooses, and promises nothing.

    Parameters
    ----------
    basis : {"polynomial", "trigonometric"}, default="polynomial"
        Polynomials (Legendre's, on the range of each feature), or sines and cosines.
    degree : int or "srm", default="srm"
        The degree of the polynomials, or how many waves; ``"srm"``: by structural risk minimisation.
    max_degree : int, default=10
        The largest degree that is tried.
    alpha : float, default=1e-6
        The weight of the penalty on the sum of squared weights.
    period : float or None, default=None
        After how much of a feature the waves come back; None: after twice its range, so that both ends are free.

    Attributes
    ----------
    degree_ : int
    risks_ : array
        The criterion of each degree from 1 on; of a given degree alone, if one was given.
    coef_ : array
        The weights of the functions: all those of the first feature, then of the second.
    intercept_ : float
    low_, high_ : array
        The range of each feature.
    record_ : RidgeRecord
        How far the weights can be from the best ones.

    References
    ----------
    .. [1] Vapnik (1998). Statistical learning theory.
    .. [2] Cherkassky, Shao, Mulier & Vapnik (1999). Model complexity control for regression using VC
       generalization bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import BasisRidge
    >>> x = np.linspace(-1, 1, 40)
    >>> model = BasisRidge().fit(x[:, None], x**3 - x)
    >>> model.degree_, round(model.predict([[0.5]]).item(), 5)
    (3, -0.375)
    """

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    #: What a fit leaves, all of it or nothing.
    state = kinds.declare(
        coef_=kinds.floats(),
        intercept_=kinds.finite,
        degree_=kinds.whole(1),
        risks_=kinds.array("<f8", least=0),
        low_=kinds.floats("n_features_in_"),
        high_=kinds.floats("n_features_in_"),
        record_=RIDGE_RECORD,
    )
    earlier_state: ClassVar[Any] = EARLIER_RIDGE

    basis: Literal["polynomial", "trigonometric"] = "polynomial"
    degree: int | Literal["srm"] = "srm"
    max_degree: int = 10
    alpha: float = 1e-6
    period: float | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BasisRidge:
        """Choose the degree and find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's square: a row of weight 2 counts as two rows.

        Returns
        -------
        self
        """
        degrees = self._degrees()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        X = _dense(X)
        y = np.asarray(y, dtype=np.float64)
        weights = row_weights(sample_weight, Rows.of(X))
        kept = weights > 0
        X, y, weights = X[kept], y[kept], weights[kept]
        rows = float(weights.sum())
        self.low_, self.high_ = X.min(axis=0), X.max(axis=0)
        best: tuple[float, int, Ridge] | None = None
        risks = []
        for degree in degrees:
            features = self._features(X, degree)
            model = Ridge(self.alpha).fit(features, y, weights)
            mean = float(weights @ (y - model.predict(features)) ** 2) / rows
            risks.append(srm_risk(mean, rows, features.shape[1] + 1))
            if best is None or risks[-1] < best[0]:
                best = risks[-1], degree, model
        assert best is not None
        self.risks_ = np.array(risks)
        self.degree_, model = best[1], best[2]
        self.coef_, self.intercept_ = model.coef_, float(model.intercept_)
        self.record_ = model.record_
        return self

    def _degrees(self) -> list[int]:
        """The degrees to try; refuses parameters that make no sense."""
        bases = ("polynomial", "trigonometric")
        known = self.basis in bases
        require(known, "basis", "'polynomial' or 'trigonometric'", self.basis)
        free = self.period is None
        fine = free or (isinstance(self.period, float | int) and 0 < self.period < math.inf)
        require(fine, "period", "a finite number above zero, or None", self.period)
        if self.degree == "srm":
            most = self.max_degree
            require(_is_degree(most), "max_degree", "a whole number of at least 1", most)
            return list(range(1, most + 1))
        must = "a whole number of at least 1, or 'srm'"
        require(_is_degree(self.degree), "degree", must, self.degree)
        return [int(self.degree)]

    def _features(self, X: Floats, degree: int) -> Floats:
        """The functions of every feature, those of one feature side by side."""
        with np.errstate(over="ignore"):
            spread = self.high_ - self.low_
        wide = np.where(np.isfinite(spread) & (spread > 0), spread, 1.0)
        if self.basis == "polynomial":
            place = 2 * (X - self.low_) / wide - 1
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                values = np.polynomial.legendre.legvander(place, degree)[:, :, 1:]
        else:
            turns = (X - self.low_) / (2 * wide if self.period is None else self.period)
            angles = 2 * np.pi * turns[:, :, None] * np.arange(1, degree + 1)
            values = np.concatenate([np.cos(angles), np.sin(angles)], axis=2)
        features = values.reshape(len(X), -1)
        if not np.isfinite(features).all():
            raise BadParameter(
                "A polynomial of these rows is too large for a number: they lie too far outside the range "
                "that was learned from."
            )
        return np.asarray(features)

    def predict(self, X: Any) -> Floats:
        """The predicted number of every row."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return np.asarray(self._features(_dense(X), self.degree_) @ self.coef_ + self.intercept_)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective is above the least possible for this degree (``ridge-primal-dual``)."""
        return ridge_guarantees(self.record_) if hasattr(self, "record_") else []

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _require_state(self) -> None:
        width = self.degree_ * (1 if self.basis == "polynomial" else 2) * self.n_features_in_
        if len(self.coef_) != width:
            raise ValueError("its weights do not fit its functions")


def _dense(X: Any) -> Floats:
    # Functions of zero are not zero: there is nothing to gain from sparse rows.
    return np.asarray(X.toarray() if sparse.issparse(X) else X)


def _is_degree(value: Any) -> bool:
    counts = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return counts and bool(value >= 1)


def srm_risk(mean: float, rows: float, functions: int) -> float:
    """The mean square times the factor for so many functions; infinite where they are too many.

    Examples
    --------
    >>> round(srm_risk(1.0, 100, 5), 4), srm_risk(1.0, 5, 5)
    (1.894, inf)
    """
    share = functions / rows
    if share >= 1:
        return math.inf
    room = 1 - math.sqrt(share - share * math.log(share) + math.log(rows) / (2 * rows))
    return mean / room if room > 0 else math.inf
