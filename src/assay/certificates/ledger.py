"""The ledger: what every look at a holdout has told, so that the next promise can pay for it.

A model chosen after seeing results on a holdout depends on it. If the answers given so far could
have come out in A ways, the next model is one of at most A that were possible before the holdout was
seen; giving each of them an equal share of the failure probability makes the promise valid for
whichever it is (Occam's argument over transcripts). The j-th look therefore gets
``delta / (j (j + 1) A)``, A being the product of the numbers of possible answers before it. Dividing
by the number of looks alone is not valid: a majority vote over models kept by their score breaks it.

The ledger is one small SQLite file. Entries form a chain: each holds the digest of the one before,
so none can be changed or taken out of the middle unnoticed; publish `head` to fix the end as well.

A holdout is known again by the digest of its labels in their order. The same rows in another order, or a
part of them, are not recognised: keep one holdout in one file, or give it a name and use that name.
"""

from __future__ import annotations

import hashlib
import math
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from assay.certificates.decimals import delta_text
from assay.certificates.document import canonical
from assay.errors import BadData, LedgerBroken, require
from assay.theory.needs import count
from assay.theory.rounding import Number

START = "sha256:" + "0" * 64
"""The digest before the first entry."""


def _s001_entries(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE entry (sequence INTEGER PRIMARY KEY, holdout TEXT NOT NULL, data TEXT NOT NULL,"
        " number INTEGER NOT NULL,"
        " at TEXT NOT NULL, query TEXT NOT NULL, answer TEXT NOT NULL, answers TEXT NOT NULL,"
        " answers_before TEXT NOT NULL, delta TEXT NOT NULL, previous TEXT NOT NULL,"
        " digest TEXT NOT NULL, UNIQUE (holdout, number))"
    )
    connection.execute("CREATE TABLE secret (salt BLOB NOT NULL)")
    connection.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(32),))


# Never edited once released; a new step is added at the end.
_STEPS = (_s001_entries,)


@dataclass(frozen=True)
class Entry:
    """One look at a holdout, as it stands in the ledger.

    Attributes
    ----------
    sequence : int
        Place in the file, from 1.
    holdout : str
        Which holdout: a name, or the salted digest of its truth.
    data : str
        The salted digest of its truth; empty when it is not known.
    number : int
        The how-manieth look at this holdout.
    at : str
        When, in UTC.
    query : str
        What was asked.
    answer : str
        ``"exact"`` or ``"pass-fail"``: what kind of answer was given.
    answers : str
        In how many ways the answer could have come out, in hexadecimal (it grows very large).
    answers_before : str
        The product of these numbers over all earlier looks at this holdout.
    delta : str
        The failure probability that all looks at this holdout share.
    previous, digest : str
        The chain.
    """

    sequence: int
    holdout: str
    data: str
    number: int
    at: str
    query: str
    answer: str
    answers: str
    answers_before: str
    delta: str
    previous: str
    digest: str

    @property
    def share(self) -> Fraction:
        """The failure probability this look may spend."""
        looks = self.number * (self.number + 1)
        return Fraction(self.delta) / (looks * int(self.answers_before, 16))

    @property
    def bits_before(self) -> float:
        """How many bits about the holdout were released before this look."""
        return math.log2(int(self.answers_before, 16))

    def follows(self, place: int, previous: str, number: int, before: int) -> bool:
        """Whether the entry is what must come after those before it."""
        try:
            return (
                self.sequence == place
                and self.previous == previous
                and self.digest == self.sealed_by()
                and self.number == number + 1
                and self.answers_before == hex(before)
            )
        except (TypeError, ValueError, AttributeError):
            return False  # a cell was changed into something that is no text or number

    def sealed_by(self) -> str:
        """The digest this entry should have."""
        body = {key: value for key, value in asdict(self).items() if key != "digest"}
        return "sha256:" + hashlib.sha256(canonical(body)).hexdigest()


