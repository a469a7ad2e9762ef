"""Decisions with context: an action for a round, or one for each of several slots; the reward of it later.

Every decision is a draw of its own, made when it is asked for and logged with the probability of every action. Told
before anybody else asks, a policy goes through the same states, to the bit, as by `choose` and `update`; told later, as
by `learn`. An apprentice chooses too, but what is shown is the baseline: the first action that is not excluded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.compiled.bandits.contextual_game import ASKED
from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.server.engine.context_features import Features, anything
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.game import Game
from assay.server.engine.requests import Action, Kept, Rank, Slot, Tell, encode_sorted
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.types import Floats

#: Steps that a decision may take.
_MOST_STEPS = 2**28
#: Bytes of an action of a round: its name, its place, and its chance.
_ACTION = 250
_LONGEST_ID = 256


class Round:
    """What is asked about: the same text is the same round.

    Attributes
    ----------
    text : str
        All of it as the log keeps it.
    names : list of str
        The actions of the round, the baseline first.
    places : list of int
        Which of the model's actions they are.
    table : array of shape (actions, features), or None
    slots : list of (name, context, excluded, baseline)
        The decisions, at least one; a name is None where no slots were asked for.
    """

    __slots__ = ("deferred", "names", "places", "slots", "table", "text")

    def __init__(
        self,
        text: str,
        names: list[str],
        places: list[int],
        table: Floats | None,
        slots: list[tuple[str | None, Floats | None, frozenset[int], int | None]],
        deferred: bool,
    ) -> None:
        self.text, self.names, self.places = text, names, places
        self.table, self.slots, self.deferred = table, slots, deferred

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Round) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]


class ContextualGame(Game):
    """A policy that is told something of the round, or of its actions, before it chooses."""

    kind = "contextual"
    route = "rank"
    fields = frozenset({"features", "actions", "action_features", "hashed", "rewards"})
    labels = False
    waits = True
    apprentices = True

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        hashed = bool(definition.hashed)
        self._context = Features("features", definition.features, hashed, limits)
        self._about = Features("action_features", definition.action_features, hashed, limits)
        self._named = None if definition.actions is None else list(definition.actions)
        self._places = {name: at for at, name in enumerate(self._named or ())}
        super().__init__(definition, seed, limits)
        if (self._named is None) == (definition.action_features is None):
            raise Refusal(
                "refused",
                "Either actions must be given, their names, or action_features, how each round describes its own.",
            )
        if getattr(self.model, "regressor", None) is not None:
            raise Refusal("refused", "params.regressor must be left out: the service plays least squares.")  # fmt: skip
        self.low, self.high = _range_of(definition.rewards)
        self._size = self._dimension()
        self.rows = self.reward = self.followed = self.agreed = 0
        self._try_out()

    def params(self) -> dict[str, Any]:
        """As many arms as actions have names."""
        params, many = super().params(), len(self._named or ())
        if "arms" in params and params["arms"] != many:
            raise Refusal("refused", "params.arms must be left out: actions say how many there are.")  # fmt: skip
        return params | {"arms": many} if many else params

    def _dimension(self) -> int:
        """How many features a model has."""
        c, a = self._context.width, self._about.width
        products = bool(a) and bool(self.model.products)
        return 1 + c + a + (c * a if products else 0)

    def _try_out(self) -> None:
        """Play two rounds with a copy: refuses parameters that are out of range, and compiles what requests need."""
        twin, table = clone(self.model), self._about.width
        seen = np.zeros(self._context.width) if self._context.width else None
        rows = np.zeros((1, table)) if table else None
        action, _ = twin.choose(seen, rows)
        twin.update(action, 0.5)
        twin.learn(seen, action, 0.5, actions=rows)

    # Asking

    def read(self, ask: Rank) -> tuple[Round, str]:
        """The round, and its text."""
        if len(ask.actions or ()) > self.limits.width:
            raise Refusal("refused", f"There may be at most {self.limits.width:,} actions. {how('width')}")  # fmt: skip
        return self._round(ask)

    def _round(self, ask: Rank) -> tuple[Round, str]:
        context, kept = self._context.read(bytes(ask.context), "context")
        text: dict[str, Any] = {} if kept is None else {"context": kept}
        names, places, table, actions = self._actions(ask.actions)
        if actions:
            text["actions"] = actions
        known = dict(zip(names, places, strict=True))
        excluded = _excluded("excluded", ask.excluded, known)
        if len(places) < len(self._named or places):
            excluded |= frozenset(range(len(self._named or ()))) - frozenset(places)
        if ask.excluded:
            text["excluded"] = sorted(set(ask.excluded))
        slots: list[tuple[str | None, Floats | None, frozenset[int], int | None]] = []
        seen = context if self._context.width else None
        if ask.slots is None:
            slots.append((None, seen, excluded, None))
        else:
            slots, text["slots"] = self._slots(ask.slots, seen, excluded, known)
        if ask.deferred:
            text["deferred"] = True
        self._require_choice(len(self._named or names), [slot[2] for slot in slots])
        whole = encode_sorted(text).decode()[1:-1]
        return Round(whole, names, places, table, slots, ask.deferred), whole

    def _actions(
        self, given: list[Action | str] | None
    ) -> tuple[list[str], list[int], Floats | None, list[Any]]:
        """Names, places, features, and what the log keeps."""
        if self._named is not None:
            return self._some_of_named(given)
        if not given:
            raise Refusal("refused", "actions must be given: at least one, each with its features.")
        names, raws = [], []
        for action in given:
            if isinstance(action, str):
                raise Refusal("refused", f"Action {action!r} must have features.")
            names.append(action.id)
            raws.append(action.features)
        _require_names("actions", names)
        table, kept = self._about.read_all(raws, names)
        actions = [{"features": its, "id": name} for name, its in zip(names, kept, strict=True)]
        return names, list(range(len(names))), table, actions

    def _some_of_named(
        self, given: list[Action | str] | None
    ) -> tuple[list[str], list[int], None, list[Any]]:
        assert self._named is not None
        if given is None:
            return self._named, list(range(len(self._named))), None, []
        names = []
        for action in given:
            if not isinstance(action, str) and bytes(action.features):
                raise Refusal("refused", "Actions have no features: the definition names them.")
            names.append(action if isinstance(action, str) else action.id)
        _require_names("actions", names)
        odd = [name for name in names if name not in self._places]
        if odd:
            raise Refusal("refused", f"actions names an unknown action {odd[0]!r}.")
        if not names:
            raise Refusal("refused", "actions must name one action at least.")
        return names, [self._places[name] for name in names], None, list(names)

    def _slots(
        self,
        given: list[Slot],
        context: Floats | None,
        excluded: frozenset[int],
        known: dict[str, int],
    ) -> tuple[list[tuple[str | None, Floats | None, frozenset[int], int | None]], list[Any]]:
        if not 1 <= len(given) <= len(known):
            raise Refusal(
                "refused",
                f"slots must be 1 to {len(known)}, since each action is chosen once, but are {len(given)}.",
            )
        _require_names("slots", [slot.id for slot in given])
        slots, kept = [], []
        for slot in given:
            what = f"Slot {slot.id!r}"
            entry: dict[str, Any] = {"id": slot.id}
            seen = context
            if bytes(slot.features):
                if not self._context.hashed or context is None:
                    raise Refusal("refused", f"{what} has features, but the context is not hashed.")
                entry["features"] = anything(bytes(slot.features), what)
                seen = context.copy()
                self._context.add(seen, entry["features"], what, under="slot")
            if slot.excluded:
                entry["excluded"] = sorted(set(slot.excluded))
            baseline = None
            if slot.baseline is not None:
                entry["baseline"] = slot.baseline
                [baseline] = _excluded("baseline", [slot.baseline], known)
            out = excluded | _excluded(f"{what}: excluded", slot.excluded, known)
            slots.append((slot.id, seen, out, baseline))
            kept.append(entry)
        return slots, kept  # type: ignore[return-value]

    def _require_choice(self, many: int, excluded: list[frozenset[int]]) -> None:
        """Refuse, before anything is drawn, what the policy could not choose from."""
        floor = float(getattr(self.model, "least_propensity", 0.0))
        for taken, out in enumerate(excluded):
            left = many - len(out)
            if left <= taken:
                before = f" behind the {taken} slots before it" if taken else ""
                raise Refusal("refused", f"excluded must leave one action at least{before}.")
            if floor * left > 1.0 + 1e-12:
                raise Refusal(
                    "refused",
                    f"There may be at most {int(1 / floor):,} actions, since each has a probability of {floor:g} at "
                    f"least, but there are {left:,}.",
                )
        if many * self._size**2 * len(excluded) > _MOST_STEPS:
            raise Refusal("refused", f"{many:,} actions are too many for {self._size:,} features.")

    def bytes_of(self, value: Round) -> int:
        """Bytes in memory of what was asked about."""
        vectors = sum(0 if slot[1] is None else slot[1].nbytes for slot in value.slots)
        table = 0 if value.table is None else value.table.nbytes
        return vectors + table + _ACTION * len(value.places) * len(value.slots)

    def restore(self, kept: Kept) -> tuple[Round, dict[str, Any]]:
        """From the log."""
        value, _ = self._round(
            Rank(
                context=kept.context,
                actions=kept.actions,
                excluded=kept.excluded,
                slots=kept.slots,
                deferred=kept.deferred,
            )
        )
        answer: dict[str, Any] = {"chosen": kept.chosen, "chances": kept.chances}
        if kept.would is not None:
            answer["would"] = kept.would
        return value, answer | {"round": kept.round}

    def size(self, value: Round) -> int:
        """Slots count one by one."""
        return len(value.slots)

    def deferred(self, value: Round) -> bool:
        """Whether it takes part only when it is activated."""
        return value.deferred

    def ask(self, value: Round) -> dict[str, Any]:
        """Choose, slot by slot."""
        return self._choose(value, self.apprentice)

    def asked(self, value: Round, answer: dict[str, Any]) -> None:
        """Draw as it was drawn then."""
        self._choose(value, "would" in answer)

    def _choose(self, value: Round, follows: bool) -> dict[str, Any]:
        model, taken = self.model, set[int]()
        chosen: list[int] = []
        would: list[int] = []
        chances: list[list[float]] = []
        first = 0
        for _, context, excluded, baseline in value.slots:
            out = excluded | taken if taken else excluded
            action, _ = model.choose(context, value.table, sorted(out) if out else ())
            first = first or int(model.tally_[ASKED])
            if follows:
                would.append(action)
                action = self._baseline(value, out, baseline)
                chances.append([float(place == action) for place in value.places])
            else:
                drawn = model.chances_.tolist()
                # All of them are those of the round, unless it named some.
                chances.append([drawn[place] for place in value.places])
            chosen.append(action)
            taken.add(action)
        answer: dict[str, Any] = {"chosen": chosen, "chances": chances}
        if follows:
            answer["would"] = would
            self.followed += len(chosen)
            self.agreed += sum(map(int.__eq__, chosen, would))
        return answer | {"round": first}

    def would_do(self, kept: Kept, at: int, taken: Sequence[str]) -> dict[str, float]:
        """With which probabilities the policy as it stands would choose for a slot of a round in a log.

        Asked of a copy, since asking changes the state of the draws; nothing is learned.
        """
        value, _ = self.restore(kept)
        known, model = dict(zip(value.names, value.places, strict=True)), self.model
        _, context, excluded, _ = value.slots[at]
        out = excluded | {known[name] for name in taken}
        before = model.mark()
        model.choose(context, value.table, sorted(out) if out else ())
        drawn = model.chances_.tolist()
        model.retract(before)
        return {name: drawn[place] for name, place in known.items()}

    @staticmethod
    def _baseline(value: Round, out: Any, baseline: int | None) -> int:
        if baseline is not None and baseline not in out:
            return baseline
        return next(place for place in value.places if place not in out)

    def shown(self, value: Round, answer: dict[str, Any]) -> dict[str, Any]:
        """The action of each slot, and all actions with their probabilities: the action first, then the likelier."""
        shown = []
        for slot, action, chances in zip(
            value.slots, answer["chosen"], answer["chances"], strict=True
        ):
            place = value.places.index(action)
            order = sorted(range(len(chances)), key=chances.__getitem__, reverse=True)
            order.remove(place)
            order.insert(0, place)
            one: dict[str, Any] = {} if slot[0] is None else {"slot": slot[0]}
            one |= {"action": value.names[place], "probability": chances[place]}
            one["ranking"] = [{"id": value.names[at], "probability": chances[at]} for at in order]
            shown.append(one)
        for one, own, action in zip(shown, answer.get("would", ()), answer["chosen"], strict=False):
            one["agreed"] = own == action
        return shown[0] if value.slots[0][0] is None else {"slots": shown}

    # Telling

    def truth(self, tell: Tell, value: Round) -> dict[str, Any]:
        """The reward, or those of the slots."""
        if value.slots[0][0] is None:
            name, given = tell.only("reward", "loss")
            assert isinstance(given, float)
            return {"reward": self._reward(name, given)}
        rewards: Any = tell.only("rewards")[1]
        known = [slot[0] for slot in value.slots]
        odd = sorted(rewards.keys() - set(known))
        if odd or not rewards:
            named = f"an unknown slot {odd[0]!r}" if odd else "no slot"
            raise Refusal("refused", f"rewards names {named}.")
        told = [rewards.get(name) for name in known]
        return {"rewards": [None if r is None else self._reward("rewards", r) for r in told]}

    def _reward(self, name: str, given: float) -> float:
        if name == "loss":
            require(0 <= given <= 1, name, "between 0 and 1", given)
            return self.high - given * (self.high - self.low)
        must = f"between {self.low:g} and {self.high:g}"
        require(self.low <= given <= self.high, name, must, given)
        return given

    def default(self, value: Round, terms: Settings) -> dict[str, Any]:
        """The default of every slot."""
        reward = terms.default_reward
        if reward is None:
            reward = self._reward("loss", terms.default_loss or 0.0)
        if value.slots[0][0] is None:
            return {"reward": reward}
        return {"rewards": [reward] * len(value.slots)}

    def reward_range(self) -> tuple[float, float]:
        """Between which numbers rewards lie."""
        return self.low, self.high

    def learn(self, value: Round, answer: dict[str, Any], truth: dict[str, Any]) -> None:
        """Learn the rewards that are known, as losses between 0 and 1."""
        rewards = truth["rewards"] if "rewards" in truth else [truth["reward"]]
        model = self.model
        for at, reward in enumerate(rewards):
            if reward is None:
                continue
            loss = min(1.0, max(0.0, (self.high - reward) / (self.high - self.low)))
            action, context = answer["chosen"][at], value.slots[at][1]
            standing = int(model.tally_[ASKED]) == answer["round"] + at and not model.told_
            if standing and "would" not in answer:
                model.update(action, loss)
            else:
                chance = answer["chances"][at][value.places.index(action)]
                model.learn(context, action, loss, actions=value.table, probability=chance)
            self.rows += 1
            self.reward += reward

    # What is known so far

    def counts(self) -> dict[str, Any]:
        """Rewards, and how often an apprentice agreed."""
        return {
            "rows": self.rows,
            "reward": self.reward,
            "followed": self.followed,
            "agreed": self.agreed,
        }

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from these counts."""
        self.rows, self.reward = counts["rows"], counts["reward"]
        self.followed, self.agreed = counts["followed"], counts["agreed"]

    def standing(self) -> dict[str, Any]:
        """Rewards, and how often an apprentice would have done what was done."""
        mean = self.reward / self.rows if self.rows else None
        standing: dict[str, Any] = {"rows": self.rows, "reward": self.reward, "mean_reward": mean}
        if self.followed:
            standing["apprentice"] = {
                "followed": self.followed,
                "agreed": self.agreed,
                "agreement": self.agreed / self.followed,
            }
        return standing

    def told_late(
        self, guarantees: Sequence[Guarantee], late: int, untold: int
    ) -> Sequence[Guarantee]:
        """The policy knows by itself what was late and what was not told, and says so."""
        return guarantees

    def guarantees(self) -> Sequence[Any]:
        """What the policy's theorems say about the order in which it was told."""
        return super().guarantees() if hasattr(self.model, "tally_") else ()


def _range_of(rewards: list[float] | None) -> tuple[float, float]:
    if rewards is None:
        return 0.0, 1.0
    tame = len(rewards) == 2 and -1e9 <= rewards[0] < rewards[1] <= 1e9
    require(tame, "rewards", "the least and the largest possible one", rewards)
    return float(rewards[0]), float(rewards[1])


def _excluded(what: str, names: list[str], known: dict[str, int]) -> frozenset[int]:
    odd = [name for name in names if name not in known]
    if odd:
        raise Refusal("refused", f"{what} names an unknown action {odd[0][:_LONGEST_ID]!r}.")
    return frozenset([known[name] for name in names])


def _require_names(what: str, names: list[str]) -> None:
    lengths = [*map(len, names)]
    if lengths and not (min(lengths) > 0 and max(lengths) <= _LONGEST_ID):
        raise Refusal("refused", f"{what} must have names of 1 to {_LONGEST_ID} characters.")
    if len(set(names)) < len(names):
        [(twice, _)] = Counter(names).most_common(1)
        raise Refusal("refused", f"{what} must be different from each other, but {twice!r} comes twice.")  # fmt: skip
