"""One learner of a service, and what may be asked of it; `AsyncLearner` has the same calls."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote, urlencode

from assay.client.refused import ServiceRefused
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.client.blocking import Client

Truth = Literal["label", "labels", "outcome", "loss", "losses", "reward", "rewards"]
"""What a trial may be told, as the learner has it."""


class Learner:
    """One learner of a service."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name

    def within(self, seconds: float) -> Self:
        """The same learner, with a deadline for each call: ``learner.within(0.2).predict(x)``."""
        return type(self)(self._client.within(seconds), self.name)

    def predict(
        self, /, x: Any = None, *, trial: str | None = None, **asked: Any
    ) -> dict[str, Any]:
        """Ask for a prediction.

        Parameters
        ----------
        x : sequence or dict of numbers, optional
            The example; policies take ``advice=...`` or nothing, and a block of examples is ``rows=...``.
        trial : str, optional
            A name for the trial; made up where it is not given.
        """
        body = asked | ({} if x is None else {"x": x}) | {"trial": trial or new_trial()}
        return self._client.call("POST", f"{path_of(self.name)}/predict", body, of=dict)

    def feedback(self, /, trial: str, label: Any = None, **told: Any) -> dict[str, Any]:
        """Tell the truth of a trial: its label, or ``outcome=``, ``loss=``, ``reward=``, ``losses=``, ``labels=``."""
        body = told | ({} if label is None else {"label": label}) | {"trial": trial}
        return self._client.call("POST", f"{path_of(self.name)}/feedback", body, of=dict)

    def rank(
        self, /, context: Any = None, actions: Any = None, *, trial: str | None = None, **asked: Any
    ) -> dict[str, Any]:
        """Ask a policy with context for an action.

        Parameters
        ----------
        context : sequence or dict, optional
            What is known of the round.
        actions : list of dicts, or of names, optional
            What there is to choose from, the baseline first: ``{"id": ..., "features": ...}``, or names where the
            definition has them.
        trial : str, optional
            A name for the trial; made up where it is not given.
        **asked
            ``excluded``, ``slots``, and ``deferred=True`` where it is not known yet whether the action will be shown.
        """
        given = {"context": context, "actions": actions}
        body = asked | {name: value for name, value in given.items() if value is not None}
        body["trial"] = trial or new_trial()
        return self._client.call("POST", f"{path_of(self.name)}/rank", body, of=dict)

    def reward(self, /, trial: str, reward: Any) -> dict[str, Any]:
        """Tell the reward of a trial; for slots, a dict of theirs by slot."""
        field = "rewards" if isinstance(reward, Mapping) else "reward"
        body = {"trial": trial, field: reward}
        return self._client.call("POST", f"{path_of(self.name)}/reward", body, of=dict)

    def activate(self, /, trial: str) -> dict[str, Any]:
        """Say that what a deferred trial chose was shown."""
        return self._client.call(
            "POST", f"{path_of(self.name)}/activate", {"trial": trial}, of=dict
        )

    def predict_many(self, examples: Iterable[Any]) -> list[dict[str, Any]]:
        """Ask about many examples in one request, one trial for each; None where a policy is asked with nothing."""
        asked = ({} if x is None else {"x": x} for x in examples)
        return self._lines("predict", [one | {"trial": new_trial()} for one in asked])

    def feedback_many(
        self, told: Iterable[tuple[str, Any]], field: Truth = "label"
    ) -> list[dict[str, Any]]:
        """Tell the truths of many trials in one request, in this order.

        Parameters
        ----------
        told : iterable of (str, value)
            Trials, each with its truth.
        field : str, default="label"
            What those are: ``"losses"`` of experts, ``"loss"`` or ``"reward"`` of bandits, ``"outcome"``, or
            ``"labels"`` of blocks.

        Returns
        -------
        list of dict
            An answer for each; where one was refused, its refusal stands in its place, as ``error`` and ``status``.
        """
        return self._lines("feedback", [{"trial": trial, field: truth} for trial, truth in told])

    def _lines(self, what: str, items: Sequence[Any]) -> list[dict[str, Any]]:
        body = b"\n".join(encoded(item) for item in items)
        path = f"{path_of(self.name)}/{what}"
        return self._client.send("POST", path, body, "application/x-ndjson", _of_lines)

    def standing(self) -> dict[str, Any]:
        """Where the learner stands: trials, mistakes, the bound."""
        return self._client.call("GET", path_of(self.name), of=dict)

    def guarantees(self) -> list[dict[str, Any]]:
        """What the learner's theorems say."""
        path = f"{path_of(self.name)}/guarantees"
        return self._client.call("GET", path, of=lambda held: list(held["guarantees"]))

    def certificate(self) -> dict[str, Any]:
        """The certificate about all acknowledged feedback, as `assay verify` reads it."""
        return self._client.call("GET", f"{path_of(self.name)}/certificate", of=dict)

    def model(self) -> bytes:
        """The learner as a model file."""
        return self._client.send("GET", f"{path_of(self.name)}/model", None, "")

    def evaluate(self, policy: str, delta: float = 0.05) -> dict[str, Any]:
        """What another policy would have earned on what this learner logged, with an interval.

        Parameters
        ----------
        policy : str
            ``"baseline"``, ``"uniform"``, ``"logged"``, ``"action:ID"``, or ``"learner:NAME"`` as it stands.
        delta : float, default=0.05
            The probability with which the interval may fail.
        """
        asked = urlencode({"policy": policy, "delta": delta})
        return self._client.call("GET", f"{path_of(self.name)}/evaluate?{asked}", of=dict)

    def export(self, format: str = "jsonl") -> bytes:
        """What was asked, answered and told, a row for each decision, as ``jsonl``, ``csv`` or ``parquet``."""
        asked = urlencode({"format": format})
        return self._client.send("GET", f"{path_of(self.name)}/export?{asked}", None, "")

    def erase(self, trials: Iterable[str] = (), beginning: str | None = None) -> dict[str, Any]:
        """Erase trials: what was asked, answered and told, and their names; needs a key for administration.

        Parameters
        ----------
        trials : iterable of str
            Their names.
        beginning : str, optional
            All whose names begin so, such as ``"person-17:"``.

        Returns
        -------
        dict
            How many were ``erased`` and how many ``unknown``; of how many erased ones the model had ``learned``, which
            stays; and whether it is of a kind that ``keeps_examples``.
        """
        body = {"trials": [*trials]} | ({} if beginning is None else {"beginning": beginning})
        return self._client.call("POST", f"{path_of(self.name)}/erase", body, of=dict)

    def change_settings(self, /, **settings: Any) -> dict[str, Any]:
        """Change the settings; nothing that was learned is touched."""
        return self._client.call("PUT", f"{path_of(self.name)}/settings", settings, of=dict)

    def delete(self) -> None:
        """Delete the learner and everything that was kept of it."""
        try:
            self._client.call("DELETE", path_of(self.name))
        except ServiceRefused as no:
            if no.code != "unknown_learner":  # deleted by an attempt whose answer was lost
                raise

    def events(self) -> Iterator[dict[str, Any]]:
        """Where the learner stands, whenever that changes, until the service stops or it is deleted."""
        return self._client.stream(f"{path_of(self.name)}/events")


def new_trial() -> str:
    """A name for a trial that nobody else will think of."""
    return uuid.uuid4().hex


def path_of(name: str) -> str:
    """Where a learner is."""
    return f"/v1/learners/{quote(name, safe='')}"


def encoded(body: Any) -> bytes:
    """A request in JSON; refuses what JSON cannot hold."""
    try:
        return json.dumps(body, allow_nan=False, default=_listed).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise BadParameter(f"The request cannot be written as JSON: {problem}.") from None


def _listed(value: Any) -> Any:
    """NumPy's arrays and numbers as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a number, a text, a list or a dict")


def _of_lines(answer: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.splitlines()]
