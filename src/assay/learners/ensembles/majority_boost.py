"""Boosting with a known edge: an unweighted majority that is right on every training example."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, require
from assay.guarantees.boosting import majority_boost_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.jobs import told as with_progress
from assay.learners.common.jobs import workers_of
from assay.learners.common.number_kinds import is_count, is_number
from assay.learners.ensembles.boosted import BoostedVote, hypotheses
from assay.learners.ensembles.weak_learners import require_weak_learner, weak_learner_of
from assay.learners.ensembles.weighted_sample import weighted_sample
from assay.learners.registry import register
from assay.record.boosting import MajorityBoostRecord
from assay.theory.boosting.majority_boost import boosting_rounds, boosting_sample_size
from assay.theory.rounding import as_fraction
from assay.types import Bools, Floats, Ints

# Shares closer to the one asked for than this are compared in whole numbers.
_CLOSE = 1e-9
_THRESHOLD_BITS = 64


_MARKS = ("right", "total", "most_misses", "wrong")


@register(
    "majority-boost-classifier",
    use="boosting rules of a known edge by equal votes",
    promise="bounds how many training rows are wrong",
)
@dataclass(eq=False, repr=False)
class MajorityBoostClassifier(BoostedVote):
    r"""Let so many weak hypotheses vote, one vote each, that no training example can be wrong any more.

    Weights start at 1. In every round the weak learner must be right on at least :math:`\tfrac12+\gamma` of the
    weight, and the weights of its mistakes are multiplied by
    :math:`\frac{1/2+\gamma}{1/2-\gamma}`. After T rounds, T odd, the majority is wrong on at most
    :math:`n(1-4\gamma^2)^{T/2}` of the n examples (``boosting-training-error``), which is less than one example after
    the number of rounds that ``boosting-rounds`` gives.

    The condition on the weak learner is checked in every round, in whole numbers where it is close. When it fails,
    the run stops with a warning, and the rounds before it vote; what they promise still holds.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. None stands for `DecisionStump`; any other must take `sample_weight`.
    edge : float, default=0.1
        :math:`\gamma`, by how much the weak learner beats a coin, between 0 and 1/2.
    n_estimators : int or None, default=None
        T, an odd number; None for as many as ``boosting-rounds`` asks for.
    random_state : int, RandomState or None, default=None
        Where copies of the weak learner get their seeds from; stumps need none.
    n_jobs : int or None, default=None
        Threads that look for stumps; the result does not depend on it.
    trace : bool, default=False
        Whether the record shows the potentials of the proof, round by round.
    verbose : int, default=0
        Whether progress is printed: about ten times, or with 2 after every round.

    Attributes
    ----------
    classes_ : array
        The two labels.
    estimators_ : list of classifiers
        The hypotheses that vote.
    feature_importances_ : array of shape (n_features,)
        The share of the votes that go by each feature.
    record_ : MajorityBoostRecord
        How much weight each round was right on, where the condition failed, and what the majority gets wrong.

    Notes
    -----
    There are two classes, and examples count alike: the theorem counts them. A hypothesis that is right on every
    example ends the run and decides alone. If the condition fails in the first round already, that hypothesis
    is kept, so that there is something to predict with, and nothing is promised.

    References
    ----------
    .. [1] Blum, Hopcroft and Kannan (2020). Foundations of Data Science, Section 6.7.

    Examples
    --------
    >>> from assay import MajorityBoostClassifier
    >>> from assay.data.synthetic import weakly_learnable
    >>> data = weakly_learnable(rows=100, hypotheses=25, edge=0.1, random_state=1)
    >>> model = MajorityBoostClassifier(edge=data.edge).fit(data.X, data.y)
    >>> for guarantee in model.guarantees():
    ...     print(guarantee)
    training examples wrong: at most 0, observed 0, by boosting-training-error
    rounds until none is wrong: at most 227, observed 23, by boosting-rounds
    """

    state = kinds.declare(
        **hypotheses("votes_"),
        classes_=kinds.labels.where(lambda classes: len(classes) == 2),
        votes_=kinds.whole(1, "right_").where(lambda votes: votes % 2),
        right_=kinds.amounts(most=1 + 1e-9),
        clean_=kinds.whole(most="votes_"),
        broken_=kinds.whole(most="right_"),
        edge_=kinds.real(0, 0.5).where(lambda edge: 0 < edge < 0.5),
        rounds_=kinds.whole("votes_"),
        log_=kinds.log_of(*_MARKS),
    )

    estimator: Any = None
    _: KW_ONLY
    edge: float = 0.1
    n_estimators: int | None = None
    random_state: int | None = None
    n_jobs: int | None = None
    trace: bool = False
    verbose: int = 0

    def _require_parameters(self) -> None:
        edge, rounds = self.edge, self.n_estimators
        fine = is_number(edge) and bool(0 < edge < 0.5)
        require(fine, "edge", "a number strictly between 0 and 1/2", edge)
        fine = rounds is None or (is_count(rounds) and bool(rounds % 2 == 1))
        must = "None or an odd number of at least 1, so that no vote is tied"
        require(fine, "n_estimators", must, rounds)
        require_weak_learner(self, self.estimator)

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Boost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two labels.

        Returns
        -------
        self
        """
        self._require_parameters()
        jobs = workers_of(self.n_jobs)
        X, y = self._read(X, y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind == "multiclass":
            raise BadData(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        sample = weighted_sample(self, X, y, None)
        with weak_learner_of(self, sample, jobs) as weak:
            self._boost(weak)
        self.classes_ = sample.classes
        return self

    def _boost(self, weak: Any) -> None:
        labels = weak.labels
        n, rounds = len(labels), self._rounds(len(labels))
        gamma, most = as_fraction(float(self.edge)), rounds
        factor = (1 + 2 * gamma) / (1 - 2 * gamma)
        misses = np.zeros(n, dtype=np.int64)
        right_shares: list[float] = []
        log: list[dict[str, float]] = []
        clean = broken = 0
        name = type(self).__name__
        for done in with_progress(range(1, rounds + 1), rounds, name, "rounds", self.verbose):
            w = _weights(misses, float(factor))
            right = weak.find(w) == labels
            right_shares.append(float(w[right].sum() / w.sum()))
            if right.all():
                # Alone it is right everywhere, and it would be found again in every round.
                del weak.kept[:-1], log[:]
                misses, rounds, clean = np.zeros(n, dtype=np.int64), 1, 1
                right_shares = [1.0]
                log.append(self._mark(1.0, misses, 1, float(factor)))
                break
            if not _holds(misses, right, right_shares[-1], gamma, factor):
                broken = done
                rounds = max(1, done - 1 if done % 2 == 0 else done - 2)
                self._warn(done, right_shares[-1], rounds)
                if done == 1:
                    misses += ~right
                    log.append(self._mark(right_shares[-1], misses, 1, float(factor)))
                break
            misses += ~right
            log.append(self._mark(right_shares[-1], misses, done, float(factor)))
            if not clean and done % 2 == 1 and not (2 * misses > done).any():
                clean = done
        self._keep(weak.kept[:rounds])
        self.votes_, self.rows_ = rounds, n
        self.training_errors_ = int(log[rounds - 1]["wrong"])
        self.clean_, self.broken_ = clean if clean <= rounds else 0, broken
        self.right_ = np.array(right_shares)
        self.log_ = log[:rounds] if self.trace else []
        # Promises are about this fit, whatever the parameters are set to later.
        self.edge_, self.rounds_ = float(self.edge), most

    def _rounds(self, n: int) -> int:
        if self.n_estimators is not None:
            return int(self.n_estimators)
        return boosting_rounds(n, self.edge)

    def _warn(self, done: int, share: float, rounds: int) -> None:
        kept = "Its hypothesis decides alone, and nothing is promised."
        if done > 1:
            first = "round decides" if rounds == 1 else f"{rounds} rounds vote"
            kept = f"The first {first}, and what is promised for that many holds."
        warnings.warn(
            f"{type(self).__name__} stopped in round {done}: the weak learner is right on {share:.6g} of the weight, "
            f"and edge={self.edge!r} asks for {0.5 + self.edge:.6g}. {kept} Try a smaller edge or a better weak "
            "learner.",
            ConvergenceWarning,
            stacklevel=4,
        )

    @staticmethod
    def _mark(right: float, misses: Ints, rounds: int, factor: float) -> dict[str, float]:
        counts = np.bincount(misses)
        top = len(counts) - 1
        rest = float(counts @ factor ** np.arange(-top, 1.0))
        return {
            "right": right,
            "total": math.log(rest) + top * math.log(factor),
            "most_misses": float(top),
            "wrong": float(np.count_nonzero(2 * misses > rounds)),
        }

    @property
    def _votes(self) -> Floats:
        check_is_fitted(self, "votes_")
        return np.ones(self.votes_)

    @property
    def record_(self) -> MajorityBoostRecord:
        """What the fit left behind."""
        check_is_fitted(self, "votes_")
        return MajorityBoostRecord(
            rows=self.rows_,
            right=self.right_,
            rounds=self.votes_,
            broken=self.broken_,
            wrong=self.training_errors_,
            clean=self.clean_,
            trace=self._traced(_MARKS),
            edge=self.edge_,
        )

    def decision_function(self, X: Any) -> Floats:
        """The votes for the second class minus those for the first, as a share of all votes."""
        ballots = self._ballots(X)
        return np.asarray((ballots[:, 1] - ballots[:, 0]) / self.votes_)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How many training examples are wrong at most, and after how many rounds none is."""
        return majority_boost_guarantees(self.record_) if hasattr(self, "record_") else []

    def rows_needed(
        self, accuracy: float, delta: float = 0.05, *, bits: float | None = None
    ) -> int:
        """How many examples make the error small, if the weak learner keeps its edge on any of them.

        By ``boosting-sample-size``: the vote is one of few, and right on all of the examples.

        Parameters
        ----------
        accuracy : float
            The error that is asked for.
        delta : float, default=0.05
            The probability that it is larger.
        bits : float, optional
            The weak hypotheses are one of :math:`2^{bits}` that were fixed before. For stumps, when not given, 64
            bits for the threshold, those of the feature's number, and one for each side.

        Returns
        -------
        int
        """
        self._require_parameters()
        if bits is None:
            check_is_fitted(self, "votes_")
            stumps = hasattr(self, "features_")
            require(stumps, "bits", "given unless the base learner is DecisionStump", bits)
            bits = _THRESHOLD_BITS + 2 + math.ceil(math.log2(self.n_features_in_))
        return boosting_sample_size(bits, accuracy, delta, self.edge)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _weights(misses: Ints, factor: float) -> Floats:
    """The weights up to a common factor, summing to one: a power for each number of misses."""
    powers = factor ** np.arange(-int(misses.max()), 1.0)
    # Never zero, or the example would be lost.
    w = np.maximum(powers, 1e-300)[misses]
    return np.asarray(w / w.sum())


def _holds(misses: Ints, right: Bools, share: float, gamma: Fraction, factor: Fraction) -> bool:
    """Whether the hypothesis is right on at least 1/2 + gamma of the weight, without rounding."""
    wanted = Fraction(1, 2) + gamma
    if abs(share - float(wanted)) > _CLOSE:
        return share > wanted
    top = int(misses.max()) + 1
    hits, all_of = np.bincount(misses[right], minlength=top), np.bincount(misses, minlength=top)
    # In powers of the factor, which is p / q: multiplied by q^(top - 1) everything is whole.
    p, q = factor.numerator, factor.denominator
    scale = [p**r * q ** (top - 1 - r) for r in range(top)]
    hit = sum(int(h) * s for h, s in zip(hits, scale, strict=True))
    total = sum(int(a) * s for a, s in zip(all_of, scale, strict=True))
    return bool(hit >= wanted * total)
