"""``assay stream --bandit``: a logged file with propensities, replayed by another policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.stream_run import (
    Ending,
    as_numbers,
    called,
    finish,
    follow,
    leave_unlearned,
    ordered,
    refuse_unwritable_file,
)
from assay.errors import BadData, BadParameter

if TYPE_CHECKING:
    from assay.play.bandit_stream import Arm, BanditStream

_CHUNK_ROWS = 2**14
_DEFAULT, _WHY = "ucb1", "because the rows are taken to be independent draws"


def stream_bandit(
    data: list[str],
    *,
    arm: str | None,
    loss: str | None,
    reward: str | None,
    propensity: str | None,
    policy: str | None,
    parameters: dict[str, Any],
    bounds: tuple[float, float] | None,
    arms: list[str] | None,
    least_propensity: float | None,
    delta: str,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Replay a log; show, write and exit as the command does."""
    from assay.learners.model_file.files import save
    from assay.play.bandit_stream import BanditStream
    from assay.report.bandit import bandit_text

    if loss is not None and reward is not None:
        raise BadParameter("Name one column, with --loss-column or with --reward-column.")
    outcome = loss if reward is None else reward
    if arm is None or outcome is None or propensity is None:
        raise BadParameter(
            "A log needs three columns: name them with --arm, --loss-column (or --reward-column) and --propensity."
        )
    if least_propensity is not None and not 0 < least_propensity <= 1:
        raise BadParameter(
            f"--least-propensity must be above 0 and at most 1, but is {least_propensity!r}."
        )
    if data == ["-"] and (not arms or least_propensity is None):
        raise BadParameter(
            "Standard input can be read only once: declare every arm with --label, and "
            "--least-propensity; or save it to a file."
        )
    source = called(data)
    common: dict[str, Any] = {
        "names": (outcome, propensity),
        "bounds": ordered(bounds) or (0.0, 1.0),
        "source": source,
    }
    with Interrupt() as interrupt:
        refuse_unwritable_file(out)
        chunks = _chunks(data, arm, outcome, propensity, format)
        found = chunks if data != ["-"] else _Kept(chunks)
        log = _looked_at(
            found, interrupt, arms=arms or (), least_propensity=least_propensity, **common
        )
        stream = BanditStream(
            policy or _DEFAULT,
            log,
            parameters=parameters,
            delta=delta,
            rewards=reward is not None,
            **common,
        )
        view = View(source, as_json=as_json, progress=_progress, lines=_lines)
        refusal = follow(stream, lambda: found, view, interrupt, only_numbers=True)
        if out is not None:
            save(stream.policy, out)
    why = _WHY if policy is None else ""
    arms_of_file = f"{out}; its arms are {', '.join(map(str, stream.log.arms[:10]))}"
    finish(
        Ending(refusal, interrupt.signal),
        stream.rows,
        as_json=as_json,
        summary=lambda: _summary(stream, why),
        text=lambda: bandit_text(stream, why),
        saved=[] if out is None else [arms_of_file],
    )


def _looked_at(found: Any, interrupt: Interrupt, **given: Any) -> Any:
    """The log after a first look over it, which somebody may end."""
    from assay.play.bandit_stream import read_log

    try:
        log = read_log(interrupt.until(found), **given)
    except BadData as problem:
        if interrupt.signal is None:
            raise as_numbers(problem) from None
    if interrupt.signal is not None:
        leave_unlearned(interrupt)
    return log


class _Kept:
    """Chunks of standard input, of which the first is looked at before it is replayed."""

    def __init__(self, chunks: Any) -> None:
        self.rows, self._coming, self._first = chunks.rows, iter(chunks), None

    def __iter__(self) -> Any:
        if self._first is None:
            self._first = next(self._coming, None)
            if self._first is not None:
                yield self._first
        else:
            yield self._first
            yield from self._coming


def _chunks(data: list[str], arm: str, loss: str, propensity: str, format: str | None) -> Any:
    from assay.files import read_table

    return read_table(
        data,
        target=arm,
        columns=[loss, propensity],
        numbers=[loss, propensity],
        missing="nan",
        chunk_rows=_CHUNK_ROWS,
        format=format,
    )


def _progress(stream: BanditStream) -> dict[str, Any]:
    """A line of progress as plain data."""
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


def _lines(standing: dict[str, Any]) -> list[tuple[str, str]]:
    from assay.report.bandit import replay_line

    return [("replayed", replay_line(standing))]


def _summary(stream: BanditStream, why: str) -> dict[str, Any]:
    """The last line of JSON: what was found, how it ended, and every arm."""
    return {
        **_progress(stream),
        "why": why,
        "delta": str(stream.delta),
        "theorem": "progressive-anytime",
        "range": list(stream.bounds),
        "least_propensity": stream.log.least_propensity,
        "least_propensity_declared": stream.log.declared,
        "arms": [_arm(stream, arm) for arm in stream.arms()],
        "assumptions": [a.to_json() for a in stream.assumptions()],
        "never_logged": stream.never_logged,
        "waits_for": stream.waits_for,
        "regret_bounds": [vars(bound) for bound in stream.regret_bounds()],
        "guarantees": [g.to_json() for g in stream.guarantees()],
    }


def _arm(stream: BanditStream, arm: Arm) -> dict[str, Any]:
    """An arm as plain data, its mean under the name of what the log holds."""
    return {stream.unit if name == "loss" else name: value for name, value in vars(arm).items()}
