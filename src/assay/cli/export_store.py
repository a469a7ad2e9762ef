"""The decisions of a service's learners, or its log, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import BadParameter, require
from assay.server.engine.export import FORMATS, Export, learners_of
from assay.server.store.export import export_log
from assay.server.store.store import Store
from assay.whole_file import whole_file


def export_store(
    source: Path, out: Path, learner: str | None, events: bool
) -> tuple[str, dict[str, Any]]:
    """Write the file; returns what there is to say, in words and as fields."""
    kind = next((one for one in FORMATS if out.suffix == f".{one}"), None)
    if kind is None:
        must = "a name that ends in " + ", ".join(f".{one}" for one in FORMATS)
        raise BadParameter(subject="The file to write", must=must, got=str(out))
    require(not events or kind == "parquet", "The file to write", "Parquet with --events", str(out))
    store = Store(source, exclusive=False)
    try:
        if events:
            written = export_log(store, out, learner)
            return f"{written:,} events written to {out}.", {"file": str(out), "events": written}
        export = Export(store, learners_of(store, learner), store.last()[0])
        with whole_file(out) as file:
            for piece in export.pieces(kind):
                file.write(piece)
        told = {"file": str(out), "decisions": export.rows}
        return f"{export.rows:,} decisions written to {out}.", told
    finally:
        store.close()
