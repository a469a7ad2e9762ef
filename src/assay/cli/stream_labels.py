"""``assay stream --experts`` where the experts name labels, text or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from assay.cli.interrupt import Interrupt
from assay.cli.stream_experts import ExpertRun
from assay.cli.stream_run import CHUNK_ROWS
from assay.data.cells import kind_of_cells, kind_of_type
from assay.data.examples import Examples
from assay.data.table import Table, open_table
from assay.errors import BadParameter
from assay.files import files_meant, is_libsvm
from assay.learners.model_file.files import load
from assay.learners.registry import name_of
from assay.play.label_expert_stream import LabelExpertStream
from assay.report.label_experts import label_experts_text
from assay.types import Array

_LOOK = 2**12
# With these, what the target holds decides.
_EITHER = (None, "hedge", "sleeping-experts")


def labels_asked(asked: Any) -> bool:
    """Whether the experts name labels: as the loss or the policy says, or because the target is text."""
    if asked.warm_start is not None:
        known = load(asked.warm_start)
        of_losses = name_of(known) == "hedge"
        return of_losses or getattr(known, "loss", "zero-one") == "zero-one"
    if asked.loss is not None or asked.policy == "weighted-majority":
        return asked.loss in (None, "zero-one")
    if asked.target is None or asked.policy not in _EITHER or "-" in asked.data:
        return False
    first = files_meant(asked.data, asked.format)[0]
    if is_libsvm(first, asked.format):
        return False
    table = open_table(first, asked.format)
    table.check_names([asked.target])
    batch = next(iter(table.cells([asked.target], _LOOK)), None)
    if batch is None:
        return False
    column = batch.column(asked.target)
    return (
        kind_of_cells(column) if table.untyped else kind_of_type(column.type) or "text"
    ) == "text"


class LabelRun(ExpertRun):
    """A policy on a table of labels."""

    only_numbers = False
    stream: LabelExpertStream

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        if asked.bounds is not None:
            raise BadParameter("--range goes with forecasts that are numbers, not with labels.")
        if asked.number:
            raise BadParameter("--number goes with forecasts that are numbers, not with labels.")
        super().__init__(asked, interrupt)

    def _look(self) -> None:
        """Every column but the target holds labels: reading tells which there are."""

    def _opened(self, parameters: dict[str, Any]) -> LabelExpertStream:
        asked = self.asked
        if asked.warm_start is None:
            return LabelExpertStream(
                asked.policy, labels=asked.label, parameters=parameters, source=self.source
            )
        if asked.loss is not None or parameters or asked.label:
            raise BadParameter(
                "--loss, --label and --param are for a new policy; the one in the model file has its own."
            )
        known = load(asked.warm_start)
        if asked.policy not in (None, name_of(known)):
            raise BadParameter(
                f"--policy is {asked.policy!r}, but {asked.warm_start} holds a {name_of(known)}."
            )
        return LabelExpertStream(known, source=self.source)

    def chunks(self) -> Any:
        """The labels of the experts, and the truth."""
        return labels_in(self.asked, self._columns)

    def text(self) -> str:
        """What was found, for a person."""
        return label_experts_text(self.stream)


def labels_in(asked: Any, columns: list[str] | None) -> Any:
    """What columns name, and the truth, chunk by chunk; all columns but the target where none are named."""
    tables = [open_table(name, asked.format) for name in files_meant(asked.data, asked.format)]
    return _Labels(tables, asked.target, columns)


class _Labels:
    """Chunks of labels as text: 1 and 1.0 of a typed column are one label, and what is missing is None."""

    def __init__(self, tables: Sequence[Table], target: str, columns: list[str] | None) -> None:
        known = [table.rows for table in tables]
        self.rows = None if None in known else sum(filter(None, known))
        self._tables, self._target, self._columns = tables, target, columns

    def __iter__(self) -> Iterator[Examples]:
        done = 0
        for table in self._tables:
            columns = self._columns or [c for c in table.columns if c != self._target]
            self._columns = columns
            for batch in table.cells([self._target, *columns], CHUNK_ROWS):
                cells = [_labels(batch.column(name)) for name in (self._target, *columns)]
                yield Examples(
                    np.column_stack(cells[1:]) if columns else np.empty((len(cells[0]), 0), object),
                    cells[0],
                    columns,
                    self._target,
                    None,
                    done + 1,
                )
                done += len(cells[0])


def _labels(column: Any) -> Array:
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    labels = np.empty(len(values), dtype=object)
    labels[:] = [_label(value) for value in values]
    return labels


def _label(value: Any) -> str | None:
    if value is None or value != value or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
