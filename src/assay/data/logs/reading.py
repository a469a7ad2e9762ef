"""A log or a folder of logs, read into samples by the format that knows it."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.data.location import in_order
from assay.data.logs.registry import format_for
from assay.data.logs.samples import Samples
from assay.data.logs.source import open_source
from assay.errors import BadData

_ENDINGS = (".eval", ".json", ".jsonl", ".xml", ".gz")
_MOST_FILES = 10_000


def read_path(path: Path) -> Samples:
    """The samples of a file, or of all logs in a folder and those below it."""
    with _collector_paused():
        return _read_folder(path) if path.is_dir() else read_file(path)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Look for no garbage in cycles: millions of parsed values are looked through again and again, and hold none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def read_file(path: Path) -> Samples:
    """The samples of one file; refuses what no format knows, and a log of nothing."""
    source = open_source(path)
    known = format_for(source)
    if known is None:
        raise BadData(
            f"{path} is of no log format known here. Logs of Inspect AI, lm-evaluation-harness, promptfoo, DeepEval, "
            "OpenAI evals, HELM, pytest (JUnit XML) and MLflow are, and CSV and JSON lines."
        )
    samples = known.read(source)
    if not len(samples):
        raise BadData(f"{path} holds no samples.")
    return samples


def _read_folder(path: Path) -> Samples:
    inside = (file for file in in_order(path.rglob("*")) if file.suffix.lower() in _ENDINGS)
    files = list(itertools.islice((file for file in inside if file.is_file()), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        raise BadData(f"{path} holds more than {_MOST_FILES:,} files. Name the folder of one run.")
    parts, others = [], 0
    for file in files:
        source = open_source(file)
        known = format_for(source)
        # A table may hold anything; the summary of samples that lie beside it tells nothing more.
        if known is None or known.last or known.repeats(source):
            others += 1
            continue
        parts.append(known.read(source))
    if not parts:
        raise BadData(f"{path} holds no evaluation log. Name the file.")
    samples = joined(parts)
    if not len(samples):
        raise BadData(f"{path} holds no samples.")
    if others:
        noun = "file is" if others == 1 else "files are"
        samples.notes += (f"{others:,} other {noun} no log of samples.",)
    return samples


def joined(parts: Sequence[Samples]) -> Samples:
    """The samples of several logs of one tool; a score that one of them lacks is missing."""
    first = parts[0]
    if len(parts) == 1:
        return first
    formats = sorted({part.format for part in parts})
    if len(formats) > 1:
        raise BadData(f"Logs of {' and '.join(formats)} lie in one folder. Name the file.")
    made = Samples(first.format, primary=first.primary)
    metrics = dict.fromkeys(itertools.chain.from_iterable(part.scores for part in parts))
    made.scores = {metric: [] for metric in metrics}
    for part in parts:
        made.fields.join(len(made), part.fields, len(part))
        for name in (
            *("ids", "attempts", "tasks", "models", "inputs", "truth", "predictions", "reasons"),
        ):
            getattr(made, name).extend(getattr(part, name))
        for metric, column in made.scores.items():
            column.extend(part.scores.get(metric, [float("nan")] * len(part)))
        made.graded |= part.graded
        made.verdicts |= part.verdicts
    made.notes = tuple(dict.fromkeys(itertools.chain.from_iterable(p.notes for p in parts)))
    return made
