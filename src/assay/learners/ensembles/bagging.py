"""Bagging: a vote of copies of one learner, each fitted to a bag of rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from assay.compiled.ensembles.forest_bag import draw_features
from assay.compiled.ensembles.forest_node import below
from assay.errors import BadData, require
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.jobs import in_threads, told, workers_of
from assay.learners.common.number_kinds import is_whole
from assay.learners.common.remember import quietly
from assay.learners.common.sign_labels import classes_of
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.ensembles.forest_parameters import require_count, require_share
from assay.learners.ensembles.grower import Bags
from assay.learners.ensembles.left_out_promises import LeftOutVote
from assay.learners.ensembles.members import (
    SEEDS,
    OneLabel,
    require_weights,
    seeded,
    weights_of_bag,
)
from assay.learners.ensembles.out_of_bag import Judged, LeftOut, gathered, record_of
from assay.learners.ensembles.routed_members import RoutedMembers
from assay.learners.ensembles.warm_start import require_same_sample, sample_digest
from assay.learners.ensembles.weak_learners import codes_of, require_learner
from assay.learners.registry import is_own, register
from assay.types import Array, Floats, Ints, Words

# How rows are read.
_ROWS: Any = {"accept_sparse": ["csr", "csc"], "dtype": None, "ensure_all_finite": False}
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_DRAWN = (
    "a weight of two and a row that stands twice give a bag different chances, and so other members"
)


@register(
    "bagging-classifier",
    use="steadying another learner by many bags of rows",
    promise="tells how many rows a bag leaves out",
)
@dataclass(eq=False, repr=False)
class BaggingClassifier(RoutedMembers, LeftOutVote, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Fit a copy of a learner to each of several bags of rows, and predict :math:`\arg\max_c\frac1T\sum_tp_t(c|x)`.

    A member without probabilities gives its whole vote to one class. The rows that a bag leaves out are a holdout for
    its member, and bound the error of the vote (``out-of-bag-vote``), whatever the learner is; `oob_score_` is an
    estimate of it, and no promise.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner, of this library or any with `fit` and `predict` as in scikit-learn; None for
        `DecisionTreeClassifier`.
    n_estimators : int, default=10
        How many copies.
    max_samples, max_features : int or float, default=1.0
        How many rows and features each copy gets; as a share if a float. None is for all rows.
    bootstrap, bootstrap_features : bool, default=True and False
        Whether rows and features are drawn with replacement.
    oob_score : bool or callable, default=False
        Whether rows are judged by the members that did not see them; a function of truth and prediction takes the
        place of accuracy.
    warm_start : bool, default=False
        Whether `fit` keeps the members it has and adds those that are missing; sample and bags must be as before.
    n_jobs : int or None, default=None
        Threads, -1 for all processors. The result is the same for any number.
    random_state : int, RandomState or None, default=None
        Where bags come from, and the seeds of the copies.
    verbose : int, default=0
        1 to print about ten times how many members there are, 2 for each of them.

    Attributes
    ----------
    classes_ : array
        The labels.
    estimators_ : list of classifiers
        The members.
    estimators_features_ : list of arrays
        The features that each of them sees.
    oob_score_, oob_decision_function_, record_
        As `RandomForestClassifier` has them.

    References
    ----------
    .. [1] Breiman (1996). Bagging predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import BaggingClassifier, Perceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = X[:, 0] > 0.3
    >>> model = BaggingClassifier(Perceptron(), 30, oob_score=True, random_state=0).fit(X, y)
    >>> print(model.guarantees()[1])
    error: at most 0.1..., failing with probability at most 0.05, by out-of-bag-vote
    """

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        _DRAWN,
    )

    enough: ClassVar[tuple[str, ...]] = ("learners_", "columns_", "lone_", "classes_")
    state = kinds.declare(
        learners_=kinds.each(kinds.instance(BaseEstimator)).where(len),
        columns_=kinds.counts("learners_", None, below="n_features_in_"),
        lone_=kinds.counts("learners_", least=-1, below="classes_"),
    )

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    max_samples: float | None = 1.0
    max_features: float = 1.0
    bootstrap: bool = True
    bootstrap_features: bool = False
    oob_score: bool | Any = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    @all_or_nothing
    def fit(
        self, /, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any
    ) -> BaggingClassifier:
        """Fit a copy to each bag.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Handed on to the copies; refused if they take none.
        **fit_params
            What scikit-learn's metadata routing hands on to the copies, that of the rows of their bag.

        Returns
        -------
        self
        """
        self._require_parameters()
        handed = self._routed("fit", fit_params)
        X, y = validate_data(self, X, y, **_ROWS)
        labels = np.asarray(y)
        classes = classes_of(labels)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
            require_weights(self._template())
        rows, width = X.shape
        most = 1.0 if self.max_samples is None else self.max_samples
        draws, again = _size(most, rows), bool(self.bootstrap)
        sample = sample_digest(X, labels, weights, draws, again)
        old = self._start(classes, sample)
        self.classes_, self.rows_, self.sample_ = classes, rows, sample
        self.draws_, self.replacement_ = draws, again
        self.depends_on_ = "bag" if weights is None else "weights"
        if not is_own(self._template()):
            self.depends_on_ = "estimator"
        bags, many = self._bags(), _size(self.max_features, width)
        by_columns = sparse.issparse(X) and X.format == "csc"
        rows_of_bag = X.tocsr() if by_columns else X
        codes = np.searchsorted(classes, labels)

        def fit_one(member: int) -> tuple[Any, Ints, int]:
            generator, counts = bags.draw(member)
            features = self._features(generator, many, width)
            model = seeded(self._template(), lambda: int(below(generator, SEEDS)))
            taken = np.repeat(np.arange(rows), counts)
            heavy = weights_of_bag(weights, taken)
            present = np.unique(codes[taken] if heavy is None else codes[taken][heavy > 0])
            if len(present) == 1:  # drawing another bag would mean to have looked at the rows
                return model, features, int(present[0])
            part = rows_of_bag[taken]
            if many < width or self.bootstrap_features:
                part = part[:, features]
            part = part.tocsc() if by_columns else part
            how = _check_method_params(X, handed, indices=taken)
            if heavy is not None:
                how["sample_weight"] = heavy
            with quietly():
                model.fit(part, labels[taken], **how)
            return model, features, -1

        wanted = range(len(old), self.n_estimators)
        fitted = in_threads(fit_one, wanted, workers_of(self.n_jobs))
        named = type(self).__name__
        new = list(told(fitted, len(wanted), named, "members", int(self.verbose)))
        kept, lone = ([*self.columns_], [*self.lone_]) if old else ([], [])
        self.learners_ = [*old, *(model for model, _, _ in new)]
        self.columns_: Ints = np.array(
            [*kept, *(features for _, features, _ in new)], dtype=np.int64
        )
        self.lone_: Ints = np.array([*lone, *(only for _, _, only in new)], dtype=np.int64)
        if self.oob_score:
            self._judge(X, labels, bags)
        return self

    def _require_parameters(self) -> None:
        require_count("n_estimators", self.n_estimators)
        require_share("max_samples", self.max_samples, optional=True)
        require_share("max_features", self.max_features)
        fine = is_whole(self.verbose) and self.verbose >= 0
        require(fine, "verbose", "a whole number, zero or more", self.verbose)
        every_row = not self.bootstrap and self.max_samples in (None, 1.0)
        asked = bool(self.oob_score) and every_row and not is_whole(self.max_samples)
        hint = "Only a bag leaves rows out."
        require(not asked, "oob_score", "False where bags hold all rows", self.oob_score, hint)
        require_learner(self.estimator, "decision trees")

    def _template(self) -> Any:
        if self.estimator is not None:
            return clone(self.estimator)
        import assay  # its names are looked up when they are first used

        return assay.DecisionTreeClassifier()

    def _start(self, classes: Array, sample: str) -> list[Any]:
        """The members that are kept from an earlier fit; without any, a new seed."""
        old: list[Any] = []
        if self.warm_start and hasattr(self, "learners_"):
            old = self.learners_
            if self.classes_.tolist() != classes.tolist():
                raise BadData("warm_start goes on with the classes it has, but y holds others.")
            must = f"at least the {len(old)} that are fitted"
            require(self.n_estimators >= len(old), "n_estimators", must, self.n_estimators)
            require_same_sample(self.sample_, sample)
        else:
            self.seed_ = int(check_random_state(self.random_state).randint(SEEDS))
        for name in ("records_", "oob_score_", "oob_decision_function_"):
            if hasattr(self, name):
                delattr(self, name)
        return old

    @property
    def _members(self) -> int:
        return len(self.learners_)

    def _bags(self) -> Bags:
        return Bags(self.seed_, self.rows_, self.draws_, again=self.replacement_)

    def _features(self, generator: Words, many: int, width: int) -> Ints:
        if self.bootstrap_features:
            return np.sort([below(generator, width) for _ in range(many)])
        every = np.arange(width, dtype=np.int32)
        draw_features(generator, many, every)
        return np.sort(every[:many]).astype(np.int64)

    def _shares(self, member: int, X: Any, handed: Mapping[str, Any] = _NOTHING) -> Floats:
        """What a member says of these rows: a share for each class."""
        model, part = self.learners_[member], self._part_of(member, X)
        shares = np.zeros((X.shape[0], len(self.classes_)))
        if self.lone_[member] >= 0:
            shares[:, self.lone_[member]] = 1.0
            return shares
        if hasattr(model, "predict_proba"):
            places = codes_of(np.asarray(model.classes_), self.classes_)
            shares[:, places] = model.predict_proba(part, **handed)
            fine = (shares >= 0).all() and np.allclose(shares.sum(axis=1), 1.0)
            if not fine:
                name = type(model).__name__
                raise BadData(f"predict_proba of {name} gives shares that are no probabilities.")
            # Up to rounding they were one already; the vote is right where half of them is exceeded.
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        codes = codes_of(np.asarray(model.predict(part, **handed)), self.classes_)
        shares[np.arange(len(codes)), codes] = 1.0
        return shares

    def _part_of(self, member: int, X: Any) -> Any:
        """The features that a member sees."""
        columns = self.columns_[member]
        return X if columns.tolist() == list(range(X.shape[1])) else X[:, columns]

    def _judge(self, X: Any, labels: Array, bags: Bags) -> None:
        rows, members = X.shape[0], len(self.learners_)
        workers = workers_of(self.n_jobs)
        codes = np.searchsorted(self.classes_, labels)
        left_out = LeftOut.of((bags.draw(t)[1] for t in range(members)), rows)

        def ask(member: int) -> tuple[Ints, Floats]:
            left = np.flatnonzero(np.unpackbits(left_out.bits[member], count=rows))
            return left, self._shares(member, X[left]) if len(left) else np.zeros((0, 0))

        votes = np.zeros((rows, len(self.classes_)))
        losses = np.zeros((rows, members))
        for member, (left, shares) in enumerate(in_threads(ask, range(members), workers)):
            if len(left):
                votes[left] += shares
                losses[left, member] = 1.0 - shares[np.arange(len(left)), codes[left]]

        def judge(part: slice) -> Judged:
            return votes[part], losses[part], left_out.of_rows(part)

        mean, sums = gathered(judge, members, np.ones(rows, bool), pairs=True, workers=1)
        voted = ~np.isnan(mean[:, 0])
        predicted = mean[voted].argmax(axis=1)
        if not voted.all():
            warnings.warn(
                f"{int((~voted).sum())} rows are in every bag, and have no out-of-bag prediction: there are too few "
                "members for one.",
                UserWarning,
                stacklevel=3,
            )
        errors = int((predicted != codes[voted]).sum())
        self._keep_record(
            record_of(sums, rows=rows, counted=rows, voted=int(voted.sum()), errors=errors)
        )
        self.oob_decision_function_ = mean
        self.oob_score_ = 1.0 - errors / max(int(voted.sum()), 1)
        if callable(self.oob_score):
            self.oob_score_ = float(self.oob_score(labels[voted], self.classes_[predicted]))

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """The mean over all members of the shares they give to the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params
            What scikit-learn's metadata routing hands on to the members.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._mean_shares(X, self._routed("predict_proba", params))

    def _mean_shares(self, X: Any, handed: Mapping[str, Any]) -> Floats:
        X = self._asked(X)
        members = range(len(self.learners_))
        total = np.zeros((X.shape[0], len(self.classes_)))
        for shares in in_threads(
            lambda member: self._shares(member, X, handed), members, workers_of(self.n_jobs)
        ):
            total += shares
        return np.asarray(total / len(members))

    def _asked(self, X: Any) -> Any:
        """Rows to be predicted."""
        check_is_fitted(self, "learners_")
        return validate_data(self, X, reset=False, **_ROWS)

    def predict(self, X: Any, **params: Any) -> Array:
        """The class with the largest mean share; the first of those that tie."""
        shares = self._mean_shares(X, self._routed("predict", params))
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """The logarithms of `predict_proba`; where the members have logarithms, from these, which do not run out."""
        handed = self._routed("predict_log_proba", params)
        with np.errstate(divide="ignore"):
            if not hasattr(self._template(), "predict_log_proba"):
                return np.asarray(np.log(self._mean_shares(X, handed)))
            X = self._asked(X)
            total = np.full((X.shape[0], len(self.classes_)), -np.inf)
            for logs in in_threads(
                lambda member: self._logs(member, X, handed),
                range(len(self.learners_)),
                workers_of(self.n_jobs),
            ):
                np.logaddexp(total, logs, out=total)
        return total - math.log(len(self.learners_))

    def _logs(self, member: int, X: Any, handed: Mapping[str, Any]) -> Floats:
        """The logarithms of what a member says of these rows."""
        model, only = self.learners_[member], int(self.lone_[member])
        logs = np.full((X.shape[0], len(self.classes_)), -np.inf)
        if only >= 0:
            logs[:, only] = 0.0
        else:
            places = codes_of(np.asarray(model.classes_), self.classes_)
            logs[:, places] = model.predict_log_proba(self._part_of(member, X), **handed)
        return logs

    @available_if(lambda self: hasattr(self._template(), "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, **params: Any) -> Floats:
        """The mean over all members of their scores; for members that have such, and saw all classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params
            What scikit-learn's metadata routing hands on to the members.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        X, handed = self._asked(X), self._routed("decision_function", params)
        many = len(self.classes_)
        for model, only in zip(self.learners_, self.lone_.tolist(), strict=True):
            if only >= 0 or len(model.classes_) < many:
                raise BadData(
                    "The scores of the members have no mean, since a bag held fewer classes than y: make bags larger, "
                    "or ask for predict_proba."
                )
        scores = in_threads(
            lambda member: self.learners_[member].decision_function(
                self._part_of(member, X), **handed
            ),
            range(len(self.learners_)),
            workers_of(self.n_jobs),
        )
        return np.asarray(sum(scores) / len(self.learners_))

    @property
    def estimator_(self) -> Any:
        """The learner whose copies the members are."""
        check_is_fitted(self, "learners_")
        return self._template()

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self, "learners_")
        return len(self.classes_)

    def __len__(self) -> int:
        return len(self.learners_)

    def __getitem__(self, member: Any) -> Any:
        return self.estimators_[member]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def estimators_(self) -> list[Any]:
        """The members; where a bag holds one class only, one that says it everywhere."""
        check_is_fitted(self, "learners_")
        width, classes = self.columns_.shape[1], self.classes_
        return [
            model if only < 0 else OneLabel(classes[only : only + 1], width)
            for model, only in zip(self.learners_, self.lone_.tolist(), strict=True)
        ]

    @property
    def estimators_features_(self) -> list[Ints]:
        """The features that each member sees."""
        check_is_fitted(self, "learners_")
        return [*self.columns_]

    def _require_state(self) -> None:
        """Refuse, in a model file, members of other classes or features."""
        for model, only in zip(self.learners_, self.lone_.tolist(), strict=True):
            known = set(getattr(model, "classes_", [])) <= set(self.classes_.tolist())
            width = getattr(model, "n_features_in_", -1)
            if only < 0 and not (known and width == self.columns_.shape[1]):
                raise ValueError("a member has other classes or features")
        super()._require_state()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None or hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self._template())
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def _size(most: Any, of: int) -> int:
    return min(int(most), of) if is_whole(most) else max(1, int(most * of))
