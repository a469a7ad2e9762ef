"""The options of ``assay compare`` and ``assay verify`` for files of what models predicted on the same rows."""

from __future__ import annotations

import typer

OnOption = typer.Option(
    None,
    "--on",
    help="Of files of predictions: the column that names a row, the same in every file; several with commas between.",
)
TruthOption = typer.Option(
    None,
    "--truth",
    help="Of files of predictions: the column of the truth, in one of them or more.",
)
PredictionOption = typer.Option(
    None, "--prediction", help="The column of the predictions; found by its name when not given."
)
LossOption = typer.Option(
    None, "--loss", help="A column of losses between 0 and 1 instead of truth and prediction."
)
MetricOption = typer.Option(None, "--metric", help="Of logs: the metric, where they hold several.")
ModelOption = typer.Option(
    None, "--model", help="Of logs: the new model, where a log holds several."
)
BaselineModelOption = typer.Option(
    None, "--baseline-model", help="Of logs: the old model, where its log holds several."
)
UnscoredOption = typer.Option(
    "refuse",
    "--unscored",
    help="Of logs: samples without a score are refused, or with wrong count as wrong.",
)
UnmatchedOption = typer.Option(
    "refuse",
    "--unmatched",
    help="Rows that only some of the files hold are refused, or with drop left out and counted.",
)
MaxRegressionOption = typer.Option(
    None,
    "--max-regression",
    help="Exit with 1 unless every new model is worse by no more than this.",
)
BetterOption = typer.Option(
    False,
    "--better",
    help="Promise only that a new model is better, and exit with 1 unless all are.",
)
AnswerOption = typer.Option(
    "exact",
    "--answer",
    help="exact tells the numbers; pass-fail tells one bit and costs the ledger less.",
)
DrawnOption = typer.Option(
    "not stated",
    "--drawn",
    help="Of files of predictions: how the rows were drawn, for the reader.",
)
FixedBeforeOption = typer.Option(
    False, "--fixed-before", help="Declare that all models were fixed before these rows were seen."
)
OutOption = typer.Option(
    None,
    "--out",
    help="Write the certificate to this file; of learners, that of the differences of every pair.",
)

#: The options that files of predictions have and a table to learn from has not.
OF_FILES = (
    *("on", "truth", "prediction", "loss", "metric", "model", "baseline_model", "unscored"),
    *("unmatched", "max_regression", "better", "answer", "drawn", "fixed_before"),
)
#: What says that files are tables, and what that they are logs.
OF_TABLES = ("on", "truth", "prediction", "loss")
OF_LOGS = ("metric", "model", "baseline_model", "unscored", "task")

#: The options of `assay verify` that are about models on the same rows.
OF_MODELS = ("baseline", "rival", "on", *OF_LOGS, "unmatched")
