"""One line of JSON for each request: what was asked and how it ended, never what it held.

Bodies, keys and queries are not written. Lines are put together and written by a thread, so that no request
waits for a terminal; where it cannot keep up, lines are dropped and counted.
"""

from __future__ import annotations

import logging
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
        self._dropped = 0
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
        key = scope.get("assay.key")
        self._lines.append(
            (
                time.time(),
                level if status < 500 else "error",
                scope["method"],
                path,
                status,
                seconds,
                scope.get("assay.trial"),
                None if key is None else key.id,
            )
        )

    def say(self, level: str, message: str) -> None:
        """A sentence that is about no request."""
        self._lines.append((time.time(), level, message))

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


def _line(at: float, level: str, *rest: Any) -> bytes:
    """A line of the log.

    Examples
    --------
    >>> _line(0.0, "info", "POST", "/v1/learners/shop/predict", 200, 0.0021, "t1", None).decode()
    '{"at":0.000,"level":"info","method":"POST","path":"/v1/learners/shop/predict","status":200,"ms":2.100,"trial":"t1"}'
    >>> _line(0.0, "warning", "The disk is full.").decode()
    '{"at":0.0,"level":"warning","message":"The disk is full."}'
    """
    if len(rest) == 1:
        return _encode({"at": round(at, 3), "level": level, "message": rest[0]})
    method, path, status, seconds, trial, key = rest
    return b'{"at":%.3f,"level":"%b","method":%b,"path":%b,"status":%d,"ms":%.3f%b%b}' % (
        at,
        level.encode(),
        _text(method),
        _text(path),
        status,
        seconds * 1000,
        b"" if trial is None else b',"trial":' + _encode(trial),
        b"" if key is None else b',"key":' + _text(key),
    )


@lru_cache(maxsize=1024)
def _text(text: str) -> bytes:
    return _encode(text[:200].encode("utf-8", "replace").decode())  # no text may end the log
