"""Where a service is, how long it may take, and when a request is sent again."""

from __future__ import annotations

import copy
import json
import math
import os
import random
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from assay.client.http import request_bytes
from assay.client.refused import ServiceRefused, refused_with
from assay.errors import BadData, BadParameter, require

_AGAIN = (429, 502, 503, 504)
_LONGEST_WAIT_S = 5.0

Answer = TypeVar("Answer")


class Terms:
    """What the clients share: everything but connections."""

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        timeout: float,
        retries: int,
        deadline: float | None,
        cafile: str | os.PathLike[str] | None,
    ) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise BadParameter(f"url must begin with http:// or https://, but is {url!r}.")
        try:
            port = place.port
        except ValueError:
            raise BadParameter(f"url must have a port from 0 to 65535, but is {url!r}.") from None
        if key is not None and not _travels(key):
            # Not quoted, so that it stands in no log. A key read from a file often ends with its line.
            raise BadParameter(
                "key must be visible ASCII characters, without spaces or line ends around it."
            )
        secure = place.scheme == "https"
        self.host, self.port = place.hostname, port if port is not None else 443 if secure else 80
        self._root, self.retries = place.path.rstrip("/"), retries
        self.timeout, self.deadline = _seconds(timeout, "timeout"), None
        if deadline is not None:
            self.deadline = _seconds(deadline, "deadline")
        if cafile is not None and not secure:
            raise BadParameter(f"cafile belongs to https://, but url is {url!r}.")
        self.tls = _trusting(cafile) if secure else None
        try:
            named = self.host if ":" in self.host else self.host.encode("idna").decode()
        except UnicodeError:
            raise BadParameter(f"url must name a host, but is {url!r}.") from None
        named = f"[{named}]" if ":" in named else named
        self._headers = {"Host": named if port is None else f"{named}:{port}"}
        self._headers["Accept-Encoding"] = "identity"
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        if not _travels(self._root):
            raise BadParameter(f"url must have a path without spaces, but is {url!r}.")

    def within(self, seconds: float) -> Self:
        """The same with another deadline."""
        twin = copy.copy(self)
        twin.deadline = _seconds(seconds, "deadline")
        return twin

    def request(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        """A request as it is sent."""
        if not _travels(path):
            raise BadParameter(f"path must be visible ASCII characters, but is {path!r}.")
        headers: Mapping[str, str] = self._headers
        if body is not None:
            headers = {**headers, "Content-Type": kind}
        return request_bytes(method, self._root + path, headers, body)

    def json(self, answer: bytes, of: Callable[[Any], Answer]) -> Answer:
        """What comes of an answer in JSON."""
        try:
            held = json.loads(answer)
        except ValueError:
            raise ServiceRefused(
                200, "unknown", f"{self.host} did not answer with JSON. Is it the service?"
            ) from None
        return of(held)

    def unreachable(self, problem: BaseException) -> ServiceRefused:
        """Nobody answers."""
        why = str(problem) or "no answer"
        return ServiceRefused(0, "unreachable", f"{self.host} cannot be reached: {why}.")


class Attempts:
    """The attempts of one call: how long each may take, and how long to wait before the next.

    Examples
    --------
    >>> terms = Terms("http://localhost", None, timeout=30, retries=8, deadline=2, cafile=None)
    >>> attempts = Attempts(terms)
    >>> attempts.go_on()
    >>> attempts.left() <= 2
    True
    """

    def __init__(self, terms: Terms) -> None:
        self._terms, self._number = terms, 0
        now = time.monotonic()
        self._until = math.inf if terms.deadline is None else now + terms.deadline
        self._end = 0.0

    def go_on(self) -> None:
        """An attempt begins, or something has come: the next piece may take as long again."""
        self._end = min(time.monotonic() + self._terms.timeout, self._until)

    def left(self) -> float:
        """Seconds that are left for what comes next; raises `TimeoutError` where none are."""
        return _above_zero(self._end - time.monotonic())

    def left_in_all(self) -> float | None:
        """Seconds until the deadline, if there is one."""
        return None if self._until == math.inf else _above_zero(self._until - time.monotonic())

    def after_failure(self, problem: BaseException) -> float:
        """Seconds to wait after an attempt without an answer; raises where there is no other."""
        last = isinstance(problem, ssl.SSLCertVerificationError)  # it will not be another
        wait = pause(self._number, None)
        late = time.monotonic() + wait >= self._until
        if late and not last and self._terms.deadline is not None:
            raise ServiceRefused(
                0,
                "deadline",
                f"{self._terms.host} did not answer within {self._terms.deadline:g} seconds.",
            )
        if last or self._number >= self._terms.retries:
            raise self._terms.unreachable(problem)
        self._number += 1
        return wait

    def after_answer(self, status: int, headers: Mapping[str, str], answer: bytes) -> float:
        """The same after an answer that is no 2xx."""
        wait = pause(self._number, headers.get("retry-after"))
        late = time.monotonic() + wait >= self._until
        if status not in _AGAIN or late or self._number >= self._terms.retries:
            raise refused_with(status, answer)
        self._number += 1
        return wait


def pause(attempt: int, wanted: str | None) -> float:
    """Seconds to wait: never sooner than the service asked for, unless that is longer than anybody should wait."""
    # A little chance, so that clients that were refused together do not come back together.
    asked = wanted is not None and wanted.isascii() and wanted.isdigit()
    wait = float(wanted or 0) if asked else 0.05 * 2**attempt
    return min(wait, _LONGEST_WAIT_S) * (random.uniform(0.5, 1.0) + 0.5 * asked)


def _seconds(value: float, name: str) -> float:
    require(0 < value < math.inf, name, "a number of seconds above zero", value)
    return float(value)


def _above_zero(left: float) -> float:
    if left <= 0:
        raise TimeoutError("no answer in time")
    return left


def _travels(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _trusting(cafile: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """TLS that trusts the authorities of a file, or those of the system."""
    try:
        return ssl.create_default_context(cafile=cafile)
    except ssl.SSLError:
        raise BadData(f"{cafile} holds no certificates in PEM.") from None
    except OSError as problem:
        raise BadData(f"{cafile} cannot be read: {problem.strerror or problem}.") from None