class Ledger:
    """A file that remembers every use of every holdout.

    Parameters
    ----------
    path : str or path
        The SQLite file, made when missing. ``":memory:"`` keeps it in memory.

    Examples
    --------
    >>> ledger = Ledger(":memory:")
    >>> first = ledger.charge("my holdout", answers=2, delta="0.05", answer="pass-fail")
    >>> second = ledger.charge("my holdout", answers=1001, delta="0.05")
    >>> first.share, second.share, second.bits_before
    (Fraction(1, 40), Fraction(1, 240), 1.0)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        with self._readable():
            self._connection = sqlite3.connect(
                self.path, timeout=30.0, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA synchronous=FULL")
            self._prepare()
            salt = self._connection.execute("SELECT salt FROM secret").fetchone()
        if salt is None or not isinstance(salt[0], bytes):
            raise LedgerBroken(
                f"{self.path} has lost its salt; promises on its holdouts cannot be made."
            )
        self._salt = salt[0]
        self.check()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadData(f"{self.path} cannot be used as a ledger: {error}.") from None

    def _prepare(self) -> None:
        with self._transaction() as connection:
            done = connection.execute("PRAGMA user_version").fetchone()[0]
            if done > len(_STEPS):
                raise BadData(
                    f"{self.path} was written by a newer version of assay (schema {done}, this version "
                    f"knows {len(_STEPS)}). Upgrade assay to use it."
                )
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if done == 0 and tables:
                raise BadData(f"{self.path} is an SQLite file, but not a ledger.")
            for number, step in enumerate(_STEPS[done:], start=done + 1):
                step(connection)
                connection.execute(f"PRAGMA user_version = {number}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._readable():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def salted(self, digest: str) -> str:
        """What stands for a holdout in public: its digest could be guessed at, the salted one cannot."""
        return "salted:" + hashlib.sha256(self._salt + digest.encode()).hexdigest()

    def charge(
        self,
        holdout: str | None = None,
        *,
        answers: int,
        delta: Number,
        answer: str = "exact",
        query: str = "",
        truth: str | None = None,
    ) -> Entry:
        """Enter one look at a holdout before its answer is told, and say what it may spend.

        Parameters
        ----------
        holdout : str, optional
            A name for the holdout; without one, the salted digest of its truth.
        answers : int
            In how many ways the answer can come out: 2 for pass/fail, rows + 1 for a count.
        delta : number or decimal text
            The failure probability for all looks at this holdout together; the same every time.
        answer : {"exact", "pass-fail"}
            What kind of answer will be told.
        query : str
            What was asked, for the reader.
        truth : str, optional
            The digest of the holdout's labels, by which it is known again under another name.
        """
        data = "" if truth is None else self.salted(truth)
        holdout = holdout or data
        require(bool(holdout), "holdout", "named, or known by its truth", holdout)
        require(answer in ("exact", "pass-fail"), "answer", "'exact' or 'pass-fail'", answer)
        ways = count("answers", answers, at_least=1)
        total = delta_text(delta)
        with self._transaction() as connection:
            earlier = self._rows(
                connection, "WHERE holdout = ? ORDER BY sequence DESC LIMIT 1", holdout
            )
            latest = self._rows(connection, "ORDER BY sequence DESC LIMIT 1")
            self._refuse_second_name(connection, holdout, data)
            before = 1
            if earlier:
                before = int(earlier[0].answers_before, 16) * int(earlier[0].answers, 16)
                agreed = earlier[0].delta
                require(
                    Fraction(agreed) == Fraction(total),
                    "delta",
                    f"{agreed} again, as in the first look at this holdout",
                    total,
                    "All looks at one holdout share one delta.",
                )
            entry = Entry(
                sequence=latest[0].sequence + 1 if latest else 1,
                holdout=holdout,
                data=data,
                number=earlier[0].number + 1 if earlier else 1,
                at=datetime.now(UTC).isoformat(timespec="milliseconds"),
                query=query,
                answer=answer,
                answers=hex(ways),
                answers_before=hex(before),
                delta=total,
                previous=latest[0].digest if latest else START,
                digest="",
            )
            entry = Entry(**(asdict(entry) | {"digest": entry.sealed_by()}))
            places = ", ".join(f":{name}" for name in asdict(entry))
            connection.execute(f"INSERT INTO entry VALUES ({places})", asdict(entry))
        return entry

    def _refuse_second_name(self, connection: sqlite3.Connection, holdout: str, data: str) -> None:
        """One holdout has one account, whatever it is called."""
        if not data:
            return
        for entry in self._rows(connection, "WHERE data = ? ORDER BY sequence LIMIT 1", data):
            require(
                entry.holdout == holdout,
                "holdout",
                f"{entry.holdout!r}, as in the first look at this data",
                holdout,
                "Another name does not make it a new holdout.",
            )

    def entries(self, holdout: str | None = None) -> list[Entry]:
        """Every look in order, or those at one holdout."""
        with self._lock, self._readable():
            if holdout is None:
                return self._rows(self._connection, "ORDER BY sequence")
            return self._rows(self._connection, "WHERE holdout = ? ORDER BY sequence", holdout)

    def _rows(self, connection: sqlite3.Connection, clause: str, *values: Any) -> list[Entry]:
        columns = ", ".join(Entry.__dataclass_fields__)
        found = connection.execute(f"SELECT {columns} FROM entry {clause}", values).fetchall()
        return [Entry(*row) for row in found]

    @property
    def head(self) -> str:
        """The digest of the newest entry. Publish it, and the ledger cannot be shortened unnoticed."""
        entries = self.entries()
        return entries[-1].digest if entries else START

    def check(self) -> None:
        """Walk the chain; raise `LedgerBroken` at the first entry that does not follow.

        Digests, numbering, and the products of possible answers are all recomputed.
        """
        previous, looks = START, dict[str, tuple[int, int]]()
        for place, entry in enumerate(self.entries(), start=1):
            number, before = looks.get(entry.holdout, (0, 1))
            if not entry.follows(place, previous, number, before):
                raise LedgerBroken(
                    f"{self.path} does not hold together at entry {place}: it was changed after it was "
                    "written, or an entry before it was removed. Promises on its holdouts cannot be made."
                )
            previous = entry.digest
            looks[entry.holdout] = (entry.number, before * int(entry.answers, 16))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@contextmanager
def opened(ledger: Ledger | str | os.PathLike[str] | None) -> Iterator[Ledger | None]:
    """A ledger given by its path, closed again afterwards; one that is open stays so."""
    if isinstance(ledger, str | os.PathLike):
        with Ledger(ledger) as book:
            yield book
    else:
        yield ledger
