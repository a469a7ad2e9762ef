"""`read_eval`: an evaluation log as evidence, with its units and its metric as the tool wrote them down."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify_evidence
from assay.data.logs.reading import read_path
from assay.data.logs.samples import LESS_IS_BETTER, Samples
from assay.errors import BadData, BadParameter, UnknownName, Words, require
from assay.evidence.evidence import Evidence, from_losses
from assay.evidence.id_repeats import folded
from assay.evidence.units import unit_counts
from assay.guarantees.assumption import Assumption
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT
from assay.types import Array, Bools, Floats, Ints

Unit = Literal["id", "input", "none"]
Unscored = Literal["refuse", "wrong"]
_SHOWN = 10


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
    _inputs: Array = field(repr=False, default_factory=lambda: np.empty(0, dtype=object))
    _graded: frozenset[str] = field(repr=False, default=frozenset())
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
        unscored : {"refuse", "wrong"}, default="refuse"
            What becomes of samples that errored, were skipped or lack a score.
        exact : bool, default=False
            Whether you declare that a graded metric gives 0 and 1 alone.
        """
        require(unscored in ("refuse", "wrong"), "unscored", "'refuse' or 'wrong'", unscored)
        require(unit in (None, "id", "input", "none"), "unit", "'id', 'input' or 'none'", unit)
        part = self.select(task=task, model=model)
        metric = part._metric(metric)
        losses, notes = part._losses(metric, unscored)
        units, known = part._units(unit)
        graded = metric in part._graded and not exact
        made = _graded_evidence(losses, units) if graded else _counted_evidence(losses, units)
        kind = IID if graded or units is None else UNITS_INDEPENDENT
        checked = () if known is None else (Assumption(kind, known.status, known.evidence),)
        if graded and units is not None:
            notes += ("A row of the certificate is one unit, with the mean loss of its samples.",)
        return replace(made, checked=checked, notes=(*self.notes, *notes, *part._advice(known)))

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
        **terms: Any,
    ) -> Certificate:
        """The certificate of what the log shows.

        Parameters
        ----------
        metric, task, model, unit, unscored
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
        evidence = chosen.evidence(metric, unit=unit, unscored=unscored, exact=method == "exact")
        said = chosen.provenance(metric) if drawn is None else drawn
        return certify_evidence(evidence, delta=delta, drawn=said, method=method, **terms)

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
        )

    def provenance(self, metric: str | None = None) -> str:
        """What the log says of itself, for the reader of a certificate."""
        tool = "a table" if self.format == "plain" else f"a log of {self.format}"
        named = [f"{what} {_shown(column)}" for what, column in self._named() if any(column)]
        parts = ", ".join([*named, f"metric {self._metric(metric)!r}"])
        return f"samples of {tool}: {parts}"

    def _named(self) -> Sequence[tuple[str, Array]]:
        return ("task", self.task), ("model", self.model)

    def _only(self, what: str, column: Array, wanted: str | None) -> Bools:
        names = list(dict.fromkeys(column.tolist()))
        if wanted is not None:
            if wanted not in names:
                raise UnknownName(f"{self.path} has no {what} {wanted!r}. {_listed(names, what)}.")
        elif len(names) > 1:
            raise _ask(self.path, what, names)
        return np.asarray(column == (names[0] if wanted is None else wanted), dtype=bool)

    def _metric(self, metric: str | None) -> str:
        """The metric that was named, or the only one, or the one by which the tool itself judges."""
        if metric is not None:
            if metric not in self.scores:
                known = list(self.metrics or self.scores)
                raise UnknownName(
                    f"{self.path} has no metric {metric!r}. {_listed(known, 'metric')}."
                )
            return metric
        if self._primary in self.scores:
            return str(self._primary)
        within = [m for m in self.metrics if _in_range(self.scores[m])]
        if len(within) == 1 or (not within and len(self.metrics) == 1):
            return (within or list(self.metrics))[0]
        if not self.metrics:
            raise BadParameter(
                Words(
                    f"{self.path} has no column that is called like a score: name one with metric=...",
                    "Name the columns: --truth with --prediction, --loss, or --metric for a column of scores",
                ),
                ".",
            )
        raise _ask(self.path, "metric", within or list(self.metrics))

    def _losses(self, metric: str, unscored: Unscored) -> tuple[Floats, tuple[str, ...]]:
        scores = self.scores[metric]
        missing = np.isnan(scores)
        odd = ~missing & ~((scores >= 0.0) & (scores <= 1.0))
        if odd.any():
            row = int(odd.argmax())
            raise BadData(
                f"{self.path} gives sample {str(self.ids[row])!r} a score of {float(scores[row])!r} by {metric!r}; "
                "scores must lie between 0 and 1. Scale them."
            )
        lower = metric.casefold().removesuffix(" score") in LESS_IS_BETTER
        losses = scores.copy() if lower else 1.0 - scores
        how = f"the score by {metric!r}" if lower else f"1 minus the score by {metric!r}"
        notes: tuple[str, ...] = (f"The loss of a sample is {how}.",)
        if missing.any():
            why = self._why(missing)
            if unscored == "refuse":
                raise BadData(
                    f"{self.path} has no score by {metric!r} for {int(missing.sum()):,} of {len(self):,} samples "
                    f"({why}); to count them as wrong, say ",
                    Words("unscored='wrong'", "{} wrong", "unscored"),
                    ".",
                )
            losses[missing] = 1.0
            notes += (f"{int(missing.sum()):,} samples without a score count as wrong ({why}).",)
        return losses, notes

    def _why(self, missing: Bools) -> str:
        """How many samples lack a score for which reason."""
        reasons, many = np.unique(self.reasons[missing].astype(str), return_counts=True)
        counts = zip(reasons.tolist(), many.tolist(), strict=True)
        return ", ".join(f"{count:,} {reason or 'without a number'}" for reason, count in counts)

    def _units(self, unit: Unit | None) -> tuple[Ints | None, Assumption | None]:
        """The unit of each sample, None where each is one; and what is known of their independence."""
        codes = _codes(self.ids)
        repeated = int(codes.max()) + 1 < len(self)
        if unit == "none":
            evidence = "declared: every sample is a draw of its own"
            if repeated:
                evidence += f", though {_again(codes):,} of {len(self):,} repeat an id"
            return None, Assumption(IID, "declared", evidence)
        if unit == "input":
            absent = any(asked is None for asked in self._inputs.tolist())
            require(not absent, "unit", "'id' or 'none' where a log does not hold all inputs", unit)
            return _grouped(_codes(self._inputs), "input")
        grouped = _grouped(codes, "id")
        if unit == "id":
            return grouped
        if self._id_column is not None and repeated:
            again = f"repeats itself in {_again(codes):,} of {len(self):,} rows"
            return None, Assumption(IID, "violated", f"the column {self._id_column!r} {again}")
        doubt = self._doubt(codes)
        return (grouped[0], Assumption(IID, "violated", doubt)) if doubt else grouped

    def _doubt(self, codes: Ints) -> str:
        """Why samples with other ids may not be independent draws; empty where nothing is seen."""
        seen = _codes(_objects([folded(id) for id in self.ids.tolist()]))
        alike = int(codes.max() - seen.max())
        if alike:
            return f"{alike:,} ids differ from another in letter case or spaces alone"
        asked = [a for a in self._inputs.tolist() if a is not None]
        if len(asked) == len(self) and len(self):
            same = _codes(self._inputs)
            both = _codes(np.array(list(zip(codes, same, strict=True)), dtype="i8,i8"))
            # An id may ask several things; two ids shall not ask one.
            copies = int(both.max() - same.max())
            if copies:
                return f"{copies:,} ids ask what another id asks"
        return ""

    def _advice(self, known: Assumption | None) -> tuple[str, ...]:
        if known is None or known.status != "violated":
            return ()
        asked = self._id_column is None and None not in self._inputs.tolist()
        first = "--unit input makes one unit of what asks the same, " if asked else ""
        return (
            f"Nothing is promised, since {known.evidence}: {first}--unit id makes one unit of what has one id, and "
            "--unit none declares that every sample is a draw of its own.",
        )


def _graded_evidence(losses: Floats, units: Ints | None) -> Evidence:
    if units is None:
        return from_losses([losses])
    return from_losses([_unit_means(losses, units)])


def _counted_evidence(losses: Floats, units: Ints | None) -> Evidence:
    """Errors; a loss between 0 and 1 where only these were declared is refused."""
    if not ((losses == 0.0) | (losses == 1.0)).all():
        raise BadParameter("method must not be 'exact' for losses that are neither 0 nor 1.")
    made = from_losses([losses.astype(bool)])
    return made if units is None else replace(made, units=unit_counts(losses == 1.0, units))


def _unit_means(losses: Floats, units: Ints) -> Floats:
    """The mean loss of each unit, in the order in which they first come, rounded up where it must be."""
    order = np.argsort(units, kind="stable")
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    return np.array([_mean_above(part.tolist()) for part in np.split(losses[order], starts[1:])])


def _mean_above(values: list[float]) -> float:
    if len(set(values)) == 1:
        return values[0]
    mean = sum(map(Fraction, values), Fraction(0)) / len(values)
    near = float(mean)
    return near if Fraction(near) >= mean else float(np.nextafter(near, 2.0))


def _grouped(codes: Ints, what: str) -> tuple[Ints | None, Assumption | None]:
    """Units by code, where some come again, and the words for it."""
    many = np.bincount(codes)
    if many.max() == 1:
        return None, None
    least, most = int(many.min()), int(many.max())
    times = f"{most}" if least == most else f"{least} to {most}"
    evidence = f"each of {len(many):,} {what}s is one unit, with {times} samples"
    return codes, Assumption(UNITS_INDEPENDENT, "assumed", evidence)


def _codes(values: Array) -> Ints:
    """Each value as a number from 0, in the order in which they first come."""
    first: dict[Any, int] = {}
    return np.array([first.setdefault(v, len(first)) for v in values.tolist()], dtype=np.int64)


def _again(codes: Ints) -> int:
    return len(codes) - int(codes.max()) - 1


def _in_range(scores: Floats) -> bool:
    given = scores[~np.isnan(scores)]
    return bool(((given >= 0.0) & (given <= 1.0)).all())


def _shown(column: Array) -> str:
    return ", ".join(map(repr, dict.fromkeys(filter(None, column.tolist()))))


def _listed(names: Sequence[str], what: str) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    noun = f"Its {what} is" if len(names) == 1 else f"Its {what}s are"
    return f"{noun} {shown}{more}"


def _ask(path: str, what: str, names: Sequence[str]) -> BadParameter:
    """The one sentence that asks for what a log leaves open."""
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    example = names[0] or names[1]
    typed = shlex.quote(example).replace("{", "{{").replace("}", "}}")
    return BadParameter(
        f"{path} holds several {what}s ({shown}{more}): name one, as with ",
        Words(f"{what}={example!r}", f"{{}} {typed}", what),
        ".",
    )


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
        _inputs=_objects(samples.inputs),
        _graded=frozenset(samples.graded),
        _primary=samples.primary,
        _id_column=samples.id_column,
    )


def _objects(values: list[Any]) -> Array:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
