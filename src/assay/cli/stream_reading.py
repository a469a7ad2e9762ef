"""How ``assay stream`` reads its rows: from which format, and whether standardized."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.data.examples import Chunks
    from assay.learners.common.running_scale import RunningScale

_CHUNK_ROWS = 2**14


def read_stream(
    data: list[str], options: dict[str, Any], *, format: str | None, features: int | None
) -> Chunks:
    """The rows of the stream in chunks.

    Parameters
    ----------
    data : list of str
        The files, or ``-``.
    options : dict
        The target and how columns become features, as `assay.read_table` has them.
    format : str, optional
        What the files are, where their names do not tell.
    features : int, optional
        How many features libsvm text has.
    """
    from assay.data.table import FORMATS
    from assay.files import read_table

    known = (*FORMATS, "libsvm")
    if format is not None and format not in known:
        raise BadParameter(f"--format must be one of {', '.join(known)}, but is {format!r}.")
    if data == ["-"] and format == "libsvm" and features is None:
        raise BadParameter(
            "Say with --features how many there are: libsvm text from standard input does not tell before "
            "its end."
        )
    return read_table(data, chunk_rows=_CHUNK_ROWS, format=format, features=features, **options)


def scale_for(model: Any, standardize: bool) -> RunningScale | None:
    """What scales the rows of this learner: what it has, a new one if asked for, or nothing."""
    from assay.learners.common.running_scale import RunningScale

    known: RunningScale | None = getattr(model, "scale_", None)
    if known is not None or not standardize:
        return known
    if hasattr(model, "classes_"):
        raise BadParameter(
            "--standardize is for a new learner; the one in the file learned its rows as they were."
        )
    return RunningScale()
