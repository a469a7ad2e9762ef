"""``assay certify --judge``: how many rows of a table are wrong, by a judge's verdicts and the labels of a few?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import row_progress
from assay.cli.refusals import require_taken
from assay.errors import BadParameter
from assay.theory.needs import inside_unit

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.evidence.judged import Judged

# What a judged batch is certified by; every other option of `assay certify` is left out.
_TAKEN = (
    *("data", "truth", "prediction", "judge", "wrong", "delta", "models", "drawn", "max_error"),
    *("at_random", "strata_first", "out", "summary", "as_json"),
)


def certify_verdicts(context: typer.Context) -> tuple[Certificate, tuple[str, ...]]:
    """The certificate of the columns that the options of `assay certify` name, and what else there is to tell."""
    from assay.certificates.format.document import require_writable
    from assay.certificates.issue.judged import certify_strata, way_out

    options = context.params
    require_taken(context, _TAKEN, "with --judge")
    if options["data"] is None or options["judge"] is None or options["truth"] is None:
        raise BadParameter("Give a table, and name its columns: --judge with --truth.")
    if options["max_error"] is not None:
        inside_unit("max_error", options["max_error"])
    if options["out"] is not None:
        require_writable(options["out"])
    seen = _read(options)
    certificate = certify_strata(
        seen,
        delta=options["delta"],
        models=options["models"],
        drawn=options["drawn"],
        at_random=options["at_random"],
        strata_first=options["strata_first"],
    )
    return certificate, (way_out(seen),) if seen.odd and not options["at_random"] else ()


def _read(options: Mapping[str, Any]) -> Judged:
    from assay.certificates.issue.judged_sources import from_judged_table

    with row_progress("Counting") as progress:
        return from_judged_table(
            options["data"],
            judge=options["judge"],
            truth=options["truth"],
            prediction=options["prediction"],
            wrong=options["wrong"],
            progress=progress,
        )
