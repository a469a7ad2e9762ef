"""``assay stream --bandit`` with a context: policies that are told something of each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.cli.interrupt import Interrupt
from assay.cli.parameters import named_values
from assay.cli.stream_bandit import BanditRun, Kept, log_columns, look_at_log
from assay.cli.stream_labels import labels_in
from assay.cli.stream_run import CHUNK_ROWS, Run, leave_unlearned, ordered
from assay.data.stored_encoder import encoder_from_json
from assay.errors import BadData, BadParameter
from assay.files import read_table
from assay.learners.model_file.files import load
from assay.learners.registry import name_of
from assay.play.context_stream import ContextLog, ContextTable, arms_of
from assay.report.context import context_line, context_text, log_text
from assay.whole_file import refuse_unwritable

_DEFAULT = "square-cb"


def opened(asked: Any, interrupt: Interrupt) -> Run:
    """A run on rows that say the right action, or on a log."""
    return (LogRun if asked.arm is not None else TableRun)(asked, interrupt)


class _Policy:
    """The policy that was asked for: a new one by its name, or that of a file with the columns it knows."""

    def __init__(self, asked: Any) -> None:
        self.parameters = named_values(asked.param or [])
        self.policy: Any = asked.policy or _DEFAULT
        self.columns: dict[str, Any] | None = None
        self.encoder: Any = None
        if asked.warm_start is None:
            return
        if self.parameters or asked.label or asked.context or asked.column:
            raise BadParameter(
                "--param, --label, --context and --column are for a new policy; the one in the model file has its own."
            )
        known = load(asked.warm_start)
        if asked.policy not in (None, name_of(known)):
            raise BadParameter(
                f"--policy is {asked.policy!r}, but {asked.warm_start} holds a {name_of(known)}."
            )
        self.columns = getattr(known, "log_columns_", None)
        encoder = getattr(known, "encoder_", None)
        if self.columns is None or not self.columns["arms"]:
            raise BadParameter(f"{asked.warm_start} holds no policy that was written by a stream.")
        self.policy = known
        self.encoder = None if encoder is None else encoder_from_json(encoder)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.policy if isinstance(self.policy, str) else name_of(self.policy)

    def reading(self, asked: Any, begin: list[str], columns: list[str] | None) -> dict[str, Any]:
        """How columns become features."""
        form = {"chunk_rows": CHUNK_ROWS, "format": asked.format}
        if self.encoder is not None:
            return form | {"encoder": self.encoder}
        numbers = (*begin, *(asked.number or ()))
        named = None if columns is None else [*begin, *columns]
        return form | {"columns": named, "numbers": numbers, "categories": asked.category or ()}

    def remember(self, policy: Any, chunks: Any, arms: Any, features: Any) -> None:
        """What a later stream needs of this one, for the file of the policy."""
        encoder = getattr(chunks, "encoder", None)
        if encoder is not None:
            policy.encoder_ = encoder.to_json()
        policy.log_columns_ = {
            "contexts": [str(name) for name in features],
            "features": [],
            "arms": [str(arm) for arm in np.asarray(arms).tolist()],
            "hashed": None,
        }


class TableRun(Run):
    """A policy on rows that say the right action."""

    only_numbers = False
    stream: ContextTable

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        if asked.target is None:
            raise BadParameter(
                "Name the column of the right action with --target; or, of a log, the columns of the action, its loss "
                "and its probability with --arm, --loss-column and --propensity."
            )
        for name in ("bounds", "least_propensity", "loss_column", "reward_column", "propensity"):
            if getattr(asked, name) is not None:
                option = "range" if name == "bounds" else name.replace("_", "-")
                raise BadParameter(f"--{option} goes with a log; name its actions with --arm.")
        super().__init__(asked, interrupt)
        if asked.report is not None:
            refuse_unwritable(asked.report)
        self._policy = _Policy(asked)
        columns = (asked.context or asked.column) or None
        if self._policy.name == "exp4":
            known = None if self._policy.columns is None else self._policy.columns["contexts"]
            self._read: Any = labels_in(asked, columns or known)
        else:
            reading = self._policy.reading(asked, [], columns)
            self._read = read_table(asked.data, target=asked.target, **reading)
        self._chunks = Kept(self._read) if asked.data == ["-"] else self._read
        first = self._first()
        self._features = list(first.features)
        declared = asked.label or (self._policy.columns or {}).get("arms", ())
        arms = arms_of(np.asarray(first.y), declared)
        self.stream = ContextTable(
            self._policy.policy, arms, parameters=self._policy.parameters, source=self.source
        )

    def _first(self) -> Any:
        """The first rows, which say the columns and, where none are declared, the actions."""
        try:
            first = next(iter(self.interrupt.until(self._chunks)), None)
        except BadData:
            if self.interrupt.signal is None:
                raise
            first = None
        if first is None:
            if self.interrupt.signal is not None:
                leave_unlearned(self.interrupt)
            raise BadData(f"{self.source} holds no rows.")
        return first

    def chunks(self) -> Any:
        """The rows."""
        return self._chunks

    def progress(self) -> dict[str, Any]:
        """Rows, the loss of the policy, and that of the best single action."""
        stream = self.stream
        best, loss = stream.best_single
        return {
            "rows": stream.rows,
            "policy": stream.name,
            "loss": stream.mean_loss if stream.rows else None,
            "best_action": str(best),
            "best_action_loss": loss,
        }

    def lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        """The same for a person."""
        return [("loss", context_line(standing))]

    def summary(self) -> dict[str, Any]:
        """Where the stream stands, every action, and what is promised."""
        stream, history = self.stream, self.stream.history
        return {
            **self.progress(),
            "actions": [
                {"name": str(arm), "chosen": int(chosen), "right": int(right)}
                for arm, chosen, right in zip(
                    stream.arms.tolist(), history.counts, history.truths, strict=True
                )
            ],
            "explored": getattr(stream.policy.record_, "explored", None),
            "guarantees": [g.to_json() for g in stream.guarantees()],
        }

    def text(self) -> str:
        """The same for a person."""
        return context_text(self.stream, self.asked.target)

    def write(self) -> list[str]:
        """The policy with what its columns are called, and the page."""
        self._policy.remember(self.stream.policy, self._read, self.stream.arms, self._features)
        return [*super().write(), *_page(self.asked.report, self.stream)]


class LogRun(BanditRun):
    """A policy with context on a log."""

    only_numbers = False
    stream: ContextLog

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        if asked.target is not None:
            raise BadParameter("--target goes with rows that say the right action, not with --arm.")
        names = log_columns(asked)
        if not asked.context and asked.warm_start is None:
            raise BadParameter(
                "Name the columns that tell of the round with --context, once for each."
            )
        Run.__init__(self, asked, interrupt)
        if asked.report is not None:
            refuse_unwritable(asked.report)
        self._policy, self._why = _Policy(asked), ""
        reading = self._policy.reading(asked, list(names), asked.context)
        self._read = read_table(asked.data, target=asked.arm, **reading)
        self._chunks = self._read if asked.data != ["-"] else Kept(self._read)
        common: dict[str, Any] = {
            "names": names,
            "bounds": ordered(asked.bounds) or (0.0, 1.0),
            "source": self.source,
        }
        arms = tuple((self._policy.columns or {}).get("arms", ()))
        log = look_at_log(asked, interrupt, self._chunks, arms, **common)
        self.stream = ContextLog(
            self._policy.policy,
            log,
            parameters=self._policy.parameters,
            delta=asked.delta,
            rewards=asked.reward_column is not None,
            **common,
        )

    def text(self) -> str:
        """What was found, for a person."""
        return log_text(self.stream)

    def note(self, out: Any) -> str:
        """The policy goes on from there."""
        return f"go on with: --warm-start {out}"

    def write(self) -> list[str]:
        """The policy with what its columns are called, and the page."""
        features = list(self._read.features)[2:]
        self._policy.remember(self.stream.policy, self._read, self.stream.log.arms, features)
        return [*super().write(), *_page(self.asked.report, self.stream)]


def _page(path: Any, stream: Any) -> Iterator[str]:
    if path is None:
        return
    from assay.play.context_stream import ContextTable
    from assay.report.context_story import context_story
    from assay.report.html_report import save_report

    text = context_text(stream, "") if isinstance(stream, ContextTable) else log_text(stream)
    save_report(context_story(stream, text), path)
    yield f"{path}; open it in a browser"
