"""Online classifiers: one example or a block of them, and labels that come later."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np
from sklearn.base import clone

from assay.errors import BadData
from assay.evidence.repeats import Repeats
from assay.learners.common.sign_labels import plain
from assay.play.game import Game as OnlineGame
from assay.play.rows_again import RowsAgain
from assay.play.turns import plays_rounds
from assay.server.engine.capacity import widest
from assay.server.engine.definition import Definition
from assay.server.engine.game import Game
from assay.server.engine.requests import Ask, Kept, Tell, decoded_field, encode
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.types import Array, Floats

_VECTOR = msgspec.json.Decoder(list[float])
_NAMED = msgspec.json.Decoder(dict[str, float])
_BLOCK = msgspec.json.Decoder(list[list[float]])
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
Value = Floats | dict[str, float]
#: Numbers beyond it may overflow when they are squared and added up.
_TAME = 1e100
#: Rows that are decoded in one go.
_TOGETHER = 256
#: Bytes of a number that has a name.
_NAMED_CELL = 200


class ClassifierGame(Game):
    """A classifier of this library, asked with vectors, dicts or blocks of vectors."""

    kind = "classifier"
    fields = frozenset({"classes", "features"})

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        super().__init__(definition, seed, limits)
        if hasattr(self.model, "budget") and self.model.budget is None:
            raise Refusal(
                "refused",
                f"params.budget must be given: without it a {definition.algorithm} grows for ever.",
            )
        if definition.classes is None or len(definition.classes) < 2:
            raise Refusal("refused", "classes must be given: all labels there are, at least two.")
        self.classes = _class_array(definition.classes)
        self.label_type = self.classes.dtype
        self._labels: dict[tuple[bool, Any], Any] = {_key(c): c for c in self.classes.tolist()}
        features = definition.features
        self._names = features if isinstance(features, list) else None
        self._width = len(features) if isinstance(features, list) else features
        self._widest = widest(definition, limits)
        self._online = OnlineGame(self.model, self.classes)
        self._rehearse()

    def _rehearse(self) -> None:
        """Learn with a copy, so that parameters out of range are refused before there is a learner.

        It also compiles what requests will need, of whatever form they are.
        """
        rows, labels = np.zeros((2, self._width or 2)), self.classes[:2]
        with contextlib.suppress(BadData):
            clone(self.model).learn_one(rows[0], labels.tolist()[0], classes=self.classes)
        for form in (rows, rows[0], {"a": 0.0}):
            if isinstance(form, dict) and self._width is not None:
                continue
            twin = OnlineGame(clone(self.model), self.classes)
            with contextlib.suppress(Exception):  # not every learner takes every form
                if _is_block(form):
                    twin.ask_block(form)
                    twin.learn_rows(form, labels)
                    twin.ask_block(form)
                else:
                    twin.ask(form)
                    twin.learn(form, labels.tolist()[0])
                    twin.ask(form)

    def rehearse(self, value: Value, answer: dict[str, Any], truth: dict[str, Any]) -> None:
        """Numbers so large that their squares or sums overflow are learned by a copy first."""
        if isinstance(value, dict):
            tame = all(-_TAME < cell < _TAME for cell in value.values())
        else:
            tame = bool(np.vdot(value, value) < _TAME**2)  # the quickest look at all of them
        if not tame:
            self.copied().learn(value, answer, truth)

    # Asking

    def read(self, ask: Ask) -> tuple[Value, str]:
        """One example, or a block."""
        x, rows = bytes(ask.x), bytes(ask.rows)
        if bool(x) == bool(rows) or bytes(ask.advice):
            raise Refusal("refused", "The request must hold x, or rows for several examples.")
        if rows:
            return self._block(rows)
        value, cells = self._example(x)
        if self._width is None:
            self._require_room(value)
        return value, f'"x":{encode(cells).decode()}'

    def _example(self, x: bytes) -> tuple[Value, Any]:
        """A row, and the same as the log keeps it."""
        if x.startswith(b"{"):
            named = decoded_field(_NAMED, x, "x")
            value = self._named(named)
            # Where all names are declared, in their order, whatever order they came in.
            return value, {name: named[name] for name in self._names or named}
        cells = decoded_field(_VECTOR, x, "x")
        self._require_width(len(cells), "x")
        return np.array(cells), cells

    def _named(self, cells: dict[str, float]) -> Value:
        if self._width is not None and self._names is None:
            raise Refusal(
                "refused", "x must be a list: the features of this learner have no names."
            )
        if self._names is None:
            return cells
        if len(cells) != len(self._names) or not cells.keys() <= set(self._names):
            odd = sorted(set(self._names) ^ cells.keys())[0]
            what = "names an unknown feature" if odd in cells else "leaves out the feature"
            raise Refusal("refused", f"x {what} {odd!r}.")
        return np.array([cells[name] for name in self._names])

    def _block(self, rows: bytes) -> tuple[Value, str]:
        cells = decoded_field(_ROWS, rows, "rows")
        if not 1 <= len(cells) <= self.limits.rows:
            raise Refusal(
                "refused",
                f"rows must be 1 to {self.limits.rows:,}, but are {len(cells):,}. {how('rows')}",
            )
        width = len(decoded_field(_VECTOR, cells[0], "rows"))
        self._require_width(width, "Every row")
        if self._width is None:
            self._require_few(width, "Every row")
        numbers, texts = np.empty((len(cells), width)), []
        for start in range(0, len(cells), _TOGETHER):  # a decoder lets nobody else run
            some = [decoded_field(_VECTOR, row, "rows") for row in cells[start : start + _TOGETHER]]
            if set(map(len, some)) != {width}:
                raise Refusal("refused", "rows must all have the same number of features.")
            numbers[start : start + _TOGETHER] = some
            texts.append(encode(some)[1:-1])
        return numbers, f'"rows":[{b",".join(texts).decode()}]'

    def _require_width(self, width: int, what: str) -> None:
        if self._width is not None and width != self._width:
            raise Refusal("refused", f"{what} must have {self._width} features, but has {width}.")
        if not width:
            raise Refusal("refused", f"{what} must have a feature at least.")

    def _require_few(self, width: int, what: str) -> None:
        """Refuse a row that is too wide; one of the log is taken as it is."""
        if width > self.limits.width:
            raise Refusal(
                "refused",
                f"{what} must have at most {self.limits.width:,} features, but has {width:,}. {how('width')}",
            )
        if width > self._widest:
            raise Refusal(
                "refused",
                f"{what} must have at most {self._widest:,} features, since the model may hold "
                f"{self.limits.parameters:,} numbers, but has {width:,}. {how('parameters')}",
            )

    def _require_room(self, value: Value) -> None:
        """Refuse an example that is too wide, or would make the learner know too many names."""
        self._require_few(len(value), "x")
        if not isinstance(value, dict):
            return
        known = getattr(self.model, "feature_index_", {})
        most, many = min(self.limits.features, self._widest), len(known)
        if many + len(value) > most and (many := many + len(value.keys() - known.keys())) > most:
            limit = "features" if most == self.limits.features else "parameters"
            raise Refusal(
                "refused",
                f"The learner may come to know {most:,} names of features, but with x would know {many:,}. "
                f"{how(limit)}",
            )

    def restore(self, kept: Kept) -> tuple[Value, dict[str, Any]]:
        """From the log."""
        if bytes(kept.rows):
            return np.array(_BLOCK.decode(kept.rows)), {"predictions": kept.predictions}
        return self._example(bytes(kept.x))[0], {"prediction": kept.prediction}

    def size(self, value: Value) -> int:
        """Rows of a block count one by one."""
        return len(value) if _is_block(value) else 1

    def bytes_of(self, value: Value) -> int:
        """Bytes in memory of what was asked about."""
        return len(value) * _NAMED_CELL if isinstance(value, dict) else value.nbytes

    def ask(self, value: Value) -> dict[str, Any]:
        """The predicted label, or labels; changes nothing."""
        if _is_block(value):
            return {"predictions": self._online.ask_block(value).tolist()}
        return {"prediction": plain(self._online.ask(value))}

    # Telling

    def truth(self, tell: Tell, value: Value) -> dict[str, Any]:
        """The label among the classes."""
        name, given = tell.only("labels" if _is_block(value) else "label")
        if name == "label":
            return {"label": self._label(given)}
        assert isinstance(given, list)
        if len(given) != len(value):
            raise Refusal("refused", f"labels must be {len(value):,}, but are {len(given):,}.")
        if len(set(map(type, given))) == 1:  # equal labels are then the same, and looked up once
            labels = {label: self._label(label) for label in set(given)}
            return {"labels": [labels[label] for label in given]}
        return {"labels": [self._label(label) for label in given]}

    def _label(self, given: Any) -> Any:
        try:
            return self._labels[_key(given)]
        except KeyError:
            listed = ", ".join(map(repr, self.classes.tolist()[:10]))
            raise Refusal(
                "refused", f"label must be one of the classes {listed}, but is {given!r}."
            ) from None

    def learn(self, value: Value, answer: dict[str, Any], truth: dict[str, Any]) -> int:
        """Learn, and count as a stream does: by the hypothesis that the labels are about to change."""
        if "labels" in truth:
            labels = truth["labels"]
            self._online.learn_rows(value, np.array(labels, dtype=self.classes.dtype))
            return sum(map(operator.ne, answer["predictions"], labels))
        label = truth["label"]
        self._online.learn(value, label)
        return int(answer["prediction"] != label)

    # What is known so far

    @property
    def rows(self) -> int:
        """Examples learned."""
        return self._online.rows

    @property
    def errors(self) -> int:
        """How many of them the hypotheses predicted wrongly that their labels were about to change."""
        return self._online.errors

    @property
    def keeps_examples(self) -> bool:
        """A kernel learner keeps those that it needs to predict."""
        return hasattr(self.model, "budget")

    def counts(self) -> dict[str, Any]:
        """Rows and errors of the stream, and the digests of rows that are compared."""
        return {"rows": self.rows, "errors": self.errors, "seen": self._online.seen.to_text()}

    def mended(self) -> Sequence[str]:
        """Digests, and the errors of those that were thought to count for themselves."""
        model = type(self.model)
        thought_to = len(self.classes) == 2 and plays_rounds(model)
        counts = self._online.at_once and hasattr(self.model, "players_")
        right = counts and getattr(model, "predicts_first", True)
        return ("seen", "errors") if thought_to and not right else ("seen",)

    def put_back(self, saved: bytes) -> None:
        """Go on from a model file."""
        super().put_back(saved)
        self._online = OnlineGame(self.model, self.classes)

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from these counts; those of earlier versions hold no digests."""
        self._online.rows, self._online.errors = counts["rows"], counts["errors"]
        self._online.seen = RowsAgain.from_text(counts.get("seen"), self.rows)

    def copied(self) -> Self:
        """A copy with its own digests."""
        twin = super().copied()
        twin._online = self._online.with_learner(twin.model)
        return twin

    def repeats(self) -> Repeats | None:
        """What was found about rows that came again."""
        return self._online.repeats()

    def error(self) -> tuple[int, int] | None:
        """Errors and rows, as `assay stream` counts them on the same rows in the same order."""
        return self.errors, self.rows

    def standing(self) -> dict[str, Any]:
        """Errors by the hypotheses that the labels changed."""
        return {"rows": self.rows, "errors": self.errors}

    def guarantees(self) -> Sequence[Any]:
        """What the learner's theorems say about the order in which it was told."""
        return super().guarantees() if self.rows and hasattr(self.model, "guarantees") else ()


def _is_block(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2


def _class_array(classes: list[Any]) -> Array:
    """All labels in their order; text as Python's own, as streams have it."""
    kinds = {"text" if isinstance(c, str) else type(c).__name__ for c in classes}
    if kinds == {"int", "float"}:
        kinds = {"float"}
    if len(kinds) > 1:
        raise Refusal(
            "refused", f"classes must be of one kind, but are {' and '.join(sorted(kinds))}."
        )
    try:
        labels = np.array(classes, dtype=object if kinds == {"text"} else None)
        if labels.dtype.kind not in "bifO":
            raise OverflowError
        return np.unique(labels)
    except OverflowError:
        raise Refusal("refused", "classes must be numbers of at most 64 bits.") from None


def _key(label: Any) -> tuple[bool, Any]:
    """A label as a key: True is not 1."""
    return isinstance(label, bool), label
