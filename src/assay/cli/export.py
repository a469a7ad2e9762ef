"""``assay export``: what a service has written down, as a table; or a model, as ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from assay.cli.output import JsonFlag
from assay.errors import BadParameter


def export_command(
    path: Path = typer.Argument(
        ..., help="The Parquet file to write; with --onnx the model file to read."
    ),
    out: Path | None = typer.Argument(
        None, help="With --onnx the file to write; beside the model file when not given."
    ),
    store: Path | None = typer.Option(
        None, "--store", help="The store of the service; assay.db when not given."
    ),
    learner: str | None = typer.Option(None, "--learner", help="Only the events of this learner."),
    onnx: bool = typer.Option(
        False, "--onnx", help="Write a model as ONNX, checked to predict the same."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Write the log of a service to Parquet, also while it is served; or a model to ONNX.

    Example: assay export log.parquet --store assay.db
    Example: assay export model.assay --onnx model.onnx
    """
    if onnx:
        for option, given in (("--store", store), ("--learner", learner)):
            if given is not None:
                raise BadParameter(f"{option} does not go with --onnx.")
        _export_onnx(path, path.with_suffix(".onnx") if out is None else out, as_json)
        return
    if out is not None:
        raise BadParameter(
            "assay export writes one file; a second one is for --onnx, which reads the first."
        )
    _export_log(path, Path("assay.db") if store is None else store, learner, as_json)


def _export_log(path: Path, store: Path, learner: str | None, as_json: bool) -> None:
    from assay.server.store.export import export_log
    from assay.server.store.store import Store

    held = Store(store, exclusive=False)
    try:
        written = export_log(held, path, learner)
    finally:
        held.close()
    _say(f"{written:,} events written to {path}.", {"file": str(path), "events": written}, as_json)


def _export_onnx(path: Path, out: Path, as_json: bool) -> None:
    from assay.data.whole_file import refuse_unwritable, whole_file
    from assay.learners.model_file.files import load
    from assay.onnx import INPUT, to_onnx

    if out.resolve() == path.resolve():
        raise BadParameter(f"{path} is the model file itself. Name another file to write.")
    refuse_unwritable(out)
    made = to_onnx(load(path))
    with whole_file(out) as file:
        file.write(made.content)
    shown = ", ".join(made.features[:8]) + (", ..." if len(made.features) > 8 else "")
    text = (
        f"{out} predicts as {path} does, on {made.rows:,} rows drawn to compare them; numbers differ by at most "
        f"{made.apart:.2g}.\nIts input {INPUT} has {len(made.features)} columns: {shown}."
    )
    told = {
        "file": str(out),
        "input": INPUT,
        "features": list(made.features),
        "rows_compared": made.rows,
        "apart": made.apart,
    }
    _say(text, told, as_json)


def _say(text: str, told: dict[str, Any], as_json: bool) -> None:
    import json

    typer.echo(json.dumps({"ok": True} | told, ensure_ascii=False) if as_json else text)
