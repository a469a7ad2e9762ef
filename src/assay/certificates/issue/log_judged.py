"""A log in which a judge has scored all samples and people a few: what the one and the others say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.certificates.issue.log_scores import Scored as LoggedScores
from assay.errors import require
from assay.evidence.judged import Judged, from_verdicts
from assay.evidence.scored import Scored, from_scores

if TYPE_CHECKING:
    from assay.certificates.issue.eval_log import EvalLog
    from assay.types import Floats


def judged_samples(log: EvalLog, judge: str, metric: str) -> Judged | Scored:
    """What a log of one task and one model shows, by the metric of a judge and that of people, which may have gaps.

    A judge of pass or fail splits the samples into those that it finds right and wrong; a graded one gives scores.
    People's grades need scores beside them, and so a judge of pass or fail then counts as one.
    """
    require(judge != metric, "metric", "another than that of the judge", metric)
    by_judge = _losses(log, judge, gaps=False)
    by_people = _losses(log, metric, gaps=True)
    labels = [None if np.isnan(loss) else bool(loss == 1.0) for loss in by_people.tolist()]
    if metric in log.graded:
        return from_scores(by_judge, loss=by_people)
    if judge in log.graded:
        return from_scores(by_judge, labels, wrong=True)
    return from_verdicts(np.where(by_judge == 1.0, "wrong", "right"), labels, wrong=True)


def _losses(log: EvalLog, metric: str, *, gaps: bool) -> Floats:
    """The loss of each sample, NaN where it has none and may have none."""
    name = log.metric_named(metric)
    scores = log.scores[name]
    held = ~np.isnan(scores) if gaps else np.ones(len(scores), dtype=bool)
    require(bool(held.any()), "metric", "one by which some sample has a score", metric)
    lower = name in log.lower
    read = LoggedScores(log.path, name, scores[held], log.ids[held], log.reasons[held], lower)
    losses = np.full(len(scores), np.nan)
    losses[held] = read.losses("refuse")[0]
    return losses
