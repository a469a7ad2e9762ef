"""``assay stream``: rows that a learner predicts, then learns, with its mistakes under their bound."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assay.certificates.certificate import Certificate
from assay.cli.interrupt import Interrupt
from assay.cli.live import SPARING, bound_as_json
from assay.cli.parameters import named_values
from assay.cli.stream import given
from assay.cli.stream_run import CHUNK_ROWS, Run
from assay.data.examples import Chunks, Examples
from assay.data.logs.id_columns import id_columns
from assay.data.stored_encoder import encoder_from_json
from assay.data.table import FORMATS, open_table
from assay.errors import BadParameter, require
from assay.evidence.digest import digest_file
from assay.files import files_meant, is_libsvm, read_table
from assay.guarantees.guarantee import Guarantee
from assay.learners.common.running_scale import RunningScale
from assay.learners.model_file.files import load, save
from assay.learners.registry import make_learner, name_of
from assay.play.river_model import RiverModel, is_rivers
from assay.play.stream import Stream
from assay.report.stream import bound_text, stream_text
from assay.report.text import percent, percent_above


class LearnerRun(Run):
    """A learner on a stream: counts and promise at every look, the bound that always holds only now and then."""

    only_numbers = sparing = False
    stream: Stream
    certificate: Certificate

    def __init__(self, asked: Any, interrupt: Interrupt) -> None:
        super().__init__(asked, interrupt)
        why = (
            "Of new units a stream promises nothing: hold some out whole, for assay certify --unit."
        )
        require(asked.unit in (None, "none"), "--unit", "none, or left out", asked.unit, why)
        if is_rivers(asked.learner) and asked.out is not None:
            raise BadParameter(
                "--out cannot hold a model of River: a model file holds numbers and no code, and River keeps its "
                "models as Python objects. The certificate can be written."
            )
        learner = _learner(asked.learner, asked.param or [], asked.warm_start)
        self._columns = _Columns(learner, asked)
        self.stream = Stream(
            learner,
            source=self.source,
            delta=asked.delta,
            labels=asked.label or [],
            scale=_scale_for(learner, asked.standardize),
            overlap=asked.overlap,
            independent=asked.independent,
            order=asked.order,
        )
        self._bound: Guarantee | None = None
        self._bounded, self._bound_cost = -1e9, 0.0

    def chunks(self) -> Any:
        """The rows; behind the last of them the stream is closed."""
        chunks = _read(self.asked, self._columns.options)
        self._columns.fit(chunks)
        return _Closing(chunks, self.stream)

    def progress(self) -> dict[str, Any]:
        """Where the stream stands; a bound that takes long is looked for seldom."""
        now = time.monotonic()
        if now - self._bounded > SPARING * self._bound_cost:
            self._bound = least_bound(self.stream.guarantees())
            self._bounded, self._bound_cost = now, time.monotonic() - now
        return self._stands(self._bound)

    def _stands(self, bound: Guarantee | None) -> dict[str, Any]:
        return vars(self.stream.standing()) | {"bound": bound_as_json(bound)}

    def lines(self, standing: dict[str, Any]) -> list[tuple[str, str]]:
        """Errors, promise and bound, for a person."""
        share, at_most = percent(standing["error"]), percent_above(repr(standing["promised"]))
        lines = [("errors", f"{standing['errors']:,} ({share}), at most {at_most} promised")]
        return lines if self._bound is None else [*lines, ("always", bound_text(self._bound))]

    def write(self) -> list[str]:
        """Write the model, then the certificate, which names the model by its digest."""
        self._columns.remember()
        out, path, digest = self.asked.out, self.asked.certificate, None
        if out is not None:
            save(self.stream.learner, out)
            digest = digest_file(out)
        self.certificate = self.stream.certificate(model=digest, again=self._again())
        lines = []
        if path is not None:
            self.certificate.save(path)
            lines = [f"{path}; check it with: assay verify {path}"]
        return lines if out is None else [*lines, f"{out}; {self.note(out)}"]

    def _again(self) -> str:
        """How often an id repeats itself among the rows that were played, where they are declared to be independent."""
        asked = self.asked
        if not asked.independent or asked.unit is not None or "-" in asked.data:
            return ""
        from assay.certificates.issue.named_rows import repeated

        left, ids = self.stream.rows, dict[str, list[Any]]()
        for file in files_meant(asked.data, asked.format):
            if is_libsvm(file, asked.format):
                continue
            table = open_table(file, asked.format)
            names = [name for name in id_columns(table.columns) if name != asked.target]
            for batch in table.scan(names) if names else ():
                for place, name in enumerate(names):
                    ids.setdefault(name, []).append(batch.column(place)[:left])
                left -= min(left, batch.num_rows)
        return repeated(ids)[1]

    def summary(self) -> dict[str, Any]:
        """Where the stream stands, and the certificate."""
        bound = least_bound(list(self.certificate.claims))
        return self._stands(bound) | {"certificate": self.certificate.to_json()}

    def text(self) -> str:
        """The certificate, for a person."""
        return stream_text(self.certificate, self.source, _called(self.stream.learner))


Kind = LearnerRun


def _called(learner: Any) -> str:
    return learner.called if isinstance(learner, RiverModel) else name_of(learner)


class _Closing:
    """The chunks of a stream, which is closed behind the last of them."""

    def __init__(self, chunks: Chunks, stream: Stream) -> None:
        self.rows, self._chunks, self._stream = chunks.rows, chunks, stream

    def __iter__(self) -> Iterator[Examples]:
        yield from self._chunks
        self._stream.close()


def _learner(name: str | None, params: list[str], warm_start: Path | None) -> Any:
    """The learner asked for, or the one in the file."""
    if is_rivers(name):
        if warm_start is not None:
            raise BadParameter("--warm-start reads a learner of assay's, and River's start anew.")
        return RiverModel.named(str(name), named_values(params))
    if warm_start is None:
        if name is None:
            raise BadParameter(
                "Name the learner with --learner, or a model file with --warm-start."
            )
        learner = make_learner(name, named_values(params))
        if not hasattr(learner, "partial_fit") and not hasattr(learner, "learn_one"):
            from assay.learners.describe import row_by_row  # imports every learner

            raise BadParameter(
                f"{name} cannot learn row by row. These can: {', '.join(row_by_row())}."
            )
        return learner
    model = load(warm_start)
    if params:
        raise BadParameter("--param is for a new learner; the one in the model file has its own.")
    if name not in (None, name_of(model)):
        raise BadParameter(f"--learner is {name!r}, but {warm_start} holds a {name_of(model)}.")
    return model


class _Columns:
    """Which columns are read, and how; a learner from a file has its own encoder."""

    def __init__(self, model: Any, asked: Any) -> None:
        self._model = model
        # Chunks come without names, so the names are put back only when all is learned.
        self._names = vars(model).pop("feature_names_in_", None)
        self._encoder = None
        self.options: dict[str, Any] = {"target": asked.target}
        known = getattr(model, "encoder_", None)
        if known is not None:
            if {"column", "category", "encoder", "missing", "unknown"} & set(given(asked)):
                raise BadParameter(
                    "--column, --category, --encoder, --missing and --unknown are for a new learner; the "
                    "one in the file knows its own."
                )
            self.options["encoder"] = encoder_from_json(known)
        else:
            # A learner without an encoder may know the columns by name.
            named = None if self._names is None else [str(name) for name in self._names]
            self.options |= {
                "encoder": asked.encoder,
                "categories": asked.category or (),
                "missing": asked.missing,
                "unknown": asked.unknown,
                "columns": asked.column or named,
            }
        self.options["numbers"] = tuple(asked.number or ())

    def fit(self, chunks: Any) -> None:
        """See that what is read is what the learner knows."""
        self._encoder, features = chunks.encoder, chunks.features
        width = getattr(self._model, "n_features_in_", None)
        if width is not None and width != len(features):
            raise BadParameter(
                f"The model file knows {width} features, but the table has {len(features)}."
            )
        if self._names is not None and list(self._names) != list(features):
            odd = next(f for f, n in zip(features, self._names, strict=True) if f != n)
            raise BadParameter(f"The model file does not know the feature {odd!r} in its place.")
        if self._names is None and self._encoder is not None:
            self._names = np.array(features, dtype=object)

    def remember(self) -> None:
        """Put the names of the features and the encoder with the learner, for its file."""
        if self._names is not None:
            self._model.feature_names_in_ = self._names
        if self._encoder is not None:
            self._model.encoder_ = self._encoder.to_json()


def _read(asked: Any, options: dict[str, Any]) -> Chunks:
    """The rows of the stream in chunks; `options` are the target and how columns become features."""
    known = (*FORMATS, "libsvm")
    if asked.format is not None and asked.format not in known:
        raise BadParameter(f"--format must be one of {', '.join(known)}, but is {asked.format!r}.")
    if asked.data == ["-"] and asked.format == "libsvm" and asked.features is None:
        raise BadParameter(
            "Say with --features how many there are: libsvm text from standard input does not tell before "
            "its end."
        )
    form = {"format": asked.format, "features": asked.features}
    return read_table(asked.data, chunk_rows=CHUNK_ROWS, **form, **options)


def _scale_for(model: Any, standardize: bool) -> RunningScale | None:
    """What scales the rows of this learner: what it has, a new one if asked for, or nothing."""
    known: RunningScale | None = getattr(model, "scale_", None)
    if known is not None or not standardize:
        return known
    if hasattr(model, "classes_"):
        raise BadParameter(
            "--standardize is for a new learner; the one in the file learned its rows as they were."
        )
    return RunningScale()


def least_bound(guarantees: list[Guarantee]) -> Guarantee | None:
    """The smallest bound on mistakes (or else on regret) that holds always."""
    certain = [g for g in guarantees if g.quantifier == "always" and g.value is not None]
    return min(certain, key=lambda g: (g.kind != "mistakes", g.value), default=None)
