"""What boosted votes share: hypotheses, their ballots, predictions stage by stage, margins, model files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.compiled.ensembles.ballots import count_ballots, say
from assay.errors import BadData
from assay.learners.common import kinds
from assay.learners.common.written_out import column_of, require_room, summed, written_out
from assay.learners.ensembles.decision_stump import DecisionStump
from assay.learners.ensembles.stump_promises import StumpPromises, stumps
from assay.learners.ensembles.stump_search import STUMP_BYTES, STUMP_CELLS
from assay.learners.ensembles.weak_learners import codes_of, is_stump, template_of
from assay.types import Array, Floats, Ints


def hypotheses(many: str) -> dict[str, kinds.Kind]:
    """What a model file may hold of so many hypotheses: stumps, or learners of another kind."""
    learners = kinds.each(kinds.instance(BaseEstimator), many)
    return {
        "learners_": kinds.maybe(learners),
        **{name: kinds.maybe(kind, along="features_") for name, kind in stumps(many).items()},
    }


class BoostedVote(StumpPromises, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers in which the hypotheses of a weak learner vote."""

    state = kinds.declare(
        classes_=kinds.labels, rows_=kinds.whole(1), training_errors_=kinds.whole(most="rows_")
    )

    estimator: Any
    trace: bool
    learners_: list[Any]
    log_: list[dict[str, float]]
    rounds_: int

    @property
    def _votes(self) -> Floats:
        """The vote of every hypothesis."""
        raise NotImplementedError

    @property
    def _most_stumps(self) -> int:
        return self.rounds_

    def _traced(self, names: Sequence[str]) -> dict[str, Floats] | None:
        """What the log says round by round, under each of these names; None where nobody asked for it."""
        if not self.trace:
            return None
        return {name: np.array([entry[name] for entry in self.log_]) for name in names}

    def _read(self, X: Any, y: Any = "no_validation") -> Any:
        """Validated rows, and labels if given: numbers for stumps, whatever the base learner takes else."""
        how: dict[str, Any] = STUMP_CELLS
        if not is_stump(self.estimator):
            how = {"dtype": None, "accept_sparse": ["csr", "csc"], "allow_nd": True}
        # scikit-learn's word for no labels; None is what a user may have given by mistake.
        asked = isinstance(y, str) and y == "no_validation"
        if not asked and is_stump(self.estimator):
            require_room(self, X, STUMP_BYTES)
        # Sums that only ask whether all cells are finite may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(self, summed(X), y, reset=not asked, **how)

    def _keep(self, hypotheses: list[Any]) -> None:
        """Hold on to stumps as arrays, and to other hypotheses as they are."""
        for name in ("features_", "thresholds_", "sides_", "learners_"):
            self.__dict__.pop(name, None)
        if not is_stump(self.estimator):
            self.learners_ = hypotheses
            return
        self.features_ = np.array([stump.feature for stump in hypotheses])
        self.thresholds_ = np.array([stump.threshold for stump in hypotheses])
        self.sides_ = np.array([[stump.low, stump.high] for stump in hypotheses])

    @property
    def estimator_(self) -> Any:
        """The base learner whose copies vote."""
        check_is_fitted(self, "classes_")
        return template_of(self.estimator)

    @property
    def estimators_(self) -> list[Any]:
        """The hypotheses, one classifier for each round."""
        check_is_fitted(self, "classes_")
        if not hasattr(self, "features_"):
            return self.learners_
        criterion = self.estimator_.criterion
        parts = zip(self.features_, self.thresholds_, self.sides_, strict=True)
        return [self._stump(criterion, *part) for part in parts]

    def __len__(self) -> int:
        """How many hypotheses there are."""
        return len(self.estimators_)

    def __getitem__(self, place: int) -> Any:
        """The hypothesis of one round."""
        return self.estimators_[place]

    def __iter__(self) -> Iterator[Any]:
        """The hypotheses, round by round."""
        return iter(self.estimators_)

    def _stump(self, criterion: Any, feature: Any, threshold: Any, sides: Any) -> DecisionStump:
        model = DecisionStump(criterion)
        model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
        model.features_, model.thresholds_ = np.array([feature]), np.array([threshold])
        model.sides_ = sides[None, :].copy()
        # Boosting keeps the labels of the sides, and not how sure they were.
        model.shares_ = np.eye(len(self.classes_))[sides]
        return model

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self, "classes_")
        return len(self.classes_)

    @property
    def feature_importances_(self) -> Floats:
        """The mean of the importances that the hypotheses give to the features, weighted by their votes."""
        check_is_fitted(self, "classes_")
        votes = self._votes
        if hasattr(self, "features_"):
            cut = self.features_ >= 0
            named = np.bincount(self.features_[cut], votes[cut], minlength=self.n_features_in_)
            return np.asarray(named / votes.sum())
        try:
            each = np.array([model.feature_importances_ for model in self.learners_])
        except AttributeError:
            kind = type(self.estimator).__name__
            raise AttributeError(f"a {kind} has no feature_importances_") from None
        return np.asarray(votes @ each / votes.sum())

    def _ballots(self, X: Any) -> Floats:
        """The sum of the votes for every class, of every row."""
        check_is_fitted(self, "classes_")
        X = self._read(X)
        if hasattr(self, "features_"):
            return self._stump_ballots(X)
        ballots = np.zeros((X.shape[0], len(self.classes_)))
        for codes, vote in zip(self._each_predicted(X), self._votes, strict=True):
            ballots[np.arange(len(codes)), codes] += vote
        return ballots

    def _stump_ballots(self, X: Any) -> Floats:
        asked = np.unique(self.features_[self.features_ >= 0])
        places = np.where(self.features_ >= 0, np.searchsorted(asked, self.features_), -1)
        ballots = np.zeros((len(self.classes_), X.shape[0]))
        columns = np.ascontiguousarray(written_out(self, X[:, asked]).T)
        count_ballots(columns, places, self.thresholds_, self.sides_, self._votes, ballots)
        return np.ascontiguousarray(ballots.T)

    def _each_predicted(self, X: Any) -> Iterator[Ints]:
        """Round by round, the class that the hypothesis says of every row; X is validated."""
        if not hasattr(self, "features_"):
            for model in self.learners_:
                yield codes_of(np.asarray(model.predict(X)), self.classes_)
            return
        columns = X if issparse(X) else np.asfortranarray(X)
        for feature, threshold, (low, high) in zip(
            self.features_, self.thresholds_, self.sides_, strict=True
        ):
            codes = np.full(X.shape[0], low)
            if feature >= 0:
                say(column_of(columns, feature), threshold, low, high, codes)
            yield codes

    def _each_ballots(self, X: Any) -> Iterator[tuple[Floats, float]]:
        """Round by round, the sums of the votes so far for every class, and of all votes so far."""
        check_is_fitted(self, "classes_")
        X = self._read(X)
        ballots, total = np.zeros((X.shape[0], len(self.classes_))), 0.0
        for codes, vote in zip(self._each_predicted(X), self._votes, strict=True):
            ballots[np.arange(len(codes)), codes] += vote
            total += float(vote)
            yield ballots, total

    def predict(self, X: Any) -> Array:
        """The label with the most votes, of every row; of equals the first."""
        most = self._ballots(X).argmax(axis=1)
        return np.asarray(self.classes_[most])

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after one round, after two, and so on."""
        for ballots, _ in self._each_ballots(X):
            yield np.asarray(self.classes_[ballots.argmax(axis=1)])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The share of right predictions after one round, after two, and so on."""
        truth = np.asarray(y)
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == truth, weights=sample_weight))

    def margins(self, X: Any, y: Any) -> Floats:
        """By how much the votes for the true label exceed those for the best other one.

        As a share of all votes, so between -1 and 1; zero or less where the vote is wrong or tied. How far
        these margins grow beyond zero is why more rounds may help after the training error has reached zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true labels.

        Returns
        -------
        array of shape (n_samples,)
        """
        codes = self._codes(X, y)
        return _margins(self._ballots(X), codes, float(self._votes.sum()))

    def staged_margins(self, X: Any, y: Any) -> Iterator[Floats]:
        """The `margins` after one round, after two, and so on, each as a share of the votes so far."""
        codes = self._codes(X, y)
        for ballots, total in self._each_ballots(X):
            yield _margins(ballots.copy(), codes, total)

    def _codes(self, X: Any, y: Any) -> Ints:
        check_is_fitted(self, "classes_")
        labels, rows = np.asarray(y), self._read(X).shape[0]
        if labels.shape != (rows,):
            raise BadData(
                f"y must have one label for each of the {rows} rows, but has shape {labels.shape}."
            )
        return codes_of(labels, self.classes_)

    def _require_state(self) -> None:
        """Refuse, in a model file, hypotheses that are not those of the base learner."""
        stumps = is_stump(self.estimator)
        if [hasattr(self, name) for name in ("features_", "learners_")] != [stumps, not stumps]:
            raise ValueError("its hypotheses are not those of its base learner")
        fits = stumps or all(
            type(model) is type(self.estimator)
            and getattr(model, "n_features_in_", -1) == self.n_features_in_
            and np.isin(getattr(model, "classes_", [np.nan]), self.classes_).all()
            for model in self.learners_
        )
        if not fits:
            raise ValueError("its hypotheses do not fit its features or its classes")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_stump(self.estimator) or hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(template_of(self.estimator)).input_tags.sparse
        return tags


def _margins(ballots: Floats, codes: Ints, total: float) -> Floats:
    """What the votes for the true label lead by, as a share of all votes; the ballots are overwritten."""
    rows = np.arange(len(codes))
    own = ballots[rows, codes].copy()
    ballots[rows, codes] = -np.inf
    # Where there is a single class, no other has any.
    return np.asarray((own - np.maximum(ballots.max(axis=1), 0.0)) / total)
