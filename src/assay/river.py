"""assay's learners and policies as River's: in its pipelines, wrappers, metrics and checks.

>>> from river import evaluate, metrics, preprocessing
>>> from river.datasets import Phishing
>>> from assay import Perceptron
>>> from assay.river import RiverClassifier
>>> model = preprocessing.StandardScaler() | RiverClassifier(Perceptron())
>>> evaluate.progressive_val_score(Phishing(), model, metrics.Accuracy())
Accuracy: 84.47%
>>> model["RiverClassifier"].guarantees()[0].of
'mistakes'
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from assay.errors import BadParameter, require

try:
    from river import bandit, base
except ImportError:
    raise ImportError("assay.river needs River: pip install river") from None

__all__ = ["RiverClassifier", "RiverPolicy", "RiverRegressor", "to_river"]


def to_river(model: Any) -> Any:
    """An online learner or a bandit policy as one of River's.

    Parameters
    ----------
    model : learner or policy
        Its parameters are taken; what it has learned is left to it.

    Returns
    -------
    RiverClassifier, RiverRegressor or RiverPolicy

    Examples
    --------
    >>> from assay import EXP3, SGDRegressor
    >>> type(to_river(SGDRegressor())).__name__, type(to_river(EXP3(random_state=0))).__name__
    ('RiverRegressor', 'RiverPolicy')
    """
    if hasattr(model, "choose"):
        return RiverPolicy(model)
    _require_online(model)
    return RiverRegressor(model) if is_regressor(model) else RiverClassifier(model)


def _require_online(learner: Any) -> None:
    must = "an online learner, which has learn_one and predict_one"
    require(hasattr(learner, "learn_one"), "learner", must, learner)


class RiverClassifier(base.Classifier):
    """An online classifier of assay as one of River's: labels and features are learned as they come.

    Truth values are learned by one learner. Of other labels each has a learner of its own, against the rest, from the
    example that brings it on; the one with the highest score is predicted. If all labels are known beforehand,
    ``classes`` says so, and one learner learns them all.

    Parameters
    ----------
    learner : online learner
        Such as ``Perceptron()``. It stays as it is: clones of it learn.
    classes : sequence of labels, optional
        All labels there are.

    Attributes
    ----------
    learners_ : dict
        The learner of each label; of truth values, or with ``classes``, one under the label None.

    Examples
    --------
    >>> from assay import SGDClassifier
    >>> model = RiverClassifier(SGDClassifier(loss="log_loss"))
    >>> model.learn_one({"wings": 2}, "bird")
    >>> model.learn_one({"legs": 4}, "cat")
    >>> model.predict_one({"wings": 2}), sorted(model.predict_proba_one({"legs": 4}))
    ('bird', ['bird', 'cat'])
    """

    def __init__(self, learner: Any, classes: Sequence[Any] | None = None) -> None:
        _require_online(learner)
        require(not is_regressor(learner), "learner", "a classifier", learner)
        self.learner = learner
        self.classes = classes
        self.learners_: dict[Any, Any] = {}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x : dict of numbers
        y : label
        """
        label = y.item() if isinstance(y, np.generic) else y
        if not self.learners_ and (self.classes is not None or isinstance(label, bool)):
            self.learners_[None] = clone(self.learner)
        if None in self.learners_:
            known = (False, True) if self.classes is None else self.classes
            self.learners_[None].learn_one(x, label, classes=list(known))
            return
        if label not in self.learners_:
            self.learners_[label] = clone(self.learner)
        for one, learner in self.learners_.items():
            learner.learn_one(x, one == label, classes=[False, True])

    def predict_one(self, x: Mapping[Any, Any], **_: Any) -> Any:
        """The label of one example; None before anything was learned."""
        if None in self.learners_:
            return self.learners_[None].predict_one(x)
        if len(self.learners_) < 2:
            return next(iter(self.learners_), None)
        scores = {label: _score(learner, x) for label, learner in self.learners_.items()}
        return max(scores, key=lambda label: scores[label])

    def predict_proba_one(self, x: Mapping[Any, Any], **_: Any) -> dict[Any, float]:
        """The probability of each label that was seen; of labels against the rest they are made to add up to one.

        A learner that gives no probabilities votes: the label that it predicts has 1, as River's wrappers count it.
        """
        if not hasattr(self.learner, "predict_proba"):
            return self._vote(x)
        if None in self.learners_:
            learner = self.learners_[None]
            shares = _asked(learner, "predict_proba", x)
            return dict(zip(learner.classes_.tolist(), shares.tolist(), strict=True))
        each = {
            label: float(_asked(learner, "predict_proba", x)[1])
            for label, learner in self.learners_.items()
        }
        total = sum(each.values())
        if not total:
            return dict.fromkeys(each, 1 / len(each)) if each else {}
        return {label: share / total for label, share in each.items()}

    def _vote(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        one = self.learners_.get(None)
        labels = list(self.learners_) if one is None else one.classes_.tolist()
        predicted = self.predict_one(x)
        return {label: float(label == predicted) for label in labels}

    def guarantees(self, *, delta: Any = 0.05, **declared: Any) -> list[Any]:
        """What is promised of every learner's run."""
        return [
            guarantee
            for learner in self.learners_.values()
            for guarantee in learner.guarantees(delta=delta, **declared)
        ]

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from assay import Perceptron, SGDClassifier

        yield {"learner": Perceptron()}
        yield {"learner": SGDClassifier(loss="log_loss")}


def _asked(learner: Any, method: str, x: Mapping[Any, Any]) -> Any:
    """What a method about rows says of one example."""
    row = learner._one(x, grow=False).reshape(1, -1)
    with warnings.catch_warnings():
        # The features have names; this row is in their order.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return getattr(learner, method)(row)[0]


def _score(learner: Any, x: Mapping[Any, Any]) -> float:
    """How much speaks for a label, against the rest."""
    if hasattr(learner, "decision_function"):
        return float(_asked(learner, "decision_function", x))
    if hasattr(learner, "predict_proba"):
        return float(_asked(learner, "predict_proba", x)[1])
    return float(learner.predict_one(x))


class RiverRegressor(base.Regressor):
    """An online regressor of assay as one of River's.

    Parameters
    ----------
    learner : online learner of numbers
        Such as ``SGDRegressor()``. It stays as it is: a clone of it learns.

    Attributes
    ----------
    learner_ : learner
        The one that learns.

    Examples
    --------
    >>> from river import evaluate, metrics, preprocessing
    >>> from river.datasets import TrumpApproval
    >>> from assay import SGDRegressor
    >>> model = preprocessing.StandardScaler() | RiverRegressor(SGDRegressor(eta0=0.05))
    >>> evaluate.progressive_val_score(TrumpApproval(), model, metrics.MAE()).get() < 2
    True
    """

    def __init__(self, learner: Any) -> None:
        _require_online(learner)
        require(is_regressor(learner), "learner", "a regressor", learner)
        self.learner = learner
        self.learner_ = clone(learner)

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example."""
        self.learner_.learn_one(x, y)

    def predict_one(self, x: Mapping[Any, Any], **_: Any) -> float:
        """The number predicted for one example; zero before anything was learned."""
        return float(self.learner_.predict_one(x) or 0.0)

    def guarantees(self, *, delta: Any = 0.05, **declared: Any) -> list[Any]:
        """What is promised of the run."""
        promised: list[Any] = self.learner_.guarantees(delta=delta, **declared)
        return promised

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from assay import SGDRegressor

        yield {"learner": SGDRegressor(learning_rate="constant", eta0=1e-6)}


class RiverPolicy(bandit.base.Policy):
    """A bandit policy of assay as one of River's: arms by name, rewards instead of losses.

    Parameters
    ----------
    policy : bandit policy
        Such as ``EXP3(random_state=0)``; a clone of it plays, over the arms of the first pull.
    low, high : float, default=0, 1
        The range of rewards; the best is loss 0, the worst loss 1.
    reward_obj, reward_scaler, burn_in
        As River's policies have them. Pulls of a burn-in are none of the policy's choices and teach it nothing.

    Attributes
    ----------
    policy_ : bandit policy
        The one that plays, once there are arms.

    Examples
    --------
    >>> from assay import UCB1
    >>> policy = RiverPolicy(UCB1())
    >>> for _ in range(100):
    ...     arm = policy.pull(["red", "green"])
    ...     policy.update(arm, float(arm == "green"))
    >>> policy.ranking[0], policy.guarantees()[0].theorem
    ('green', 'ucb1-gap-free-regret')
    """

    def __init__(
        self,
        policy: Any,
        low: float = 0.0,
        high: float = 1.0,
        reward_obj: Any = None,
        reward_scaler: Any = None,
        burn_in: int = 0,
    ) -> None:
        require(hasattr(policy, "choose"), "policy", "a bandit policy of assay", policy)
        require(low < high, "low", f"below high {high!r}", low)
        super().__init__(reward_obj, reward_scaler, burn_in)
        self.policy = policy
        self.low, self.high = low, high
        self._chosen: Any = None

    def _pull(self, arm_ids: Sequence[Any]) -> Any:
        if not hasattr(self, "policy_"):
            self._arms = list(arm_ids)
            self.policy_ = clone(self.policy).set_params(arms=len(self._arms))
        if list(arm_ids) != self._arms:
            raise BadParameter("arm_ids must be the same in every pull, in the same order.")
        self._chosen = self._arms[self.policy_.choose()[0]]
        return self._chosen

    def update(self, arm_id: Any, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn the reward of an arm that was pulled.

        Parameters
        ----------
        arm_id
            The arm.
        reward : float
            What it brought, between `low` and `high`.
        """
        if self._chosen is not None and arm_id == self._chosen:
            reward = float(reward_args[0])
            inside = self.low <= reward <= self.high
            require(inside, "reward", f"between low {self.low!r} and high {self.high!r}", reward)
            loss = (self.high - reward) / (self.high - self.low)
            self.policy_.update(self._arms.index(arm_id), loss)
            self._chosen = None
        super().update(arm_id, *reward_args, **reward_kwargs)  # type: ignore[no-untyped-call]

    def guarantees(self, *, delta: Any = 0.05, **declared: Any) -> list[Any]:
        """What is promised of the game so far."""
        if not hasattr(self, "policy_"):
            return []
        promised: list[Any] = self.policy_.guarantees(delta=delta, **declared)
        return promised

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from assay import EXP3

        yield {"policy": EXP3(random_state=0)}
