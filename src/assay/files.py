"""`read_table`: examples from files of any known format, each read in the fastest way there is.

This stands above the rooms it joins: formats are known in `assay.data`, and the loop that parses
libsvm text lives in `assay.compiled`, neither of which may import the other.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, TypedDict, Unpack, cast, overload

import numpy as np
from numpy.typing import DTypeLike

from assay.data.encode import Categories, Encoder, Missing, Unknown
from assay.data.examples import Chunks, Examples
from assay.data.libsvm import looks_like_libsvm, read_libsvm
from assay.data.libsvm_lines import Parser, parse_plainly
from assay.data.location import files_of, is_several
from assay.data.plain_rows import BlockParser
from assay.data.table import FORMATS, ending, format_of
from assay.data.tabular import read_tables
from assay.errors import BadData, BadParameter, Words, require

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_SEPARATED = (".csv", ".tsv", "")
_LIBSVM_ENDINGS = (".libsvm", ".svmlight", ".svm")

# Below this many bytes the plain parser is done before the compiled one is loaded.
_WORTH_COMPILING = 2**19


class Reading(TypedDict, total=False):
    """The parameters of `read_table` that do not tell whether it reads in chunks."""

    target: str | None
    columns: Sequence[str] | None
    encoder: str | Encoder
    categories: Categories
    numbers: Collection[str]
    unknown: Unknown
    missing: Missing
    features: int | None
    zero_based: bool | Literal["auto"]
    dtype: DTypeLike
    format: str | None


@overload
def read_table(path: Paths, *, chunk_rows: None = None, **terms: Unpack[Reading]) -> Examples: ...


@overload
def read_table(path: Paths, *, chunk_rows: int, **terms: Unpack[Reading]) -> Chunks: ...


def read_table(
    path: Paths,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    chunk_rows: int | None = None,
    encoder: str | Encoder = "one-hot",
    categories: Categories = (),
    numbers: Collection[str] = (),
    unknown: Unknown = "refuse",
    missing: Missing = "refuse",
    features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    dtype: DTypeLike = np.float64,
    format: str | None = None,
) -> Examples | Chunks:
    r"""Read examples from CSV, TSV, JSON lines, Parquet, Feather, Excel or libsvm (svmlight) files.

    Numbers and truth values are taken as they are; text becomes one 0/1 feature per category, by an
    encoder that can be seen and used again (`Examples.encoder`). In chunks, many files or one
    larger than memory are read in bounded memory, and everything before a bad row is handed over
    before the refusal is raised.

    Parameters
    ----------
    path : str, pathlib.Path, or sequence of them
        A file, a folder or a pattern such as ``"days/*.parquet"``, whose files have the same columns, several of
        these, or ``-`` for standard input. Text may be compressed (.gz, .bz2, .zst), on standard input too. Another
        sheet than the first of a workbook is named behind it, as in ``"book.xlsx#May"``.
    target : str, optional
        The column to predict. The label of libsvm text comes first and needs no name.
    columns : sequence of str, optional
        The columns to learn from; all but the target if not given.
    chunk_rows : int, optional
        Read in chunks of so many rows; the last one, and any from standard input, may be shorter.
    encoder : {"one-hot", "booleans", "literals"} or Encoder
        How columns become features: as numbers, all as 0/1, or those with their negations. An
        encoder made before is used as it is.
    categories : mapping of str to sequence, or collection of str
        Columns to read as categories though they hold numbers; a mapping names the categories.
    numbers : collection of str
        Columns (the target too) to read as numbers whatever their first rows look like.
    unknown : {"refuse", "other"}
        What a category becomes that the first rows did not hold.
    missing : {"refuse", "nan", "zero"}
        What a missing value becomes. A missing label is always refused.
    features : int, optional
        How many features libsvm text has, or a table that holds them as lists (columns ``indices``
        and ``values``); found out by reading once more if need be.
    zero_based : bool or "auto"
        Whether the indices of libsvm text start at 0.
    dtype : dtype
        The precision of the features.
    format : {"csv", "tsv", "jsonl", "parquet", "feather", "xlsx", "libsvm"}, optional
        What the files are, where names do not tell.

    Returns
    -------
    Examples or Chunks
        Features ``X`` (sparse for libsvm), labels ``y``, names ``features``, the ``encoder``; with
        `chunk_rows`, an iterable of such parts.

    Raises
    ------
    BadData
        If a file cannot be read, with the row and the column.
    UnknownName
        If there is no such column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("size,kind\n1.5,ham\n2,spam\n")
    ...     _ = Path(folder, "b.csv").write_text("kind,size\nham,3\n")
    ...     examples = read_table(f"{folder}/*.csv", target="kind")
    >>> examples
    Examples(3 rows, 1 feature, target 'kind')
    >>> float(examples.X.sum())
    6.5
    """
    require(chunk_rows is None or chunk_rows >= 1, "chunk_rows", "at least 1, if given", chunk_rows)
    known = (*FORMATS, "libsvm")
    require(format is None or format in known, "format", f"one of {list(known)}", format)
    paths = files_meant(path, format)
    sparse = [is_libsvm(path, format) for path in paths]
    if not any(sparse):
        if zero_based != "auto":
            raise BadParameter("zero_based is for libsvm text; leave it out.")
        return read_tables(
            paths,
            target=target,
            columns=columns,
            chunk_rows=chunk_rows,
            encoder=encoder,
            categories=categories,
            numbers=numbers,
            unknown=unknown,
            missing=missing,
            features=features,
            dtype=dtype,
            format=format,
            parse=_block_parser(paths),
        )
    if not all(sparse):
        raise BadData("Some of the files are libsvm text and some are tables. Read them apart.")
    if target is not None or columns is not None or categories or numbers:
        raise BadParameter(
            "libsvm text has no column names: the label comes first, and all features are numbers. "
            "Leave out target, columns, categories and numbers."
        )
    return read_libsvm(
        paths,
        parse=_parser(paths),
        chunk_rows=chunk_rows,
        features=features,
        zero_based=zero_based,
        missing=missing,
        dtype=dtype,
    )


def files_meant(path: Paths, format: str | None = None) -> list[Path]:
    """All files meant; a folder or a pattern of tables is one table, and one of libsvm text is its files."""
    if isinstance(path, str | os.PathLike):
        path = [path]
    files: list[Path] = []
    for one in path:
        several = is_several(one) and is_libsvm(Path(one), format)
        files += files_of(one) if several else [Path(one)]
    require(len(files) > 0, "path", "at least one file", path)
    if len(files) > 1 and Path("-") in files:
        raise BadParameter("Standard input (-) cannot be read together with other files.")
    return files


def is_libsvm(path: Path, format: str | None = None) -> bool:
    """Whether a file is libsvm text, by its format, its name, or how it begins."""
    if format is not None:
        return format == "libsvm"
    if path == Path("-"):
        return False
    path = files_of(path)[0]
    if ending(path) in _LIBSVM_ENDINGS:
        return True
    if format_of(path) is not None:
        return False
    if looks_like_libsvm(path):
        return True
    raise BadData(
        f"{path} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), Parquet "
        f"(.parquet), Feather (.feather, .arrow), Excel (.xlsx) or libsvm text (.svm, .libsvm, .svmlight), named "
        f"so; or say ",
        Words("format=...", "{}.", "format"),
    )


def _worth_compiling(paths: Sequence[Path]) -> bool:
    files = [file for path in paths for file in files_of(path)]
    sizes = (file.stat().st_size if file.is_file() else _WORTH_COMPILING for file in files)
    return sum(sizes) >= _WORTH_COMPILING


def _block_parser(paths: Sequence[Path]) -> BlockParser | None:
    firsts = (files_of(path)[0] for path in paths)
    if not any(ending(path) in _SEPARATED for path in firsts) or not _worth_compiling(paths):
        return None
    from assay.compiled.text.delimited import parse_block

    return cast(BlockParser, parse_block)


def _parser(paths: Sequence[Path]) -> Parser:
    if not _worth_compiling(paths):
        return parse_plainly
    from assay.compiled.text.libsvm import parse_text

    return cast(Parser, parse_text)
