"""What a learner of the service is: its algorithm, its labels, its features, and terms that never change."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from assay.errors import AssayError, require
from assay.learners.registry import family_of, find_learner, learner_names
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.theory.tail.progressive_anytime import progressive_anytime

Label = str | int | float | bool
Kind = TypeVar("Kind")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
TRIAL_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


class Settings(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """Terms that may change while a learner lives; a change is an event and resets nothing.

    Attributes
    ----------
    feedback_within : float or None
        Seconds after its prediction in which a trial takes feedback; None for ever.
    wait : float or None
        Seconds after which a trial without feedback is told the default.
    default_loss, default_reward : float or None
        What a bandit's trial is told after `wait`.
    apprentice : bool
        Whether a policy with context shows the baseline, which is the first action, and learns what comes of it.
    keep_days : float or None
        Days after which events leave the store; None for never.
    keep_events : int or None
        How many of the newest events stay at least.
    """

    feedback_within: float | None = None
    wait: float | None = None
    default_loss: float | None = None
    default_reward: float | None = None
    apprentice: bool = False
    keep_days: float | None = None
    keep_events: int | None = None


class Definition(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """What a learner is, fixed when it is created.

    Attributes
    ----------
    algorithm : str
        A learner by its registered name, such as "perceptron", "sleeping-experts" or "exp3".
    params : dict
        Its parameters.
    classes : list of labels
        All labels there are; for classifiers.
    features : list of str, or int
        Names of the features, or how many there are. Without it features are those that rows name.
    experts : list of str, or int
        Names of the experts, or how many there are; for policies that are told the experts' losses.
    actions : list of str
        Names of a bandit's arms.
    action_features : list of str, or int
        For policies with context whose rounds bring their own actions: names of the actions' features, or how many.
    hashed : bool
        Whether features of rounds and actions are any JSON, hashed into as many numbers as `features` and
        `action_features` say.
    rewards : list of two numbers
        The least and the largest reward of a policy with context, where they are others than 0 and 1.
    least_propensity : float
        The probability with which a bandit plays every arm at least.
    delta : float or str
        The probability with which the live bound may fail.
    source, target : str
        What certificates call the stream, and the column of its truth.
    """

    algorithm: str
    params: dict[str, Any] = {}
    classes: list[Label] | None = None
    features: list[str] | int | None = None
    experts: list[str] | int | None = None
    actions: list[str] | None = None
    action_features: list[str] | int | None = None
    hashed: bool | None = None
    rewards: list[float] | None = None
    least_propensity: float | None = None
    delta: float | str = "0.05"
    source: str | None = None
    target: str | None = None


def algorithms() -> list[str]:
    """The learners that can be served; asking imports all learners.

    Examples
    --------
    >>> known = algorithms()
    >>> "perceptron" in known, "exp3" in known, "svc" in known
    (True, True, False)
    """
    return sorted(name for name in learner_names() if kind_of(name) is not None)


def kind_of(algorithm: str) -> str | None:
    """The game a learner plays: "classifier", "experts", "bandit", "contextual", or None for those that play none."""
    learner = find_learner(algorithm)
    if algorithm == "exp4":  # its context is advice
        return None
    game = {"experts": "experts", "bandits": "bandit", "contextual": "contextual"}.get(
        family_of(algorithm)
    )
    if game is not None:
        return game
    online = hasattr(learner, "learn_one") and hasattr(learner, "predict_one")
    return "classifier" if online and _classifies(learner) else None


def _classifies(learner: type) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(learner()))


def refused(problem: Exception) -> Refusal:
    """A learner's refusal as the service's; sentences of the library are passed on."""
    if isinstance(problem, Refusal):
        return problem
    if isinstance(problem, AssayError | ValueError | TypeError | OverflowError):
        text = " ".join(str(problem).split())[:500]
        fields = problem.fields() if isinstance(problem, AssayError) else {}
        return Refusal("refused", text or "The learner cannot take this.", **fields)
    return Refusal("refused", f"The learner cannot take this ({type(problem).__name__}).")


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Whatever goes wrong in here is refused; where every microsecond counts, `refused` is called instead."""
    try:
        yield
    except Exception as problem:
        raise refused(problem) from None


def _read(given: Any, kind: type[Kind], what: str) -> Kind:
    try:
        return msgspec.convert(given, kind)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise Refusal("refused", f"The {what} cannot be read: {problem}.") from None


@refusing()
def read_definition(given: Any, limits: Limits) -> Definition:
    """A definition from JSON; refuses what no learner could be made of."""
    definition = _read(given, Definition, "definition")
    text = json.dumps(msgspec.to_builtins(definition))
    if len(text) > limits.body // 16:
        raise Refusal("refused", f"The definition is too large. {how('body')}")
    progressive_anytime(0, 1, definition.delta)
    for name in ("classes", "features", "experts", "actions", "action_features"):
        _require_few(name, getattr(definition, name), limits.width)
    for name in ("arms", "experts", "n_components", "budget"):
        value = definition.params.get(name)
        few = not isinstance(value, int) or value <= limits.width
        require(few, f"params.{name}", f"at most {limits.width}", value, how("width"))
    return definition


def _require_few(name: str, value: Any, most: int) -> None:
    size = value if isinstance(value, int) else 1 if value is None else len(value)
    if not 1 <= size <= most:
        more = f" {how('width')}" if size > most else ""
        raise Refusal("refused", f"{name} must be 1 to {most:,} in number, but is {size:,}.{more}")
    if isinstance(value, list):
        odd = [v for v in value if isinstance(v, str) and not 0 < len(v) <= 200]
        if odd:
            raise Refusal("refused", f"{name} must hold texts of 1 to 200 characters.")
        if len({(isinstance(v, bool), v) for v in value}) < len(value):
            raise Refusal("refused", f"{name} must be different from each other.")


@refusing()
def read_settings(given: Any) -> Settings:
    """Settings from JSON."""
    settings = _read(given, Settings, "settings")
    for name in ("feedback_within", "wait"):
        value = getattr(settings, name)
        require(value is None or 0 < value < 1e10, name, "seconds above zero", value)
    days, events = settings.keep_days, settings.keep_events
    require(days is None or 0 < days < 1e5, "keep_days", "days above zero", days)
    require(events is None or 0 < events < 2**53, "keep_events", "a number above zero", events)
    loss = settings.default_loss
    require(loss is None or 0 <= loss <= 1, "default_loss", "between 0 and 1", loss)
    defaults = (settings.default_loss is not None) + (settings.default_reward is not None)
    if (settings.wait is not None) != (defaults == 1):
        raise Refusal(
            "refused", "wait needs exactly one of default_loss and default_reward beside it."
        )
    return settings
