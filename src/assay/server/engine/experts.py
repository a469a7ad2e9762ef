"""Policies over experts: advice now and the outcome later, or a choice now and everybody's losses later."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from sklearn.base import clone

from assay.compiled.experts.exponential_weights import draw, uniform
from assay.learners.common.sign_labels import plain
from assay.server.engine.definition import Definition, Label
from assay.server.engine.game import Game, seed_of_draws
from assay.server.engine.requests import Ask, Kept, Tell, decoded_field, encode
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.types import Floats

_ADVICE = msgspec.json.Decoder(list[Label | None] | dict[str, Label | None])
Advice = list[Any] | dict[str, Any]
_MOST_TRIED = 1_000
#: Bytes of a number in a list, of what an expert without a name says beside its text, and of one with a name.
_WEIGHT, _ADVISED, _NAMED = 40, 80, 200


class ExpertGame(Game):
    """A policy that weighs experts.

    With a loss, or with labels, it is asked with advice and told the outcome. Without, it is asked with
    nothing, answers with its distribution and an expert drawn by it, and is told the losses of all experts.
    """

    kind = "experts"
    fields = frozenset({"experts"})

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        super().__init__(definition, seed, limits)
        self.by_losses = getattr(self.model, "loss", "") is None
        experts = definition.experts
        self._names = experts if isinstance(experts, list) else None
        self._many = len(experts) if isinstance(experts, list) else experts
        if self.by_losses and self._many is None:
            raise Refusal("refused", "experts must be given: their names, or how many there are.")
        self.labels = not hasattr(self.model, "loss") or self.model.loss == "zero-one"
        self.rows = self.errors = 0
        clone(self.model)._meet(self._many or 2, None)  # refuses parameters that are out of range
        #: Truths like which all are taken: labels as they came, and the least and the largest number.
        self._tried: set[Any] = set()
        self._seed = seed_of_draws(self.model) if self.by_losses else np.uint64(0)
        #: Whether the draw of the policy itself is taken, and how many there were.
        self._taken, self._asked = False, 0
        self._least, self._largest = math.inf, -math.inf
        self._rehearse()

    def _rehearse(self) -> None:
        """Compile what requests will need, by copies that play two rounds of whatever kind they take."""
        many = self._many or 2
        losses: tuple[Any, dict[str, Any]] = (None, {"losses": [0.5] * many})
        told: list[tuple[Any, dict[str, Any]]] = [
            ([said] * (many - 1) + [last], {"outcome": said})
            for said in (0.5, 1, "a")
            for last in (said, None)
        ]
        for value, truth in [losses] if self.by_losses else told:
            twin = self.copied()
            with contextlib.suppress(Exception):  # not every policy takes every kind
                for _ in range(2):
                    answer, _ = twin.ask(value), twin.ask(value)
                    twin.learn(value, answer, truth)

    def read(self, ask: Ask) -> tuple[Advice | None, str]:
        """Advice, or nothing."""
        if bytes(ask.x) or bytes(ask.rows):
            raise Refusal("refused", "The request must hold advice, not x or rows.")
        given = bytes(ask.advice)
        if self.by_losses:
            if given:
                raise Refusal("refused", "This policy takes no advice: it is told losses later.")
            return None, ""
        if not given:
            raise Refusal("refused", "The request must hold advice: what each expert says.")
        advice = self._advice(given)
        most = self.limits.width
        if len(advice) > most:
            raise Refusal("refused", f"There may be at most {most:,} experts. {how('width')}")
        return advice, f'"advice":{encode(advice).decode()}'

    def _advice(self, given: bytes) -> Advice:
        advice: Advice = decoded_field(_ADVICE, given, "advice")
        if self._many is not None and len(advice) != self._many and isinstance(advice, list):
            raise Refusal("refused", f"advice must be that of {self._many} experts.")
        if self._names is None or isinstance(advice, list):
            if isinstance(advice, dict) and self._many is not None:
                raise Refusal("refused", "advice must be a list: the experts have no names.")
            return advice
        odd = sorted(advice.keys() - set(self._names))
        if odd:
            raise Refusal("refused", f"advice names an unknown expert {odd[0]!r}.")
        return [advice.get(name) for name in self._names]  # who says nothing is asleep

    def restore(self, kept: Kept) -> tuple[Advice | None, dict[str, Any]]:
        """From the log."""
        if self.by_losses:
            return None, {"distribution": kept.distribution, "expert": kept.expert}
        return self._advice(bytes(kept.advice)), {"prediction": kept.prediction}

    def bytes_of(self, value: Advice | None) -> int:
        """Bytes in memory of what was asked about."""
        if value is None:  # the distribution that was answered
            return int(self._many or 0) * _WEIGHT
        return len(value) * (_NAMED if isinstance(value, dict) else _ADVISED)

    def ask(self, value: Advice | None) -> dict[str, Any]:
        """The prediction, or the distribution; changes nothing that is not drawn from the seed."""
        if value is None:
            weights = np.asarray(self.model.predict(experts=self._many))
            return {"distribution": weights.tolist(), "expert": self._drawn(weights)}
        return {"prediction": plain(self.model.predict(value))}

    def _drawn(self, weights: Floats) -> int:
        """An expert: that of the policy for the first trial of a round, and another draw for each that follows."""
        expert = int(self.model.choose(experts=self._many))
        if not self.rules:
            return expert
        if self._taken:
            expert = int(draw(weights, uniform(self._seed, self._asked)))
        self._taken, self._asked = True, self._asked + 1
        return expert

    def asked(self, value: Advice | None, answer: dict[str, Any]) -> None:
        """The first draw of a policy fixes its seed; the others need no weights to be followed."""
        if value is None:
            self.model.choose(experts=self._many)
            self._taken, self._asked = True, self._asked + 1

    def truth(self, tell: Tell, value: Advice | None) -> dict[str, Any]:
        """The outcome, or the losses."""
        if not self.by_losses:
            return {"outcome": tell.only("outcome")[1]}
        given: Any = tell.only("losses")[1]
        if isinstance(given, dict):
            if self._names is None or given.keys() != set(self._names):
                raise Refusal(
                    "refused", "losses must name every expert once, as the definition does."
                )
            given = [given[name] for name in self._names]
        if len(given) != self._many:
            raise Refusal("refused", f"losses must be those of {self._many} experts.")
        return {"losses": given}

    def rehearse(self, value: Advice | None, answer: dict[str, Any], truth: dict[str, Any]) -> None:
        """A label that never came before, and numbers beyond all before, are learned by a copy first."""
        given = truth["losses"] if value is None else truth["outcome"]
        numbers = given if value is None else None if self.labels else [given]
        if numbers is not None and all(type(n) in (int, float) for n in numbers):
            low, high = min(numbers), max(numbers)
            if not (self._least <= low and high <= self._largest):
                self.copied().learn(value, answer, truth)
                self._least, self._largest = min(low, self._least), max(high, self._largest)
            return
        cells = value.values() if isinstance(value, dict) else value or ()
        key = type(given), given, frozenset(map(type, cells))
        if key not in self._tried:
            self.copied().learn(value, answer, truth)
            if len(self._tried) < _MOST_TRIED:
                self._tried.add(key)

    def learn(
        self, value: Advice | None, answer: dict[str, Any], truth: dict[str, Any]
    ) -> int | None:
        """Learn one round."""
        if value is None:
            self.model.update(truth["losses"])
            self.rows += 1
            self._taken = False
            return None
        before = self._mistakes()
        self.model.update(value, truth["outcome"])
        self.rows += 1
        if not self.labels:
            return None
        self.errors += self._mistakes() - before
        if answer["prediction"] is None:  # nobody was awake: it abstained
            return 0
        return int(answer["prediction"] != truth["outcome"])

    def _mistakes(self) -> int:
        if not self.labels or not hasattr(self.model, "rounds_"):
            return 0
        return int(self.model.record_.mistakes or 0)

    def counts(self) -> dict[str, Any]:
        """Rounds and errors."""
        counts = {"rows": self.rows, "errors": self.errors}
        if self.by_losses and self.rules:
            counts |= {"taken": self._taken, "asked": self._asked}
        return counts

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from these counts."""
        self.rows, self.errors = counts["rows"], counts["errors"]
        self._taken, self._asked = counts.get("taken", False), counts.get("asked", 0)

    def error(self) -> tuple[int, int] | None:
        """Errors and rounds, where the policy names labels."""
        return (self.errors, self.rows) if self.labels else None

    def standing(self) -> dict[str, Any]:
        """Loss and regret."""
        if not self.rows:
            return {"rows": 0}
        record = self.model.record_
        best = record.best
        return {
            "rows": self.rows,
            "loss": _finite(record.loss),
            "best_expert": self._names[best] if self._names else record.name(best),
            "best_loss": _finite(record.best_loss),
            "regret": _finite(record.regret),
            "expert_losses": [_finite(v) for v in record.expert_losses.tolist()],
        }

    def guarantees(self) -> Sequence[Any]:
        """What the policy's theorems say about the order in which it was told."""
        return super().guarantees() if self.rows else ()


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
