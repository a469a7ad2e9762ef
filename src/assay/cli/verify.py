"""``assay verify``: does a certificate add up?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli import compare_options as files
from assay.cli.output import (
    JsonFlag,
    SummaryOption,
    print_json,
    put_summary,
    require_summary,
    row_progress,
)
from assay.cli.refusals import require_taken
from assay.cli.table_options import ByOption, ScoreOption, SecondOpinionFlag

if TYPE_CHECKING:
    from assay.certificates.issue.gate import Gate
    from assay.certificates.verify.verify import Verification
    from assay.evidence.evidence import Evidence, Progress

_CHUNK_ROWS = 2**16


def verify_command(
    ctx: typer.Context,
    certificates: list[Path] = typer.Argument(
        ..., metavar="CERTIFICATE...", help="The certificate's JSON file; or several of them."
    ),
    data: Path | None = typer.Option(
        None, "--data", help="The table or the log it was issued for, to be counted again."
    ),
    truth: str | None = typer.Option(
        None,
        "--truth",
        help="The column of the truth in the table; a stream's certificate names its own.",
    ),
    prediction: str | None = typer.Option(
        None, "--prediction", help="The column of the predictions."
    ),
    judge: str | None = typer.Option(
        None, "--judge", help="The column of a judge's verdicts; --truth then has labels for a few."
    ),
    judge_score: str | None = typer.Option(
        None, "--judge-score", help="In its place, the column of a judge's scores."
    ),
    second_opinion: bool = SecondOpinionFlag,
    score: list[str] | None = ScoreOption,
    loss: str | None = typer.Option(None, "--loss", help="The column of losses, for a mean loss."),
    unit: str | None = typer.Option(
        None, "--unit", help="The column that says what a row belongs to."
    ),
    by: list[str] | None = ByOption,
    ledger: Path | None = typer.Option(None, "--ledger", help="The ledger it was charged to."),
    baseline: Path | None = typer.Option(
        None, "--baseline", help="What an older model predicted, for a certificate that compares."
    ),
    rival: list[str] | None = typer.Option(
        None,
        "--rival",
        help="NAME=FILE: what a model predicted that the certificate names. May be repeated.",
    ),
    on: str | None = files.OnOption,
    metric: str | None = files.MetricOption,
    task: str | None = typer.Option(
        None, "--task", help="Of logs: the task, where they hold several."
    ),
    model: str | None = files.ModelOption,
    baseline_model: str | None = files.BaselineModelOption,
    unscored: str = files.UnscoredOption,
    unmatched: str = files.UnmatchedOption,
    max_error: str | None = typer.Option(
        None, "--max-error", help="Exit with 1 also unless an error of at most this is promised."
    ),
    delta: str | None = typer.Option(
        None,
        "--delta",
        help="With --max-error: the probability with which a certificate may fail at most; 0.05 when not given.",
    ),
    summary: str | None = SummaryOption,
    as_json: bool = JsonFlag,
) -> None:
    """Recompute every number of a certificate from the file alone.

    The exit code is 1 unless it holds and promises something; of several, unless all do.

    Example: assay verify spam.cert.json
    """
    from assay.errors import require

    require_summary(summary, as_json)
    require(
        max_error is not None or delta is None, "--delta", "left out without --max-error", delta
    )
    several = len(certificates) > 1
    require(data is None or not several, "--data", "left out with several certificates", str(data))
    if baseline is not None or rival:
        require(not several, "--baseline", "left out with several certificates", str(baseline))
        _require_ledger(ledger)
        from assay.cli.verify_files import verify_files

        verified = {certificates[0]: verify_files(ctx, certificates[0])}
    elif judge is not None or judge_score is not None:
        from assay.cli.judged import verify_judged_data

        require(not several, "--judge", "left out with several certificates", str(judge))
        verified = {certificates[0]: verify_judged_data(ctx, certificates[0])}
    else:
        from assay.cli.verify_logs import OF_ONE_LOG

        taken = set(ctx.params) - set(files.OF_MODELS)
        require_taken(ctx, taken | set(OF_ONE_LOG), "without --baseline")
        log = _is_log(certificates[0], data, (truth, prediction, *(score or ()), loss))
        if not log:
            require_taken(ctx, taken, "unless --data is an evaluation log")
        _require_ledger(ledger)
        columns = (truth, prediction, score or [], loss, unit, by)
        chosen = {name: ctx.params[name] for name in OF_ONE_LOG} if log else None
        verified = _verified(certificates, data, columns, ledger, chosen)
    gates = {} if max_error is None else _gates(verified, max_error, delta or "0.05")
    ok = all(verified.values()) and all(gate.passed for gate in gates.values())
    if summary is not None:
        put_summary(summary, _markdown(verified, gates))
    if as_json:
        answers = {str(path): _answer(path, one, gates) for path, one in verified.items()}
        print_json(
            {"ok": ok, "certificates": answers} if several else answers[str(certificates[0])]
        )
    elif summary != "-":
        _show(verified, gates)
    if not ok:
        raise typer.Exit(1)


def _gates(verified: Mapping[Path, Verification], max_error: str, delta: str) -> dict[Path, Gate]:
    """What those that hold promise, held to a limit, and to how often it may fail."""
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.gate import error_gate

    return {
        path: error_gate(Certificate.load(path), max_error, delta=delta)
        for path, verification in verified.items()
        if verification.ok
    }


def _require_ledger(ledger: Path | None) -> None:
    from assay.errors import BadParameter

    if ledger is not None and not ledger.exists():
        raise BadParameter(f"--ledger must be an existing file, but {ledger} does not exist.")


def _verified(
    certificates: list[Path],
    data: Path | None,
    columns: tuple[str | None, str | None, Sequence[str], str | None, str | None, list[str] | None],
    ledger: Path | None,
    log: Mapping[str, Any] | None,
) -> dict[Path, Verification]:
    """Each certificate by itself, or one beside its data, which is a log where one is asked for."""
    from assay.certificates.verify.verify import verify_evidence

    evidence = None
    if data is not None and log is not None:
        from assay.cli.verify_logs import evidence_of_log

        evidence = evidence_of_log(certificates[0], data, unit=columns[4], by=columns[5], **log)
    elif data is not None:
        with row_progress("Counting") as progress:
            evidence = _counted(certificates[0], data, *columns, progress)
    return {
        path: verify_evidence(path, evidence=evidence, ledger=ledger)
        for path in dict.fromkeys(certificates)
    }


def _answer(path: Path, verification: Verification, gates: Mapping[Path, Gate]) -> dict[str, Any]:
    """What was checked of one certificate, for a script."""
    checks = [{"check": f.check, "ok": f.ok, "detail": f.detail} for f in verification.findings]
    gate = gates.get(path)
    held = {} if gate is None else _held(gate)
    return {
        "ok": verification.ok and (gate is None or gate.passed),
        "verdict": verification.verdict,
        "checks": checks,
        "notes": list(verification.notes),
        "not_compared": list(verification.not_compared),
        **held,
    }


def _held(gate: Gate) -> dict[str, Any]:
    """What was held to a limit, and whether it passed."""
    claim = gate.claim.to_json()
    told = {name: claim[name] for name in ("promised", "observed")}
    return {**told, "max_error": gate.limit, "passed": gate.passed}


def _show(verified: Mapping[Path, Verification], gates: Mapping[Path, Gate]) -> None:
    from assay.certificates.show.gate_words import gate_sentence
    from assay.guarantees.printable import printable
    from assay.report.text import verification_text

    for path, verification in verified.items():
        if len(verified) > 1:
            typer.echo(f"{printable(path)}:")
        typer.echo(verification_text(verification))
        gate = gates.get(path)
        if gate is not None:
            typer.echo(f"{'PASS' if gate.passed else 'FAIL'}: {gate_sentence(gate)}")


def _markdown(verified: Mapping[Path, Verification], gates: Mapping[Path, Gate]) -> str:
    from assay.certificates.certificate import Certificate
    from assay.report.markdown import verification_markdown

    return "\n\n".join(
        verification_markdown(
            verification,
            Certificate.load(path) if verification.adds_up else None,
            str(path),
            gates.get(path),
        )
        for path, verification in verified.items()
    )


def _is_log(certificate: Path, data: Path | None, columns: Sequence[str | None]) -> bool:
    """Whether data are read as a log: no column of a table is named, and the certificate names none either."""
    from assay.certificates.verify.verify import stream_data
    from assay.errors import CertificateRefused

    if data is None or any(column is not None for column in columns):
        return False
    try:
        return stream_data(certificate) is None
    except CertificateRefused:
        return False  # which is found out, and told, without any data


def _counted(
    certificate: Path,
    data: Path,
    truth: str | None,
    prediction: str | None,
    score: Sequence[str],
    loss: str | None,
    unit: str | None,
    by: list[str] | None,
    progress: Progress | None,
) -> Evidence | None:
    """What the table shows of the columns that the certificate is about."""
    from assay.certificates.issue.evidence_sources import (
        from_loss_table,
        from_quantity_table,
        from_score_table,
        from_table,
    )
    from assay.certificates.verify.verify import about_quantities, label_of_scores, stream_data
    from assay.errors import BadParameter, CertificateRefused
    from assay.evidence.evidence import from_truth

    try:
        stream = stream_data(certificate)
    except CertificateRefused:
        return None  # which is found out, and told, without any data
    if loss is not None:
        return from_loss_table(data, loss=loss, unit=unit, progress=progress)
    if score and truth is not None:
        label = label_of_scores(certificate)
        return from_score_table(
            data,
            truth=truth,
            score=score,
            prediction=prediction,
            positive=lambda labels: label,
            unseen="refuse" if label is None or len(score) > 1 else "wrong",
            progress=progress,
        )
    if truth is None and stream is not None and not _is_libsvm(data):
        truth = stream.get("target")
    if prediction is not None and truth is not None:
        if about_quantities(certificate):
            return from_quantity_table(
                data, truth=truth, prediction=prediction, unit=unit, progress=progress
            )
        return from_table(
            data,
            truth=truth,
            prediction=prediction,
            unseen="wrong",
            unit=unit,
            by=by or _columns_held(certificate, data),
            progress=progress,
        )
    if stream is None:
        raise BadParameter(
            "--data needs the columns to count: --truth with --prediction or --score, or --loss."
        )
    return from_truth(_labels(data, truth), rows=stream["rows"], progress=progress)


def _columns_held(certificate: Path, data: Path) -> list[tuple[str, ...]]:
    """The columns by which a certificate divides rows into groups, where the table has them all."""
    from assay.certificates.verify.verify import grouped_by
    from assay.data.table import open_table

    wanted = grouped_by(certificate)
    if not wanted or str(data) == "-":
        return []
    held = set(open_table(data).columns)
    return wanted if all(held >= set(names) for names in wanted) else []


def _is_libsvm(data: Path) -> bool:
    """Whether a file is no table: the labels of libsvm text come first and have no name."""
    from assay.data.table import format_of

    return data.is_file() and format_of(data) is None


def _labels(data: Path, truth: str | None) -> Iterator[Any]:
    """The column to predict, read as `assay stream` reads it."""
    from assay.errors import BadParameter
    from assay.files import read_table

    # What the features hold is of no concern here.
    for chunk in read_table(
        data, target=truth, chunk_rows=_CHUNK_ROWS, unknown="other", missing="nan"
    ):
        if chunk.y is None:
            raise BadParameter(
                "The certificate does not name the column that was predicted: name it with --truth."
            )
        yield chunk.y
