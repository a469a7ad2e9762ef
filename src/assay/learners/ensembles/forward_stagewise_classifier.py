"""Forward stagewise additive modelling of labels: boosting as the greedy descent of a loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from assay.compiled.ensembles.reweigh import LEAST, cast
from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.stagewise import stagewise_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.jobs import told, workers_of
from assay.learners.common.number_kinds import is_count
from assay.learners.ensembles.boosted import BoostedVote, hypotheses
from assay.learners.ensembles.decision_stump import DecisionStump
from assay.learners.ensembles.margin_losses import LOSSES
from assay.learners.ensembles.stump_search import EQUAL, Stump
from assay.learners.ensembles.weak_learners import (
    AnyLearner,
    Stumps,
    is_stump,
    require_weak_learner,
    weak_learner_of,
)
from assay.learners.ensembles.weighted_sample import WeightedSample, weighted_sample
from assay.learners.registry import register
from assay.record.stagewise import StagewiseRecord
from assay.types import Floats, Ints

# What is left of the squares is then rounding alone.
_NOTHING = 1e-24


@register(
    "forward-stagewise-classifier",
    use="boosting by a loss of your choice",
    promise="bounds its training error by its edges",
)
@dataclass(eq=False, repr=False)
class ForwardStagewiseClassifier(BoostedVote):
    r"""Add one weak hypothesis after the other, each with the step that lowers a loss most; earlier ones stay.

    In round :math:`t` the model :math:`f` of the rounds before becomes :math:`f+\alpha h`, where

    .. math:: (\alpha,h)=\arg\min_{\alpha,h}\sum_iV(y_i,f(x_i)+\alpha h(x_i)),\qquad h(x)=\pm1,

    and the sign of :math:`f` is predicted. With the exponential loss :math:`e^{-yf}` that is AdaBoost, vote by vote
    (``adaboost-training-error``). With the square loss :math:`(y-f)^2` it is least-squares boosting: every round leaves
    :math:`1-\rho^2` of the squares, :math:`\rho` being the correlation of its hypothesis with the residuals, and no
    more than what is left of the training rows are wrong (``l2boost-training-loss``). With the logistic loss
    :math:`\ln(1+e^{-yf})` the hypothesis is the one along which the loss falls fastest, and the step is the best along
    it; the training error is at most the mean loss in bits (``surrogate-upper-bounds``).

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. None stands for ``DecisionStump("error")``, the stump of the least weighted error, which is
        the minimiser that the rule asks for; any other must take `sample_weight`.
    loss : {"exponential", "logistic", "square"}, default="exponential"
        What every round lowers.
    n_estimators : int, default=50
        The most rounds.
    random_state : int, RandomState or None, default=None
        Where copies of the weak learner get their seeds from; stumps need none.
    n_jobs : int or None, default=None
        Threads that look for stumps; the result does not depend on it.
    verbose : int, default=0
        Whether progress is printed: about ten times, or with 2 after every round.

    Attributes
    ----------
    classes_ : array
        The two labels; the second one is y = +1.
    estimators_ : list of classifiers
        The hypotheses.
    steps_ : array
        The step :math:`\alpha` of each; half of AdaBoost's `estimator_weights_`.
    losses_ : array
        The mean loss after every round.
    feature_importances_ : array of shape (n_features,)
        The share of the steps that go by each feature.
    record_ : StagewiseRecord
        The rounds, how they ended, and the training error.

    Notes
    -----
    The square loss also punishes an example for being right by too much: its weight :math:`1-yf` is then below zero,
    and the hypothesis is asked to contradict its label. A hypothesis without any error under the exponential or
    the logistic loss would get an infinite step; it ends the run and outvotes all others, as in AdaBoost. One along
    which the loss does not fall ends it too, and is not kept; in the first round it is refused. With uneven weights the
    promises are about the weighted training error, and of the logistic loss there is none.

    References
    ----------
    .. [1] Friedman, Hastie and Tibshirani (2000). Additive logistic regression: a statistical view of boosting.
    .. [2] Friedman (2001). Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> from assay import ForwardStagewiseClassifier
    >>> X, y = [[1.0], [2], [3], [4]], [1, 1, -1, 1]
    >>> for loss in ("exponential", "square", "logistic"):
    ...     print(ForwardStagewiseClassifier(loss=loss, n_estimators=3).fit(X, y).guarantees()[0])
    training error: at most 0.516398, observed 0, by adaboost-training-error
    training error: at most 0.250001, observed 0, by l2boost-training-loss
    training error: at most 0.368867, observed 0, by surrogate-upper-bounds
    """

    _weighted = True
    trace = False
    state = kinds.declare(
        **hypotheses("steps_"),
        classes_=kinds.labels.where(lambda classes: len(classes) == 2),
        steps_=kinds.amounts().where(lambda steps: len(steps) and (steps > 0).all()),
        losses_=kinds.amounts("steps_"),
        edges_=kinds.amounts("steps_", most=1 + 1e-9),
        training_error_=kinds.real(0, 1 + 1e-9),
        start_=kinds.size,
        loss_=kinds.one_of(*LOSSES),
        even_=kinds.flag,
        stopped_=kinds.one_of("rounds", "perfect", "useless"),
        rounds_=kinds.whole("steps_"),
    )

    estimator: Any = None
    _: KW_ONLY
    loss: Literal["exponential", "logistic", "square"] = "exponential"
    n_estimators: int = 50
    random_state: int | None = None
    n_jobs: int | None = None
    verbose: int = 0

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Add hypotheses.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Sparse matrices are passed on to base learners that take them, as stumps do.
        y : array-like of shape (n_samples,)
            Two labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the losses; rows of weight zero are left out, as if they were not there.

        Returns
        -------
        self
        """
        rounds = self.n_estimators
        require(is_count(rounds), "n_estimators", "a whole number of at least 1", rounds)
        names = ", ".join(map(repr, LOSSES))
        require(self.loss in LOSSES, "loss", f"one of {names}", self.loss)
        require_weak_learner(self, self.estimator)
        jobs = workers_of(self.n_jobs)
        X, y = self._read(X, y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind == "multiclass":
            raise BadData(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        self._descend(weighted_sample(self, X, y, sample_weight), jobs)
        return self

    def _descend(self, sample: WeightedSample, jobs: int) -> None:
        loss, weights = LOSSES[self.loss], sample.weights
        signs, ballots = np.where(sample.codes == 1, 1.0, -1.0), np.zeros((2, len(weights)))
        margins = np.zeros(len(weights))
        self.start_ = float(weights @ loss.value(margins))
        steps: list[float] = []
        edges: list[float] = []
        losses: list[float] = []
        kept: list[Any] = []
        stopped, rounds = "rounds", range(self.n_estimators)
        weak = _Weak(self, sample, jobs)
        for _ in told(rounds, len(rounds), type(self).__name__, "rounds", self.verbose):
            if self.loss == "square" and losses and losses[-1] <= _NOTHING:
                stopped = "perfect"
                break
            pull = weights * loss.pull(margins)
            hypothesis, predicted = weak.find(pull)
            right = predicted == sample.codes
            along = float(pull[right].sum() - pull[~right].sum())
            if along <= EQUAL * float(np.abs(pull).sum()):
                if not steps:
                    raise BadData(self._useless())
                stopped = "useless"
                break
            step = loss.step(weights, margins, right)
            edges.append(self._edge(weights, margins, pull, right))
            steps.append(0.5 + sum(steps) if math.isinf(step) else step)
            kept.append(hypothesis)
            cast(ballots, predicted, steps[-1])
            margins = signs * (ballots[1] - ballots[0])
            losses.append(float(weights @ loss.value(margins)))
            if math.isinf(step):
                stopped = "perfect"
                break
        weak.close()
        self.classes_ = sample.classes
        self._keep(kept)
        self.steps_, self.edges_, self.losses_ = np.array(steps), np.array(edges), np.array(losses)
        wrong = ballots.argmax(axis=0) != sample.codes
        self.rows_, self.training_errors_ = len(wrong), int(np.count_nonzero(wrong))
        self.training_error_ = float(weights[wrong].sum())
        # Promises are about this fit, whatever the parameters are set to later.
        self.loss_, self.rounds_ = str(self.loss), int(self.n_estimators)
        self.even_, self.stopped_ = sample.even, stopped

    def _edge(self, weights: Floats, margins: Floats, pull: Floats, right: Any) -> float:
        """The weighted error, or for the square loss the correlation with what is left."""
        if self.loss != "square":
            return float(pull[~right].sum() / pull.sum())
        left = math.sqrt(float(weights @ (1.0 - margins) ** 2) * float(weights.sum()))
        return min(1.0, float(pull[right].sum() - pull[~right].sum()) / left)

    def _useless(self) -> str:
        return (
            f"{type(self).__name__} needs a weak learner that is better than guessing, but in the first round the "
            f"loss does not fall along what {type(self._template()).__name__} says."
        )

    def _template(self) -> Any:
        return DecisionStump("error") if self.estimator is None else self.estimator

    @property
    def estimator_(self) -> Any:
        """The base learner whose copies are added."""
        check_is_fitted(self, "classes_")
        return self._template()

    @property
    def _votes(self) -> Floats:
        check_is_fitted(self, "steps_")
        return np.asarray(self.steps_)

    @property
    def record_(self) -> StagewiseRecord:
        """What the fit left behind."""
        check_is_fitted(self, "classes_")
        return StagewiseRecord(
            rows=self.rows_,
            loss=self.loss_,
            start=self.start_,
            losses=self.losses_,
            edges=self.edges_,
            steps=self.steps_,
            training_errors=self.training_errors_,
            training_error=self.training_error_,
            even=self.even_,
            stopped=self.stopped_,
        )

    def decision_function(self, X: Any) -> Floats:
        """The additive model f of every row; the second class is predicted where it is above zero."""
        ballots = self._ballots(X)
        return np.asarray(ballots[:, 1] - ballots[:, 0])

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """The model after one round, after two, and so on."""
        for ballots, _ in self._each_ballots(X):
            yield np.asarray(ballots[:, 1] - ballots[:, 0])

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The training error that the rounds promise, beside the one observed."""
        return stagewise_guarantees(self.record_) if hasattr(self, "record_") else []

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class _Weak:
    """The weak learner, asked with pulls of both signs: one below zero asks for the other label."""

    def __init__(self, owner: ForwardStagewiseClassifier, sample: WeightedSample, jobs: int):
        self._owner, self._sample, self._jobs = owner, sample, jobs
        self._open: Any = None
        self._learner = self._begin(sample.codes)

    def _begin(self, codes: Ints) -> Stumps | AnyLearner:
        self.close()
        asked = replace(self._sample, codes=codes)
        self._open = weak_learner_of(self._owner, asked, self._jobs, self._owner._template())
        learner: Stumps | AnyLearner = self._open.__enter__()
        return learner

    def close(self) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None

    def find(self, pull: Floats) -> tuple[Any, Ints]:
        """The hypothesis, and what it says of every row."""
        codes = np.where(pull < 0, 1 - self._sample.codes, self._sample.codes)
        if is_stump(self._owner.estimator):
            if (codes == codes[0]).all():
                # All residuals have one sign: the same for everyone is the best there is.
                return Stump(-1, 0.0, int(codes[0]), int(codes[0])), codes
            asked = np.empty_like(codes)
            asked[self._learner.rows] = self._learner.labels
            if (asked != codes).any():
                self._learner = self._begin(codes)
        elif isinstance(self._learner, AnyLearner):
            self._learner.relabel(codes)
        weights = np.maximum(np.abs(pull), LEAST)
        predicted = np.empty_like(codes)
        predicted[self._learner.rows] = self._learner.find(weights[self._learner.rows])
        return self._learner.kept[-1], predicted
