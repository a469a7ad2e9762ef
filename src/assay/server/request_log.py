"""One line of JSON for each request: who asked what and how it ended, never what it held.

Bodies, keys and queries are not written. Lines are put together and written by a thread, so that no request
waits for a terminal; where it cannot keep up, lines are dropped and counted.
"""

from __future__ import annotations

import itertools
import logging
import re
import secrets
import sys
import threading
import time
import traceback
from collections import deque
from functools import lru_cache
from typing import Any, TextIO

import msgspec

_MOST = 10_000
_EVERY_S = 0.1
_encode = msgspec.json.Encoder().encode


class RequestLog:
    """Lines of JSON on standard error.

    Parameters
    ----------
    out : text file, optional
    all : bool, default=True
        Whether requests that were fulfilled are written too, not only those that were not.
    """

    def __init__(self, out: TextIO | None = None, *, all: bool = True) -> None:
        self._out, self._all = out or sys.stderr, all
        self._lines: deque[tuple[Any, ...]] = deque()
        self._dropped = self._all_dropped = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assay-log", daemon=True)
        self._thread.start()

    def note(
        self, scope: dict[str, Any], path: str, status: int, seconds: float, level: str = "info"
    ) -> None:
        """A request was answered."""
        if status < 400 and not self._all:
            return
        if len(self._lines) >= _MOST:
            self._dropped += 1
            return
        key, client = scope.get("assay.key"), scope.get("client")
        self._lines.append(
            (
                time.time(),
                level if status < 500 else "error",
                scope["method"],
                path,
                status,
                seconds,
                request_id(scope),
                None if client is None else client[0],
                scope.get("assay.trial"),
                None if key is None else key.id,
                scope.get("assay.reason"),
            )
        )

    def say(self, level: str, message: str) -> None:
        """A sentence that is about no request."""
        self._lines.append((time.time(), level, message))

    def take(self, line: str) -> None:
        """A line that is whole already."""
        if len(self._lines) >= _MOST:
            self._dropped += 1
        else:
            self._lines.append((line,))

    @property
    def dropped(self) -> int:
        """How many lines were dropped since the start."""
        return self._all_dropped + self._dropped

    def close(self) -> None:
        """Write what waits, and end."""
        self._ended.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._flush()
        self._flush()

    def _flush(self) -> None:
        lines: list[bytes] = []
        while self._lines and len(lines) < _MOST:
            lines.append(_line(*self._lines.popleft()))
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            self._all_dropped += dropped
            lines.append(_line(time.time(), "warning", f"{dropped:,} lines were dropped."))
        if lines:
            try:
                self._out.write(b"\n".join(lines).decode() + "\n")
                self._out.flush()
            except (OSError, ValueError):
                pass  # nobody reads, and the service goes on


class JsonLines(logging.Formatter):
    """Records of `logging` as lines of the same log; of an error its place, not its text, which may quote a request."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as a line."""
        held: dict[str, Any] = {"at": round(record.created, 3), "level": record.levelname.lower()}
        held["message"] = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            held["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            held["frames"] = [f"{f.filename}:{f.lineno} {f.name}" for f in frames]
        return _encode(held).decode()


class QueuedLines(logging.Handler):
    """Records of `logging` by way of the same queue: whoever logs never waits for who reads.

    Parameters
    ----------
    requests : RequestLog
    """

    def __init__(self, requests: RequestLog) -> None:
        super().__init__()
        self._requests = requests
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        """Put a record where the thread finds it."""
        self._requests.take(self.format(record))


_ID = re.compile(rb"[A-Za-z0-9_.:-]{1,64}")
_start = secrets.token_hex(4)
_number = itertools.count(1)


def request_id(scope: dict[str, Any]) -> str:
    """What a request is called: as whoever asked called it, in the header X-Request-Id, or by a number of ours."""
    known = scope.get("assay.request")
    if known is None:
        known = f"{_start}-{next(_number)}"
        for name, value in scope.get("headers", ()):
            if name == b"x-request-id":
                if _ID.fullmatch(value):
                    known = value.decode()
                break
        scope["assay.request"] = known
    return str(known)


def _line(at: float | str, level: str = "", *rest: Any) -> bytes:
    """A line of the log.

    Examples
    --------
    >>> path = "/v1/learners/shop/feedback"
    >>> _line(0.0, "info", "POST", path, 409, 0.0021, "r-1", "10.0.0.7", "t1", None, "conflict").decode()
    '{"at":0.000,"level":"info","method":"POST","path":"/v1/learners/shop/feedback","status":409,"ms":2.100,\
"request":"r-1","client":"10.0.0.7","trial":"t1","reason":"conflict"}'
    >>> _line(0.0, "warning", "The disk is full.").decode()
    '{"at":0.0,"level":"warning","message":"The disk is full."}'
    """
    if isinstance(at, str):
        return at.encode()
    if len(rest) == 1:
        return _encode({"at": round(at, 3), "level": level, "message": rest[0]})
    method, path, status, seconds, request, client, trial, key, reason = rest
    more = b',"request":%b' % _encode_text(request)  # each has another: not remembered
    if client is not None:
        more += b',"client":%b' % _text(client)
    if trial is not None:
        more += b',"trial":%b' % _encode_text(trial)
    if key is not None:
        more += b',"key":%b' % _text(key)
    if reason is not None:
        more += b',"reason":%b' % _text(reason)
    return b'{"at":%.3f,"level":"%b","method":%b,"path":%b,"status":%d,"ms":%.3f%b}' % (
        at,
        level.encode(),
        _text(method),
        _text(path),
        status,
        seconds * 1000,
        more,
    )


def _encode_text(text: str) -> bytes:
    return _encode(text[:200].encode("utf-8", "replace").decode())  # no text may end the log


_text = lru_cache(maxsize=1024)(_encode_text)
