"""A judge's verdicts or scores on the command line: ``assay certify --judge`` and ``assay verify --judge``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import row_progress
from assay.cli.refusals import require_taken
from assay.errors import BadParameter
from assay.theory.needs import inside_unit

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.verify.verify import Verification
    from assay.evidence.judged import Judged
    from assay.evidence.scored import Scored

_COLUMNS = ("judge", "judge_score", "truth", "loss", "prediction")
# What a judged batch is certified, or verified, by; every other option is left out.
_CERTIFIED = (
    *("data", *_COLUMNS, "wrong", "about", "delta", "models", "drawn", "max_error", "fixed_before"),
    *("at_random", "judged_first", "out", "summary", "as_json"),
)
_VERIFIED = ("certificates", "data", *_COLUMNS, "summary", "as_json")


def certify_judged_table(context: typer.Context) -> tuple[Certificate, tuple[str, ...]]:
    """The certificate of the columns that the options of `assay certify` name, and what else there is to tell."""
    from assay.certificates.format.document import require_writable
    from assay.certificates.issue.judged import certify_seen, way_out

    options = context.params
    require_taken(context, _CERTIFIED, "with a judge")
    _require_columns(options)
    if options["max_error"] is not None:
        inside_unit("max_error", options["max_error"])
    if options["out"] is not None:
        require_writable(options["out"])
    seen = _read(options, options["wrong"])
    certificate = certify_seen(
        seen,
        about=options["about"],
        delta=options["delta"],
        models=options["models"],
        drawn=options["drawn"],
        at_random=options["at_random"],
        judged_first=options["judged_first"],
        fixed_before=options["fixed_before"],
    )
    return certificate, (way_out(seen),) if seen.odd and not options["at_random"] else ()


def verify_judged_table(context: typer.Context, certificate: Path) -> Verification:
    """The certificate of a judged batch beside the columns of a table."""
    from assay.certificates.verify.verify import verify_seen

    options = context.params
    require_taken(context, _VERIFIED, "with a judge")
    _require_columns(options)
    return verify_seen(
        certificate,
        lambda wrong: _read(options, wrong),
        predicted=options["prediction"] is not None,
        losses=options["loss"] is not None,
    )


def _require_columns(options: dict[str, Any]) -> None:
    judged = options["judge"] is not None or options["judge_score"] is not None
    labelled = options["truth"] is not None or options["loss"] is not None
    if options["data"] is None or not judged or not labelled:
        raise BadParameter(
            "Give a table, and name its columns: --judge with --truth, or --judge-score with --truth or --loss."
        )


def _read(options: dict[str, Any], wrong: Any) -> Judged | Scored:
    from assay.certificates.issue.judged_sources import from_judged_table

    columns = {name: options[name] for name in _COLUMNS}
    with row_progress("Counting") as progress:
        return from_judged_table(options["data"], **columns, wrong=wrong, progress=progress)
