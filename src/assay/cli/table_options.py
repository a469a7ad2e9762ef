"""The options that ``assay fit`` and ``assay compare`` share: which rows, which columns, how sure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from assay.errors import BadParameter, require

TableArgument = typer.Argument(
    ...,
    help="A table: CSV, TSV, Parquet, Feather, Excel or libsvm text; or a folder or pattern of them.",
)
TargetOption = typer.Option(None, "--target", help="The column to predict.")
HoldoutOption = typer.Option(
    None,
    "--holdout",
    help="The share of the rows to hold out, or their number; 0.2 by default. last, last:0.3 or last:500 holds out "
    "the last rows instead of some at random.",
)
HoldoutFileOption = typer.Option(
    None, "--holdout-file", help="Test on the rows of this table instead."
)
SeedOption = typer.Option(0, "--seed", help="What the holdout and the learners are drawn by.")
ColumnOption = typer.Option(
    None, "--column", help="Learn from this column; all but the target when not given."
)
DropOption = typer.Option(None, "--drop", help="Leave this column out.")
CategoryOption = typer.Option(
    None, "--category", help="Read this column as categories, though it holds numbers."
)
NumberOption = typer.Option(
    None, "--number", help="Read this column as numbers, whatever it looks like."
)
FormatOption = typer.Option(
    None,
    "--format",
    help="What DATA is, where its name does not tell: csv, tsv, jsonl, parquet, feather, xlsx or libsvm.",
)

OverlapOption = typer.Option(
    "drop",
    "--overlap",
    help="Rows with equal features: drop counts them once and keeps them on one side, keep says that they are "
    "separate draws, refuse refuses them.",
)
UnitOption = typer.Option(
    None,
    "--unit",
    help="A column that says what a row belongs to, such as a patient; units are held out whole.",
)
TimeOption = typer.Option(
    None,
    "--time",
    help="A column that says when a row came: learn from the past, and test on the last rows in its order.",
)
KeepOption = typer.Option(
    None, "--keep", help="Learn from this column though it looks like an id or a row number."
)
KnownAfterOption = typer.Option(
    None,
    "--known-after",
    help="A column that is known only after what is to be predicted; it is left out.",
)
OrderOption = typer.Option(
    None,
    "--order",
    help="none declares that the order of the file is not the order in which its rows were drawn; else it is checked.",
)
TaskOption = typer.Option(
    "auto",
    "--task",
    help="classes or quantity: what the target holds. By default more than 100 different numbers, or numbers that "
    "hardly repeat, are a quantity.",
)
ByOption = typer.Option(
    None,
    "--by",
    help="A column that divides the rows into groups, each level one; 'sex*age' crosses two. May be repeated.",
)
CoverageOption = typer.Option(
    None,
    "--coverage",
    help="Of a quantity: promise how far off this share of new rows is at most; 0.9 by default.",
)
WithinOption = typer.Option(
    None, "--within", help="Of a quantity: promise how many new rows are off by more than this."
)
RangeOption = typer.Option(
    None,
    "--range",
    help="LOW,HIGH: of a quantity whose true numbers all lie there, promise the mean absolute error as well.",
)
ScoreOption = typer.Option(
    None,
    "--score",
    help="A column of scores, the higher the more they speak for the positive label; or, repeated, one for each "
    "label in their sorted order.",
)
SecondOpinionFlag = typer.Option(
    False,
    "--second-opinion",
    help="The column of --judge names labels, as that of --prediction does: its verdict is whether the two agree.",
)
LedgerOption = typer.Option(
    None, "--ledger", help="A file that remembers every look at this table, whatever the seed."
)


def table_terms(given: Mapping[str, Any]) -> dict[str, Any]:
    """The shared options, as `assay.fit_table` and `assay.compare_table` take them."""
    if given["holdout"] is not None and given["holdout_file"] is not None:
        raise BadParameter("Give --holdout or --holdout-file, but not both.")
    require(given["seed"] >= 0, "--seed", "a whole number of at least 0", given["seed"])
    return {
        "holdout": _share_or_rows(given["holdout"]),
        "holdout_file": given["holdout_file"],
        "delta": given["delta"],
        "random_state": given["seed"],
        "columns": given["column"] or None,
        "drop": given["drop"] or (),
        "categories": given["category"] or (),
        "numbers": given["number"] or (),
        "format": given["format"],
        "overlap": given["overlap"],
        "unit": given["unit"],
        "time": given["time"],
        "keep": given["keep"] or (),
        "after_event": given["after_event"] or (),
        "order": given["order"],
        "ledger": given["ledger"],
        "task": given["task"],
        **quantity_terms(given),
    }


def quantity_terms(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a quantity; the ends of a range stand with a comma between."""
    text = given["range"]
    ends = None if text is None else tuple(end.strip() for end in text.split(","))
    require(ends is None or len(ends) == 2, "--range", "two numbers, as in 0,100", text)
    return {"coverage": given["coverage"], "within": given["within"], "range": ends}


def _share_or_rows(holdout: str | None) -> float | int | str:
    """``0.2`` is a share, ``500`` a number of rows, and other words are read where the table is."""
    from assay.tables.holdout_size import size_in

    if holdout is None:
        return 0.2
    size = size_in(holdout)
    return holdout if size is None else size
