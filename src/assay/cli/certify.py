"""``assay certify``: what error can be promised for these predictions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import typer

from assay.cli.output import (
    DeltaOption,
    JsonFlag,
    SummaryOption,
    print_json,
    put_summary,
    refusal_told,
    require_summary,
    row_progress,
)
from assay.cli.table_options import (
    ByOption,
    CoverageOption,
    RangeOption,
    ScoreOption,
    SecondOpinionFlag,
    WithinOption,
    quantity_terms,
)
from assay.errors import BadParameter, require
from assay.evidence.digest import digest_file

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.gate import Gate
    from assay.evidence.evidence import Evidence


def certify_command(
    ctx: typer.Context,
    data: Path | None = typer.Argument(
        None,
        help="A table: CSV, Parquet, Feather or Excel, or a folder of them; - reads CSV from standard input. Or an "
        "evaluation log, or a folder of logs.",
    ),
    truth: str | None = typer.Option(None, "--truth", help="The column that holds the truth."),
    prediction: str | None = typer.Option(
        None, "--prediction", help="The column that holds the predictions."
    ),
    judge: str | None = typer.Option(
        None,
        "--judge",
        help="A column that holds a judge's verdict on every row, where --truth has a label for a few alone: promise "
        "how many of these rows are wrong.",
    ),
    judge_score: str | None = typer.Option(
        None,
        "--judge-score",
        help="In its place, a column of numbers between 0 and 1: how likely the judge finds it that a row is wrong. "
        "--loss may then stand for --truth.",
    ),
    second_opinion: bool = SecondOpinionFlag,
    stratum: list[str] | None = typer.Option(
        None,
        "--stratum",
        help="NAME=ITEMS:LABELLED:WRONG: in place of a table, the counts of a verdict of a judge. Repeated.",
    ),
    wrong: str | None = typer.Option(
        None,
        "--wrong",
        help="With a judge and no --prediction: the label that means that a row is wrong.",
    ),
    score: list[str] | None = ScoreOption,
    loss: str | None = typer.Option(
        None,
        "--loss",
        help="A column of losses between 0 and 1 instead. Of two columns of numbers, with --range: absolute or "
        "squared.",
    ),
    errors: int | None = typer.Option(
        None, "--errors", help="The number of errors, instead of a table."
    ),
    rows: int | None = typer.Option(None, "--rows", help="The number of rows, with --errors."),
    delta: str = DeltaOption,
    rate: list[str] | None = typer.Option(
        None,
        "--rate",
        help="Also promise: class, false-positive, false-negative, accuracy, precision, recall, specificity, jaccard, "
        "f1, balanced-accuracy (macro-recall), macro-precision, macro-f1; of scores auc, brier, log-loss. May be "
        "repeated.",
    ),
    positive: str | None = typer.Option(
        None, "--positive", help="The label that counts as positive."
    ),
    label: list[str] | None = typer.Option(
        None, "--label", help="Declare a label that predictions may hold though the truth does not."
    ),
    floor: str | None = typer.Option(
        None, "--floor", help="For log-loss: where probabilities are clipped, such as 0.01."
    ),
    unit: str | None = typer.Option(
        None,
        "--unit",
        help="A column that says what a row belongs to; the promise is about the mean over units. Of a log id or "
        "input; none declares that every row is a draw of its own.",
    ),
    over: str = typer.Option(
        "units",
        "--over",
        help="With units, what the promise is about: units (the mean over them), rows (of all units, and --rate of "
        "them) or whole-units (those with a wrong row).",
    ),
    most_rows: int | None = typer.Option(
        None, "--most-rows", help="With --over rows: how many rows a unit can have at most."
    ),
    metric: str | None = typer.Option(
        None, "--metric", help="Of a log: the metric, where it holds several."
    ),
    task: str | None = typer.Option(
        None, "--task", help="Of a log: the task, where it holds several."
    ),
    model: str | None = typer.Option(
        None, "--model", help="Of a log: the model, where it holds several."
    ),
    unscored: str = typer.Option(
        "refuse",
        "--unscored",
        help="Of a log: samples that errored, were skipped or lack a score are refused, or with wrong count as wrong.",
    ),
    method: str | None = typer.Option(
        None,
        "--method",
        help="exact, anytime, kl, hoeffding; for losses betting, bernstein, kl, hoeffding.",
    ),
    population: int | None = typer.Option(
        None, "--population", help="The rows are a sample of so many."
    ),
    models: int = typer.Option(
        1, "--models", help="How many candidate models were declared in advance."
    ),
    drawn: str = typer.Option(
        "not stated", "--drawn", help="How the holdout was drawn, for the reader."
    ),
    model_file: Path | None = typer.Option(
        None, "--model-file", help="The model's file, to put its digest in."
    ),
    max_error: str | None = typer.Option(
        None, "--max-error", help="Exit with 1 unless this error can be promised."
    ),
    ledger: Path | None = typer.Option(
        None, "--ledger", help="A file that remembers every look at a holdout."
    ),
    holdout: str | None = typer.Option(
        None, "--holdout", help="A name for the holdout in the ledger."
    ),
    answer: str = typer.Option(
        "exact",
        "--answer",
        help="exact tells the numbers; pass-fail tells one bit and costs the ledger less.",
    ),
    next_rows: int | None = typer.Option(
        None, "--next-rows", help="Promise how many of so many rows to come are wrong at most."
    ),
    coverage: str | None = CoverageOption,
    within: str | None = WithinOption,
    range: str | None = RangeOption,
    at_random: bool = typer.Option(
        False,
        "--at-random",
        help="Declare that the labelled rows are a random choice among those of each verdict.",
    ),
    judged_first: bool = typer.Option(
        False,
        "--judged-first",
        help="Declare that the judge's column, and how many labels are bought, were settled before any label was seen.",
    ),
    about: str = typer.Option(
        "batch",
        "--about",
        help="With a judge: promise how many rows of this batch are wrong, or with new-rows the error on new ones.",
    ),
    two_sided: bool = typer.Option(
        False,
        "--two-sided",
        help="Promise errors, rates and metrics from both sides, each end with half of its share of delta.",
    ),
    estimate: bool = typer.Option(
        False,
        "--estimate",
        help="Show Wilson's intervals as well, below everything that is promised: estimates, which promise nothing.",
    ),
    fixed_before: bool = typer.Option(
        False,
        "--fixed-before",
        help="Declare that the model, and the groups of --by, were fixed before these rows were seen.",
    ),
    by: list[str] | None = ByOption,
    every_group: bool = typer.Option(
        False,
        "--every-group",
        help="Promise the error of the worst group of --by alone, at the full delta.",
    ),
    out: Path | None = typer.Option(None, "--out", help="Write the certificate to this file."),
    summary: str | None = SummaryOption,
    as_json: bool = JsonFlag,
) -> None:
    """State what error may be promised of any model's predictions.

    Example: assay certify predictions.csv --truth label --prediction guess --out model.cert.json

    Example: assay certify logs/run.eval --metric match

    Example: assay certify answers.csv --judge verdict --truth human --wrong bad
    """
    from assay.certificates.format.document import require_writable
    from assay.certificates.issue.certify import certify_evidence
    from assay.certificates.issue.eval_log import read_eval
    from assay.certificates.issue.quantity_claims import LOSSES_OF_NUMBERS, AskedQuantity
    from assay.certificates.ledger.ledger import Ledger
    from assay.theory.needs import inside_unit

    require_summary(summary, as_json)
    judged = (judge, judge_score, stratum, wrong, at_random, judged_first, second_opinion)
    if any(judged) or about != "batch":
        from assay.cli.judged import certify_judged_data

        certificate, notes = certify_judged_data(ctx)
        source = "" if data is None else str(data)
        _finish(certificate, notes, source, out, max_error, summary, as_json)
        return
    named = None
    if truth is not None and prediction is not None and loss in LOSSES_OF_NUMBERS:
        named, loss = loss, None
    numeric = AskedQuantity(
        **quantity_terms({"coverage": coverage, "within": within, "range": range}), loss=named
    ).read()
    if max_error is not None:
        inside_unit("max_error", max_error)
        counted = coverage is None and range is None
        require(counted, "--max-error", "left out with --coverage and --range", max_error)
        require(next_rows is None, "--max-error", "left out with --next-rows", max_error)
        alone = bool(score) and prediction is None
        require(
            not alone,
            "--max-error",
            "left out with --score unless --prediction is given",
            max_error,
        )
    if out is not None:
        require_writable(out)
    if data is None:
        evidence = _counted(
            errors,
            rows,
            {
                "--truth": truth,
                "--prediction": prediction,
                "--score": score[0] if score else None,
                "--loss": loss,
                "--unit": unit,
                "--by": None if not by else by[0],
            },
        )
    elif errors is not None or rows is not None:
        raise BadParameter("Give a table, or --errors with --rows, but not both.")
    elif _is_log(data, truth, prediction, loss, [*(label or ()), *(score or ())], bool(numeric)):
        log = read_eval(data).select(task=task, model=model)
        exact = method == "exact"
        evidence = log.evidence(
            metric, unit=cast(Any, unit), unscored=cast(Any, unscored), exact=exact, by=by or ()
        )
        drawn = log.provenance(metric) if drawn == "not stated" else drawn
    else:
        _refuse_log_options(
            {"--metric": metric, "--task": task, "--model": model}, unscored != "refuse"
        )
        unseen: Literal["refuse", "wrong"] = "refuse" if ledger is None else "wrong"
        if label and ledger is not None and not score:
            raise BadParameter(
                "--label is not for use with --ledger: other labels then count as wrong."
            )
        if score:
            require(not numeric, "--score", "left out for quantities", score)
            require(not by, "--by", "left out with --score", by)
            evidence = _gather_scores(data, truth, prediction, score, positive, label, unseen, unit)
        elif numeric:
            require(not by, "--by", "left out with --coverage, --within and --range", by)
            evidence = _gather_numbers(data, truth, prediction, loss, label, unit)
        else:
            evidence = _gather(
                data, truth, prediction, loss, label, unseen, unit, by, exact=method == "exact"
            )
    if model_file is not None:
        evidence = replace(evidence, model=digest_file(model_file))
    source = "" if data is None else str(data)
    with refusal_told(summary, source):
        certificate = certify_evidence(
            evidence,
            delta=delta,
            rates=rate or (),
            positive=_as_label(positive, evidence),
            floor=floor,
            method=cast(Any, method),
            population=population,
            models=models,
            drawn=drawn,
            ledger=None if ledger is None else Ledger(ledger),
            holdout=holdout,
            answer=cast(Any, answer),
            max_error=max_error if answer == "pass-fail" else None,
            next_rows=next_rows,
            fixed_before=fixed_before,
            quantity=numeric,
            every_group=every_group,
            over=cast(Any, over),
            most_rows=most_rows,
            two_sided=two_sided,
        )
    _finish(certificate, evidence.notes, source, out, max_error, summary, as_json, estimate)


def _finish(
    certificate: Certificate,
    notes: Sequence[str],
    source: str,
    out: Path | None,
    max_error: str | None,
    summary: str | None,
    as_json: bool,
    estimate: bool = False,
) -> None:
    """Write the certificate where it shall stand, show it, and exit with 1 where it does not pass."""
    from assay.certificates.issue.gate import error_gate
    from assay.guarantees.printable import printable

    if out is not None:
        certificate.save(out)
    gate = None if max_error is None else error_gate(certificate, max_error)
    if summary is not None:
        from assay.report.markdown import certificate_markdown

        put_summary(summary, certificate_markdown(certificate, source, gate))
    if as_json:
        print_json(
            _summary(certificate, max_error, gate, notes) | _estimated(certificate, estimate)
        )
    elif summary != "-":
        _show(certificate, source, out, gate, estimate)
        for note in notes:
            typer.echo(printable(f"{'Note':<10}{note}", 2000))
    if (gate is not None and not gate.passed) or not certificate.claims[0].applies:
        raise typer.Exit(1)


def _is_log(
    data: Path,
    truth: str | None,
    prediction: str | None,
    loss: str | None,
    labels: list[str] | None,
    numeric: bool,
) -> bool:
    """Whether what is given is read as a log: no column of a table is named."""
    named = truth is not None or prediction is not None or loss is not None
    return not named and not labels and not numeric and str(data) != "-"


def _refuse_log_options(columns: dict[str, str | None], unscored: bool) -> None:
    named = [option for option, value in columns.items() if value is not None]
    if named or unscored:
        option = named[0] if named else "--unscored"
        raise BadParameter(
            f"{option} is for evaluation logs; with --truth, --prediction and --loss leave it out."
        )


def _counted(errors: int | None, rows: int | None, columns: dict[str, str | None]) -> Evidence:
    """Evidence from two numbers, without a table."""
    from assay.certificates.issue.evidence_sources import from_counts

    if errors is None or rows is None:
        raise BadParameter(
            "Give a table with --truth and --prediction (or --loss), or --errors with --rows."
        )
    named = [option for option, column in columns.items() if column is not None]
    if named:
        raise BadParameter(f"{named[0]} names a column of a table, but no table is given.")
    return from_counts(errors, rows)


def _gather(
    data: Path,
    truth: str | None,
    prediction: str | None,
    loss: str | None,
    labels: list[str] | None,
    unseen: Literal["refuse", "wrong"],
    unit: str | None,
    by: list[str] | None,
    *,
    exact: bool,
) -> Evidence:
    """Evidence from the columns of a table."""
    from assay.certificates.issue.evidence_sources import from_loss_table, from_table

    if loss is not None and (truth is not None or prediction is not None):
        raise BadParameter("Give --loss, or --truth with --prediction, but not both.")
    if loss is None and (truth is None or prediction is None):
        raise BadParameter("Name the columns: --truth with --prediction, or --loss.")
    with row_progress("Counting", _row_count(data)) as progress:
        if loss is not None:
            if labels:
                raise BadParameter(
                    "--label is for --truth and --prediction; losses have no labels."
                )
            if by:
                raise BadParameter("--by is for --truth and --prediction, not for losses.")
            return from_loss_table(data, loss=loss, exact=exact, unit=unit, progress=progress)
        assert truth is not None
        assert prediction is not None
        declared = _declared(labels)
        return from_table(
            data,
            truth=truth,
            prediction=prediction,
            labels=declared,
            unseen=unseen,
            partition=unseen == "wrong",
            unit=unit,
            by=by or (),
            progress=progress,
        )


def _gather_scores(
    data: Path,
    truth: str | None,
    prediction: str | None,
    score: Sequence[str],
    positive: str | None,
    labels: list[str] | None,
    unseen: Literal["refuse", "wrong"],
    unit: str | None,
) -> Evidence:
    """Evidence from columns of truth and score, and of predictions where they are named."""
    from assay.certificates.issue.evidence_sources import from_score_table

    if truth is None:
        raise BadParameter("--score needs the truth beside it: name its column with --truth.")

    def named(known: Sequence[Any]) -> Any:
        return label_typed(positive, known)

    with row_progress("Counting", _row_count(data)) as progress:
        return from_score_table(
            data,
            truth=truth,
            score=score,
            prediction=prediction,
            positive=named,
            labels=_declared(labels),
            unseen=unseen,
            partition=unseen == "wrong",
            unit=unit,
            progress=progress,
        )


def _gather_numbers(
    data: Path,
    truth: str | None,
    prediction: str | None,
    loss: str | None,
    labels: list[str] | None,
    unit: str | None,
) -> Evidence:
    """Evidence from columns of true and predicted numbers."""
    from assay.certificates.issue.evidence_sources import from_quantity_table

    if truth is None or prediction is None or loss is not None or labels:
        raise BadParameter(
            "--coverage, --within and --range are about two columns of numbers: name --truth and --prediction, and "
            "neither --loss nor --label."
        )
    with row_progress("Counting", _row_count(data)) as progress:
        return from_quantity_table(
            data, truth=truth, prediction=prediction, unit=unit, progress=progress
        )


def _declared(labels: list[str] | None) -> list[str] | list[int] | list[bool] | None:
    """Labels as typed: truth values or whole numbers when all of them are."""
    if not labels:
        return None
    if set(labels) <= {"True", "False", "true", "false"}:
        return [label.lower() == "true" for label in labels]
    try:
        return [int(label) for label in labels]
    except ValueError:
        return labels


def _row_count(data: Path) -> int | None:
    from assay.data.table import open_table

    return None if str(data) == "-" else open_table(data).rows


def _as_label(text: str | None, evidence: Evidence) -> Any:
    """The label a user typed, in the type that the table has."""
    held = evidence.scores if evidence.tally is None else evidence.tally
    return text if held is None else label_typed(text, held.labels)


def label_typed(text: str | None, labels: Sequence[Any]) -> Any:
    """The one of some labels that reads as a user typed it; the text itself where none does."""
    return next((label for label in labels if str(label) == text), text)


def _summary(
    certificate: Certificate, max_error: str | None, gate: Gate | None, notes: Sequence[str]
) -> dict[str, Any]:
    """The numbers a script wants, and the whole certificate."""
    from assay.certificates.show.group_table import group_records

    first = certificate.to_json()["claims"][0]
    passed = None if gate is None else gate.passed
    return {
        "ok": passed is not False and first["promised"] is not None,
        "promised": first["promised"],
        "observed": first["observed"],
        "delta": certificate.document["delta"]["total"],
        "rows": certificate.rows,
        "textbook": first.get("textbook"),
        "max_error": max_error,
        "passed": passed,
        "notes": list(notes),
        **({"groups": groups} if (groups := group_records(certificate.claims)) else {}),
        "certificate": certificate.to_json(),
    }


def _estimated(certificate: Certificate, wanted: bool) -> dict[str, Any]:
    """What promises nothing, under a name of its own, where it is asked for."""
    if not wanted:
        return {}
    from assay.certificates.show.estimates import estimates

    made = estimates(certificate.claims, certificate.document["delta"]["total"])
    return {"estimates": [one.to_json() for one in made]}


def _show(
    certificate: Certificate, source: str, out: Path | None, gate: Gate | None, estimate: bool
) -> None:
    from assay.certificates.show.gate_words import gate_sentence, shortfall_sentences
    from assay.guarantees.printable import printable
    from assay.report.text import certificate_text

    typer.echo(certificate_text(certificate, source, estimate=estimate))
    if gate is not None:
        verdict = "PASS" if gate.passed else "FAIL"
        typer.echo(f"{'Gate':<10}{verdict}: {gate_sentence(gate)}")
        for line in shortfall_sentences(gate, certificate.claims):
            typer.echo(f"{'':<10}{printable(line)}")
    if out is not None:
        typer.echo(f"{'Saved':<10}{out}; check it with: assay verify {out}")
