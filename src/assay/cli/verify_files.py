"""``assay verify CERT --baseline OLD``: are these the predictions that were compared?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.compare_files import read_files
from assay.cli.compare_options import OF_LOGS, OF_MODELS, OF_TABLES
from assay.cli.refusals import is_given, require_taken
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.certificates.verify.verify import Verification

_TAKEN = (
    *("certificates", "data", "truth", "prediction", "loss", "unit", "ledger", "summary"),
    *("as_json", *OF_MODELS),
)


def verify_files(context: typer.Context, certificate: Path) -> Verification:
    """The certificate of models on the same rows beside what they predicted."""
    from assay.certificates.verify.verify import models_named, verify_evidence, verify_paired

    options = context.params
    require_taken(context, _TAKEN, "where files of predictions are compared")
    alone = verify_evidence(certificate)
    if not alone.adds_up:
        return alone
    side, names = models_named(certificate)
    rivals = _rivals(options["rival"] or ())
    given = {
        name: None if options[name] is None else Path(options[name])
        for name in ("data", "baseline")
    }
    wanted = {"": ("data", "baseline"), "old": ("data",), "new": ("baseline",)}[side]
    lacking = [f"--{name}" for name in wanted if given[name] is None]
    lacking += [f"--rival {name}=FILE" for name in names if name not in rivals]
    if lacking:
        raise BadParameter(
            f"The certificate compares models of which no file is given: {', '.join(lacking)}."
        )
    files = {name: rivals[name] for name in names}
    base = given["data"] if side == "old" else given["baseline"]
    if not side:
        files = {"": given["data"]}
    tables = any(is_given(context, name) for name in OF_TABLES)
    logged = {name: options[name] for name in OF_LOGS if is_given(context, name)}
    assert base is not None
    seen, _ = read_files(base, files, options, tables=tables, logged=logged, reverse=side == "old")
    return verify_paired(certificate, seen, ledger=options["ledger"])


def _rivals(texts: Sequence[str]) -> Mapping[str, Any]:
    """Each ``name=file``."""
    rivals: dict[str, Path] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not sign or not name or not path:
            raise BadParameter(f"--rival must be NAME=FILE, but is {text!r}.")
        rivals[name] = Path(path)
    return rivals
