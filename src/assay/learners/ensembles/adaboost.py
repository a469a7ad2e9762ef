"""AdaBoost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from assay.compiled.ensembles.reweigh import LEAST, cast, missed_weight, reweigh
from assay.errors import BadData, require
from assay.guarantees.boosting import adaboost_guarantee, margin_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms, fitted_elsewhere
from assay.learners.common.jobs import told, workers_of
from assay.learners.common.number_kinds import is_count, is_number
from assay.learners.ensembles.boosted import BoostedVote, hypotheses
from assay.learners.ensembles.stump_search import EQUAL
from assay.learners.ensembles.weak_learners import (
    require_weak_learner,
    template_of,
    weak_learner_of,
)
from assay.learners.ensembles.weighted_sample import WeightedSample, weighted_sample
from assay.learners.registry import register
from assay.record.boosting import BoostingRecord
from assay.types import Floats, Ints

# The largest vote whose exponential, times the smallest weight, leaves a finite sum.
_LARGEST_VOTE = 600.0


_MARKS = ("error", "vote", "normalizer", "product", "potential", "coin", "training_error")


@register(
    "adaboost-classifier",
    use="tables: many simple rules, weighted",
    promise="bounds its training error by its edges",
)
@dataclass(eq=False, repr=False)
class AdaBoostClassifier(BoostedVote):
    r"""Add one weak hypothesis after the other, each fitted to the examples that the others get wrong.

    Weights start even. A hypothesis of weighted error :math:`\varepsilon` gets the vote
    :math:`a=\tfrac12\ln\frac{1-\varepsilon}\varepsilon`; the weights of examples it gets wrong are multiplied by
    :math:`e^a`, those of the others by :math:`e^{-a}`, and the weighted vote decides. Whatever the data, it is then
    wrong on at most :math:`\prod_t2\sqrt{\varepsilon_t(1-\varepsilon_t)}` of the examples
    (``adaboost-training-error``): every hypothesis that beats a coin lowers it. With more than two classes it is
    SAMME [2]_, as in scikit-learn, and ``boosting-vote-margins`` takes the place of that theorem.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. None stands for `DecisionStump`, whose rounds are compiled and work on an order of the rows
        that is found once. Any other must take `sample_weight`.
    n_estimators : int, default=50
        The most rounds.
    learning_rate : float, default=1.0
        A factor of every vote. The theorem with a name of its own is about 1; for other rates the more general
        one promises less.
    random_state : int, RandomState or None, default=None
        Where copies of the weak learner get their seeds from; stumps need none.
    n_jobs : int or None, default=None
        Threads that look for stumps; the result does not depend on it.
    trace : bool, default=False
        Whether the record shows, round by round, the identities that the theorem's proof rests on.
    verbose : int, default=0
        Whether progress is printed: about ten times, or with 2 after every round.

    Attributes
    ----------
    classes_ : array
        The labels.
    estimators_ : list of classifiers
        The hypotheses.
    estimator_weights_ : array
        :math:`2a` for each of them, as in scikit-learn.
    estimator_errors_ : array
        Their weighted errors.
    feature_importances_ : array of shape (n_features,)
        The share of the votes that go by each feature.
    record_ : BoostingRecord
        The rounds, how they ended, and the training error.

    Notes
    -----
    A hypothesis without any error ends the run and outvotes all others. One that is no better than guessing
    ends it too, and is not kept; in the first round it is refused. Rows of weight zero are left out.

    The same stumps are found as by scikit-learn's trees of depth 1, but for ties, which these break at random
    and this learner by the first feature and the lowest threshold; and but for values that single precision
    cannot tell apart, or that differ by less than 1e-7, which are one value to scikit-learn.
    `estimator_weights_` and `estimator_errors_` end with the last hypothesis and are not filled up.

    References
    ----------
    .. [1] Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an application
       to boosting.
    .. [2] Zhu, Zou, Rosset and Hastie (2009). Multi-class AdaBoost.
    .. [3] Schapire, Freund, Bartlett and Lee (1998). Boosting the margin.

    Examples
    --------
    >>> from assay import AdaBoostClassifier
    >>> X, y = [[1.0], [2], [3], [4]], [1, 1, -1, 1]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.estimator_errors_.round(6).tolist(), model.score(X, y)
    ([0.25, 0.166667, 0.2], 1.0)
    >>> print(model.guarantees()[0])
    training error: at most 0.516398, observed 0, by adaboost-training-error
    """

    _weighted = True
    enough: ClassVar[tuple[str, ...]] = ("classes_", "estimator_weights_", "learners_")
    state = kinds.declare(
        classes_=kinds.labels_or_one,
        **hypotheses("estimator_weights_"),
        estimator_weights_=kinds.amounts().where(lambda votes: len(votes) and (votes > 0).all()),
        estimator_errors_=kinds.amounts("estimator_weights_", most=1),
        training_error_=kinds.real(0, 1 + 1e-9),
        even_=kinds.flag,
        stopped_=kinds.one_of("rounds", "perfect", "useless"),
        rate_=kinds.size,
        rounds_=kinds.whole("estimator_weights_"),
        log_=kinds.log_of(*_MARKS),
    )

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    learning_rate: float = 1.0
    random_state: int | None = None
    n_jobs: int | None = None
    trace: bool = False
    verbose: int = 0

    def _require_parameters(self) -> None:
        rounds, rate = self.n_estimators, self.learning_rate
        require(is_count(rounds), "n_estimators", "a whole number of at least 1", rounds)
        fine = is_number(rate) and bool(0 < rate < math.inf)
        require(fine, "learning_rate", "a finite number above zero", rate)
        require_weak_learner(self, self.estimator)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Boost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Sparse matrices are passed on to base learners that take them, as stumps do.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weights to start with; rows of weight zero are left out, as if they were not there.

        Returns
        -------
        self
        """
        self._require_parameters()
        jobs = workers_of(self.n_jobs)
        X, y = self._read(X, y)
        sample = weighted_sample(self, X, y, sample_weight, one=True)
        with weak_learner_of(self, sample, jobs) as weak:
            self._boost(weak, sample)
        return self

    def _boost(self, weak: Any, sample: WeightedSample) -> None:
        labels, classes = weak.labels, len(sample.classes)
        start = np.maximum(sample.weights[weak.rows], LEAST)
        w, ballots = start.copy(), np.zeros((classes, len(labels)))
        errors: list[float] = []
        votes: list[float] = []
        receipts = _Receipts(start, labels) if self.trace else None
        stopped = "rounds"
        rounds = range(self.n_estimators)
        for _ in told(rounds, len(rounds), type(self).__name__, "rounds", self.verbose):
            predicted = weak.find(w)
            missed, total = missed_weight(w, predicted, labels)
            error = missed / total
            if classes > 1 and error >= 1 - 1 / classes - EQUAL:
                if not votes:
                    raise BadData(self._useless(error, classes))
                stopped = "useless"
                weak.kept.pop()
                break
            vote = self._vote(error, classes, sum(votes))
            errors.append(error)
            votes.append(vote)
            cast(ballots, predicted, vote)
            if error == 0:
                stopped = "perfect"
                break
            after = reweigh(w, predicted, labels, math.exp(vote))
            if receipts is not None:
                receipts.add(error, vote, after / total, w, predicted, ballots)
        self.classes_ = sample.classes
        self._keep(weak.kept)
        self.estimator_errors_, self.estimator_weights_ = np.array(errors), np.array(votes)
        wrong = ballots.argmax(axis=0) != labels
        self.rows_, self.training_errors_ = len(labels), int(np.count_nonzero(wrong))
        self.training_error_ = float(start[wrong].sum() / start.sum())
        self.even_, self.stopped_ = sample.even, stopped
        # Promises are about this fit, whatever the parameters are set to later.
        self.rate_, self.rounds_ = float(self.learning_rate), int(self.n_estimators)
        self.log_ = [] if receipts is None else receipts.log

    def _vote(self, error: float, classes: int, others: float) -> float:
        if error == 0:
            return 1.0 + others
        rate = self.learning_rate * (math.log((1 - error) / error) + math.log(classes - 1))
        return min(float(rate), _LARGEST_VOTE)

    def _useless(self, error: float, classes: int) -> str:
        name = type(template_of(self.estimator)).__name__
        return (
            f"{type(self).__name__} needs a weak learner that is better than guessing, but in the first round {name} "
            f"errs on {error:.6g} of the weight, and guessing among {classes} classes errs on {1 - 1 / classes:.6g}."
        )

    @property
    def _votes(self) -> Floats:
        check_is_fitted(self, "estimator_weights_")
        return np.asarray(self.estimator_weights_)

    @property
    def record_(self) -> BoostingRecord:
        """What the fit left behind."""
        check_is_fitted(self, "classes_")
        return BoostingRecord(
            rows=self.rows_,
            errors=self.estimator_errors_,
            votes=self.estimator_weights_ / 2,
            training_errors=self.training_errors_,
            training_error=self.training_error_,
            even=self.even_,
            stopped=self.stopped_,
            trace=self._traced(_MARKS),
            classes=len(self.classes_),
            rate=self.rate_,
        )

    def decision_function(self, X: Any) -> Floats:
        """The score of every row, as in scikit-learn; with more than two classes, one column for each.

        With two classes it is twice the difference of the votes for the second class and for the first, as a
        share of all votes; with more, a class gets :math:`1/(K-1)` of each vote for another one taken away.
        """
        return self._scores(self._ballots(X), float(self._votes.sum()))

    def _scores(self, ballots: Floats, total: float) -> Floats:
        if ballots.shape[1] == 2:
            return np.asarray(2 * (ballots[:, 1] - ballots[:, 0]) / total)
        if ballots.shape[1] == 1:
            return np.zeros(len(ballots))
        share = ballots / total
        return np.asarray(share - (1 - share) / (ballots.shape[1] - 1))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """The scores after one round, after two, and so on."""
        for ballots, total in self._each_ballots(X):
            yield self._scores(ballots, total)

    def predict_proba(self, X: Any) -> Floats:
        """Scores turned into shares by the logistic function, as in scikit-learn.

        They sum to one, and are no probabilities that anything is promised about.
        """
        return self._shares(self.decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The shares after one round, after two, and so on."""
        for scores in self.staged_decision_function(X):
            yield self._shares(scores)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the shares."""
        return np.asarray(np.log(self.predict_proba(X)))

    def _shares(self, scores: Floats) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if scores.ndim == 1:
            return np.asarray(softmax(np.column_stack([-scores, scores]) / 2, axis=1))
        return np.asarray(softmax(scores / (scores.shape[1] - 1), axis=1))

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The training error that the errors of the rounds promise, beside the one observed."""
        return [adaboost_guarantee(self.record_)] if hasattr(self, "record_") else []

    def margin_guarantee(
        self, X: Any, y: Any, margin: float = 0.0, sample_weight: Any = None
    ) -> Guarantee:
        """The share of examples with at most some margin that the rounds promise, beside the one observed.

        Parameters
        ----------
        X, y, sample_weight
            The sample of the fit.
        margin : float, default=0.0
            Between -1 and 1.

        Returns
        -------
        Guarantee
        """
        short = self.margins(X, y) <= margin
        share = float(np.average(short, weights=sample_weight))
        return margin_guarantee(self.record_, margin, share)

    def _require_state(self) -> None:
        super()._require_state()
        if fitted_elsewhere(self) is None and (self.stopped_ == "perfect") != (
            self.estimator_errors_[-1] == 0
        ):
            raise ValueError("its rounds did not end as it says")


class _Receipts:
    """What the proof says of every round, computed twice: from the weights, and from the scores."""

    def __init__(self, start: Floats, labels: Ints) -> None:
        self._start, self._labels = start / start.sum(), labels
        self._scores, self._product = np.zeros(len(start)), 1.0
        self.log: list[dict[str, float]] = []

    def add(
        self, error: float, vote: float, grown: float, w: Floats, predicted: Ints, ballots: Floats
    ) -> None:
        """A round that multiplied the missed weights by e^vote, and all weight by `grown`."""
        half = vote / 2
        self._scores += np.where(predicted == self._labels, half, -half)
        # With e^half for wrong and e^-half for right examples, as the theorem has it, the sum is this much less.
        normalizer = grown * math.exp(-half)
        self._product *= normalizer
        missed, total = missed_weight(w, predicted, self._labels)
        wrong = ballots.argmax(axis=0) != self._labels
        self.log.append(
            {
                "error": error,
                "vote": half,
                "normalizer": normalizer,
                "product": self._product,
                "potential": float(self._start @ np.exp(-self._scores)),
                "coin": missed / total,
                "training_error": float(self._start[wrong].sum()),
            }
        )
