"""Verdicts and labels from the columns of a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.errors import require
from assay.evidence.judged import Judged, Progress, from_verdict_chunks
from assay.evidence.labels import Label


def from_judged_table(
    path: str | os.PathLike[str],
    *,
    judge: str,
    truth: str,
    prediction: str | None = None,
    wrong: Label | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Verdicts, labels with gaps, and predictions where labels are the truth, from columns of a file.

    A label to count as wrong may be given as text, whatever the column holds.
    """
    from assay.data.table import open_table

    columns = [judge, truth] if prediction is None else [judge, truth, prediction]
    for place, (option, name) in enumerate(
        zip(("judge", "truth", "prediction"), columns, strict=False)
    ):
        require(name not in columns[:place], option, "a column of its own", name)
    table = open_table(path)

    def chunks() -> Iterator[tuple[Any, Any, Any]]:
        for batch in table.scan(columns):
            read = [batch.column(place) for place in range(len(columns))]
            yield read[0], read[1], read[2] if prediction is not None else None

    names = (judge, truth, prediction or "--prediction")
    return from_verdict_chunks(chunks(), wrong=wrong, names=names, progress=progress)
