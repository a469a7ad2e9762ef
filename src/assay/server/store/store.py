"""A store on disk: opened by one server, written by one thread, read by any."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import BadData
from assay.server.store.audit import Entry
from assay.server.store.event import DELETED, ERASED, FEEDBACK, TRIAL, Event
from assay.server.store.lock import StoreLock
from assay.server.store.steps import bring_up, steps_taken
from assay.server.store.writer import Group, Job
from assay.whole_file import take_name

#: How long a statement waits for another process that reads or copies the file.
_PATIENCE_S = 5.0
#: How much is written to see whether the disk takes it again.
_PROBE = 2**18
#: How long emptying the write-ahead log waits for readers; it is tried again later.
_BRIEFLY_MS = 50
_COLUMNS = "seq, learner, kind, at, trial, body, link"
#: Pages that are copied before others may interrupt.
_PAGES = 4096
#: The most events that one statement inserts.
_TOGETHER = 64
#: The most that one statement reads by their places.
_TOGETHER_READ = 4096


@cache
def _insert(events: int) -> str:
    rows = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * events)
    return f"INSERT INTO events ({_COLUMNS}) VALUES {rows}"


class Snapshot(NamedTuple):
    """A learner's state after an event."""

    learner: int
    seq: int
    link: str
    counts: str
    model: bytes


