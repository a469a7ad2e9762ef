"""``assay stream``: predict, be told, learn; row after row, with every mistake under its bound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.interrupt import Interrupt
from assay.cli.output import DeltaOption, JsonFlag
from assay.cli.parameters import named_values
from assay.cli.stream_policies import asks_for_policies, stream_policies
from assay.cli.stream_reading import read_stream, scale_for
from assay.cli.stream_run import Ending, called, finish, follow, refuse_unwritable_file
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.data.examples import Chunks, Examples
    from assay.play.stream import Stream


def stream_command(
    data: list[str] = typer.Argument(
        ...,
        help="Tables, one after the other: CSV, Parquet, Feather or libsvm; - reads standard input, which "
        "is CSV unless --format says otherwise.",
    ),
    target: str | None = typer.Option(None, "--target", help="The column to predict."),
    learner: str | None = typer.Option(
        None, "--learner", help="The learner's name, such as perceptron."
    ),
    param: list[str] | None = typer.Option(
        None, "--param", help="A parameter of the learner, as name=value. May be repeated."
    ),
    label: list[str] | None = typer.Option(
        None,
        "--label",
        help="Declare a label, rather than take those of the first rows. Declare all.",
    ),
    column: list[str] | None = typer.Option(
        None, "--column", help="Learn from this column; all but the target when not given."
    ),
    number: list[str] | None = typer.Option(
        None, "--number", help="Read this column as numbers, whatever its first rows look like."
    ),
    category: list[str] | None = typer.Option(
        None, "--category", help="Read this column as categories, though it holds numbers."
    ),
    encoder: str = typer.Option(
        "one-hot", "--encoder", help="How columns become features: one-hot, booleans or literals."
    ),
    missing: str = typer.Option(
        "refuse", "--missing", help="What a missing value does: refuse (end the stream) or zero."
    ),
    unknown: str = typer.Option(
        "refuse",
        "--unknown",
        help="What a category does that the first rows did not hold: refuse or other.",
    ),
    standardize: bool = typer.Option(
        False, "--standardize", help="Centre and scale every feature by the rows up to each."
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        help="What DATA is, where names do not tell: csv, tsv, jsonl, parquet, feather or libsvm.",
    ),
    features: int | None = typer.Option(
        None, "--features", help="How many features libsvm text has; needed from standard input."
    ),
    delta: str = DeltaOption,
    warm_start: Path | None = typer.Option(
        None, "--warm-start", help="Go on with the learner in this model file."
    ),
    certificate: Path | None = typer.Option(
        None, "--certificate", help="Write the certificate of the stream to this file."
    ),
    out: Path | None = typer.Option(None, "--out", help="Write the learner to this model file."),
    experts: bool = typer.Option(
        False, "--experts", help="The columns are forecasts of the target: combine them."
    ),
    bandit: bool = typer.Option(
        False, "--bandit", help="The rows are logged bandit rounds: replay another policy on them."
    ),
    policy: str | None = typer.Option(
        None, "--policy", help="With --experts or --bandit: the policy, such as adahedge or ucb1."
    ),
    loss: str | None = typer.Option(
        None, "--loss", help="With --experts: square, absolute or entropic."
    ),
    bounds: tuple[float, float] | None = typer.Option(
        None, "--range", help="With --experts or --bandit: between which two numbers all lie."
    ),
    arm: str | None = typer.Option(None, "--arm", help="With --bandit: the column of the arms."),
    loss_column: str | None = typer.Option(
        None, "--loss-column", help="With --bandit: the column of their losses."
    ),
    reward_column: str | None = typer.Option(
        None,
        "--reward-column",
        help="With --bandit: the column of their rewards, in place of losses.",
    ),
    propensity: str | None = typer.Option(
        None, "--propensity", help="With --bandit: the column of the arms' probabilities."
    ),
    least_propensity: float | None = typer.Option(
        None, "--least-propensity", help="With --bandit: the least probability the log can hold."
    ),
    overlap: str = typer.Option(
        "refuse",
        "--overlap",
        help="What rows mean that came again more than chance allows: refuse (nothing is promised) or keep, "
        "which declares that equal rows are separate draws.",
    ),
    independent: bool = typer.Option(
        False,
        "--independent",
        help="Declare that the rows are independent draws from one distribution: then the promise is about new "
        "rows too.",
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Predict every row of a stream, then learn it, and count the mistakes against their bounds.

    Ctrl-C ends the stream in order: what was learned is kept, and certificate and model are written.

    Example: assay stream power.parquet --target price_up --learner perceptron --out power.assay
    """
    given = dict(locals())
    if asks_for_policies(given):
        stream_policies(given, named_values(param or []))
        return
    with Interrupt() as interrupt:
        from assay.cli.live import LearnerView
        from assay.learners.registry import name_of
        from assay.play.stream import Stream
        from assay.report.stream import stream_text

        model = _learner(learner, param or [], warm_start)
        chosen = {"encoder": encoder, "categories": category or (), "missing": missing}
        columns = _Columns(model, target, column, number, chosen | {"unknown": unknown})
        scale = scale_for(model, standardize)
        refuse_unwritable_file(certificate, out)
        stream = Stream(
            model,
            source=called(data),
            delta=delta,
            labels=label or [],
            scale=scale,
            overlap=overlap,  # type: ignore[arg-type]
            independent=independent,
        )

        def read() -> _Chunks:
            chunks = read_stream(data, columns.options, format=format, features=features)
            columns.fit(chunks)
            return _Chunks(chunks, stream)

        view = LearnerView(stream.source, as_json=as_json)
        refusal = follow(stream, read, view, interrupt)
        columns.remember()
        made = _written(stream, certificate, out)
    saved = (
        [] if certificate is None else [f"{certificate}; check it with: assay verify {certificate}"]
    )
    saved += [] if out is None else [f"{out}; go on with: --warm-start {out}"]
    finish(
        Ending(refusal, interrupt.signal),
        stream.rows,
        as_json=as_json,
        summary=lambda: _summary(stream, made),
        text=lambda: stream_text(made, stream.source, name_of(stream.learner)),
        saved=saved,
    )


