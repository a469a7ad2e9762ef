"""The decisions of a service's learners, or its log, as a file."""

from __future__ import annotations

from pathlib import Path

from assay.data.whole_file import whole_file
from assay.errors import BadParameter, require
from assay.server.engine.export import FORMATS, Export, learners_of
from assay.server.store.export import export_log
from assay.server.store.store import Store


def export_store(source: Path, out: Path, learner: str | None, events: bool) -> str:
    """Write the file; returns what there is to say."""
    kind = next((one for one in FORMATS if out.suffix == f".{one}"), None)
    if kind is None:
        must = "a name that ends in " + ", ".join(f".{one}" for one in FORMATS)
        raise BadParameter(subject="The file to write", must=must, got=str(out))
    require(not events or kind == "parquet", "The file to write", "Parquet with --events", str(out))
    store = Store(source, exclusive=False)
    try:
        if events:
            return f"{export_log(store, out, learner):,} events written to {out}."
        export = Export(store, learners_of(store, learner), store.last()[0])
        with whole_file(out) as file:
            for piece in export.pieces(kind):
                file.write(piece)
        return f"{export.rows:,} decisions written to {out}."
    finally:
        store.close()
