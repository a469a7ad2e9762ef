"""The formats of logs, found by their files: each says which files are its own, and reads them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.data.logs.samples import Samples
from assay.data.logs.source import Kind, Source
from assay.errors import AssayError, BadData

Reader = Callable[[Source], Samples]
# What values of other types than a tool writes may bring about.
_ODD = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)


@dataclass(frozen=True)
class LogFormat:
    """A format of logs.

    Attributes
    ----------
    name : str
        The tool that writes it.
    kinds : tuple of str
        What its files are made of.
    fits : callable
        Whether a file that begins so is one.
    reader : callable
        The samples of a file.
    last : bool
        Whether it is asked after all others, since it takes what they leave.
    repeats : callable
        Whether a file only tells once more what other files beside it hold.
    """

    name: str
    kinds: tuple[Kind, ...]
    fits: Callable[[Any], bool]
    reader: Reader
    last: bool = False
    repeats: Callable[[Source], bool] = lambda source: False

    def read(self, source: Source) -> Samples:
        """The samples of a file; one that is made otherwise than its beginning says is refused."""
        try:
            return self.reader(source)
        except AssayError:
            raise
        except _ODD as problem:
            raise BadData(
                f"{source.path} begins as a file of {self.name} does, but is not made as one. Write it again."
            ) from problem


_FORMATS: dict[str, LogFormat] = {}


def log_format(
    name: str,
    *kinds: Kind,
    fits: Callable[[Any], bool],
    last: bool = False,
    repeats: Callable[[Source], bool] = lambda source: False,
) -> Callable[[Reader], Reader]:
    """Make a reader known under the name of the tool whose files it reads."""

    def register(read: Reader) -> Reader:
        _FORMATS[name] = LogFormat(name, kinds, fits, read, last, repeats)
        return read

    return register


@cache
def log_formats() -> tuple[LogFormat, ...]:
    """Every format, those that take what is left last.

    Examples
    --------
    >>> "Inspect AI" in [known.name for known in log_formats()]
    True
    """
    from assay.data.logs import formats

    for module in pkgutil.iter_modules(formats.__path__):
        importlib.import_module(f"{formats.__name__}.{module.name}")
    return tuple(sorted(_FORMATS.values(), key=lambda known: (known.last, known.name)))


def format_for(source: Source) -> LogFormat | None:
    """The format of a file; None where no tool's file begins so."""
    for known in log_formats():
        if source.kind in known.kinds and known.fits(source.head):
            return known
    return None
