"""The formats of logs of decisions, found by their files: each says which files are its own, and reads them."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.data.decisions.features import Columns
from assay.data.decisions.rounds import Rounds
from assay.data.plain_text import open_bytes
from assay.errors import AssayError, BadData, require

Reader = Callable[[Path, Rounds], None]
_HEAD = 2**16
_BOM = b"\xef\xbb\xbf"
# What values of other types than a tool writes may bring about.
_ODD = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)


@dataclass(frozen=True)
class DecisionFormat:
    """A format of logs of decisions.

    Attributes
    ----------
    name : str
        What `format` calls it.
    tool : str
        Who writes it, for people.
    fits : callable
        Whether a file that begins with these bytes is one.
    reader : callable
        Puts the rounds of a file into `Rounds`.
    bounds : (float, float)
        Between which its outcomes lie where nothing is declared.
    rewards : bool
        Whether more is better.
    """

    name: str
    tool: str
    fits: Callable[[bytes], bool]
    reader: Reader
    bounds: tuple[float, float]
    rewards: bool


_FORMATS: dict[str, DecisionFormat] = {}


def decision_format(
    name: str,
    tool: str,
    *,
    fits: Callable[[bytes], bool],
    bounds: tuple[float, float] = (0.0, 1.0),
    rewards: bool = False,
) -> Callable[[Reader], Reader]:
    """Make a reader known under the name of its format."""

    def register(read: Reader) -> Reader:
        _FORMATS[name] = DecisionFormat(name, tool, fits, read, bounds, rewards)
        return read

    return register


@cache
def decision_formats() -> dict[str, DecisionFormat]:
    """Every format by its name.

    Examples
    --------
    >>> sorted(decision_formats())
    ['dsjson', 'open-bandit', 'vw', 'vw-adf']
    """
    from assay.data.decisions import formats

    for module in pkgutil.iter_modules(formats.__path__):
        importlib.import_module(f"{formats.__name__}.{module.name}")
    return dict(_FORMATS)


def format_of_log(path: Path) -> DecisionFormat | None:
    """The format of a file; None where no tool's file begins so."""
    head = _head(path)
    return next((known for known in decision_formats().values() if known.fits(head)), None)


def read_rounds(
    path: Path,
    format: str | None,
    bounds: tuple[float, float] | None,
    contexts: Columns,
    features: Columns,
) -> Rounds:
    """The rounds of a file; refuses what no format knows, and a log of nothing."""
    known = decision_formats()
    if format is not None:
        require(format in known, "format", f"one of {', '.join(sorted(known))}", format)
    found = format_of_log(path) if format is None else known[format]
    if found is None:
        raise BadData(
            f"{path} is of no log of decisions known here. Text and DSJSON of Vowpal Wabbit, logs of Personalizer and "
            "CSV of Open Bandit are; of any other table name the columns: arm, loss or reward, and propensity."
        )
    rounds = Rounds(
        str(path), bounds or found.bounds, found.rewards, contexts, features, format=found.tool
    )
    try:
        found.reader(path, rounds)
    except AssayError:
        raise
    except _ODD as problem:
        raise BadData(
            f"{path} begins as a file of {found.tool} does, but is not made as one. Write it again."
        ) from problem
    if not len(rounds):
        told = " ".join(rounds.notes)
        raise BadData(f"{path} holds no rounds{': ' if told else '.'}{told}")
    return rounds


def _head(path: Path) -> bytes:
    try:
        with open_bytes(path) as file:
            return file.read(_HEAD).removeprefix(_BOM).lstrip()
    except (OSError, EOFError, zlib.error) as problem:
        if isinstance(problem, FileNotFoundError | IsADirectoryError | PermissionError):
            raise BadData(f"{path} cannot be read: {problem.strerror}.") from None
        raise BadData(f"{path} is damaged. Copy or write it again.") from None
