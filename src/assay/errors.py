"""Everything assay can refuse, as one tree of exceptions, and the sentence every refusal uses."""

from __future__ import annotations


class AssayError(Exception):
    """Root of all refusals: ``except AssayError`` catches every one of them."""


class BadInput(AssayError, ValueError):
    """What was given cannot be used; the message says what, where, and what to do."""


class BadParameter(BadInput):
    """A single value lies outside what a function or theorem covers."""


class BadData(BadInput):
    """A file, table or array cannot be read as the examples it should hold."""


class UnknownName(BadInput, KeyError):
    """No theorem, learner or column of that name exists."""

    # KeyError shows the repr of its argument; a refusal is a sentence.
    __str__ = Exception.__str__


class MissingExtra(AssayError):
    """What was asked for needs a package that is not installed; the message says how to get it."""


class NoNumber(AssayError):
    """The theorem states an order of growth or a limit: it has no number to promise."""


class CertificateRefused(AssayError):
    """A certificate does not add up, is damaged, or is of a format this version cannot read."""


class LedgerBroken(AssayError):
    """The chain of digests in a ledger does not hold: an entry was changed or removed."""


def require(condition: bool, name: str, must: str, value: object, hint: str = "") -> None:
    """Raise `BadParameter` unless `condition` holds.

    Every refusal reads the same way: *what* must be *what*, but is *what you gave*.

    Examples
    --------
    >>> require(0 < 0.05 < 1, "delta", "strictly between 0 and 1", 0.05)
    >>> require(0 < 2 < 1, "delta", "strictly between 0 and 1", 2)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: delta must be strictly between 0 and 1, but is 2.
    """
    if not condition:
        sentence = f"{name} must be {must}, but is {value!r}."
        raise BadParameter(f"{sentence} {hint}".rstrip())
