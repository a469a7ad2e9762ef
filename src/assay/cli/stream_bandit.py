"""``assay stream --bandit``: a logged file with propensities, replayed by another policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.cli.interrupt import Interrupt
from assay.cli.parameters import named_values
from assay.cli.stream_run import Run, as_numbers, leave_unlearned, ordered
from assay.errors import BadData, BadParameter
from assay.play.bandit_stream import BanditStream, Log, read_log
from assay.report.bandit import bandit_text, replay_line

_DEFAULT, _WHY = "ucb1", "because the rows are taken to be independent draws"


class BanditRun(Run):
    """A policy on a log."""

    stream: BanditStream

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        names = log_columns(asked)
        super().__init__(asked, interrupt)
        common: dict[str, Any] = {
            "names": names,
            "bounds": ordered(asked.bounds) or (0.0, 1.0),
            "source": self.source,
        }
        self._why = _WHY if asked.policy is None else ""
        chunks = self.read_numbers(asked.arm, list(names), list(names))
        self._chunks = chunks if asked.data != ["-"] else Kept(chunks)
        self.stream = BanditStream(
            asked.policy or _DEFAULT,
            self._looked_at(**common),
            parameters=named_values(asked.param or []),
            delta=asked.delta,
            rewards=asked.reward_column is not None,
            **common,
        )

    def _looked_at(self, **common: Any) -> Log:
        """What is known of the log after a first look over it, which somebody may end."""
        return look_at_log(self.asked, self.interrupt, self._chunks, **common)

    def chunks(self) -> Any:
        """The rows of the log."""
        return self._chunks

    def progress(self) -> dict[str, Any]:
        """Rows, and between what the policy's mean loss lies."""
        stream = self.stream
        lower, upper = stream.interval()
        return {
            "rows": stream.rows,
            "kept": stream.kept,
            "policy": stream.name,
            stream.unit: stream.mean_loss if stream.kept else None,
            "lower": lower,
            "upper": upper,
            f"logged_{stream.unit}": stream.logged_loss,
        }

    def lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        """The same for a person."""
        return [("replayed", replay_line(standing))]

    def summary(self) -> dict[str, Any]:
        """What was found, and every arm, its mean under the name of what the log holds."""
        stream = self.stream
        return {
            **self.progress(),
            "why": self._why,
            "delta": str(stream.delta),
            "theorem": "progressive-anytime",
            "range": list(stream.bounds),
            "least_propensity": stream.log.least_propensity,
            "least_propensity_declared": stream.log.declared,
            "arms": [
                {
                    stream.unit if name == "loss" else name: value
                    for name, value in vars(arm).items()
                }
                for arm in stream.arms()
            ],
            "assumptions": [a.to_json() for a in stream.assumptions()],
            "never_logged": stream.never_logged,
            "waits_for": stream.waits_for,
            "regret_bounds": [vars(bound) for bound in stream.regret_bounds()],
            "guarantees": [g.to_json() for g in stream.guarantees()],
        }

    def text(self) -> str:
        """The same for a person."""
        return bandit_text(self.stream, self._why)

    def note(self, out: Any) -> str:
        """The file has its arms as numbers."""
        return f"its arms are {', '.join(map(str, self.stream.log.arms[:10]))}"


def look_at_log(
    asked: Any, interrupt: Interrupt, chunks: Any, arms: tuple[str, ...] = (), **common: Any
) -> Log:
    """The arms and the least propensity, as declared or as the file has them."""
    declared = {"arms": asked.label or arms, "least_propensity": asked.least_propensity}
    try:
        log = read_log(interrupt.until(chunks), **declared, **common)
    except BadData as problem:
        if interrupt.signal is None:
            raise as_numbers(problem) from None
    if interrupt.signal is not None:
        leave_unlearned(interrupt)
    return log


def opened(asked: Any, interrupt: Interrupt) -> Run:
    """The stream that was asked for: with context, or without."""
    from assay.cli.stream import with_context

    if with_context(asked):
        from assay.cli.stream_context import opened as opened_with_context

        return opened_with_context(asked, interrupt)
    return BanditRun(asked, interrupt)


Kind = opened


def log_columns(asked: Any) -> tuple[str, str]:
    """The columns of the outcome and of the propensity; refuses what a log cannot be read by."""
    if asked.loss_column is not None and asked.reward_column is not None:
        raise BadParameter("Name one column, with --loss-column or with --reward-column.")
    outcome = asked.loss_column if asked.reward_column is None else asked.reward_column
    if asked.arm is None or outcome is None or asked.propensity is None:
        raise BadParameter(
            "A log needs three columns: name them with --arm, --loss-column (or --reward-column) and --propensity."
        )
    least = asked.least_propensity
    if least is not None and not 0 < least <= 1:
        raise BadParameter(f"--least-propensity must be above 0 and at most 1, but is {least!r}.")
    if asked.data == ["-"] and (not asked.label or least is None):
        raise BadParameter(
            "Standard input can be read only once: declare every arm with --label, and "
            "--least-propensity; or save it to a file."
        )
    return outcome, asked.propensity


class Kept:
    """Chunks of standard input, of which the first is looked at before it is replayed."""

    def __init__(self, chunks: Any) -> None:
        self.rows, self._coming, self._first = chunks.rows, iter(chunks), None

    def __iter__(self) -> Iterator[Any]:
        if self._first is None:
            self._first = next(self._coming, None)
            if self._first is not None:
                yield self._first
        else:
            yield self._first
            yield from self._coming
