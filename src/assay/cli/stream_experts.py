"""``assay stream --experts``: columns of forecasts, combined by a policy that cannot regret much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.cli.interrupt import Interrupt
from assay.cli.live import bound_as_json
from assay.cli.parameters import named_values
from assay.cli.stream_run import CHUNK_ROWS, Run, ordered
from assay.data.examples import joined
from assay.errors import BadData, BadParameter
from assay.learners.model_file.files import load
from assay.learners.registry import name_of
from assay.play.expert_stream import ExpertStream
from assay.play.forecast_columns import forecast_columns
from assay.report.experts import at_most, experts_text, forecast_line, number

# As many experts as a line of JSON lists.
_MOST_LISTED = 1000


class ExpertRun(Run):
    """A policy on a table of forecasts."""

    stream: ExpertStream

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        if asked.target is None:
            raise BadParameter("Name the column that the forecasts are about with --target.")
        super().__init__(asked, interrupt)
        self.stream = self._opened(named_values(asked.param or []))
        known = getattr(self.stream.policy, "expert_names_", None)
        #: The columns of forecasts; None where only reading can tell.
        self._columns = asked.column or (None if known is None else list(map(str, known)))
        self._left_out: tuple[str, ...] = ()
        if self._columns is None and asked.data != ["-"]:
            self._look()

    def _look(self) -> None:
        """Which columns hold forecasts."""
        asked = self.asked
        numbers = tuple(asked.number or ())
        columns = forecast_columns(asked.data[0], asked.target, numbers, asked.format)
        self._columns, self._left_out = list(columns.forecasts), columns.left_out

    def _opened(self, parameters: dict[str, Any]) -> ExpertStream:
        asked = self.asked
        if asked.warm_start is None:
            if asked.policy == "fixed-share" and not {"rounds", "share"} & parameters.keys():
                raise BadParameter(
                    "fixed-share must be told the rounds there will be, or else a share: give --param "
                    "rounds=... or --param share=..."
                )
            return ExpertStream(
                asked.policy,
                loss=asked.loss or "square",
                bounds=ordered(asked.bounds),
                parameters=parameters,
                source=self.source,
            )
        if asked.loss is not None or parameters or asked.bounds is not None:
            raise BadParameter(
                "--loss, --range and --param are for a new policy; the one in the model file has its own."
            )
        known = load(asked.warm_start)
        if asked.policy not in (None, name_of(known)):
            raise BadParameter(
                f"--policy is {asked.policy!r}, but {asked.warm_start} holds a {name_of(known)}."
            )
        return ExpertStream(known, source=self.source)

    def chunks(self) -> Any:
        """The forecasts and what they are about."""
        target = self.asked.target
        chunks = self.read_numbers(target, self._columns, [target, *(self._columns or ())])
        for column in [] if chunks.encoder is None else chunks.encoder.columns:
            if column.kind == "category":
                raise BadParameter(
                    f"Forecasts are numbers, but column {column.name!r} holds text. Name the columns of "
                    "forecasts with --column."
                )
        # Rows from a pipe come as they come, but what the policy is must not depend on that.
        return _Gathered(chunks, self.interrupt) if self.stream.policy is None else chunks

    def progress(self) -> dict[str, Any]:
        """Rows, the policy's error, and the best expert's."""
        stream, best = self.stream, self.stream.best
        return {
            "rows": stream.rows,
            "skipped": stream.skipped,
            "policy": stream.name,
            "error": stream.error,
            "best": best.name,
            "best_error": best.error,
            "bound": bound_as_json(best.guarantee),
        }

    def lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        """Error and bound, for a person."""
        lines, bound = [("error", forecast_line(standing))], standing["bound"]
        if bound is not None and bound["promised"] is not None:
            seen, most = number(float(bound["observed"])), at_most(bound["promised"])
            lines += [("always", f"{bound['of']} {seen}, at most {most} by {bound['theorem']}")]
        return lines

    def summary(self) -> dict[str, Any]:
        """Where the stream stands, every expert, and what is promised against the best and beyond single ones."""
        stream = self.stream
        listed = stream.rivals(_MOST_LISTED)
        best = [r.guarantee for r in listed[:1] if r.guarantee is not None]
        return {
            **self.progress(),
            "rows_before": stream.rows_before,
            "why": stream.why,
            "loss": stream.loss,
            "range": None if stream.range is None else list(stream.range),
            "range_known": stream.range_known,
            "error_name": stream.error_name,
            "mean_error": stream.mean_error,
            "total_loss": stream.record.loss,
            "experts": [
                {name: value for name, value in vars(r).items() if name != "guarantee"}
                | {"bound": bound_as_json(r.guarantee)}
                for r in listed
            ],
            "experts_not_listed": len(stream.record.expert_losses) - len(listed),
            "columns_left_out": list(self._left_out),
            "guarantees": [g.to_json() for g in [*best, *stream.guarantees()]],
        }

    def text(self) -> str:
        """The same for a person."""
        return experts_text(self.stream, self._left_out)


def opened(asked: Any, interrupt: Interrupt) -> ExpertRun:
    """The stream that was asked for: of labels, or of forecasts that are numbers."""
    from assay.cli.stream_labels import LabelRun, labels_asked

    if labels_asked(asked):
        return LabelRun(asked, interrupt)
    if asked.label:
        raise BadParameter("--label goes with experts that name labels, not numbers.")
    return ExpertRun(asked, interrupt)


Kind = opened


class _Gathered:
    """Chunks of which the first holds as many rows as the policy is chosen by, or all that there are."""

    def __init__(self, chunks: Any, interrupt: Interrupt) -> None:
        self.rows, self._chunks, self._interrupt = chunks.rows, chunks, interrupt

    def __iter__(self) -> Iterator[Any]:
        coming = iter(self._chunks)
        held: list[Any] = []
        refusal: BadData | None = None
        try:
            # Whoever ends the wait still gets what was read.
            for piece in self._interrupt.until(coming):
                held.append(piece)
                if sum(map(len, held)) >= CHUNK_ROWS:
                    break
        except BadData as problem:
            refusal = problem
        if held:
            X, y = joined([(piece.X, piece.y) for piece in held])
            assert y is not None
            for start in range(0, len(X), CHUNK_ROWS):
                part = slice(start, start + CHUNK_ROWS)
                yield replace(held[0], X=X[part], y=y[part], first_row=start + 1)
        if refusal is not None:
            raise refusal
        yield from coming
