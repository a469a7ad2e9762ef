"""``assay export``: what assay holds, in the format of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from assay.cli.output import JsonFlag
from assay.errors import BadParameter


def export_command(
    source: Path = typer.Argument(
        ..., help="The store of a service; with --onnx the file of a model."
    ),
    out: Path | None = typer.Argument(
        None,
        help="The file to write: .parquet, .jsonl or .csv, by its ending. With --onnx it is beside the model when not "
        "given.",
    ),
    learner: str | None = typer.Option(None, "--learner", help="Only what is of this learner."),
    events: bool = typer.Option(
        False, "--events", help="The log itself, event by event, in place of decisions."
    ),
    onnx: bool = typer.Option(
        False, "--onnx", help="Write a model as ONNX, checked to predict the same."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Write what a service was asked, answered and told, a row for each decision; or a model as ONNX.

    Example: assay export assay.db decisions.parquet --learner shop
    Example: assay export model.assay --onnx model.onnx
    """
    if onnx:
        for option, given in (("--learner", learner), ("--events", events or None)):
            if given is not None:
                raise BadParameter(f"{option} does not go with --onnx.")
        text, told = _onnx(source, source.with_suffix(".onnx") if out is None else out)
    else:
        from assay.cli.export_store import export_store

        if out is None:
            raise BadParameter("The file to write must be named, such as decisions.parquet.")
        text, told = export_store(source, out, learner, events)
    _say(text, told, as_json)


def _onnx(path: Path, out: Path) -> tuple[str, dict[str, Any]]:
    from assay.learners.model_file.files import load
    from assay.onnx import INPUT, to_onnx
    from assay.whole_file import refuse_unwritable, whole_file

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
    return text, told


def _say(text: str, told: dict[str, Any], as_json: bool) -> None:
    import json

    typer.echo(json.dumps({"ok": True} | told, ensure_ascii=False) if as_json else text)
