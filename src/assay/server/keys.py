"""Keys for the API: a file of salted hashes, in which no key can be read.

A key is ``assay_<id>_<secret>`` with a secret of 256 random bits. Nobody can try that many, so one round of a
salted hash keeps it as safe as a slow one would, and a request is not held up. The id finds the entry; the
secret is compared in constant time.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path

import msgspec

from assay.errors import BadData, BadParameter, require
from assay.file_locks import locked
from assay.server.access import SCOPES, Scope
from assay.server.engine.definition import NAME
from assay.server.refusals import Refusal
from assay.whole_file import whole_file

#: A file whose keys expire is of format 2, which earlier versions refuse: they would take such keys for ever.
FORMATS = (1, 2)
_KEY = re.compile(r"assay_([0-9a-f]{12})_([0-9a-f]{64})")
_HASH = re.compile(r"[0-9a-f]{64}")
#: How often a running server looks whether its file has changed.
_LOOK_AGAIN_S = 1.0


class Key(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """What is kept of a key, and what it may do.

    Attributes
    ----------
    id : str
        Found in the key, in logs and in `assay keys list`; no secret.
    name : str
        What it is for, in words.
    scopes : list of str
        "read", "predict", "feedback", "admin"; the last includes the others.
    salt, hash : str
        Of the secret.
    learners : list of str or None
        The learners it is for; None for all.
    rate : float or None
        Requests a second, where they differ from the server's limit.
    made : int
        Seconds since 1970.
    expires : int or None
        The same, when it ends; None for never.
    """

    id: str
    name: str
    scopes: list[Scope]
    salt: str
    hash: str
    learners: list[str] | None = None
    rate: float | None = None
    made: int = 0
    expires: int | None = None

    def may(self, scope: Scope) -> bool:
        """Whether it has a scope."""
        return scope in self.scopes or "admin" in self.scopes

    def sees(self, learner: str) -> bool:
        """Whether it is for a learner."""
        return self.learners is None or learner in self.learners


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    keys: list[Key]


def hash_of(secret: str, salt: str) -> str:
    """The hash that is kept of a secret."""
    return blake2b(
        secret.encode(), salt=bytes.fromhex(salt), person=b"assay key", digest_size=32
    ).hexdigest()


def new_key(
    name: str,
    scopes: Sequence[str],
    learners: Sequence[str] | None = None,
    rate: float | None = None,
    days: float | None = None,
) -> tuple[str, Key]:
    """A new key as text, which nobody can see again, and what is kept of it.

    Examples
    --------
    >>> text, key = new_key("the shop", ["predict", "feedback"], learners=["basket"])
    >>> key.may("predict"), key.may("admin"), key.sees("basket"), key.sees("other")
    (True, False, True, False)
    >>> Keys([key]).find(text) is key
    True
    """
    visible = 1 <= len(name) <= 100 and name.isprintable()
    require(visible, "The key's name", "1 to 100 visible characters", name)
    if not scopes:
        raise BadParameter("A key must have a scope: " + ", ".join(SCOPES) + ".")
    for scope in scopes:
        require(scope in SCOPES, "scope", f"one of {', '.join(SCOPES)}", scope)
    for learner in learners or ():
        require(bool(NAME.fullmatch(learner)), "learner", "the name of a learner", learner)
    require(_is_rate(rate), "rate", "requests a second above zero", rate)
    require(days is None or 0 < days < 36525, "days", "above zero, and at most a century", days)
    number, secret, salt = secrets.token_hex(6), secrets.token_hex(32), secrets.token_hex(16)
    ordered = [scope for scope in SCOPES if scope in scopes]
    seen = None if learners is None else sorted(set(learners))
    made = int(time.time())
    expires = None if days is None else made + int(days * 86400)
    kept = Key(number, name, ordered, salt, hash_of(secret, salt), seen, rate, made, expires)
    return f"assay_{number}_{secret}", kept


class Keys:
    """Keys by their ids.

    Parameters
    ----------
    keys : sequence of Key
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = {key.id: key for key in keys}

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, text: str) -> Key | None:
        """The key of this text; None if there is none.

        Unknown ids take as long as wrong secrets.
        """
        matched = _KEY.fullmatch(text)
        if matched is None:
            return None
        number, secret = matched.groups()
        key = self._keys.get(number)
        salt, kept = (key.salt, key.hash) if key is not None else ("0" * 32, "0" * 64)
        same = hmac.compare_digest(hash_of(secret, salt), kept)
        return key if same and not (key is not None and _is_over(key)) else None


