"""What is asked and told, as strict structures: an unknown field is refused, a number is no text."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from assay.server.engine.definition import Label
from assay.server.refusals import Refusal

_NOTHING = msgspec.Raw()
_TOLD = ("label", "labels", "outcome", "losses", "loss", "reward", "rewards")
Names = dict[str, float]


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """A request for a prediction; `x`, `rows` or `advice` as the game has it, nothing for a bandit.

    Attributes
    ----------
    trial : str or None
        A name for the trial, given by the client so that asking again is safe.
    x : list of numbers, or dict
        One example.
    rows : list of lists of numbers
        A block of examples, which is one trial.
    advice : list or dict
        What the experts say; null for one who is asleep.
    """

    route: ClassVar[str] = "predict"

    trial: str | None = None
    x: msgspec.Raw = _NOTHING
    rows: msgspec.Raw = _NOTHING
    advice: msgspec.Raw = _NOTHING


class Action(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An action of a round: its name, and its features as the definition has them."""

    id: str
    features: msgspec.Raw = _NOTHING


class Slot(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One of several places that get an action each; `features` are part of the context, where those are hashed."""

    id: str
    features: msgspec.Raw = _NOTHING
    excluded: list[str] = []
    baseline: str | None = None


class Rank(msgspec.Struct, forbid_unknown_fields=True):
    """A request for an action by context.

    Attributes
    ----------
    trial : str or None
        A name for the trial, given by the client so that asking again is safe.
    context : list, dict or anything hashed
        The features of the round.
    actions : list of actions, or of names
        What there is to choose from, the baseline first; all actions of the definition where it names them and nothing
        is given.
    excluded : list of str
        Actions that may not be chosen.
    slots : list of slots
        Places to be filled one after the other, each action once.
    deferred : bool
        Whether nothing is learned or told by default until the trial is activated.
    """

    route: ClassVar[str] = "rank"

    trial: str | None = None
    context: msgspec.Raw = _NOTHING
    actions: list[Action | str] | None = None
    excluded: list[str] = []
    slots: list[Slot] | None = None
    deferred: bool = False


class Activate(msgspec.Struct, forbid_unknown_fields=True):
    """Says that what a trial chose was shown after all."""

    trial: str


class Erase(msgspec.Struct, forbid_unknown_fields=True):
    """Which trials are erased.

    Attributes
    ----------
    trials : list of str
        Their names.
    beginning : str or None
        All whose names begin so.
    """

    trials: list[str] = []
    beginning: str | None = None


class Tell(msgspec.Struct, forbid_unknown_fields=True):
    """Feedback for a trial; exactly one field beside `trial`, as the game has it."""

    trial: str
    label: Label | None = None
    labels: list[Label] | None = None
    outcome: Label | None = None
    losses: list[float] | dict[str, float] | None = None
    loss: float | None = None
    reward: float | None = None
    rewards: dict[str, float] | None = None

    def only(self, *names: str) -> tuple[str, object]:
        """The one field that is given, which must be one of these."""
        given = [name for name in _TOLD if getattr(self, name) is not None]
        if len(given) != 1 or given[0] not in names:
            held = " and ".join(given) or "nothing"
            raise ValueError(f"The feedback must hold {' or '.join(names)}, but holds {held}.")
        return given[0], getattr(self, given[0])


class Kept(msgspec.Struct):
    """A trial as the log holds it."""

    x: msgspec.Raw = _NOTHING
    rows: msgspec.Raw = _NOTHING
    advice: msgspec.Raw = _NOTHING
    prediction: object = None
    predictions: list[object] | None = None
    arm: int | None = None
    probability: float | None = None
    distribution: list[float] | None = None
    expert: int | None = None
    context: msgspec.Raw = _NOTHING
    actions: list[Action | str] | None = None
    excluded: list[str] = []
    slots: list[Slot] | None = None
    deferred: bool = False
    chosen: list[int] = []
    chances: list[list[float]] = []
    round: int = 0
    would: list[int] | None = None
    told: int = 0


def truth_values(truth: dict[str, Any]) -> list[Any]:
    """What the log holds of a truth, row by row."""
    if "label" in truth:  # as most are
        return [truth["label"]]
    if "labels" in truth:
        return list(truth["labels"])
    return [truth[field] for field in _TOLD if field in truth][:1]


class Waiting(msgspec.Struct):
    """As much of a trial in the log as must be known while it waits."""

    told: int = 0
    rows: list[msgspec.Raw] | None = None
    slots: list[msgspec.Raw] | None = None


ask_decoder = msgspec.json.Decoder(Ask)
rank_decoder = msgspec.json.Decoder(Rank)
activate_decoder = msgspec.json.Decoder(Activate)
tell_decoder = msgspec.json.Decoder(Tell)
erase_decoder = msgspec.json.Decoder(Erase)
kept_decoder = msgspec.json.Decoder(Kept)
told_decoder = msgspec.json.Decoder()
waiting_decoder = msgspec.json.Decoder(Waiting)


def decoded(decoder: Any, raw: Any) -> Any:
    """A request, or the refusal of what is none."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as problem:
        raise Refusal("refused", f"The request cannot be read: {problem}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise Refusal("bad_json", f"The request is not JSON: {problem}.") from None


def decoded_field(decoder: Any, raw: bytes, field: str) -> Any:
    """A field of a request, whose kind is known only when its learner is."""
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise Refusal("refused", f"{field} cannot be read: {problem}.") from None


def _plain(value: Any) -> str:
    """Quantities and conditions are text with fields, which JSON has no use for."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


encode = msgspec.json.Encoder(enc_hook=_plain).encode
#: Of the same value always the same text, in whatever order its keys came.
encode_sorted = msgspec.json.Encoder(order="sorted").encode
