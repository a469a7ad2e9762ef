"""``assay verify CERT --data LOG``: is this the evaluation log that was certified?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.certificates.verify.verify import about_losses, grouped_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.certificates.issue.eval_log import EvalLog
    from assay.evidence.evidence import Evidence

#: The options that choose what of a log is counted.
OF_ONE_LOG = ("metric", "task", "model", "unscored")


def evidence_of_log(
    certificate: Path,
    data: Path,
    *,
    metric: str | None,
    task: str | None,
    model: str | None,
    unscored: str,
    unit: str | None,
    by: Sequence[str] | None,
) -> Evidence:
    """What a log shows, read as it was for the certificate."""
    from assay.certificates.issue.eval_log import read_eval

    log = read_eval(data).select(task=task, model=model)
    return log.evidence(
        metric,
        unit=cast(Any, unit),
        unscored=cast(Any, unscored),
        exact=_declared_exact(certificate, log, metric),
        by=by
        or ["*".join(names) for names in grouped_by(certificate) if log.fields.keys() >= {*names}],
    )


def _declared_exact(certificate: Path, log: EvalLog, metric: str | None) -> bool:
    """Whether the certificate counts errors where the scores of a graded metric are 0 and 1."""
    name = log.metric_named(metric)
    scores = log.scores[name]
    whole = np.isin(scores[~np.isnan(scores)], (0.0, 1.0))
    return name in log.graded and not about_losses(certificate) and bool(whole.all())
