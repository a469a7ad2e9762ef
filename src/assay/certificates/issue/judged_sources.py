"""What a judge said, and labels, from the columns of a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.errors import BadData, require
from assay.evidence.judged import Judged, Progress, from_verdict_chunks
from assay.evidence.labels import Label
from assay.evidence.scored import Scored, from_score_chunks
from assay.evidence.tally import wrong_rows
from assay.guarantees.assumption import Assumption

# What a column is asked for as, in the order in which they are named.
_PARTS = ("judge", "judge_score", "truth", "loss", "prediction")


def from_judged_table(
    path: str | os.PathLike[str],
    *,
    judge: str | None = None,
    judge_score: str | None = None,
    truth: str | None = None,
    loss: str | None = None,
    prediction: str | None = None,
    wrong: Label | None = None,
    second_opinion: bool = False,
    progress: Progress | None = None,
) -> Judged | Scored:
    """Verdicts or scores, labels or losses with gaps, and predictions where labels are the truth.

    A label to count as wrong may be given as text, whatever the column holds. With a `second_opinion` the judge names
    labels, as the predictions do, and its verdict is whether the two agree.
    """
    given = (judge, judge_score, truth, loss, prediction)
    named = {part: name for part, name in zip(_PARTS, given, strict=True) if name is not None}
    require(
        (judge is None) != (judge_score is None),
        "judge",
        "given, or judge_score in its place",
        judge,
    )
    require((truth is None) != (loss is None), "truth", "given, or loss in its place", truth)
    require(judge is None or loss is None, "loss", "left out with judge; give judge_score", loss)
    require(loss is None or prediction is None, "prediction", "left out with loss", prediction)
    columns: list[str] = []
    for part, name in named.items():
        require(name not in columns, part, "a column of its own", name)
        columns.append(name)
    labels = str(truth or loss)
    names = (str(judge or judge_score), labels, prediction or "--prediction")
    rows = _rows(path, named)
    if second_opinion:
        must = "left out unless judge and prediction are given"
        require(judge is not None and prediction is not None, "second_opinion", must, True)
        rows = (row | {"judge": _agreement(row)} for row in rows)
    if judge is not None:
        verdicts = ((row["judge"], row["truth"], row.get("prediction")) for row in rows)
        return from_verdict_chunks(verdicts, wrong=wrong, names=names, progress=progress)
    parts = ("judge_score", "truth", "loss", "prediction")
    scores = (tuple(row.get(part) for part in parts) for row in rows)
    return from_score_chunks(scores, wrong=wrong, names=names, progress=progress)  # type: ignore[arg-type]


def _agreement(row: Mapping[str, Any]) -> list[str]:
    """Whether a judge's labels are those that were predicted."""
    try:
        differ = wrong_rows(row["prediction"], row["judge"])
    except TypeError:
        raise BadData("judge and prediction must hold text both, or numbers both.") from None
    return ["differs" if other else "agrees" for other in differ.tolist()]


def draws_of_table(
    path: str | os.PathLike[str], columns: Sequence[str], unit: str | None
) -> tuple[Assumption | None, str]:
    """What the ids of a table say of its rows as independent draws, and what to do where one comes again.

    `columns` are those that are read for something else, and `unit` is ``"none"`` where that is declared.
    """
    from assay.certificates.issue.evidence_sources import repeats_known
    from assay.data.logs.id_columns import id_columns
    from assay.data.table import open_table

    table = open_table(path)
    names = [name for name in id_columns(table.columns) if name not in columns]
    ids: dict[str, list[Any]] = {name: [] for name in names}
    for batch in table.scan(names) if names else ():
        for place, column in enumerate(ids.values()):
            column.append(batch.column(place))
    return repeats_known(ids, unit, grouped=False)


def _rows(path: str | os.PathLike[str], named: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Batches of the columns by what each was asked for as."""
    from assay.data.table import open_table

    numbers = [named[part] for part in ("judge_score", "loss") if part in named]
    for batch in open_table(path).scan(list(named.values()), numbers=numbers):
        yield {part: batch.column(place) for place, part in enumerate(named)}
