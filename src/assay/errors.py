"""Everything assay can refuse, as one tree of exceptions that are data; the sentence is made at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Where:
    """What a refusal points at; whoever knows better than the raiser puts another in its place.

    Parameters
    ----------
    row, round : int, optional
        The row of a table, the round of a game.
    column : int or str, optional
        The column of an array, by its number or by what it is called.
    name : object, optional
        What the column is called, beside its number or in place of it.
    of : str, optional
        The array, where there is no row: ``x[3]`` is a cell of one example, ``y`` all of it.
    source : str, optional
        The file or stream, which is said before the sentence.

    Examples
    --------
    >>> print(Where(row=7, column=2, name="size"))
    row 7, column 2 ('size')
    >>> print(Where(row=7, name="size"), "|", Where(column=2, of="x"), "|", Where(round=3))
    column 'size', row 7 | x[2] | round 3
    """

    row: int | None = None
    column: Any = None
    name: Any = None
    round: int | None = None
    of: str | None = None
    source: str | None = None

    def __str__(self) -> str:
        if self.column is not None and self.row is None:
            return f"{self.of}[{self.column!r}]"
        parts = [] if self.row is None else [f"row {self.row}"]
        if self.column is not None:
            called = "" if self.name is None else f" ({self.name!r})"
            parts.append(f"column {self.column!r}{called}")
        elif self.name is not None:
            parts.insert(0, f"column {self.name!r}")
        if self.round is not None:
            parts.append(f"round {self.round}")
        return ", ".join(parts) or self.of or ""

    def to_json(self) -> dict[str, Any]:
        """What is known, as plain data."""
        known = {key: value for key, value in asdict(self).items() if value is not None}
        return {
            key: value if isinstance(value, int) else str(value) for key, value in known.items()
        }


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of a sentence that reads otherwise on the command line.

    Parameters
    ----------
    python : str
        How it reads in Python.
    shell : str
        How it reads on the command line, with ``{}`` where the option is named.
    option : str, optional
        The parameter of the command that the option sets.
    """

    python: str
    shell: str
    option: str | None = None

    def __str__(self) -> str:
        return self.python


def setting(name: str, value: str) -> Words:
    """A parameter with a value: ``overlap='drop'``, or ``--overlap drop``."""
    return Words(f"{name}={value!r}", f"{{}} {value}", name)


Part = str | Where | Words
Remedy = str | tuple[str | Words, ...]


class AssayError(Exception):
    """Root of all refusals: ``except AssayError`` catches every one of them.

    Parameters
    ----------
    *parts : str, Where or Words
        What is wrong, in pieces that are read one after the other; a sentence is one piece. Left out where
        `subject`, `must` and `got` say it.
    subject : str, optional
        What the refusal is about, such as a parameter. A sentence begins with it.
    must : str, optional
        What the subject must be.
    got : object
        What it is.
    where : Where, optional
        Where that is; found among the parts when not given.
    remedy : str or tuple of pieces, optional
        What can be done about it.

    Examples
    --------
    >>> refusal = BadData("Features must be 0 or 1, but ", Where(row=0, column=4), " holds 3.")
    >>> print(refusal.but(where=Where(row=100, column="wet", source="a.csv")))
    a.csv: Features must be 0 or 1, but row 100, column 'wet' holds 3.
    """

    def __init__(
        self,
        *parts: Part,
        subject: str | None = None,
        must: str | None = None,
        got: object = None,
        where: Where | None = None,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(*parts)
        self.subject, self.must, self.got, self.remedy = subject, must, got, remedy
        self.where = where or next((part for part in parts if isinstance(part, Where)), None)

    def __reduce__(self) -> tuple[Any, ...]:
        # What was given may be anything, also what cannot travel; its text can.
        return _remade, (type(self), self.args, self.__dict__ | {"got": Shown(repr(self.got))})

    def __str__(self) -> str:
        return self.sentence()

    def but(self, **fields: Any) -> Self:
        """The same refusal with other fields; another place also stands in the sentence."""
        where = fields.get("where")
        parts = self.args
        if where is not None:
            parts = tuple(where if isinstance(part, Where) else part for part in parts)
        other: Self = _remade(type(self), parts, self.__dict__ | fields)
        return other

    def sentence(self, options: Mapping[str, str] | None = None) -> str:
        """The refusal in words.

        Parameters
        ----------
        options : mapping, optional
            The options of a command by the names of its parameters. Without it, the words are those of Python.
        """
        subject = self.subject or ""
        if options is not None:
            subject = options.get(subject, subject)
        if self.must is None:
            pieces = [_worded(part, options) or str(part) for part in self.args]
            # A sentence begins with a capital, and a place may begin it.
            if self.args and isinstance(self.args[0], Where) and self.args[0].of is None:
                pieces[0] = pieces[0][:1].upper() + pieces[0][1:]
            text = subject + "".join(pieces)
        else:
            text = f"{subject} must be {self.must}, but is {self.got!r}."
        if self.where is not None and self.where.source is not None:
            text = f"{self.where.source}: {text}"
        remedy = self._remedied(options)
        return f"{text} {remedy}" if remedy else text

    def _remedied(self, options: Mapping[str, str] | None = None) -> str:
        """What to do; nothing where the command has no option for it."""
        parts = (self.remedy or "",) if not isinstance(self.remedy, tuple) else self.remedy
        pieces = [_worded(part, options) for part in parts]
        return "" if None in pieces else "".join(map(str, pieces))

    def fields(self, options: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What is known of the refusal, as plain data; `got` as it stands in the sentence."""
        subject = self.subject if options is None else options.get(self.subject or "", self.subject)
        known = {
            "subject": subject,
            "must": self.must,
            "got": None if self.must is None else repr(self.got)[:500],
            "where": None if self.where is None else self.where.to_json(),
            "remedy": self._remedied(options) or None,
        }
        return {name: value for name, value in known.items() if value is not None}


class Shown(str):
    """The text of a value, which reads as the value did."""

    __slots__ = ()
    __repr__ = str.__str__


def _remade(kind: type[AssayError], parts: tuple[Part, ...], fields: dict[str, Any]) -> Any:
    """A refusal of any kind, whatever its own constructor takes: it travels between processes."""
    refusal = kind.__new__(kind, *parts)
    refusal.__dict__.update(fields)
    return refusal


def _worded(part: Part, options: Mapping[str, str] | None) -> str | None:
    """A piece in words; None where it names what the command has no option for."""
    if not isinstance(part, Words) or options is None:
        return str(part)
    if part.option is None or part.option in options:
        return part.shell.format(options.get(part.option or ""))
    return None if part.python else ""


class BadInput(AssayError, ValueError):
    """What was given cannot be used; the message says what, where, and what to do."""


class BadParameter(BadInput):
    """A single value lies outside what a function or theorem covers."""


class BadData(BadInput):
    """A file, table or array cannot be read as the examples it should hold."""


class UnknownName(BadInput, KeyError):
    """No theorem, learner or column of that name exists."""


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
        raise BadParameter(subject=name, must=must, got=value, remedy=hint.strip() or None)
