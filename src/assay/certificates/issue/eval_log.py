"""`read_eval`: an evaluation log as evidence, with its units and its metric as the tool wrote them down."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.log_holdout import sample_digests
from assay.certificates.issue.log_scores import Scored, Unscored, metric_of, only_name
from assay.certificates.issue.log_units import SampleUnits, Unit, units_of
from assay.data.logs.reading import read_path
from assay.data.logs.samples import Samples
from assay.errors import BadParameter, require
from assay.evidence.evidence import Evidence
from assay.theory.rounding import Number
from assay.types import Array, Bools, Floats, Ints

if TYPE_CHECKING:
    from assay.certificates.issue.asked import Answer
    from assay.certificates.issue.difference_claims import Promise
    from assay.certificates.issue.matched_rows import Unmatched
    from assay.certificates.issue.paired_logs import LoggedScores
    from assay.certificates.ledger.ledger import Ledger


@dataclass(frozen=True)
class EvalLog:
    """The samples of an evaluation log, as columns.

    Attributes
    ----------
    path : str
        The file or folder.
    format : str
        The tool that wrote it; ``"plain"`` for a table.
    ids, attempts : array
        Of each sample what it is called, and the epoch, repetition or run.
    task, model : array
        Of each sample what was evaluated.
    truth, prediction : array
        As text, or None where the log has none.
    scores : dict of str to array
        For each metric the score of each sample; NaN where it has none.
    reasons : array
        Why a sample has no score, such as ``"errored"``; empty where it has one.
    metrics : tuple of str
        The metrics to choose from.
    notes : tuple of str
        What else there is to tell.
    fields : dict of str to array
        What else the log says of each sample, such as its topic; None where it says nothing.
    """

    path: str
    format: str
    ids: Array
    attempts: Ints
    task: Array
    model: Array
    truth: Array
    prediction: Array
    scores: dict[str, Floats]
    reasons: Array
    metrics: tuple[str, ...]
    notes: tuple[str, ...] = ()
    fields: dict[str, Array] = field(repr=False, default_factory=dict)
    _dropped: tuple[str, ...] = field(repr=False, default=())
    _inputs: Array = field(repr=False, default_factory=lambda: np.empty(0, dtype=object))
    _graded: frozenset[str] = field(repr=False, default=frozenset())
    _lower: frozenset[str] = field(repr=False, default=frozenset())
    _primary: str | None = field(repr=False, default=None)
    _id_column: str | None = field(repr=False, default=None)

    def __len__(self) -> int:
        return len(self.ids)

    def evidence(
        self,
        metric: str | None = None,
        *,
        task: str | None = None,
        model: str | None = None,
        unit: Unit | None = None,
        unscored: Unscored = "refuse",
        exact: bool = False,
        by: Sequence[str] = (),
    ) -> Evidence:
        """What the log shows of one model in one task by one metric.

        Scores of pass or fail become errors, graded ones losses: 1 minus the score, or the score itself where less
        is better. Samples whose id comes several times, such as in several epochs, are one unit each: the promise is
        then about the mean over ids.

        Parameters
        ----------
        metric, task, model : str, optional
            Which, where the log holds several.
        unit : {"id", "input", "none"}, optional
            What is drawn independently: what has one id, what was asked the same, or, as you declare, every sample.
            Of a table the name of its column of ids will do for ``"id"``.
        unscored : {"refuse", "wrong"}, default="refuse"
            What becomes of samples that errored, were skipped or lack a score.
        exact : bool, default=False
            Whether you declare that a graded metric gives 0 and 1 alone.
        by : sequence of str, optional
            Names of `fields` that divide the samples into groups, ``"topic*level"`` for two of them crossed.
        """
        require(unscored in ("refuse", "wrong"), "unscored", "'refuse' or 'wrong'", unscored)
        part = self.select(task=task, model=model)
        metric = part.metric_named(metric)
        lower = metric in part._lower
        scored = Scored(self.path, metric, part.scores[metric], part.ids, part.reasons, lower)
        losses, notes = scored.losses(unscored)
        units = units_of(part.ids, part._inputs, unit, self._id_column)
        graded = metric in part._graded and not exact
        made = units.evidence(losses, graded=graded)
        if graded and units.codes is not None:
            notes += ("A row of the certificate is one unit, with the mean loss of its samples.",)
        made = replace(
            made,
            known_rows=sample_digests(part.ids, part._inputs, str(part.task[0])),
            notes=(*self.notes, *notes, *part._advice(units)),
        )
        if not by:
            return made
        from assay.certificates.issue.log_groups import grouped

        return grouped(made, losses, units.codes, by, part.fields, part._dropped, self.path)

    def certificate(
        self,
        metric: str | None = None,
        *,
        task: str | None = None,
        model: str | None = None,
        unit: Unit | None = None,
        unscored: Unscored = "refuse",
        delta: Number = 0.05,
        drawn: str | None = None,
        method: Any = None,
        by: Sequence[str] = (),
        **terms: Any,
    ) -> Certificate:
        """The certificate of what the log shows.

        Parameters
        ----------
        metric, task, model, unit, unscored, by
            As in `evidence`.
        delta : float or decimal text, default=0.05
            The probability that the promise fails.
        drawn : str, optional
            How the samples were drawn, for the reader; what the log says of itself when not given.
        method : str, optional
            As in `assay.certify`.
        **terms
            Further parameters of `assay.certify`, such as ``ledger`` and ``fixed_before``.
        """
        chosen = self.select(task=task, model=model)
        exact = method == "exact"
        evidence = chosen.evidence(metric, unit=unit, unscored=unscored, exact=exact, by=by)
        said = chosen.provenance(metric) if drawn is None else drawn
        return certify_evidence(evidence, delta=delta, drawn=said, method=method, **terms)

    def difference(
        self,
        baseline: EvalLog,
        metric: str | None = None,
        *,
        task: str | None = None,
        model: str | None = None,
        baseline_model: str | None = None,
        unit: Unit | None = None,
        unscored: Unscored = "refuse",
        unmatched: Unmatched = "refuse",
        promise: Promise = "difference",
        margin: Number | None = None,
        answer: Answer = "exact",
        ledger: Ledger | str | os.PathLike[str] | None = None,
        drawn: str | None = None,
        **terms: Any,
    ) -> Certificate:
        """By how much the model of this log is better than that of another, on the samples that both hold.

        Parameters
        ----------
        baseline : EvalLog
            The log of the old model.
        metric, task, model, unit, unscored
            As in `evidence`.
        baseline_model : str, optional
            Which model of the other log, where it holds several.
        unmatched : {"refuse", "drop"}, default="refuse"
            What becomes of samples, or attempts at them, that only one of the logs holds.
        promise, margin, answer, ledger
            As in `assay.certify_difference`.
        drawn : str, optional
            How the samples were drawn, for the reader; what the logs say of themselves when not given.
        **terms
            ``delta``, ``fixed_before``, ``holdout``.
        """
        from assay.certificates.issue.difference import certify_paired
        from assay.certificates.issue.difference_claims import AskedDifference
        from assay.certificates.issue.paired_logs import paired_logs
        from assay.certificates.ledger.ledger import opened

        new, old = (
            self.select(task=task, model=model),
            baseline.select(task=task, model=baseline_model),
        )
        seen = paired_logs(
            old.scored(),
            {"": new.scored()},
            metric,
            unit=unit,
            unscored=unscored,
            unmatched=unmatched,
        )
        asked = AskedDifference.read(promise, margin, answer, None, 1)
        said = new.provenance(metric) if drawn is None else drawn
        with opened(ledger) as book:
            return certify_paired(seen, asked, drawn=said, ledger=book, **terms)

    def judged(
        self,
        judge: str,
        metric: str,
        *,
        task: str | None = None,
        model: str | None = None,
        unit: Unit | None = None,
        drawn: str | None = None,
        **terms: Any,
    ) -> Certificate:
        """How many of the samples are wrong, where a judge has scored all of them and people a few.

        Parameters
        ----------
        judge : str
            The metric of the judge: of pass or fail, or graded.
        metric : str
            That of the people, which most samples may lack.
        task, model, unit
            As in `evidence`; the unit matters where the promise is about new rows.
        drawn : str, optional
            How the labelled samples were chosen, for the reader; what the log says of itself when not given.
        **terms
            Further parameters of `assay.certify_judged`, such as ``about``, ``delta`` and ``at_random``.
        """
        from assay.certificates.issue.judged import certify_seen
        from assay.certificates.issue.log_judged import judged_samples

        part = self.select(task=task, model=model)
        seen = judged_samples(part, judge, metric)
        known = units_of(part.ids, part._inputs, unit, part._id_column).of_samples()
        said = part.provenance(metric) if drawn is None else drawn
        return certify_seen(seen, drawn=said, draws=known, **terms)

    @property
    def graded(self) -> frozenset[str]:
        """The metrics whose scores may lie between 0 and 1."""
        return self._graded

    @property
    def lower(self) -> frozenset[str]:
        """The metrics of which less is better."""
        return self._lower

    def scored(self) -> LoggedScores:
        """What the log shows of its one model in its one task, to be compared with another log."""
        from assay.certificates.issue.paired_logs import LoggedScores

        return LoggedScores(
            self.path,
            next(iter(self.task.tolist()), ""),
            self.ids,
            self.attempts,
            self._inputs,
            self.truth,
            self.reasons,
            self.scores,
            self.metrics,
            self._graded,
            self._lower,
            self._primary,
            self._id_column,
        )

    def select(self, *, task: str | None = None, model: str | None = None) -> EvalLog:
        """The samples of one task and one model; where the log holds several, they must be named."""
        keep = self._only("task", self.task, task) & self._only("model", self.model, model)
        if keep.all():
            return self
        if not keep.any():
            raise BadParameter(
                f"{self.path} holds no sample of the task {task!r} and the model {model!r}."
            )
        columns = ("ids", "attempts", "task", "model", "truth", "prediction", "reasons", "_inputs")
        scores = {metric: column[keep] for metric, column in self.scores.items()}
        # A metric that only another task or model has is none here.
        held = {m: c for m, c in scores.items() if not np.isnan(c).all()} or scores
        return replace(
            self,
            **{name: getattr(self, name)[keep] for name in columns},
            scores=held,
            metrics=tuple(m for m in self.metrics if m in held),
            fields={name: column[keep] for name, column in self.fields.items()},
        )

    def provenance(self, metric: str | None = None) -> str:
        """What the log says of itself, for the reader of a certificate."""
        tool = "a table" if self.format == "plain" else f"a log of {self.format}"
        named = [f"{what} {_shown(column)}" for what, column in self._named() if any(column)]
        parts = ", ".join([*named, f"metric {self.metric_named(metric)!r}"])
        return f"samples of {tool}: {parts}"

    def _named(self) -> Sequence[tuple[str, Array]]:
        return ("task", self.task), ("model", self.model)

    def _only(self, what: str, column: Array, wanted: str | None) -> Bools:
        names = list(dict.fromkeys(column.tolist()))
        return np.asarray(column == only_name(self.path, what, names, wanted), dtype=bool)

    def metric_named(self, metric: str | None) -> str:
        """The metric that was named, or the only one, or the one by which the tool itself judges."""
        return metric_of(self.path, self.scores, self.metrics, self._primary, metric)

    def _advice(self, units: SampleUnits) -> tuple[str, ...]:
        known = units.known
        if known is None or known.status != "violated":
            return ()
        asked = self._id_column is None and None not in self._inputs.tolist()
        first = "--unit input makes one unit of what asks the same, " if asked else ""
        return (
            f"Nothing is promised, since {known.evidence}: {first}--unit id makes one unit of what has one id, and "
            "--unit none declares that every sample is a draw of its own.",
        )


def _shown(column: Array) -> str:
    return ", ".join(map(repr, dict.fromkeys(filter(None, column.tolist()))))


def read_eval(path: str | os.PathLike[str]) -> EvalLog:
    r"""Read an evaluation log as the tool wrote it.

    Logs of Inspect AI (``.eval`` and JSON), lm-evaluation-harness, promptfoo, DeepEval, OpenAI evals, HELM, pytest
    (JUnit XML) and MLflow are known by what they hold; so are plain CSV and JSON lines.

    Parameters
    ----------
    path : str or path
        A file, or a folder of logs.

    Returns
    -------
    EvalLog
        Its samples; `EvalLog.certificate` says what may be promised.

    Raises
    ------
    BadData
        If the file is damaged, of no known format, or of an evaluation that did not end.

    Examples
    --------
    >>> import tempfile
    >>> lines = ['{"id": "q%d", "correct": %s}' % (i, "true" if i % 10 else "false") for i in range(100)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.jsonl")
    ...     _ = path.write_text("\n".join(lines))
    ...     log = read_eval(path)
    >>> len(log), log.metrics
    (100, ('correct',))
    >>> print(log.certificate())
    error: at most 0.163718, observed 0.1, failing with probability at most 0.05, by holdout-exact
    """
    return _as_log(str(path), read_path(Path(path)))


def _as_log(path: str, samples: Samples) -> EvalLog:
    offered = samples.scores if samples.offered is None else samples.offered
    return EvalLog(
        path=path,
        format=samples.format,
        ids=_objects(samples.ids),
        attempts=np.array(samples.attempts, dtype=np.int64),
        task=_objects(samples.tasks),
        model=_objects(samples.models),
        truth=_objects(samples.truth),
        prediction=_objects(samples.predictions),
        scores={m: np.array(c, dtype=np.float64) for m, c in samples.scores.items()},
        reasons=_objects(samples.reasons),
        metrics=tuple(offered),
        notes=samples.notes,
        fields={name: _objects(c) for name, c in samples.fields.columns(len(samples)).items()},
        _dropped=tuple(samples.fields.dropped),
        _inputs=_objects(samples.inputs),
        _graded=frozenset(samples.graded),
        _lower=frozenset(samples.lower),
        _primary=samples.primary,
        _id_column=samples.id_column,
    )


def _objects(values: list[Any]) -> Array:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
