"""What random forests share: parameters, growth, prediction, rows left out, model files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from assay.errors import BadData, require
from assay.learners.common import kinds
from assay.learners.common.jobs import in_threads, told, workers_of
from assay.learners.common.number_kinds import is_whole
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.target import column_or_columns
from assay.learners.common.written_out import require_room, summed, written_out
from assay.learners.ensembles.aimed_grower import AimedGrower, keys_of_rows
from assay.learners.ensembles.columns import Columns, binned, ranked
from assay.learners.ensembles.forest_parameters import (
    GrowthParameters,
    forest_limits,
    require_forest,
)
from assay.learners.ensembles.grower import Bags, Grower
from assay.learners.ensembles.left_out_promises import LeftOutRecord
from assay.learners.ensembles.member_trees import MemberTrees
from assay.learners.ensembles.out_of_bag import LeftOut, gathered, judge_grove, record_of
from assay.learners.ensembles.packed_forest import Grove
from assay.learners.ensembles.warm_start import require_same_sample, sample_digest
from assay.learners.trees.aims import Aims
from assay.learners.trees.directions import directions_of
from assay.learners.trees.limits import CRITERIA, CRITERIA_OF_NUMBERS
from assay.learners.trees.pruning import pruned
from assay.learners.trees.structure import NODES, Tree, sound
from assay.types import Array, Bools, Floats, Ints

# Above so many rows a part of them says where bins end; those are then left out of what out-of-bag rows promise.
_FEW_ROWS = 2048
_MOST_ROWS = 65_536
# How rows are read.
_CELLS: Any = {
    "dtype": np.float32,
    "order": "C",
    "accept_sparse": "csr",
    "ensure_all_finite": "allow-nan",
}
# Bytes of a cell's code, with those of its column's before the widest of all is known.
_CODE = 4
# Bytes of a cell where trees are grown as single ones are, with those of a bag's.
_KEY = 16
# What criteria are called that are others by another name.
_NAMES = {"log_loss": "entropy", "friedman_mse": "squared_error"}


class RandomForest(MemberTrees, LeftOutRecord, GrowthParameters, BaseEstimator):  # type: ignore[misc]
    """Base of the forests: trees from bags of rows, each cut being the best of some features."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        "a weight of two and a row that stands twice give a bag different chances, and so other trees",
    )

    state = kinds.declare(nodes_=kinds.entries(starts=kinds.counts(), **NODES))
    enough: ClassVar[tuple[str, ...]] = ("nodes_", "classes_")

    # Those that end the parameters, behind what some forests have of their own.
    features_per: Any
    max_bins: int | None
    max_samples: float | None
    ccp_alpha: float
    monotonic_cst: Any

    classes_: Any  # an array, or a list of them for several columns of y
    range_: Floats
    nodes_: dict[str, Array]
    _grove: Grove

    def _rows(self, X: Any, y: Any, *, numeric: bool) -> tuple[Any, Array]:
        require_forest(self)
        require_room(self, X, _CODE)
        if y is None:
            raise BadData(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        # What is too large for float32 becomes infinite, and that is refused.
        with np.errstate(over="ignore", invalid="ignore"):
            X = validate_data(self, summed(X), **_CELLS)
        target = column_or_columns(self, y, numeric=numeric)
        check_consistent_length(X, target)
        return X, target

    def _aims(self, y: Array, levels: tuple[int, ...], *, plain: bool) -> Aims | None:
        """What the trees aim at, where that is not one class or one mean; `plain` says it of the criterion."""
        width = self.n_features_in_
        rising = directions_of(self, width, np.zeros(width, bool))
        hint = "Fit a forest for each column of y."
        fine = y.ndim == 1 or not rising.any()
        require(fine, "monotonic_cst", "None where y has several columns", self.monotonic_cst, hint)
        hint = "Scores of several classes go up and down together."
        fine = levels in ((), (2,)) or not rising.any()
        require(fine, "monotonic_cst", "None for more than two classes", self.monotonic_cst, hint)
        if plain and y.ndim == 1 and not rising.any():
            return None
        must = "None with several columns of y, monotonic_cst, or criterion 'absolute_error' or 'poisson'"
        require(self.max_bins is None, "max_bins", must, self.max_bins)
        return Aims(levels, rising if rising.any() else rising[:0])

    def _weights(self, X: Any, sample_weight: Any) -> Floats | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (weights < 0).any():
            raise BadData("sample_weight must not be negative.")
        return np.asarray(weights)

    def _grow(
        self,
        X: Any,
        y: Array,
        classes: Any,
        weights: Floats | None,
        reweigh: Callable[[NDArray[np.int32]], Floats] | None = None,
        *,
        aims: Aims | None = None,
    ) -> Bags:
        """Grow the trees that are missing; y are numbers, or the numbers of classes."""
        rows, width = X.shape
        labels = [] if classes is None else classes if isinstance(classes, list) else [classes]
        levels = tuple(map(len, labels))
        limits, most = forest_limits(self, rows, width)
        workers, draws = workers_of(self.n_jobs), self._draws(rows)
        made = (draws, self.max_bins, reweigh is not None)
        asked = () if aims is None else (aims.rising,)
        told_apart = (None, y) if classes is None else (y, None)
        sample = sample_digest(X, *told_apart, classes, weights, *made, *asked)
        old = self._start(sum(levels) or y.size // rows, sample)
        bags = Bags(self.seed_, rows, draws)
        shared: dict[str, Any] = {
            "bags": bags,
            "weights": weights,
            "reweigh": reweigh,
            "most_features": most,
            "per_tree": self.features_per == "tree",
            "limits": limits,
        }
        grower: Grower | AimedGrower
        if aims is not None:
            grower = AimedGrower(
                keys=keys_of_rows(written_out(self, X, _KEY)),
                y=y.reshape(rows, -1),
                aims=aims,
                criterion=criterion_code(self),
                **shared,
            )
        else:
            grower = Grower(
                columns=self._columns(X, workers),
                label=None if classes is None else y,
                target=y if classes is None else None,
                outputs=sum(levels) or 1,
                criterion=_NAMES.get(self.criterion, self.criterion),
                **shared,
            )
        wanted = range(len(old), self.n_estimators)
        grown = in_threads(lambda number: self._priced(grower.grow(number)), wanted, workers)
        name = type(self).__name__
        new = list(told(grown, len(wanted), name, "trees", int(self.verbose)))
        self._grove = Grove.of([*old, *new], levels) if new else self.grove
        self.nodes_ = self._grove.arrays
        self.rows_, self.draws_, self.replacement_ = rows, draws, bool(self.bootstrap)
        self.sample_, self.depends_on_ = sample, self._depends_on(rows, weights)
        return bags

    def _priced(self, tree: Tree) -> Tree:
        return pruned(tree, float(self.ccp_alpha)) if self.ccp_alpha > 0 else tree

    def _depends_on(self, rows: int, weights: Any) -> str:
        """What trees depend on besides the rows of their bags."""
        if self.max_bins is not None and rows <= _FEW_ROWS:
            return "bins"
        return "bag" if weights is None else "weights"

    def _start(self, outputs: int, sample: str) -> list[Tree]:
        """The trees that are kept from an earlier fit; without any, a new seed."""
        old: list[Tree] = []
        if self.warm_start and hasattr(self, "nodes_"):
            old, had = self.grove.trees, self.grove.value.shape[1]
            if had != outputs:
                raise BadData(f"warm_start goes on with {had} classes, but y holds {outputs}.")
            must = f"at least the {len(old)} that are fitted"
            require(self.n_estimators >= len(old), "n_estimators", must, self.n_estimators)
            require_same_sample(self.sample_, sample)
        else:
            self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        for name in ("records_", "oob_score_", "oob_decision_function_", "oob_prediction_"):
            if hasattr(self, name):
                delattr(self, name)
        return old

    def _draws(self, rows: int) -> int:
        if not self.bootstrap:
            return 0
        most = self.max_samples
        if most is None:
            return rows
        return int(most) if is_whole(most) else max(round(rows * most), 1)

    def _bin_rows(self, rows: int) -> Ints:
        """The rows that say where bins end: all of few, else a quarter, drawn by the seed."""
        if self.max_bins is None:
            return np.zeros(0, np.int64)
        if rows <= _FEW_ROWS:
            return np.arange(rows)
        many = min(max(_FEW_ROWS, rows // 4), _MOST_ROWS)
        chosen = np.random.default_rng([self.seed_, 1]).choice(rows, many, replace=False)
        return np.sort(chosen)

    def _columns(self, X: Any, workers: int) -> Columns:
        if self.max_bins is None:
            return ranked(X, workers)
        return binned(X, int(self.max_bins), self._bin_rows(X.shape[0]), workers)

    def _judge(
        self,
        X: Any,
        label: NDArray[np.int32] | None,
        target: Floats | None,
        bags: Bags,
        miss: Callable[[Floats, Bools], float],
    ) -> Floats:
        """What trees say of rows they did not see, after keeping the record of it."""
        rows = X.shape[0]
        left_out = LeftOut.of((bags.draw(t)[1] for t in range(len(self.grove))), rows)
        counts = np.ones(rows, bool)
        if rows > _FEW_ROWS:  # else no row is left that had no say in bins, and no promise is made
            counts[self._bin_rows(rows)] = False
        judge = judge_grove(self.grove, left_out, X, label, target)
        workers = workers_of(self.n_jobs)
        members, pairs = len(self.grove), target is None
        votes, sums = gathered(judge, members, counts, pairs=pairs, workers=workers)
        voted = ~np.isnan(votes[:, 0])
        self._warn_of_few(voted)
        counted, many = int(counts.sum()), int(voted.sum())
        record = record_of(sums, rows=rows, counted=counted, voted=many, errors=miss(votes, voted))
        self._keep_record(record)
        return votes

    def _left_out_votes(self, X: Any, bags: Bags) -> tuple[Floats, Bools]:
        """What trees say of rows they did not see, without keeping a record, and which rows some tree did not see."""
        grove, rows = self.grove, X.shape[0]
        total, many = np.zeros((rows, grove.value.shape[1])), np.zeros(rows)
        for number, tree in enumerate(grove.trees):
            left = np.flatnonzero(bags.draw(number)[1] == 0)
            cells = X[left].toarray() if sparse.issparse(X) else X[left]
            total[left] += grove.shares[grove.starts[number] + tree.leaf_of(cells)]
            many[left] += 1
        self._warn_of_few(many > 0)
        with np.errstate(invalid="ignore"):
            return total / many[:, None], many > 0

    def _warn_of_few(self, voted: Bools) -> None:
        if not voted.all():
            warnings.warn(
                f"{int((~voted).sum())} rows are in the bag of every tree, and have no out-of-bag prediction: there "
                "are too few trees for one.",
                UserWarning,
                stacklevel=5,
            )

    @property
    def grove(self) -> Grove:
        """The trees in one piece."""
        check_is_fitted(self, "nodes_")
        return self._grove if hasattr(self, "_grove") else Grove(**self.nodes_, levels=self._levels)

    @property
    def _labels(self) -> list[Array]:
        """The labels of each column of y; none of numbers."""
        labels = getattr(self, "classes_", [])
        return labels if isinstance(labels, list) else [labels]

    @property
    def _levels(self) -> tuple[int, ...]:
        return tuple(map(len, self._labels))

    @property
    def n_outputs_(self) -> int:
        """How many columns y had."""
        check_is_fitted(self, "nodes_")
        return len(self._labels) or int(self.nodes_["value"].shape[1])

    def _asked(self, X: Any) -> Any:
        check_is_fitted(self, "nodes_")
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(self, summed(X), reset=False, **_CELLS)

    def _votes(self, X: Any) -> Floats:
        return self.grove.votes(self._asked(X), workers_of(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf that each row ends in, of every tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_trees)
        """
        return self.grove.leaves(self._asked(X), workers_of(self.n_jobs))

    @property
    def trees_(self) -> list[Tree]:
        """The trees, each as plain arrays."""
        return self.grove.trees

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of impurity; they sum to one, unless no tree has a cut."""
        return self.grove.importances(self.n_features_in_)

    @property
    def _members(self) -> int:
        return len(self.grove)

    def _require_state(self) -> None:
        """Refuse, in a model file, trees that lead nowhere."""
        outputs = sum(self._levels) or self.nodes_["value"].shape[1]
        sound(outputs > 0, "its trees say nothing")
        self._grove = Grove(**self.nodes_, levels=self._levels)
        self._grove.require_sound(self.n_features_in_, outputs)
        super()._require_state()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


def criterion_code(model: Any) -> int:
    """The criterion of a forest as the grower of single trees knows it."""
    return {**CRITERIA, **CRITERIA_OF_NUMBERS}[model.criterion]