class KeyFile:
    """A file of keys, read again when it changes: a key that is revoked stops working within a second.

    Parameters
    ----------
    path : str or path
    report : callable
        Told in a sentence when the file has become unreadable. From then on no key works, until it can be read again:
        a key that was revoked could not be told from the others.
    """

    def __init__(
        self, path: str | os.PathLike[str], report: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self.path, self._report = Path(path), report
        self._mark = self._stamp()  # before it is read: a change in between is seen later
        self._keys = Keys(read_keys(self.path))
        self._looked, self._problem = time.monotonic(), ""
        if not len(self._keys):
            raise BadData(f"{self.path} holds no key. Make one with `assay keys new`.")

    def find(self, text: str) -> Key | None:
        """The key of this text; None if there is none. Refuses where nobody can know."""
        if self.problem() is not None:
            raise Refusal("keys_failed", "Keys cannot be looked up at present.", retry_after=1)
        return self._keys.find(text)

    def problem(self) -> str | None:
        """Why no key can be looked up, in words; None if all is well. The file is looked at once a second."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_AGAIN_S:
            self._looked = now
            self._look_again()
        return "the file of keys cannot be read" if self._problem else None

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            state = self.path.stat()
        except OSError:
            return None
        # With the time of its rights: who may read it is a change too.
        return state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino, state.st_mode

    def _look_again(self) -> None:
        mark = self._stamp()
        if mark == self._mark and mark is not None and not self._problem:
            return
        before, self._mark, self._problem = self._problem, mark, ""
        try:
            self._keys = Keys(read_keys(self.path))
        except BadData as problem:
            self._problem = str(problem)
            if self._problem != before:
                self._report(f"{problem} No key works until it can be read.")


def _is_over(key: Key) -> bool:
    return key.expires is not None and time.time() >= key.expires


def _is_rate(rate: float | None) -> bool:
    return rate is None or 0 < rate < 1e9


def read_keys(path: str | os.PathLike[str]) -> list[Key]:
    """The keys of a file; refuses one that others could write."""
    place = Path(path)
    try:
        with open(place, "rb") as file_read:
            mode = os.fstat(file_read.fileno()).st_mode
            data = file_read.read()
    except OSError as problem:
        raise BadData(f"{place} cannot be read: {problem.strerror or problem}.") from None
    if os.name == "posix" and mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise BadData(
            f"{place} can be written by others, who could give themselves keys. Run: chmod 600 {place}"
        )
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise BadData(f"{place} cannot be read as a file of keys: {problem}.") from None
    if file.format not in FORMATS:
        raise BadData(
            f"{place} is a file of keys of format {file.format}, which is not known here."
        )
    for key in file.keys:
        sound = re.fullmatch("[0-9a-f]{12}", key.id) and re.fullmatch("[0-9a-f]{32}", key.salt)
        if not sound or not _is_rate(key.rate) or not _HASH.fullmatch(key.hash) or not key.scopes:
            raise BadData(
                f"{place} cannot be read as a file of keys: the key {key.id!r} is damaged."
            )
    return file.keys


def write_keys(path: str | os.PathLike[str], keys: Sequence[Key]) -> None:
    """Put a file of keys in its place, wholly or not at all: as it was owned, or for its owner alone."""
    place = Path(os.path.realpath(path))  # a link stays a link
    before = place.stat() if place.exists() else None
    number = max(FORMATS) if any(key.expires is not None for key in keys) else min(FORMATS)
    mode = 0o600 if before is None else stat.S_IMODE(before.st_mode)
    with whole_file(place, mode=mode) as file:
        if before is not None and hasattr(os, "fchown"):
            _keep_owner(file.fileno(), before, place)
        file.write(msgspec.json.format(msgspec.json.encode(_File(number, list(keys))), indent=2))
        file.write(b"\n")


def _keep_owner(handle: int, before: os.stat_result, place: Path) -> None:
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) == (before.st_uid, before.st_gid):
        return
    try:
        os.fchown(handle, before.st_uid, before.st_gid)
    except PermissionError:
        raise BadData(
            f"{place} belongs to another user (number {before.st_uid}), whose service could not read it afterwards. "
            "Run this as that user, or as root."
        ) from None


def only_one(path: str | os.PathLike[str]) -> AbstractContextManager[None]:
    """Let nobody else change a file of keys within: two changes at once would leave one of them."""
    return locked(Path(os.path.realpath(path)).parent)


def add_key(path: str | os.PathLike[str], key: Key) -> None:
    """Add a key to a file, which is made if it is not there."""
    with only_one(path):
        known = read_keys(path) if Path(path).exists() else []
        write_keys(path, [*known, key])


def revoke_key(path: str | os.PathLike[str], number: str) -> Key:
    """Remove a key from a file by its id."""
    with only_one(path):
        known = read_keys(path)
        for key in known:
            if key.id == number:
                write_keys(path, [k for k in known if k is not key])
                return key
    raise BadData(f"{path} holds no key with the id {number!r}.")
