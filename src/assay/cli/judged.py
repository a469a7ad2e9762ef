"""A judge's verdicts or scores on the command line: ``assay certify --judge`` and ``assay verify --judge``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import row_progress
from assay.cli.refusals import require_taken
from assay.errors import BadParameter, require
from assay.theory.needs import inside_unit

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.eval_log import EvalLog
    from assay.certificates.verify.verify import Verification
    from assay.evidence.judged import Judged
    from assay.evidence.scored import Scored

_COLUMNS = ("judge", "judge_score", "truth", "loss", "prediction")
_OF_LOGS = ("metric", "task", "model")
# What a judged batch is certified, or verified, by; every other option is left out.
_TERMS = ("about", "delta", "models", "at_random", "judged_first", "fixed_before")
_CERTIFIED = (
    *("data", *_COLUMNS, *_OF_LOGS, *_TERMS, "second_opinion", "wrong", "unit", "drawn"),
    *("max_error", "out", "summary", "as_json"),
)
_COUNTED = ("stratum", *_TERMS, "drawn", "max_error", "out", "summary", "as_json")
_VERIFIED = (
    *("certificates", "data", *_COLUMNS, *_OF_LOGS, "second_opinion", "max_error"),
    *("summary", "as_json"),
)


def certify_judged_data(context: typer.Context) -> tuple[Certificate, tuple[str, ...]]:
    """The certificate of what the options of `assay certify` name, and what else there is to tell."""
    from assay.certificates.format.document import require_writable
    from assay.certificates.issue.judged import certify_seen, way_out

    options = context.params
    taken, beside = (
        (_COUNTED, "with --stratum") if options["stratum"] else (_CERTIFIED, "with a judge")
    )
    require_taken(context, taken, beside)
    if options["max_error"] is not None:
        inside_unit("max_error", options["max_error"])
    if options["out"] is not None:
        require_writable(options["out"])
    terms = {name: options[name] for name in _TERMS}
    drawn = options["drawn"]
    if options["stratum"]:
        return certify_seen(_strata(options["stratum"]), drawn=drawn, **terms), ()
    if _is_log(options):
        require(options["wrong"] is None, "wrong", "left out for a log", options["wrong"])
        log = _log(options)
        said = None if drawn == "not stated" else drawn
        names = (options["judge"], options["metric"])
        made = log.judged(*names, unit=options["unit"], drawn=said, **terms)
        return made, _unpromised(made)
    must = "'none', or left out with a judge"
    require(options["unit"] in (None, "none"), "unit", must, options["unit"])
    seen = _read(options, options["wrong"])
    draws, advice = None, ""
    if options["about"] == "new-rows":
        from assay.certificates.issue.judged_sources import draws_of_table

        columns = [options[name] for name in _COLUMNS if options[name] is not None]
        draws, advice = draws_of_table(options["data"], columns, options["unit"])
    made = certify_seen(seen, drawn=drawn, draws=draws, **terms)
    odd = way_out(seen) if seen.odd and not options["at_random"] else ""
    return made, tuple(note for note in (odd, advice) if note)


def _unpromised(certificate: Certificate) -> tuple[str, ...]:
    """Why nothing is promised of a log, where that is so."""
    violated = [a for a in certificate.claims[0].assumptions if a.status == "violated"]
    return tuple(f"Nothing is promised: {a.evidence}." for a in violated)


def verify_judged_data(context: typer.Context, certificate: Path) -> Verification:
    """The certificate of a judged batch beside the columns of a table, or a log."""
    from assay.certificates.issue.log_judged import judged_samples
    from assay.certificates.verify.verify import verify_seen

    options = context.params
    require_taken(context, _VERIFIED, "with a judge")
    if _is_log(options):
        log = _log(options)
        seen = judged_samples(log, options["judge"], options["metric"])
        losses = options["metric"] in log.graded
        return verify_seen(certificate, lambda _: seen, predicted=False, losses=losses)
    return verify_seen(
        certificate,
        lambda wrong: _read(options, wrong),
        predicted=options["prediction"] is not None,
        losses=options["loss"] is not None,
    )


def _is_log(options: dict[str, Any]) -> bool:
    """Whether metrics of a log are named; refuses what names neither these nor columns."""
    judged = options["judge"] is not None or options["judge_score"] is not None
    labelled = options["truth"] is not None or options["loss"] is not None
    log = options["judge"] is not None and options["metric"] is not None
    if options["data"] is None or not judged or labelled == log:
        raise BadParameter(
            "Name the columns of a table: --judge with --truth, or --judge-score with --truth or --loss; or the "
            "metrics of a log: --judge with --metric."
        )
    if log:
        for name in ("judge_score", "prediction"):
            require(options[name] is None, name, "left out for a log", options[name])
    else:
        for name in _OF_LOGS:
            require(options[name] is None, name, "left out unless a log is given", options[name])
    return log


def _log(options: dict[str, Any]) -> EvalLog:
    from assay.certificates.issue.eval_log import read_eval

    return read_eval(options["data"]).select(task=options["task"], model=options["model"])


def _read(options: dict[str, Any], wrong: Any) -> Judged | Scored:
    from assay.certificates.issue.judged_sources import from_judged_table

    columns = {name: options[name] for name in (*_COLUMNS, "second_opinion")}
    with row_progress("Counting") as progress:
        return from_judged_table(options["data"], **columns, wrong=wrong, progress=progress)


def _strata(given: list[str]) -> Judged:
    """Counts of strata, each as NAME=ITEMS:LABELLED:WRONG."""
    from assay.certificates.issue.judged import from_stratum_counts

    population: dict[str, int] = {}
    labels: dict[str, tuple[int, int]] = {}
    for text in given:
        name, sign, rest = text.rpartition("=")
        counts = rest.split(":")
        whole = bool(sign and name) and len(counts) == 3 and all(c.isdecimal() for c in counts)
        require(whole, "stratum", "NAME=ITEMS:LABELLED:WRONG", text)
        require(name not in population, "stratum", "given once for each name", text)
        population[name], *pair = map(int, counts)
        labels[name] = (pair[0], pair[1])
    return from_stratum_counts(population, labels)
