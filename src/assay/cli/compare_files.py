"""``assay compare OLD NEW``: is the new model better, from files of what both predicted?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from assay.cli.compare_options import OF_FILES, OF_LOGS, OF_TABLES
from assay.cli.output import print_json, put_summary, refusal_told
from assay.cli.refusals import is_given, require_apart, require_taken
from assay.errors import BadParameter, require

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.difference_claims import AskedDifference
    from assay.certificates.issue.gate import Gate
    from assay.evidence.paired import Paired

_TAKEN = (
    *("data", "delta", "unit", "task", "ledger", "holdout", "out", "summary", "as_json"),
    *OF_FILES,
)


def compare_files(context: typer.Context) -> None:
    """Certify new models against an old one, by the options of ``assay compare``."""
    from assay.certificates.format.document import require_writable
    from assay.certificates.issue.difference import certify_paired
    from assay.certificates.issue.difference_claims import AskedDifference
    from assay.certificates.ledger.ledger import opened
    from assay.theory.needs import unit

    options = context.params
    require_taken(context, _TAKEN, "where files of predictions are compared")
    margin, better, out = options["max_regression"], options["better"], options["out"]
    old, *news = map(Path, options["data"])
    require(margin is None or not better, "max_regression", "left out with --better", margin)
    if margin is not None:
        must = "a number of at least 0 and below 1"
        require(unit("max_regression", margin).low < 1, "max_regression", must, margin)
    if options["answer"] == "pass-fail" and margin is None and not better:
        raise BadParameter("--answer pass-fail needs a gate: --max-regression or --better.")
    if out is not None:
        require_writable(out)
        for path in (old, *news):
            require_apart(Path(path), out=Path(out))  # as it was typed
    tables = any(is_given(context, name) for name in OF_TABLES)
    named = dict(zip(model_names(news), news, strict=True))
    seen, drawn = read_files(old, named, options, tables=tables, logged=_logged(context))
    asked = AskedDifference.read(
        "better" if better else "difference", margin, options["answer"], None, len(seen)
    )
    source = f"{', '.join(map(str, news))} against {old}"
    with refusal_told(options["summary"], source), opened(options["ledger"]) as ledger:
        certificate = certify_paired(
            seen,
            asked,
            delta=options["delta"],
            drawn=options["drawn"] if is_given(context, "drawn") else drawn,
            fixed_before=options["fixed_before"],
            ledger=ledger,
            holdout=options["holdout"],
        )
    notes = tuple(dict.fromkeys(note for one in seen for note in one.notes))
    _finish(certificate, asked, notes, source, options)


def _logged(context: typer.Context) -> dict[str, Any]:
    """The options of logs that were typed."""
    return {name: context.params[name] for name in OF_LOGS if is_given(context, name)}


def model_names(paths: Sequence[Path]) -> list[str]:
    """What models are called by their files: nothing where there is one, else the least that tells them apart.

    Examples
    --------
    >>> model_names([Path("a.csv")]), model_names([Path("a.csv"), Path("runs/b.csv")])
    ([''], ['a', 'b'])
    >>> model_names([Path("x/new.csv"), Path("y/new.csv")])
    ['x/new.csv', 'y/new.csv']
    """
    if len(paths) == 1:
        return [""]
    stems = [path.name.partition(".")[0] or path.name for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadParameter(f"{twice} is given twice. Name every file once.")
    return names


def read_files(
    old: Path,
    news: Mapping[str, Path],
    options: Mapping[str, Any],
    *,
    tables: bool,
    logged: Mapping[str, Any],
    reverse: bool = False,
) -> tuple[list[Paired], str]:
    """What was seen of the models in tables or in logs, and what to say of how the rows were drawn."""
    if not tables:
        return _read_logs(old, news, options, logged)
    if logged:
        require(False, next(iter(logged)), "left out unless logs are compared", "given")
    from assay.certificates.issue.paired_tables import Columns, paired_tables

    on = tuple(filter(None, (options["on"] or "").split(",")))
    if not on:
        raise BadParameter("Name the column that names a row in every file with --on.")
    columns = Columns(on, *(options[name] for name in ("truth", "prediction", "loss", "unit")))
    seen = paired_tables(
        old,
        news,
        columns,
        unmatched=options["unmatched"],
        reverse=reverse,
        partition=options.get("ledger") is not None,
    )
    names = ", ".join(str(path) for path in (old, *news.values()))
    return seen, f"rows of {names} joined by {' and '.join(map(repr, on))}"


def _read_logs(
    old: Path, news: Mapping[str, Path], options: Mapping[str, Any], logged: Mapping[str, Any]
) -> tuple[list[Paired], str]:
    from assay.certificates.issue.eval_log import read_eval
    from assay.certificates.issue.paired_logs import paired_logs

    task, metric = logged.get("task"), options["metric"]
    before = read_eval(old).select(task=task, model=options["baseline_model"])
    after = {
        name: read_eval(path).select(task=task, model=options["model"])
        for name, path in news.items()
    }
    bare = [log for log in (before, *after.values()) if not (log.metrics or metric)]
    if bare:
        raise BadParameter(
            f"{bare[0].path} has no column that is called like a score. Name the columns: --on with --truth or --loss, "
            "or --metric for a column of scores."
        )
    seen = paired_logs(
        before.scored(),
        {name: log.scored() for name, log in after.items()},
        metric,
        unit=cast(Any, options["unit"]),
        unscored=cast(Any, options["unscored"]),
        unmatched=cast(Any, options["unmatched"]),
    )
    return seen, next(iter(after.values())).provenance(metric)


def _finish(
    certificate: Certificate,
    asked: AskedDifference,
    notes: Sequence[str],
    source: str,
    options: Mapping[str, Any],
) -> None:
    """Write the certificate where it shall stand, show it, and exit with 1 where a model does not pass."""
    from assay.certificates.issue.gate import difference_gates
    from assay.guarantees.decimals import decimal_text

    out, summary, margin = options["out"], options["summary"], options["max_regression"]
    if out is not None:
        certificate.save(out)
    gates: list[Gate] = []
    if asked.gate is not None:
        gates = difference_gates(certificate, decimal_text(asked.gate))
    failed = [gate for gate in gates if not gate.passed]
    if summary is not None:
        from assay.report.markdown import certificate_markdown

        told = next(iter(failed or gates), None)
        put_summary(summary, certificate_markdown(certificate, source, told))
    if options["as_json"]:
        print_json(_answer(certificate, gates, margin, notes))
    elif summary != "-":
        _show(certificate, gates, notes, source, out)
    if failed or not all(claim.applies for claim in certificate.claims):
        raise typer.Exit(1)


def _answer(
    certificate: Certificate, gates: Sequence[Gate], margin: str | None, notes: Sequence[str]
) -> dict[str, Any]:
    """The numbers a script wants, and the whole certificate."""
    document = certificate.to_json()
    passed: list[bool | None] = [gate.passed for gate in gates]
    passed = passed or [None] * len(document["claims"])
    return {
        "ok": False not in passed and all(c["promised"] is not None for c in document["claims"]),
        "passed": None if not gates else all(gate.passed for gate in gates),
        "models": [
            {
                "name": claim.get("new", ""),
                "promised": claim["promised"],
                "observed": claim["observed"],
                "passed": verdict,
            }
            for claim, verdict in zip(document["claims"], passed, strict=True)
        ],
        "delta": document["delta"]["total"],
        "rows": certificate.rows,
        "max_regression": margin,
        "notes": list(notes),
        "certificate": document,
    }


def _show(
    certificate: Certificate,
    gates: Sequence[Gate],
    notes: Sequence[str],
    source: str,
    out: Path | None,
) -> None:
    from assay.certificates.show.gate_words import gate_sentence
    from assay.guarantees.printable import printable
    from assay.guarantees.subject import subject_of
    from assay.report.text import certificate_text

    typer.echo(certificate_text(certificate, source))
    for place, gate in enumerate(gates):
        subject = subject_of(gate.claim.of)
        name = "" if subject is None or not subject.new else f"{subject.new}: "
        verdict = "PASS" if gate.passed else "FAIL"
        title = "" if place else "Gate"
        typer.echo(printable(f"{title:<10}{verdict}: {name}{gate_sentence(gate)}", 2000))
    if out is not None:
        typer.echo(f"{'Saved':<10}{out}; check it with: assay verify {out}")
    for note in notes:
        typer.echo(printable(f"{'Note':<10}{note}", 2000))