class Store:
    """One SQLite file in WAL mode; every commit reaches the disk before it returns.

    Parameters
    ----------
    path : str or path
        The file; made if it is not there.
    exclusive : bool, default=True
        Whether this is the server of the store. Without it the store is only read, also beside a server.

    Raises
    ------
    BadData
        If the file is open in another server, is no store, or was written by a later version.
    """

    def __init__(self, path: str | os.PathLike[str], *, exclusive: bool = True) -> None:
        self.path = Path(path)
        self._lock = StoreLock(self.path)
        self._readers = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._steps: set[str] = set()
        #: Whether the write-ahead log may still hold what was deleted.
        self.unemptied = False
        if not exclusive and not self.path.is_file():
            raise BadData(f"{self.path} cannot be read: No such file or directory.")
        if exclusive:
            self._lock.take()
        try:
            self._connection = self._connect(write=exclusive)
            if exclusive:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.execute("PRAGMA secure_delete = ON")
                bring_up(self._connection, str(self.path))
                self._steps = steps_taken(self._connection, str(self.path))
                self._require_whole()
                with contextlib.suppress(sqlite3.Error):  # what was deleted just before a kill goes
                    self.checkpoint()
            else:
                self._steps = steps_taken(self._connection, str(self.path))
        except BaseException as problem:
            self.close()
            if isinstance(problem, sqlite3.Error):
                raise BadData(f"{self.path} cannot be opened as a store: {problem}.") from None
            raise

    def _require_whole(self) -> None:
        """Refuse a file with a damaged page, also one that a start would not come across."""
        [finding] = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if finding != "ok":
            raise BadData(
                f"{self.path} is damaged: {' '.join(finding.split())}. Go back to a backup, or see "
                "what `assay serve --check` finds."
            )

    def _connect(self, *, write: bool) -> sqlite3.Connection:
        made = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=_PATIENCE_S,
        )
        self._opened.append(made)
        return made

    # Writing

    def commit(self, group: Group) -> None:
        """Write a group, wholly or not at all."""
        connection, events = self._connection, group.events
        if 0 < len(events) <= _TOGETHER and not group.jobs:
            # A statement alone is a transaction. Python's lock is let go and waited for once, not for each row.
            connection.execute(_insert(len(events)), [*chain.from_iterable(events)])
        else:
            self._commit_in_steps(group)
        for step in group.after:
            with contextlib.suppress(sqlite3.Error):  # it is committed, whatever comes now
                step()

    def _commit_in_steps(self, group: Group) -> None:
        connection, events = self._connection, group.events
        connection.execute("BEGIN IMMEDIATE")
        try:
            for start in range(0, len(events), _TOGETHER):
                some = events[start : start + _TOGETHER]
                connection.execute(_insert(len(some)), [*chain.from_iterable(some)])
            for job in group.jobs:
                job(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, and empty the log; `unemptied` if a reader is there."""
        self.unemptied = True
        self._connection.execute(f"PRAGMA busy_timeout = {_BRIEFLY_MS}")  # commits wait behind this
        try:
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(_PATIENCE_S * 1000)}")
        self.unemptied = bool(busy)

    def probe(self) -> None:
        """Write so much that a disk without room refuses it; raises what goes wrong."""
        for statement in (
            "INSERT OR REPLACE INTO probes VALUES (1, randomblob(?))",
            "DELETE FROM probes",
        ):
            self._connection.execute(statement, (_PROBE,) if "?" in statement else ())

    # Reading

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Let everything that this thread reads within be of one moment, whatever is written meanwhile."""
        self._reader.execute("BEGIN")
        try:
            yield
        finally:
            self._reader.execute("COMMIT")

    @property
    def _reader(self) -> sqlite3.Connection:
        """A connection of this thread."""
        if not hasattr(self._readers, "connection"):
            self._readers.connection = self._connect(write=False)
        connection: sqlite3.Connection = self._readers.connection
        return connection

    def names(self) -> dict[int, str]:
        """The learners by their numbers."""
        return dict(self._reader.execute("SELECT id, name FROM learners ORDER BY id"))

    def last(self) -> tuple[int, int, int]:
        """The last event's place, the latest time, and the highest number a learner ever had."""
        # Times never fall. Each by its index: one statement for all would look through the whole log.
        newest = self._reader.execute(
            "SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        [learner] = self._reader.execute("SELECT coalesce(max(learner), 0) FROM events").fetchone()
        seq, at = newest or (0, 0)
        return int(seq), int(at), int(learner)

    def _events(self, where: str, *values: object) -> Iterator[Event]:
        rows = self._reader.execute(f"SELECT {_COLUMNS} FROM events WHERE {where}", values)
        return map(Event._make, rows)

    def events(self, learner: int | None = None, after: int = 0, most: int = -1) -> Iterator[Event]:
        """Events in their order, of one learner or of all."""
        if learner is None:
            return self._events("seq > ? ORDER BY seq LIMIT ?", after, most)
        return self._events("seq > ? AND learner = ? ORDER BY seq LIMIT ?", after, learner, most)

    def at_places(self, places: Iterable[int]) -> Iterator[Event]:
        """Events by their places."""
        remaining = iter(places)
        while some := list(islice(remaining, _TOGETHER_READ)):
            # In the order of the list, which is that of the log.
            yield from self._events(
                "seq IN (SELECT value FROM json_each(?)) ORDER BY seq", json.dumps(some)
            )

    def of_trial(self, learner: int, trial: str) -> dict[str, Event]:
        """What was committed about a trial: its prediction, and its feedback if there is one."""
        events = self._events("learner = ? AND trial = ?", learner, trial)
        return {event.kind: event for event in events}

    def trials_with(self, learner: int, beginning: str) -> list[str]:
        """The trials whose names begin with a text, which could be a name itself."""
        rows = self._reader.execute(
            "SELECT trial FROM events WHERE learner = ? AND trial >= ? AND trial < ? AND kind = ? ORDER BY seq",
            (learner, beginning, f"{beginning}\x7f", TRIAL),
        )
        return [trial for (trial,) in rows]

    def answers(self, learner: int, upto: int) -> Iterator[str]:
        """The bodies of all feedback up to an event, in its order."""
        rows = self._reader.execute(
            "SELECT body FROM events WHERE learner = ? AND kind = ? AND seq <= ? AND body <> '' ORDER BY seq",
            (learner, FEEDBACK, upto),
        )
        for (body,) in rows:
            yield body

    def snapshot(self, learner: int) -> Snapshot | None:
        """The last state that was put down."""
        row = self._reader.execute(
            "SELECT learner, seq, link, counts, model FROM snapshots WHERE learner = ?", (learner,)
        ).fetchone()
        return None if row is None else Snapshot._make(row)

    def base(self, learner: int) -> Snapshot | None:
        """The state from which a learner is replayed, where events before it were erased."""
        if "s004_bases" not in self._steps:  # written earlier, and only read
            return None
        row = self._reader.execute(
            "SELECT learner, seq, link, counts, model FROM bases WHERE learner = ?", (learner,)
        ).fetchone()
        return None if row is None else Snapshot._make(row)

    def audit(self) -> Iterator[Entry]:
        """Who administered what, in its order."""
        if "s005_keeping" not in self._steps:
            return iter(())
        rows = self._reader.execute(
            "SELECT at, key, client, act, learner, seq FROM audit ORDER BY id"
        )
        return map(Entry._make, rows)

    def key_uses(self) -> dict[str, int]:
        """When keys were last used, in milliseconds since 1970."""
        if "s005_keeping" not in self._steps:
            return {}
        return dict(self._reader.execute("SELECT key, at FROM key_uses"))

    def anchors(self) -> list[tuple[int, int, int]]:
        """Times of the log with their waiting times, in their order."""
        return self._reader.execute("SELECT at, waited, slow FROM clock ORDER BY at").fetchall()

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a statement that reads."""
        return self._reader.execute(statement, values).fetchall()

    def of_kind(self, kind: str) -> Iterator[Event]:
        """All events of a kind that is rare."""
        return self._events("kind = ? ORDER BY seq", kind)

    def is_compacted(self, learner: int, seq: int) -> bool:
        """Whether an event may be gone because what is older was let go."""
        events = self._events("learner = ? AND kind = ? AND body <> ''", learner, ERASED)
        return any(seq <= json.loads(event.body).get("upto", 0) for event in events)

    def integrity(self) -> str | None:
        """What SQLite finds wrong with the file; None if nothing."""
        try:
            [finding] = self._reader.execute("PRAGMA integrity_check(1)").fetchone()
        except sqlite3.Error as problem:
            return str(problem)
        return None if finding == "ok" else str(finding)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store as it stands into one file, while it is written."""
        target = Path(path)
        with (
            new_file(target) as place,
            closing(sqlite3.connect(place, isolation_level=None)) as copy,
        ):
            copy.execute(
                "PRAGMA synchronous = OFF"
            )  # the whole file reaches the disk before it gets its name
            # Of one moment: a copy of many moments begins anew with every commit, and never ends.
            with self.still():
                self._reader.execute("SELECT 1 FROM steps").fetchone()
                self._reader.backup(copy, pages=_PAGES)
            copy.execute("PRAGMA journal_mode = DELETE")

    def shrink(self) -> None:
        """Write the file anew without the room of what is gone; needs as much room on the disk meanwhile."""
        try:
            self._connection.execute("VACUUM")
            self.checkpoint()
        except sqlite3.Error as problem:
            raise BadData(f"{self.path} cannot be written: {problem}.") from None

    def close(self) -> None:
        """Close the file and give the lock back."""
        # The writer last: then SQLite leaves a single file behind.
        for connection in reversed(self._opened):
            connection.close()
        self._lock.release()


def name_learner(learner: int, name: str) -> Job:
    """A job that writes down a learner's name."""
    return lambda connection: connection.execute(
        "INSERT INTO learners VALUES (?, ?)", (learner, name)
    )


def put_snapshot(snapshot: Snapshot) -> Job:
    """A job that keeps a snapshot in the place of the one before."""
    # Only of an event that is there: a learner may be deleted, or a commit fail, while it was made.
    return lambda connection: connection.execute(
        "INSERT OR REPLACE INTO snapshots SELECT ?1, ?2, ?3, ?4, ?5 "
        "WHERE EXISTS (SELECT 1 FROM events WHERE seq = ?2 AND learner = ?1 AND link = ?3) "
        # Nor of one before the state that replays begin from: it would need what was erased meanwhile.
        "AND NOT EXISTS (SELECT 1 FROM bases WHERE learner = ?1 AND seq > ?2)",
        snapshot,
    )


def delete_learner(learner: int) -> Job:
    """A job that removes everything about a learner but the fact that something was deleted."""

    def job(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM events WHERE learner = ? AND kind <> ?", (learner, DELETED))
        connection.execute("DELETE FROM snapshots WHERE learner = ?", (learner,))
        connection.execute("DELETE FROM bases WHERE learner = ?", (learner,))
        connection.execute("DELETE FROM learners WHERE id = ?", (learner,))

    return job


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A place to write to, which takes the name of a new file once everything is on disk."""
    if target.exists():
        raise _taken(target)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
        try:
            yield Path(name)
            _synced(name)
            try:
                os.link(name, target)  # unlike a renaming, it takes nobody's place
            except FileExistsError:
                raise _taken(target) from None
            except OSError:  # no links on this disk
                take_name(name, target)
            _synced(target.parent)
        finally:
            for part in ("", "-journal", "-wal", "-shm"):
                Path(name + part).unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise BadData(f"{target} cannot be written: {why}.") from None


def _taken(target: Path) -> BadData:
    return BadData(f"{target} exists already. Name a new file for the backup.")


def _synced(path: str | os.PathLike[str]) -> None:
    folder = os.path.isdir(path)
    try:
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    except PermissionError:
        if folder:  # Windows opens none
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
