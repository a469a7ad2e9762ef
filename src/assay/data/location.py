"""What a path stands for: a file, a sheet of a workbook (``book.xlsx#May``), or the files of a folder or a pattern."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import IO, TypeVar
from urllib.parse import unquote

from assay.errors import BadData

AnyPath = TypeVar("AnyPath", bound=PurePath)
_SHEET = re.compile(r"(?P<book>.+\.xls[xm])#(?P<sheet>.+)", re.IGNORECASE)
# What stands for a missing key in the names of folders.
_NO_KEY = "__HIVE_DEFAULT_PARTITION__"


def book_and_sheet(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """The file of a workbook, and the sheet that is named behind it, if any; of other paths the path itself.

    Examples
    --------
    >>> book_and_sheet("sales/2024.xlsx#May")
    (PosixPath('sales/2024.xlsx'), 'May')
    >>> book_and_sheet("sales/2024#1.csv")
    (PosixPath('sales/2024#1.csv'), None)
    """
    named = _SHEET.fullmatch(Path(path).name)
    if named is None:
        return Path(path), None
    return Path(path).with_name(named["book"]), named["sheet"]


def is_several(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder, or a pattern such as ``days/*.csv``."""
    return os.path.isdir(path) or _is_pattern(os.fspath(path))


def _is_pattern(name: str) -> bool:
    return glob.has_magic(name) and not os.path.exists(name)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """All files that a path stands for, in the order of their names.

    Hidden files and folders, and those that begin with an underscore, are passed over: that is how writers name what
    is no part of a table.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        below = (one for one in Path(name).rglob("*") if one.is_file())
        files = [one for one in in_order(below) if not _passed_over(one.relative_to(name))]
        if not files:
            raise BadData(f"{path} is a directory without a file in it.")
        return files
    if _is_pattern(name):
        matching = map(Path, glob.glob(name, recursive=True))
        files = [one for one in sorted(matching, key=PurePath.as_posix) if one.is_file()]
        if not files:
            raise BadData(f"No file matches {name!r}. Check the pattern.")
        return files
    return [book_and_sheet(path)[0]]


def in_order(paths: Iterable[AnyPath]) -> list[AnyPath]:
    """Paths by the names of their folders, then by their own: in the same order on every system.

    Windows itself would compare names as if all were written in small letters, and the digest of a folder, as the order
    of its rows, would be another one there.

    Examples
    --------
    >>> from pathlib import PureWindowsPath
    >>> [path.name for path in in_order(map(PureWindowsPath, ["a.csv", "B.csv", "A/c.csv"]))]
    ['c.csv', 'B.csv', 'a.csv']
    """
    return sorted(paths, key=lambda path: path.parts)


def for_arrow(path: Path) -> str | IO[bytes]:
    """A file by its name, as Arrow takes it; open, where its name is no UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return open(path, "rb")
    return str(path)


def _passed_over(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def base_of(path: str | os.PathLike[str]) -> Path:
    """The folder below which the files of a path lie.

    Examples
    --------
    >>> base_of("data/year=*/part-*.csv")
    PosixPath('data')
    """
    if os.path.isdir(path):
        return Path(path)
    fixed = []
    for part in Path(path).parent.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return Path(*fixed)


def keys_of(file: Path, base: Path) -> dict[str, str | None]:
    """What the names of folders say of a file, as in ``year=2024/month=5``.

    Examples
    --------
    >>> keys_of(Path("data/year=2024/city=New%20York/part.parquet"), Path("data"))
    {'year': '2024', 'city': 'New York'}
    """
    pairs = [part.partition("=") for part in file.relative_to(base).parent.parts if "=" in part]
    return {unquote(key): None if value == _NO_KEY else unquote(value) for key, _, value in pairs}
