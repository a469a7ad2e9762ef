"""The schema of a store, as numbered steps; a step is never edited once it has been released.

Each step runs in a transaction of its own and is written down in the table ``steps``. A store that has
steps this version does not know is refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from assay.errors import BadData


def s001_log(connection: sqlite3.Connection) -> None:
    """The log of events, and the names that learners have."""
    connection.execute(
        "CREATE TABLE learners (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"
    )
    connection.execute(
        """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,  -- the order of everything; clocks are for reading only
            learner INTEGER NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,      -- milliseconds since 1970, never falling
            trial TEXT,
            body TEXT NOT NULL,       -- JSON
            link TEXT NOT NULL        -- digest of this event and of the learner's link before it
        ) STRICT
        """
    )
    connection.execute(
        "CREATE INDEX events_of_trial ON events (learner, trial) WHERE trial IS NOT NULL"
    )
    connection.execute("CREATE INDEX events_of_learner ON events (learner, seq)")


def s002_snapshots(connection: sqlite3.Connection) -> None:
    """The state of learners after some event: the model file, and what the service counts beside it."""
    connection.execute(
        """
        CREATE TABLE snapshots (
            learner INTEGER PRIMARY KEY,
            seq INTEGER NOT NULL,
            link TEXT NOT NULL,
            counts TEXT NOT NULL,
            model BLOB NOT NULL
        ) STRICT
        """
    )


def s003_once(connection: sqlite3.Connection) -> None:
    """A trial has one prediction and one feedback: what the engine sees to, the file sees to as well."""
    connection.execute("DROP INDEX events_of_trial")
    connection.execute(
        "CREATE UNIQUE INDEX events_of_trial ON events (learner, trial, kind) WHERE trial IS NOT NULL"
    )


def s004_bases(connection: sqlite3.Connection) -> None:
    """The state from which a learner is replayed once events before it were erased."""
    connection.execute(
        """
        CREATE TABLE bases (
            learner INTEGER PRIMARY KEY,
            seq INTEGER NOT NULL,
            link TEXT NOT NULL,
            counts TEXT NOT NULL,
            model BLOB NOT NULL
        ) STRICT
        """
    )


def s005_keeping(connection: sqlite3.Connection) -> None:
    """Who administered what, when keys were last used, and a place where writing can be tried."""
    connection.execute(
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            key TEXT,
            client TEXT,
            act TEXT NOT NULL,
            learner TEXT NOT NULL,
            seq INTEGER NOT NULL      -- the event of the act
        ) STRICT
        """
    )
    connection.execute("CREATE TABLE key_uses (key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT")
    connection.execute("CREATE TABLE probes (id INTEGER PRIMARY KEY, filler BLOB) STRICT")


def s006_clock(connection: sqlite3.Connection) -> None:
    """Which waiting time belongs to which time of the log, wherever the two clocks drifted apart."""
    connection.execute(
        "CREATE TABLE clock (at INTEGER PRIMARY KEY, waited INTEGER NOT NULL, slow INTEGER NOT NULL) STRICT"
    )


def s007_stored_bytes(connection: sqlite3.Connection) -> None:
    """How many bytes the log holds of each learner and key, and up to which event they were counted."""
    connection.execute(
        """
        CREATE TABLE stored_bytes (
            learner INTEGER NOT NULL,
            key TEXT NOT NULL,        -- the id of a key; empty for nobody
            bytes INTEGER NOT NULL,
            PRIMARY KEY (learner, key)
        ) STRICT, WITHOUT ROWID
        """
    )
    connection.execute(
        "CREATE TABLE stored_upto (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT"
    )


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    s001_log,
    s002_snapshots,
    s003_once,
    s004_bases,
    s005_keeping,
    s006_clock,
    s007_stored_bytes,
)


def steps_taken(connection: sqlite3.Connection, name: str) -> set[str]:
    """The steps a store has taken; refuses one with steps that this version does not know."""
    taken = {row[0] for row in connection.execute("SELECT name FROM steps")}
    unknown = taken - {step.__name__ for step in STEPS}
    if unknown:
        raise BadData(
            f"{name} was written by a later version of assay: it has taken the step {min(unknown)!r}. "
            "Upgrade assay to open it."
        )
    return taken


def bring_up(connection: sqlite3.Connection, name: str) -> None:
    """Take the steps that a store has not taken yet."""
    connection.execute("CREATE TABLE IF NOT EXISTS steps (name TEXT PRIMARY KEY) STRICT")
    taken = steps_taken(connection, name)
    for step in STEPS:
        if step.__name__ not in taken:
            connection.execute("BEGIN IMMEDIATE")
            try:
                step(connection)
                connection.execute("INSERT INTO steps VALUES (?)", (step.__name__,))
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
