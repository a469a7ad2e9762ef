"""The samples of a log as columns, whatever tool wrote it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from assay.data.logs.sample_fields import SampleFields
from assay.errors import BadData

_NAN = math.nan
_LARGEST_ATTEMPT = 2**63 - 1
_written = json.JSONEncoder(sort_keys=True).encode

_PASS_OR_FAIL = frozenset(
    [
        "acc",
        "acc_norm",
        "acc_bytes",
        "exact_match",
        "quasi_exact_match",
        "prefix_exact_match",
        "quasi_prefix_exact_match",
    ]
)
#: Names of metrics of which less is better; spaces and hyphens make no difference.
LESS_IS_BETTER = frozenset(
    [
        *("loss", "log_loss", "cross_entropy", "nll", "perplexity", "brier", "brier_score", "ece"),
        *("error", "errors", "is_error", "error_rate", "fail", "failed", "failure", "failure_rate"),
        *("wrong", "is_wrong", "incorrect", "is_incorrect", "mistake", "mistakes", "violation"),
        *("wer", "cer", "ter", "mae", "mse", "rmse", "hamming_loss"),
        *("toxicity", "toxic", "is_toxic", "max_toxicity", "expected_max_toxicity", "toxic_frac"),
        *("hallucination", "hallucinated", "bias", "harmful", "is_harmful", "unsafe", "is_unsafe"),
    ]
)


def less_is_better(metric: str) -> bool:
    """Whether the name of a metric says that less of it is better.

    Examples
    --------
    >>> [less_is_better(name) for name in ("wer,none", "judge/Toxicity", "Bias score", "Error Rate", "errorless")]
    [True, True, True, True, False]
    """
    named = metric.casefold().partition(",")[0].rpartition("/")[2].removesuffix(" score")
    return re.sub(r"[\s-]+", "_", named.strip()) in LESS_IS_BETTER


@dataclass
class Samples:
    """What a log holds, sample by sample.

    Attributes
    ----------
    format : str
        The tool that wrote it.
    task, model : str
        What was evaluated, where a sample does not say so itself.
    ids, attempts, tasks, models : list
        Of each sample.
    inputs : list of bytes or None
        A digest of what was asked.
    truth, predictions : list
        As text, where the log has them.
    reasons : list of str
        Why a sample has no score; empty where it has one.
    scores : dict of str to list of float
        For each metric the score of each sample; NaN where there is none.
    graded : set of str
        Metrics that may take any value between 0 and 1.
    verdicts : set of str
        Metrics by which the tool says whether a sample passed, whatever they are called.
    primary : str or None
        The metric by which the tool itself says pass or fail.
    id_column : str or None
        The column that an id was read from, where the tool does not say what an id is.
    offered : list of str or None
        The metrics to choose from where none is named; None for all.
    notes : tuple of str
        What else there is to tell.
    fields : SampleFields
        What else the log says of each sample, such as its topic.
    """

    format: str
    task: str = ""
    model: str = ""
    ids: list[str] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    inputs: list[bytes | None] = field(default_factory=list)
    truth: list[str | None] = field(default_factory=list)
    predictions: list[str | None] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    graded: set[str] = field(default_factory=set)
    verdicts: set[str] = field(default_factory=set)
    primary: str | None = None
    id_column: str | None = None
    offered: list[str] | None = None
    notes: tuple[str, ...] = ()
    fields: SampleFields = field(default_factory=SampleFields)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lower(self) -> set[str]:
        """The metrics of which less is better."""
        return {name for name in self.scores if name not in self.verdicts and less_is_better(name)}

    def add(
        self,
        id: Any,
        scores: Mapping[str, Any],
        *,
        attempt: Any = 1,
        task: str | None = None,
        model: str | None = None,
        input: Any = None,
        truth: Any = None,
        prediction: Any = None,
        reason: str = "",
        fields: Any = None,
    ) -> None:
        """Take a sample; a score that is a truth value or a whole number is pass or fail, any other may be graded."""
        done = len(self.ids)
        for metric, value in scores.items():
            column = self.scores.get(metric)
            if column is None:
                column = self.scores[metric] = [_NAN] * done
            column.append(self._score(metric, value))
        if len(scores) < len(self.scores):
            for column in self.scores.values():
                if len(column) == done:
                    column.append(_NAN)
        self.fields.add(done, fields)
        self.ids.append(as_id(id))
        self.attempts.append(self._attempt(attempt))
        self.tasks.append(self.task if task is None else task)
        self.models.append(self.model if model is None else model)
        self.inputs.append(None if input is None else input_digest(input))
        self.truth.append(as_text(truth))
        self.predictions.append(as_text(prediction))
        self.reasons.append(reason)

    def _attempt(self, value: Any) -> int:
        if type(value) is not int:
            return 1
        if abs(value) <= _LARGEST_ATTEMPT:
            return value
        raise BadData(
            f"The attempt of sample {len(self.ids)} must be a count, but is {str(value)[:40]}."
        )

    def _score(self, metric: str, value: Any) -> float:
        kind = type(value)
        if kind is float:
            self.graded.add(metric)
            return float(value)
        if kind is bool or kind is int:
            return float(value) if abs(value) < 2**53 else math.inf
        if value is None:
            return _NAN
        raise BadData(
            f"The score of sample {len(self.ids) + 1} by {metric!r} must be a number, but is {str(value)[:40]!r}."
        )


def is_pass_or_fail(metric: str) -> bool:
    """Whether each score of a metric is 0 or 1 by its definition, though tools write it as another number."""
    return metric in _PASS_OR_FAIL


def verdict(metric: str, value: Any) -> Any:
    """A score by a metric that passes or fails as a truth value; any other as it is.

    Examples
    --------
    >>> verdict("exact_match", 1.0), verdict("f1", 1.0)
    (True, 1.0)
    """
    whole = is_pass_or_fail(metric) and isinstance(value, float) and value in (0.0, 1.0)
    return bool(value) if whole else value


def as_id(value: Any) -> str:
    """A sample's id as text; refuses what names nothing.

    Examples
    --------
    >>> as_id(7), as_id("7")
    ('7', '7')
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float) and value == value:
        return str(int(value)) if value.is_integer() else str(value)
    raise BadData(f"A sample's id must be text or a number, but is {str(value)[:40]!r}.")


# What tools write for passed and failed, where they write a word.
_VERDICTS = {"yes": True, "true": True, "no": False, "false": False}


def score_in(value: Any) -> Any:
    """A score as tools write it, in words or as text; None for what is no score.

    Examples
    --------
    >>> score_in("yes"), score_in("0.25"), score_in(True), score_in("blue"), score_in([1])
    (True, 0.25, True, None, None)
    """
    if isinstance(value, bool | int | float) or value is None:
        return value
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if word in _VERDICTS:
        return _VERDICTS[word]
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def as_text(value: Any) -> str | None:
    """What a log shows of truth or prediction, as text."""
    if value is None or isinstance(value, str):
        return value
    return _written(value)


def input_digest(value: Any) -> bytes:
    """What tells whether two samples asked the same; a digest is passed through."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else _written(value)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def text_of(entry: Any, *keys: str) -> str:
    """A text somewhere inside of objects; empty where there is none.

    Examples
    --------
    >>> text_of({"eval": {"task": "sums"}}, "eval", "task"), text_of({"eval": 3}, "eval", "task")
    ('sums', '')
    """
    for key in keys:
        entry = entry.get(key) if isinstance(entry, dict) else None
    return entry if isinstance(entry, str) else ""
