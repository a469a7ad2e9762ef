"""From the scores of a log to losses: which metric, and what becomes of samples without a score."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.errors import BadData, BadParameter, UnknownName, Words
from assay.types import Array, Bools, Floats

Unscored = Literal["refuse", "wrong"]
_SHOWN, _LONGEST = 10, 100


def only_name(path: str, what: str, names: Sequence[str], wanted: str | None) -> str:
    """The name that is wanted, or the only one there is.

    Parameters
    ----------
    path : str
        The log, for a refusal.
    what : str
        Of what they are names: task, model, metric.
    names : sequence of str
        Those in the log.
    wanted : str, optional
        The one that was asked for.

    Examples
    --------
    >>> only_name("run.eval", "task", ["sums"], None)
    'sums'
    >>> only_name("run.eval", "task", ["sums", "products"], None)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: run.eval holds several tasks ('sums', 'products'): name one, as with task='sums'.
    """
    if wanted is not None:
        if wanted not in names:
            noun = f"Its {what} is" if len(names) == 1 else f"Its {what}s are"
            raise UnknownName(f"{path} has no {what} {wanted!r}. {noun} {_listed(names)}.")
        return wanted
    if len(names) == 1:
        return names[0]
    told = [name for name in names if name]
    example = next((name for name in told if len(name) <= _LONGEST), min(told, key=len))
    typed = shlex.quote(example).replace("{", "{{").replace("}", "}}")
    raise BadParameter(
        f"{path} holds several {what}s ({_listed(names)}): name one, as with ",
        Words(f"{what}={example!r}", f"{{}} {typed}", what),
        ".",
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(map(_quoted, names[:_SHOWN])) + more


def _quoted(name: str) -> str:
    return repr(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}...")


def metric_of(
    path: str,
    scores: Mapping[str, Floats],
    offered: Sequence[str],
    primary: str | None,
    wanted: str | None,
) -> str:
    """The metric that was named, or the only one, or the one by which the tool itself judges."""
    if wanted is not None:
        if wanted in scores:
            return wanted
        return only_name(path, "metric", list(offered or scores), wanted)
    if primary is not None and primary in scores:
        return primary
    if not scores:
        raise BadData(
            f"{path} holds no score of any sample. ",
            Words(
                "Have its samples scored first.",
                "Have its samples scored first, or name the columns of a table: --truth with --prediction, or --loss.",
            ),
        )
    if not offered:
        raise BadParameter(
            Words(
                f"{path} has no column that is called like a score: name one with metric=...",
                "Name the columns: --truth with --prediction, --loss, or --metric for a column of scores",
            ),
            ".",
        )
    within = [metric for metric in offered if _in_range(scores[metric])]
    return only_name(path, "metric", within or list(offered), None)


def _in_range(scores: Floats) -> bool:
    given = scores[~np.isnan(scores)]
    return bool(((given >= 0.0) & (given <= 1.0)).all())


@dataclass(frozen=True)
class Scored:
    """The scores of the samples of a log by one metric.

    Attributes
    ----------
    path, metric : str
        The log and the metric, for refusals and notes.
    scores : array
        The score of each sample; NaN where it has none.
    ids : array
        What each sample is called.
    reasons : array
        Why a sample has no score.
    lower : bool
        Whether less of it is better.
    """

    path: str
    metric: str
    scores: Floats
    ids: Array
    reasons: Array
    lower: bool = False

    def losses(self, unscored: Unscored) -> tuple[Floats, tuple[str, ...]]:
        """The loss of each sample, and what there is to tell of it."""
        scores, metric = self.scores, self.metric
        missing = np.isnan(scores)
        self._require_in_range(missing)
        losses = scores.copy() if self.lower else 1.0 - scores
        how = f"the score by {metric!r}" if self.lower else f"1 minus the score by {metric!r}"
        notes: tuple[str, ...] = (f"The loss of a sample is {how}.",)
        if not missing.any():
            return losses, notes
        many, why = int(missing.sum()), self._why(missing)
        if unscored == "refuse":
            raise BadData(
                f"{self.path} has no score by {metric!r} for {many:,} of {len(scores):,} samples "
                f"({why}); to count them as wrong, say ",
                Words("unscored='wrong'", "{} wrong", "unscored"),
                ".",
            )
        losses[missing] = 1.0
        counted = (
            f"{many:,} samples without a score count"
            if many > 1
            else "1 sample without a score counts"
        )
        return losses, (*notes, f"{counted} as wrong ({why}).")

    def _require_in_range(self, missing: Bools) -> None:
        odd = ~missing & ~((self.scores >= 0.0) & (self.scores <= 1.0))
        if odd.any():
            row = int(odd.argmax())
            raise BadData(
                f"{self.path} gives sample {str(self.ids[row])!r} a score of {float(self.scores[row])!r} by "
                f"{self.metric!r}; scores must lie between 0 and 1. Scale them."
            )

    def _why(self, missing: Bools) -> str:
        """How many samples lack a score for which reason."""
        reasons, many = np.unique(self.reasons[missing].astype(str), return_counts=True)
        counts = zip(reasons.tolist(), many.tolist(), strict=True)
        return ", ".join(f"{count:,} {reason or 'without a number'}" for reason, count in counts)
