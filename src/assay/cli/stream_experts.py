"""``assay stream --experts``: columns of forecasts, combined by a policy that cannot regret much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.stream_run import Ending, called, finish, follow, ordered, refuse_unwritable_file
from assay.errors import BadData, BadParameter

if TYPE_CHECKING:
    from assay.play.expert_stream import ExpertStream, Rival

_CHUNK_ROWS = 2**14
# As many experts as a line of JSON lists.
_MOST_LISTED = 1000


def stream_experts(
    data: list[str],
    *,
    target: str | None,
    loss: str | None,
    policy: str | None,
    parameters: dict[str, Any],
    bounds: tuple[float, float] | None,
    columns: list[str] | None,
    numbers: list[str] | None,
    warm_start: Path | None,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Play a table of forecasts; show, write and exit as the command does."""
    from assay.learners.model_file.files import save
    from assay.report.experts import experts_text

    if target is None:
        raise BadParameter("Name the column that the forecasts are about with --target.")
    source = called(data)
    with Interrupt() as interrupt:
        stream = _opened(source, loss, policy, parameters, bounds, warm_start)
        refuse_unwritable_file(out)
        asked = columns or _experts_of(stream.policy)
        columns, left_out = _columns(data, target, asked, tuple(numbers or ()), format)
        view = View(source, as_json=as_json, progress=_progress, lines=_lines)

        def read() -> Any:
            found = _chunks(data, target, columns, format)
            # Rows from a pipe come as they come, but what the policy is must not depend on that.
            return _Gathered(found, interrupt) if stream.policy is None else found

        refusal = follow(stream, read, view, interrupt, only_numbers=True)
        if out is not None:
            save(stream.policy, out)
    finish(
        Ending(refusal, interrupt.signal),
        stream.rows,
        as_json=as_json,
        summary=lambda: _summary(stream, left_out),
        text=lambda: experts_text(stream, left_out),
        saved=[] if out is None else [f"{out}; go on with: --warm-start {out}"],
    )


def _opened(
    source: str,
    loss: str | None,
    policy: str | None,
    parameters: dict[str, Any],
    bounds: tuple[float, float] | None,
    warm_start: Path | None,
) -> ExpertStream:
    from assay.learners.model_file.files import load
    from assay.learners.registry import name_of
    from assay.play.expert_stream import ExpertStream

    if warm_start is None:
        if policy == "fixed-share" and not {"rounds", "share"} & parameters.keys():
            raise BadParameter(
                "fixed-share must be told the rounds there will be, or else a share: give --param "
                "rounds=... or --param share=..."
            )
        return ExpertStream(
            policy,
            loss=loss or "square",
            bounds=ordered(bounds),
            parameters=parameters,
            source=source,
        )
    if loss is not None or parameters or bounds is not None:
        raise BadParameter(
            "--loss, --range and --param are for a new policy; the one in the model file has its own."
        )
    known = load(warm_start)
    if policy not in (None, name_of(known)):
        raise BadParameter(f"--policy is {policy!r}, but {warm_start} holds a {name_of(known)}.")
    return ExpertStream(known, source=source)


def _experts_of(policy: Any) -> list[str] | None:
    """The columns that a policy from a file knows."""
    names = getattr(policy, "expert_names_", None)
    return None if names is None else [str(name) for name in names]


def _columns(
    data: list[str],
    target: str,
    asked: list[str] | None,
    numbers: tuple[str, ...],
    format: str | None,
) -> tuple[list[str] | None, tuple[str, ...]]:
    """The columns of forecasts, and those left out; None where only reading can tell."""
    from assay.play.forecast_columns import forecast_columns

    if asked is not None or data == ["-"]:
        return asked, ()
    found = forecast_columns(data[0], target, numbers, format)
    return list(found.forecasts), found.left_out


def _chunks(data: list[str], target: str, columns: list[str] | None, format: str | None) -> Any:
    from assay.files import read_table

    numbers = [target, *(columns or ())]
    found = read_table(
        data,
        target=target,
        columns=columns,
        numbers=numbers,
        missing="nan",
        chunk_rows=_CHUNK_ROWS,
        format=format,
    )
    for column in [] if found.encoder is None else found.encoder.columns:
        if column.kind == "category":
            raise BadParameter(
                f"Forecasts are numbers, but column {column.name!r} holds text. Name the columns of "
                "forecasts with --column."
            )
    return found


class _Gathered:
    """Chunks of which the first holds as many rows as the policy is chosen by, or all that there are."""

    def __init__(self, chunks: Any, interrupt: Interrupt) -> None:
        self.rows, self._chunks, self._interrupt = chunks.rows, chunks, interrupt

    def __iter__(self) -> Iterator[Any]:
        from assay.data.examples import joined

        coming = iter(self._chunks)
        held: list[Any] = []
        refusal: BadData | None = None
        try:
            # Whoever ends the wait still gets what was read.
            for piece in self._interrupt.until(coming):
                held.append(piece)
                if sum(map(len, held)) >= _CHUNK_ROWS:
                    break
        except BadData as problem:
            refusal = problem
        if held:
            X, y = joined([(piece.X, piece.y) for piece in held])
            assert y is not None
            for start in range(0, len(X), _CHUNK_ROWS):
                part = slice(start, start + _CHUNK_ROWS)
                yield replace(held[0], X=X[part], y=y[part], first_row=start + 1)
        if refusal is not None:
            raise refusal
        yield from coming


def _progress(stream: ExpertStream) -> dict[str, Any]:
    """A line of progress as plain data."""
    best = stream.best
    return {
        "rows": stream.rows,
        "skipped": stream.skipped,
        "policy": stream.name,
        "error": stream.error,
        "best": best.name,
        "best_error": best.error,
        "bound": _bound(best),
    }


def _bound(rival: Rival) -> dict[str, Any] | None:
    bound = rival.guarantee
    if bound is None:
        return None
    return {
        "of": bound.of,
        "observed": bound.observed_text,
        "promised": bound.promised_text,
        "theorem": bound.theorem,
    }


def _lines(standing: dict[str, Any]) -> list[tuple[str, str]]:
    from assay.report.experts import at_most, forecast_line, number

    lines = [("error", forecast_line(standing))]
    bound = standing["bound"]
    if bound is not None and bound["promised"] is not None:
        seen, most = number(float(bound["observed"])), at_most(bound["promised"])
        lines += [("always", f"{bound['of']} {seen}, at most {most} by {bound['theorem']}")]
    return lines


def _summary(stream: ExpertStream, left_out: tuple[str, ...]) -> dict[str, Any]:
    """The last line of JSON: where the stream stands, how it ended, and every expert."""
    record = stream.record
    listed = stream.rivals(_MOST_LISTED)
    return {
        **_progress(stream),
        "rows_before": stream.rows_before,
        "why": stream.why,
        "loss": stream.loss,
        "range": None if stream.range is None else list(stream.range),
        "range_known": stream.range_known,
        "error_name": stream.error_name,
        "mean_error": stream.mean_error,
        "total_loss": record.loss,
        "experts": [
            {name: value for name, value in vars(r).items() if name != "guarantee"}
            | {"bound": _bound(r)}
            for r in listed
        ],
        "experts_not_listed": len(record.expert_losses) - len(listed),
        "columns_left_out": list(left_out),
        "guarantees": [g.to_json() for g in _distinct(stream, listed)],
    }


def _distinct(stream: ExpertStream, listed: list[Rival]) -> list[Any]:
    """What is promised against the best expert, and beyond the single experts."""
    best = [] if not listed or listed[0].guarantee is None else [listed[0].guarantee]
    return [*best, *stream.guarantees()]
