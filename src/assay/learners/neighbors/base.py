"""What the rules of nearest neighbours share: reading a sample, searching it, model files."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, require
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import forget
from assay.learners.common.guaranteed import Guaranteed
from assay.learners.common.jobs import workers_of
from assay.learners.common.number_kinds import is_count
from assay.learners.common.settings import OWN
from assay.learners.neighbors.choose import Index, make_index
from assay.learners.neighbors.lists import each_list, owners
from assay.learners.neighbors.metric import (
    CHEBYSHEV,
    COSINE,
    MAHALANOBIS,
    MINKOWSKI,
    NAMES,
    PRECOMPUTED,
    inverse_covariance,
    metric_named,
    require_metric_params,
)
from assay.learners.neighbors.pairwise_index import OtherSpace, PairwiseIndex
from assay.learners.neighbors.space import Space, require_sizes
from assay.learners.neighbors.tree_index import Found, TreeIndex
from assay.types import Array, Bools, Floats, Ints

# How rows are read.
_ROWS: Any = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


@dataclass(eq=False, repr=False, kw_only=True)
class NeighborsModel(Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the learners that keep all examples and look for the nearest."""

    state = kinds.declare(
        X_fit_=kinds.table("rows", "n_features_in_").where(lambda X: min(X.shape) > 0),
        effective_metric_=kinds.text,
        algorithm_=kinds.one_of("kd_tree", "brute"),
        VI_=kinds.maybe(
            kinds.numbers("n_features_in_", "n_features_in_").where(lambda VI: (VI == VI.T).all())
        ),
        distance_given_=kinds.flag,
        distance_norm_=kinds.flag,
    )
    later_state: ClassVar[Any] = {
        "distance_given_": lambda model: model._has_given_distance(),
        "distance_norm_": lambda model: model._has_norm(),
    }

    weights: Any = "uniform"
    algorithm: str = "auto"
    leaf_size: int = 30
    p: float = 2
    metric: Any = "minkowski"
    metric_params: Any = None
    n_jobs: int | None = None

    def _require_parameters(self) -> str:
        """Refuse parameters that make no sense; the name of the metric."""
        name = metric_named(self.metric, self.p, self.metric_params)
        require_metric_params(name, self.metric_params)
        fine = self.weights in (None, "uniform", "distance") or callable(self.weights)
        require(fine, "weights", "'uniform', 'distance', None or a function", self.weights)
        known = self.algorithm in ("auto", "kd_tree", "ball_tree", "brute")
        must = "'auto', 'kd_tree', 'ball_tree' or 'brute'"
        require(known, "algorithm", must, self.algorithm)
        fine = is_count(self.leaf_size)
        require(fine, "leaf_size", "a whole number of at least 1", self.leaf_size)
        workers_of(self.n_jobs)
        return name

    def _read(self, X: Any, y: Any, **how: Any) -> tuple[Any, Array]:
        forget(self)
        X, y = validate_data(self, X, y, **self._cells_asked, **how)
        return X, np.asarray(y)

    def _read_rows(self, X: Any, y: Any) -> Any:
        if y is None:
            raise BadData(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        forget(self)
        return validate_data(self, X, **self._cells_asked)

    @property
    def _cells_asked(self) -> Any:
        """How rows are read: any cells for a function, NaN for the distance that knows it."""
        name = self.metric if isinstance(self.metric, str) else OWN
        if name == "nan_euclidean":
            return {**_ROWS, "ensure_all_finite": "allow-nan"}
        return _ROWS

    def _keep(self, name: str, X: Any) -> None:
        """Keep the examples, and find out how to search them."""
        if sparse.issparse(X) and name == MAHALANOBIS:
            raise BadData(
                "The Mahalanobis distance mixes all features, so sparse rows are not supported. Make them dense, "
                "or choose another metric."
            )
        if sparse.issparse(X) and self.algorithm == "kd_tree":
            warnings.warn(
                "A kd-tree needs dense rows; these are sparse, and all of them are looked at.",
                stacklevel=3,
            )
        X = X.copy()
        if name not in NAMES:
            self._keep_other(name, X)
            return
        require_sizes(X)
        VI = inverse_covariance(X, self.metric_params) if name == MAHALANOBIS else None
        index = self._make_index(Space(name, X, VI), self.algorithm)
        if VI is not None:
            self.VI_ = VI
        self.effective_metric_, self.X_fit_, self._index = name, X, index
        self.algorithm_ = "kd_tree" if isinstance(index, TreeIndex) else "brute"
        self._hold_distance()

    def _keep_other(self, name: str, X: Any) -> None:
        """Keep examples that are compared by any other distance: all of them are looked at."""
        self.effective_metric_, self.X_fit_, self.algorithm_ = name, X, "brute"
        self._index = self._other_index()
        self._hold_distance()

    def _other_index(self) -> PairwiseIndex:
        name = self.effective_metric_
        given = dict(self.metric_params or {})
        if name == MINKOWSKI:
            given.setdefault("p", self.p)
        metric = self.metric if name == OWN else name
        return PairwiseIndex(OtherSpace(metric, self.X_fit_, given))

    def _make_index(self, space: Space, algorithm: Any) -> Index:
        algorithm = "auto" if algorithm == "ball_tree" else algorithm
        return make_index(space, algorithm, int(self.leaf_size), self._usual_count)

    @property
    def _usual_count(self) -> int:
        return 5

    @property
    def _search(self) -> Index:
        # A model file has the examples only.
        if "_index" not in vars(self) and self.effective_metric_ not in NAMES:
            self._index = self._other_index()
        if "_index" not in vars(self):
            space = Space(self.effective_metric_, self.X_fit_, getattr(self, "VI_", None))
            self._index = self._make_index(space, self.algorithm_)
        return self._index

    @property
    def n_samples_fit_(self) -> int:
        """How many examples are kept."""
        check_is_fitted(self, "X_fit_")
        return int(self.X_fit_.shape[0])

    @property
    def _fit_X(self) -> Any:
        """The examples, by the name under which scikit-learn's functions of neighbours ask for them."""
        return self._asked(None)

    def _asked(self, X: Any) -> Any:
        check_is_fitted(self, "X_fit_")
        if X is None:
            return self.X_fit_
        return validate_data(self, X, reset=False, **self._cells_asked)

    @property
    def effective_metric_params_(self) -> dict[str, Any]:
        """The parameters of the distance."""
        check_is_fitted(self, "X_fit_")
        given = dict(self.metric_params or {})
        return {"p": self.p, **given} if self.effective_metric_ == MINKOWSKI else given

    def _nearest(self, X: Any, k: int) -> tuple[Floats, Ints]:
        """Distances and rows of the k nearest; without X those of each example, itself left out."""
        asked, index = self._asked(X), self._search
        most = self.n_samples_fit_ - (X is None)
        hint = "An example is not its own neighbour." if X is None else ""
        what = "the number of rows" if X is not None else "the number of other rows"
        require(k <= most, "n_neighbors", f"at most {what}, {most}", k, hint)
        k += X is None
        examples, directionless = index.space.examples(asked)
        values, rows = index.nearest(examples, k, workers_of(self.n_jobs))
        distances = index.space.distances(values)
        if directionless is not None:
            distances[directionless], rows[directionless] = 1.0, np.arange(k)
        return _without_self(distances, rows) if X is None else (distances, rows)

    def _within(self, X: Any, radius: float) -> Found:
        """How many rows lie within the radius, their distances, and they themselves, in the order of the rows."""
        asked, index = self._asked(X), self._search
        examples, directionless = index.space.examples(asked)
        limit = index.space.limit(radius)
        many, values, rows = index.within(examples, limit, workers_of(self.n_jobs))
        distances = index.space.distances(values)
        if directionless is not None:
            many, distances, rows = _all_at_one(many, distances, rows, directionless, index, radius)
        if X is None:
            who = owners(many)
            others = rows != who
            many = np.bincount(who[others], minlength=len(many))
            distances, rows = distances[others], rows[others]
        return many, distances, rows

    @property
    def _equal_votes(self) -> bool:
        return self.weights is None or (isinstance(self.weights, str) and self.weights == "uniform")

    @property
    def _made_from_rows(self) -> str:
        """Why the distance was not fixed before the rows were seen, if it was not."""
        # What parameters say now may have been said after the rows were seen.
        if self.distance_given_:
            return ""
        if self.effective_metric_ == PRECOMPUTED:
            return "distances were computed beforehand, and may have been made from the rows"
        if self.effective_metric_ == MAHALANOBIS:
            return "the distance was made from the covariance of the rows"
        return "the distance was made from the variances of the rows"

    def _hold_distance(self) -> None:
        """Hold on to what theorems ask of the distance of this fit."""
        self.distance_given_, self.distance_norm_ = self._has_given_distance(), self._has_norm()

    def _has_norm(self) -> bool:
        if self.effective_metric_ == MINKOWSKI:
            return bool(self.effective_metric_params_["p"] >= 1)
        return self.effective_metric_ in (*NAMES, CHEBYSHEV)

    def _has_given_distance(self) -> bool:
        given = self.metric_params
        if self.effective_metric_ == PRECOMPUTED:
            return False
        if self.effective_metric_ == "seuclidean":
            return "V" in (given or {})
        return self.effective_metric_ != MAHALANOBIS or (
            bool(given) and np.array_equal(inverse_covariance(self.X_fit_, given), self.VI_)
        )

    @property
    def _no_norm(self) -> str:
        """Why the distance is not that of a fixed norm, if it is not."""
        if self.effective_metric_ == COSINE:
            return "cosines do not tell rows of the same direction apart"
        unknown = "the distance is not known to be a norm's"
        return self._made_from_rows or ("" if self.distance_norm_ else unknown)

    def _require_state(self) -> None:
        """Refuse, in a model file, examples that do not fit the metric."""
        name = metric_named(self.metric, self.p, self.metric_params)
        if (name in NAMES) != (self.effective_metric_ in NAMES) or OWN in (
            name,
            self.effective_metric_,
        ):
            raise ValueError("its distance is not that of its parameters")
        if name not in NAMES:
            if name != self.effective_metric_ or self.algorithm_ != "brute" or hasattr(self, "VI_"):
                raise ValueError("its examples do not fit its metric")
            self._require_parameters()
            self._other_index()
            return
        mixed = self.effective_metric_ == MAHALANOBIS
        if mixed != hasattr(self, "VI_"):
            raise ValueError("its matrix does not fit its metric")
        if sparse.issparse(self.X_fit_) and (mixed or self.algorithm_ == "kd_tree"):
            raise ValueError("its examples do not fit its metric")
        self._require_parameters()
        Space(self.effective_metric_, self.X_fit_, getattr(self, "VI_", None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        name = self.metric if isinstance(self.metric, str) else OWN
        tags.input_tags.sparse = name != MAHALANOBIS
        tags.input_tags.pairwise = name == PRECOMPUTED
        tags.input_tags.allow_nan = name == "nan_euclidean"
        return tags


def require_mode(mode: Any) -> None:
    """Refuse a kind of graph that there is not."""
    known = mode in ("connectivity", "distance")
    require(known, "mode", "'connectivity' or 'distance'", mode)


def _without_self(distances: Floats, rows: Ints) -> tuple[Floats, Ints]:
    """Leave out each example itself; where as many others are as near and came first, the last one."""
    itself = rows == np.arange(len(rows))[:, None]
    itself[~itself.any(axis=1), -1] = True
    shape = (len(rows), rows.shape[1] - 1)
    return distances[~itself].reshape(shape), rows[~itself].reshape(shape)


def _all_at_one(
    many: Ints, distances: Floats, rows: Ints, directionless: Bools, index: Index, radius: float
) -> Found:
    """Examples without a direction are at distance one from all rows."""
    far, near = each_list(distances, many), each_list(rows, many)
    n = len(index.space) if radius >= 1 else 0
    for i in np.flatnonzero(directionless):
        far[i], near[i] = np.ones(n), np.arange(n)
    counts = np.where(directionless, n, many)
    return counts, np.concatenate(list(far)), np.concatenate(list(near))
