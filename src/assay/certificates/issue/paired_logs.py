"""Two models or more from evaluation logs, joined by sample and attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.certificates.issue.log_holdout import sample_digests
from assay.certificates.issue.log_scores import Scored, Unscored, metric_of
from assay.certificates.issue.log_units import SampleUnits, Unit, units_of
from assay.certificates.issue.matched_rows import Matched, NamedRows, Unmatched, matched
from assay.errors import BadData, BadParameter, Words
from assay.evidence.paired import Paired, from_paired_losses
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import IID
from assay.types import Array, Floats, Ints


@dataclass(frozen=True)
class LoggedScores:
    """What an evaluation log shows of one model in one task.

    Attributes
    ----------
    path, task : str
        The log, and what was evaluated.
    ids, attempts : array
        Of each sample.
    asked, truth : array
        A digest of what was asked, and the truth as text; None where the log does not say.
    reasons : array
        Why a sample has no score.
    scores : mapping
        By metric, of each sample.
    offered, graded, lower, primary, id_column
        As in `assay.data.logs.samples.Samples`.
    """

    path: str
    task: str
    ids: Array
    attempts: Ints
    asked: Array
    truth: Array
    reasons: Array
    scores: Mapping[str, Floats]
    offered: Sequence[str]
    graded: frozenset[str]
    lower: frozenset[str]
    primary: str | None
    id_column: str | None

    def metric(self, wanted: str | None) -> str:
        """The metric that was named, or the only one."""
        return metric_of(self.path, self.scores, self.offered, self.primary, wanted)

    def losses(self, metric: str, unscored: Unscored) -> tuple[Floats, tuple[str, ...]]:
        """The loss of each sample, and what there is to tell of it."""
        lower = metric in self.lower
        scored = Scored(self.path, metric, self.scores[metric], self.ids, self.reasons, lower)
        return scored.losses(unscored)


def paired_logs(
    old: LoggedScores,
    news: Mapping[str, LoggedScores],
    metric: str | None = None,
    *,
    unit: Unit | None = None,
    unscored: Unscored = "refuse",
    unmatched: Unmatched = "refuse",
) -> list[Paired]:
    """What an old model and new ones did on the samples that all logs hold, in the order of the old one's log.

    Parameters
    ----------
    old : LoggedScores
        The log of the old model.
    news : mapping
        Those of new models by their names; one without a name is called by the empty text.
    metric, unit, unscored
        As in `EvalLog.evidence`.
    unmatched : {"refuse", "drop"}
        What becomes of samples that only some of the logs hold.
    """
    logs = [old, *news.values()]
    chosen = _metric(logs, metric)
    _require_one_task(logs)
    once = all((log.attempts == log.attempts[0]).all() for log in logs)
    joined = matched([_named(log, once) for log in logs], unmatched)
    notes = [*joined.notes, *_asked_otherwise(logs, joined)]
    columns: list[Any] = []
    for log, places in zip(logs, joined.places, strict=True):
        losses, told = log.losses(chosen, unscored)
        graded = any(chosen in one.graded for one in logs)
        columns.append(losses[places] if graded else (losses == 1.0)[places])
        notes += told
    first = joined.places[0]
    units = units_of(old.ids[first], old.asked[first], unit, old.id_column)
    notes += _advice(units)
    base, *others = columns
    seen = []
    for name, given in zip(news, others, strict=True):
        one = from_paired_losses(given, base, units.codes)
        seen.append(
            replace(
                one,
                new=name,
                checked=(*joined.known, *_of_units(units, one)),
                notes=tuple(dict.fromkeys(notes)),
                # Of all samples, whichever of them all logs hold.
                known_rows=sample_digests(old.ids, old.asked, old.task),
            )
        )
    return seen


def _named(log: LoggedScores, once: bool) -> NamedRows:
    """Samples by their ids, and by the attempt where there are several."""
    pairs = zip(log.ids.tolist(), log.attempts.tolist(), strict=True)
    keys: list[Any] = [id if once else (id, attempt) for id, attempt in pairs]
    return NamedRows(log.path, "sample" if once else "sample and attempt", keys)


def _metric(logs: Sequence[LoggedScores], wanted: str | None) -> str:
    names = list(dict.fromkeys(log.metric(wanted) for log in logs))
    if len(names) > 1:
        shown = " and ".join(map(repr, names))
        raise BadParameter(
            f"The logs are judged by different metrics, {shown}: name one that all of them hold, as with ",
            Words(f"metric={names[0]!r}", f"{{}} {names[0]}", "metric"),
            ".",
        )
    return names[0]


def _require_one_task(logs: Sequence[LoggedScores]) -> None:
    named = [log for log in logs if log.task]
    other = next((log for log in named if log.task != named[0].task), None)
    if other is not None:
        raise BadData(
            f"{named[0].path} is of the task {named[0].task!r} and {other.path} of {other.task!r}: their samples are "
            "not the same."
        )


def _asked_otherwise(logs: Sequence[LoggedScores], joined: Matched) -> list[str]:
    """Samples of one name that have another truth are refused; those that ask something else are told."""
    base, at = logs[0], joined.places[0]
    told = []
    for log, places in zip(logs[1:], joined.places[1:], strict=True):
        apart = _differ(base.truth[at], log.truth[places])
        if apart.any():
            sample = base.ids[at[int(apart.argmax())]]
            raise BadData(
                f"{base.path} and {log.path} have another truth for {int(apart.sum()):,} samples of one name, such as "
                f"{sample!r}: they are not the same samples."
            )
        many = int(_differ(base.asked[at], log.asked[places]).sum())
        if many:
            told.append(
                f"{many:,} samples ask something else in {log.path} than in {base.path}, by what the logs hold."
            )
    return told


def _differ(one: Array, other: Array) -> Any:
    """Where both say something, and not the same."""
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    return np.array([None not in (a, b) and a != b for a, b in pairs], dtype=bool)


def _of_units(units: SampleUnits, seen: Paired) -> tuple[Assumption, ...]:
    """What is known of the draws; graded losses of a unit are one draw as any other."""
    known = units.known
    if known is None:
        return ()
    graded = seen.graded or seen.units is None
    return (Assumption(IID, known.status, known.evidence),) if graded else (known,)


def _advice(units: SampleUnits) -> list[str]:
    known = units.known
    if known is None or known.status != "violated":
        return []
    return [
        f"Nothing is promised, since {known.evidence}: --unit id makes one unit of what has one id, and --unit none "
        "declares that every sample is a draw of its own."
    ]
