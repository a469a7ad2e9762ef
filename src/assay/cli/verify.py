"""``assay verify``: does a certificate add up?"""

from __future__ import annotations

from pathlib import Path

import typer

from assay.cli.output import JsonFlag, print_json, row_progress


def verify_command(
    certificate: Path = typer.Argument(..., help="The certificate's JSON file."),
    data: Path | None = typer.Option(
        None, "--data", help="The table it was issued for, to be counted again."
    ),
    truth: str | None = typer.Option(None, "--truth", help="The column of the truth in the table."),
    prediction: str | None = typer.Option(
        None, "--prediction", help="The column of the predictions."
    ),
    loss: str | None = typer.Option(None, "--loss", help="The column of losses, for a mean loss."),
    ledger: Path | None = typer.Option(None, "--ledger", help="The ledger it was charged to."),
    as_json: bool = JsonFlag,
) -> None:
    """Recompute every number of a certificate from the file alone; exit 1 if any is wrong.

    Example: assay verify spam.cert.json
    """
    from assay.certificates.evidence import from_loss_table, from_table
    from assay.certificates.verify import verify_evidence
    from assay.errors import BadParameter
    from assay.report.text import verification_text

    evidence = None
    if data is not None:
        with row_progress("Counting") as progress:
            if loss is not None:
                evidence = from_loss_table(data, loss=loss, progress=progress)
            elif truth is not None and prediction is not None:
                evidence = from_table(
                    data, truth=truth, prediction=prediction, unseen="wrong", progress=progress
                )
            else:
                raise BadParameter(
                    "--data needs the columns to count: --truth with --prediction, or --loss."
                )
    if ledger is not None and not ledger.exists():
        raise BadParameter(f"--ledger must be an existing file, but {ledger} does not exist.")
    found = verify_evidence(certificate, evidence=evidence, ledger=ledger)
    if as_json:
        checks = [{"check": f.check, "ok": f.ok, "detail": f.detail} for f in found.findings]
        print_json({"ok": found.ok, "checks": checks, "notes": list(found.notes)})
    else:
        typer.echo(verification_text(found))
    if not found.ok:
        raise typer.Exit(1)