class _Chunks:
    """The chunks of a stream, which is closed behind the last of them."""

    def __init__(self, chunks: Chunks, stream: Stream) -> None:
        self.rows, self._chunks, self._stream = chunks.rows, chunks, stream

    def __iter__(self) -> Iterator[Examples]:
        yield from self._chunks
        self._stream.close()


def _learner(name: str | None, params: list[str], warm_start: Path | None) -> Any:
    """The learner asked for, or the one in the file."""
    from assay.learners.model_file.files import load
    from assay.learners.registry import make_learner, name_of

    if warm_start is None:
        if name is None:
            raise BadParameter(
                "Name the learner with --learner, or a model file with --warm-start."
            )
        return make_learner(name, named_values(params))
    model = load(warm_start)
    if params:
        raise BadParameter("--param is for a new learner; the one in the model file has its own.")
    if name not in (None, name_of(model)):
        raise BadParameter(f"--learner is {name!r}, but {warm_start} holds a {name_of(model)}.")
    return model


class _Columns:
    """Which columns are read, and how; a learner from a file has its own encoder."""

    def __init__(
        self,
        model: Any,
        target: str | None,
        columns: list[str] | None,
        numbers: list[str] | None,
        chosen: dict[str, Any],
    ) -> None:
        from assay.data.stored_encoder import encoder_from_json

        self._model = model
        # Chunks come without names, so the names are put back only when all is learned.
        self._names = vars(model).pop("feature_names_in_", None)
        self._encoder = None
        self.options: dict[str, Any] = {"target": target}
        known = getattr(model, "encoder_", None)
        if known is not None:
            plain = {
                "encoder": "one-hot",
                "categories": (),
                "missing": "refuse",
                "unknown": "refuse",
            }
            if columns is not None or chosen != plain:
                raise BadParameter(
                    "--column, --category, --encoder, --missing and --unknown are for a new learner; the "
                    "one in the file knows its own."
                )
            self.options["encoder"] = encoder_from_json(known)
        else:
            self.options |= chosen | {"columns": columns or self._named()}
        self.options["numbers"] = tuple(numbers or ())

    def _named(self) -> list[str] | None:
        """The columns by name, where a learner without an encoder knows them."""
        return None if self._names is None else [str(name) for name in self._names]

    def fit(self, chunks: Any) -> None:
        """See that what is read is what the learner knows."""
        self._encoder, found = chunks.encoder, chunks.features
        width = getattr(self._model, "n_features_in_", None)
        if width is not None and width != len(found):
            raise BadParameter(
                f"The model file knows {width} features, but the table has {len(found)}."
            )
        if self._names is not None and list(self._names) != list(found):
            odd = next(f for f, n in zip(found, self._names, strict=True) if f != n)
            raise BadParameter(f"The model file does not know the feature {odd!r} in its place.")
        if self._names is None and self._encoder is not None:
            import numpy as np

            self._names = np.array(found, dtype=object)

    def remember(self) -> None:
        """Put the names of the features and the encoder with the learner, for its file."""
        if self._names is not None:
            self._model.feature_names_in_ = self._names
        if self._encoder is not None:
            self._model.encoder_ = self._encoder.to_json()


def _written(stream: Stream, certificate: Path | None, out: Path | None) -> Certificate:
    """Write the model, then the certificate, which names the model by its digest."""
    from assay.evidence.digest import digest_file
    from assay.learners.model_file.files import save

    digest = None
    if out is not None:
        save(stream.learner, out)
        digest = digest_file(out)
    made = stream.certificate(model=digest)
    if certificate is not None:
        made.save(certificate)
    return made


def _summary(stream: Stream, made: Certificate) -> dict[str, Any]:
    """The last line of JSON: where the stream stands, and the whole certificate."""
    from assay.cli.live import least_bound, progress

    bound = least_bound(list(made.claims))
    return progress(stream, bound) | {"certificate": made.to_json()}
