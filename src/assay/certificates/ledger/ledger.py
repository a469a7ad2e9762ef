"""The ledger: what every look at a holdout has told, so that the next promise can pay for it.

A model chosen after seeing results on a holdout depends on it. If the answers given so far could
have come out in A ways, the next model is one of at most A that were possible before the holdout was
seen; giving each of them an equal share of the failure probability makes the promise valid for
whichever it is (Occam's argument over transcripts). The j-th look therefore gets
``delta / (j (j + 1) A)``, A being the product of the numbers of possible answers before it. Dividing
by the number of looks alone is not valid: a majority vote over models kept by their score breaks it.

The ledger is one small SQLite file. Entries form a chain: each holds the digest of the one before,
so none can be changed or taken out of the middle unnoticed; publish `head` to fix the end as well.

A holdout is known again by which of its rows share a label, in their order, whatever the labels are called;
and, where its rows are given, by salted keys of them: in another order, in part, or within a larger
holdout. A look that touches several accounts pays for all of them, and makes them one. Where no rows are
given, another order of the same labels is not recognised: give the rows, or one name to one holdout.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from assay.certificates.ledger.accounts import Account, Accounts
from assay.certificates.ledger.entry import START, Entry
from assay.certificates.ledger.row_sketch import RowSketch, sketch_rows
from assay.errors import BadData, LedgerBroken, require
from assay.guarantees.decimals import delta_text
from assay.theory.needs import count
from assay.theory.rounding import Number

__all__ = ["START", "Entry", "Ledger", "opened"]


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


def _s002_rows(connection: sqlite3.Connection) -> None:
    for column in ("partition", "sketch", "joins"):
        connection.execute(f"ALTER TABLE entry ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    connection.execute(
        "CREATE TABLE sketch (digest TEXT PRIMARY KEY, rows INTEGER NOT NULL, keys BLOB NOT NULL)"
    )


# Never edited once released; a new step is added at the end.
_STEPS = (_s001_entries, _s002_rows)


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
        self._sketches: dict[str, RowSketch] = {}
        self._known = Accounts()
        self._latest: Entry | None = None
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
        partition: str | None = None,
        rows: Any = None,
    ) -> Entry:
        """Enter one look at a holdout before its answer is told, and say what it may spend.

        Parameters
        ----------
        holdout : str, optional
            A name for the holdout; without one, the account it is recognised by, or else the salted
            digest of its truth or of its rows.
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
        partition : str, optional
            The digest of which rows share a label, by which it is known again under other labels.
        rows : array of bytes, optional
            One digest per row, as `assay.evidence.rows.row_digests` gives them, by which it is known again
            in another order, in part, and as a part of a larger holdout.
        """
        require(answer in ("exact", "pass-fail"), "answer", "'exact' or 'pass-fail'", answer)
        ways = count("answers", answers, at_least=1)
        total = delta_text(delta)
        sketch = None if rows is None else sketch_rows(rows, self._salt)
        known = {
            "data": "" if truth is None else self.salted(truth),
            "partition": "" if partition is None else self.salted(partition),
            "sketch": "" if sketch is None else sketch.digest,
        }
        named = holdout or known["data"] or known["partition"]
        if sketch is not None and not named:
            named = self.salted(sketch.digest)
        require(bool(named), "holdout", "named, or known by its truth", holdout)
        with self._transaction() as connection:
            accounts, latest = self._accounts(connection)
            self._refuse_second_name(accounts, holdout, known["data"])
            touched = self._touched(connection, accounts, named, known, sketch)
            names = [account.name for account in touched] or [named]
            if holdout and not any(holdout in account.names for account in touched):
                names.append(holdout)
            _require_delta(touched, total)
            looks, before = accounts.charged(names)
            entry = Entry(
                sequence=latest.sequence + 1 if latest else 1,
                holdout=names[0],
                number=looks + 1,
                at=datetime.now(UTC).isoformat(timespec="milliseconds"),
                query=query,
                answer=answer,
                answers=hex(ways),
                answers_before=hex(before),
                delta=total,
                previous=latest.digest if latest else START,
                digest="",
                joins=_listed(dict.fromkeys(names[1:])),
                **known,
            )
            entry = Entry(**(asdict(entry) | {"digest": entry.sealed_by()}))
            places = ", ".join(f":{name}" for name in asdict(entry))
            columns = ", ".join(asdict(entry))
            connection.execute(f"INSERT INTO entry ({columns}) VALUES ({places})", asdict(entry))
            if sketch is not None:
                connection.execute(
                    "INSERT OR IGNORE INTO sketch VALUES (?, ?, ?)",
                    (sketch.digest, sketch.rows, sketch.blob),
                )
        return entry

    def _accounts(self, connection: sqlite3.Connection) -> tuple[Accounts, Entry | None]:
        """Who has paid for what up to now, whoever wrote it; and the newest entry."""
        seen = self._latest.sequence if self._latest else 0
        for entry in self._rows(connection, "WHERE sequence > ? ORDER BY sequence", seen):
            self._known.add(entry)
            self._latest = entry
        return self._known, self._latest

    def _touched(
        self,
        connection: sqlite3.Connection,
        accounts: Accounts,
        named: str,
        known: dict[str, str],
        sketch: RowSketch | None,
    ) -> list[Account]:
        """The accounts whose holdouts this one is, or shares labels or rows with; oldest first."""
        return [
            account
            for account in accounts.all()
            if named in account.names
            or known["data"] in account.data
            or known["partition"] in account.partitions
            or (
                sketch is not None
                and any(sketch.shares_rows(self._sketch(connection, d)) for d in account.sketches)
            )
        ]

    def _sketch(self, connection: sqlite3.Connection, digest: str) -> RowSketch:
        if digest not in self._sketches:
            kept = connection.execute(
                "SELECT rows, keys FROM sketch WHERE digest = ?", (digest,)
            ).fetchone()
            sketch = None if kept is None else RowSketch.read(*kept)
            if sketch is None or sketch.digest != digest:
                raise LedgerBroken(
                    f"{self.path} has lost the keys of a holdout's rows, or they were changed. "
                    "Promises on its holdouts cannot be made."
                )
            self._sketches[digest] = sketch
        return self._sketches[digest]

    def _refuse_second_name(self, accounts: Accounts, holdout: str | None, data: str) -> None:
        """One holdout has one account, whatever it is called."""
        if not data or holdout is None:
            return
        for account in accounts.all():
            require(
                data not in account.data or holdout in account.names,
                "holdout",
                f"{account.name!r}, as in the first look at this data",
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
        rows = connection.execute(f"SELECT {columns} FROM entry {clause}", values).fetchall()
        return [Entry(*row) for row in rows]

    @property
    def head(self) -> str:
        """The digest of the newest entry. Publish it, and the ledger cannot be shortened unnoticed."""
        entries = self.entries()
        return entries[-1].digest if entries else START

    def check(self) -> None:
        """Walk the chain; raise `LedgerBroken` at the first entry that does not follow.

        Digests, numbering, and the products of possible answers are all recomputed.
        """
        previous, accounts = START, Accounts()
        latest: Entry | None = None
        for place, entry in enumerate(self.entries(), start=1):
            try:
                follows = entry.follows(place, previous, *accounts.charged(entry.names))
            except (TypeError, ValueError):
                follows = False  # what it joins was changed into something that is no list
            if not follows:
                raise LedgerBroken(
                    f"{self.path} does not hold together at entry {place}: it was changed after it was "
                    "written, or an entry before it was removed. Promises on its holdouts cannot be made."
                )
            accounts.add(entry)
            previous, latest = entry.digest, entry
        with self._lock, self._readable():
            self._sketches.clear()
            for account in accounts.all():
                for digest in account.sketches:
                    self._sketch(self._connection, digest)
        self._known, self._latest = accounts, latest

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _require_delta(touched: list[Account], total: str) -> None:
    """All looks at one holdout share one delta; where two meet, the smaller."""
    if touched:
        agreed = min((account.delta for account in touched), key=Fraction)
        require(
            Fraction(agreed) == Fraction(total),
            "delta",
            f"{agreed} again, as in the first look at this holdout",
            total,
            "All looks at one holdout share one delta.",
        )


def _listed(names: Iterable[str]) -> str:
    """Names as JSON; nothing for none."""
    listed = list(names)
    return json.dumps(listed, ensure_ascii=False) if listed else ""


@contextmanager
def opened(ledger: Ledger | str | os.PathLike[str] | None) -> Iterator[Ledger | None]:
    """A ledger given by its path, closed again afterwards; one that is open stays so."""
    if isinstance(ledger, str | os.PathLike):
        with Ledger(ledger) as book:
            yield book
    else:
        yield ledger
