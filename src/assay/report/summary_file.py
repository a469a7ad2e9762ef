"""The file that a job's summary is appended to, and no other file."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import BadData, BadParameter

#: Names the file from which GitHub shows the summary of a job.
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def require_summary_file(path: str | os.PathLike[str], option: str) -> None:
    """Refuse to append to what is no summary, such as a table that was named by mistake.

    Examples
    --------
    >>> require_summary_file("summary.md", "--summary")
    >>> require_summary_file("predictions.csv", "--summary")
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: --summary must be a file that ends in .md, or what $GITHUB_STEP_SUMMARY names, but is \
'predictions.csv'.
    """
    if Path(path).suffix.lower() in (".md", ".markdown"):
        return
    job = os.environ.get(STEP_SUMMARY)
    if job is None or os.path.realpath(job) != os.path.realpath(path):
        must = f"a file that ends in .md, or what ${STEP_SUMMARY} names"
        raise BadParameter(subject=option, must=must, got=str(path))


def append_markdown(path: str | os.PathLike[str], markdown: str) -> None:
    """Append Markdown to a summary, with an empty line after it."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{markdown}\n\n")
    except OSError as error:
        raise BadData(f"{path} cannot be written: {error.strerror}.") from None
