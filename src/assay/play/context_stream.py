"""Policies with context on the rows of a file: rows that say the right action, and logs of another policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, Where, require
from assay.guarantees.guarantee import Guarantee
from assay.learners.bandits.replay import replay
from assay.learners.registry import make_learner, name_of
from assay.play.bandit_stream import BanditStream
from assay.play.context_history import ContextHistory
from assay.play.row_stream import PolicyStream, bad_number, typed, unknown_label
from assay.record.bandit import Replay
from assay.types import Array, Floats, Ints

#: The policies that are told something of each round.
CONTEXTUAL = ("linucb", "linear-thompson", "epsilon-greedy", "square-cb", "exp4")
_LARGEST = 1e15


def opened_policy(policy: Any, arms: int, parameters: Mapping[str, Any]) -> Any:
    """A policy by its name, or the one that goes on."""
    if not isinstance(policy, str):
        require(name_of(policy) in CONTEXTUAL, "policy", "one with context", policy)
        return policy
    require(policy in CONTEXTUAL, "policy", f"one of {', '.join(CONTEXTUAL)}", policy)
    if "arms" in parameters:
        raise BadParameter("'arms' is no parameter to give here: the arms are those of the rows.")
    # The same command twice gives the same answer, unless a seed is asked for.
    return make_learner(policy, {"arms": arms, "random_state": 0, **parameters, "trace": False})


@contextmanager
def rounds_of(policy: Any) -> Iterator[dict[str, Array]]:
    """What a policy does meanwhile, round by round; it keeps none of it."""
    rounds: dict[str, Array] = {}
    policy.trace = True
    try:
        yield rounds
        rounds.update(policy._traced() or {})
    finally:
        policy.trace = False
        vars(policy).pop("trace_", None)


class ContextTable(PolicyStream):
    """A policy on rows that say which action would have been right; it is told only whether its own was.

    Parameters
    ----------
    policy : policy or str
        A policy that goes on, or the name of a new one.
    arms : array
        The actions: the labels of the table.
    parameters : mapping, optional
        Parameters of a new policy.
    source : str
        What the stream is called in refusals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((2000, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], "a", "b")
    >>> stream = ContextTable("square-cb", np.array(["a", "b"]))
    >>> stream.learn(Examples(X, y, ["u", "v"], "side"))
    >>> stream.rows, stream.mean_loss < 0.2 < stream.best_single[1]
    (2000, True)
    """

    def __init__(
        self,
        policy: Any,
        arms: Array,
        *,
        parameters: Mapping[str, Any] | None = None,
        source: str = "the table",
    ) -> None:
        if len(arms) < 2:
            raise BadData(f"{source} holds only one label, and so nothing to choose from.")
        self.policy = opened_policy(policy, len(arms), dict(parameters or {}))
        self.arms, self.source = arms, source
        self.rows = 0
        self.history = ContextHistory(len(arms))

    def learn(self, examples: Examples) -> None:
        """Play the rows of a chunk: what is known of each as features, the right action as label."""
        self._learn(examples)

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        labels = np.asarray(examples.y)
        good, refusal = len(labels), None
        known = self.arms[self._places(labels)] == labels
        if not known.all():
            good = int(known.argmin())
            refusal = unknown_label(self.source, examples, good, self.arms, "labels")
        if self.advised:
            advised = np.asarray(examples.X)
            named = self.arms[self._places(advised)] == advised
            rows = np.flatnonzero(~named.all(axis=1)[:good])
            if rows.size:
                good = int(rows[0])
                column = int(named[good].argmin())
                where = Where(row=examples.first_row + good, name=str(examples.features[column]))
                refusal = BadData(
                    f"{self.source} holds {advised[good, column]!r} in ",
                    where,
                    ", which is none of the actions.",
                )
            return good, refusal
        return _until_large(examples, 0, good, refusal, self.source)

    @property
    def advised(self) -> bool:
        """Whether the columns are advice, rather than features."""
        return name_of(self.policy) == "exp4"

    def _places(self, labels: Array) -> Ints:
        if labels.dtype.kind == "O":
            labels = np.where(labels == None, "", labels)  # noqa: E711
        return np.minimum(np.searchsorted(self.arms, labels), len(self.arms) - 1)

    def _play(self, examples: Examples) -> None:
        if not len(examples):
            return
        truths = self._places(np.asarray(examples.y))
        losses = np.ones((len(truths), len(self.arms)))
        losses[np.arange(len(truths)), truths] = 0.0
        seen = self._places(np.asarray(examples.X)) if self.advised else _dense(examples.X)
        with rounds_of(self.policy) as rounds:
            self.policy.play(losses, seen)
        self.history.add(rounds["action"], rounds["loss"], rounds["probability"], truths)
        self.rows += len(truths)

    @property
    def mean_loss(self) -> float:
        """The share of rows in which the action was wrong."""
        return self.history.loss / self.rows if self.rows else float("nan")

    @property
    def best_single(self) -> tuple[Any, float]:
        """The action that is right most often, and in which share of rows it is wrong."""
        best = int(self.history.truths.argmax())
        return self.arms[best], 1.0 - float(self.history.truths[best]) / max(self.rows, 1)

    def guarantees(self) -> list[Guarantee]:
        """What theorems say of the run."""
        return self.policy.guarantees() if self.rows else []


class ContextLog(BanditStream):
    """A policy with context that is replayed on a log whose propensities are known.

    Parameters are those of `BanditStream`; the features of a row, after its loss and its propensity, are its context.
    """

    def __init__(self, policy: Any, log: Any, **terms: Any) -> None:
        super().__init__(policy, log, **terms)
        self.history = ContextHistory(len(log.arms))

    def _opened(self, policy: Any, arms: int, parameters: dict[str, Any]) -> Any:
        made = opened_policy(policy, arms, parameters)
        if name_of(made) == "exp4":
            raise BadParameter(
                "exp4 is played on rows that say the right action: name their column with --target."
            )
        return made

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        good, refusal = super()._until_bad(examples)
        return _until_large(examples, 2, good, refusal, self.source)

    def _replay(
        self, examples: Examples, arms: Ints, losses: Floats, propensities: Floats
    ) -> Replay:
        seen = np.ascontiguousarray(_dense(examples.X)[:, 2:])
        terms = {"least_propensity": self.log.least_propensity, "random_state": self._coins}
        with rounds_of(self.policy) as rounds:
            run = replay(self.policy, arms, losses, propensities, contexts=seen, **terms)
        self.history.add(rounds["action"], rounds["loss"], rounds["probability"])
        return run

    def _plays(self) -> Ints:
        return self.history.counts

    @property
    def waits_for(self) -> str | None:
        """It waits for no arm: which one it would choose depends on the round."""
        return None


def arms_of(labels: Array, declared: Sequence[str]) -> Array:
    """The actions, in order: those that were declared, in the type that the column has them, or those that were met."""
    if not declared:
        return np.unique(labels)
    try:
        return typed(declared, np.asarray(labels))
    except (KeyError, ValueError):
        raise BadParameter(
            f"The labels must be numbers as in the table, but are {', '.join(map(repr, declared))}."
        ) from None


def _dense(X: Any) -> Floats:
    return np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=np.float64)


def _until_large(
    examples: Examples, begin: int, good: int, refusal: BadData | None, source: str
) -> tuple[int, BadData | None]:
    """Rows until one that holds no number, or one that would leave nothing of the others."""
    X = _dense(examples.X)[:good, begin:]
    fits = np.abs(X) <= _LARGEST
    if fits.all():
        return good, refusal
    row = int((~fits.all(axis=1)).argmax())
    column = int(fits[row].argmin())
    where = Where(row=examples.first_row + row, name=str(examples.features[begin + column]))
    why = f"where a number between -{_LARGEST:g} and {_LARGEST:g} is needed."
    return row, bad_number(source, float(X[row, column]), where, why)
