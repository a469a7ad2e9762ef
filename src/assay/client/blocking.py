"""The client for programs that wait: plain sockets, for any number of threads."""

from __future__ import annotations

import contextlib
import copy
import os
import queue
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

from assay.client.http import Reply, Standings
from assay.client.learner import Learner, encoded, path_of
from assay.client.refused import refused_with
from assay.client.terms import Attempts, Terms

Answer = TypeVar("Answer")
_PIECE = 65_536


class Client:
    """A connection to a service, for any number of threads.

    Parameters
    ----------
    url : str
        Where the service is, such as ``http://127.0.0.1:8000``.
    key : str, optional
        The API key.
    timeout : float, default=30
        Seconds that the service may take to answer, and then for each further piece of a long answer.
    retries : int, default=8
        How often a request is sent again after the connection broke or the service was busy.
    deadline : float, optional
        Seconds that a call may take with all its attempts and the waits between them; see also `within`.
    cafile : path, optional
        Certificates in PEM of the authorities that are trusted for ``https://``; those of the system when not given.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 8,
        deadline: float | None = None,
        cafile: str | os.PathLike[str] | None = None,
    ) -> None:
        self._terms = Terms(
            url, key, timeout=timeout, retries=retries, deadline=deadline, cafile=cafile
        )
        self._idle: queue.LifoQueue[socket.socket] = queue.LifoQueue()

    def within(self, seconds: float) -> Self:
        """The same client, by the same connections, with a deadline for each call."""
        twin = copy.copy(self)
        twin._terms = self._terms.within(seconds)
        return twin

    # Learners

    def create(self, name: str, **definition: Any) -> Learner:
        """Create a learner, or find the one that was created with the same definition."""
        return self.call("PUT", path_of(name), definition, lambda _: self.learner(name))

    def learner(self, name: str) -> Learner:
        """A learner that is there already."""
        return Learner(self, name)

    def learners(self) -> list[dict[str, Any]]:
        """All learners, and where they stand."""
        return self.call("GET", "/v1/learners", of=lambda held: list(held["learners"]))

    def health(self) -> dict[str, Any]:
        """Whether the service lives and is ready."""
        return self.call("GET", "/healthz/live", of=dict)

    def head(self) -> dict[str, Any]:
        """Where the log ends: kept elsewhere, it shows whether the log was cut or rewritten since."""
        return self.call("GET", "/v1/head", of=dict)

    # Requests

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        of: Callable[[Any], Answer] = lambda held: held,
    ) -> Answer:
        """Send a request in JSON; what `of` makes of the answer."""
        raw = None if body is None else encoded(body)
        terms = self._terms
        return self.send(
            method, path, raw, "application/json", lambda answer: terms.json(answer, of)
        )

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        kind: str,
        of: Callable[[bytes], Answer] = lambda answer: answer,  # type: ignore[assignment,return-value]
    ) -> Answer:
        """Send bytes, again and again where that may help; every request of this client may be repeated."""
        request, attempts = self._terms.request(method, path, body, kind), Attempts(self._terms)
        while True:
            attempts.go_on()
            try:
                reply, answer = self._once(request, attempts)
            except OSError as problem:
                wait = attempts.after_failure(problem)
            else:
                if 200 <= reply.status < 300:
                    return of(answer)
                wait = attempts.after_answer(reply.status, reply.headers, answer)
            time.sleep(wait)

    def _once(self, request: bytes, attempts: Attempts) -> tuple[Reply, bytes]:
        while True:
            try:
                connection, used = self._idle.get_nowait(), True
            except queue.Empty:
                connection, used = self._connected(attempts), False
            reply = Reply()
            try:
                self._ask(connection, request, attempts)
                while not reply.complete:
                    connection.settimeout(attempts.left())
                    reply.feed(connection.recv(_PIECE))
                    attempts.go_on()
            except BaseException as problem:
                connection.close()
                # One that was kept may have been closed by the service meanwhile.
                if used and not reply.begun and isinstance(problem, ConnectionError):
                    continue
                raise
            if reply.keep:
                self._idle.put(connection)
            else:
                connection.close()
            return reply, reply.taken()

    @staticmethod
    def _ask(connection: socket.socket, request: bytes, attempts: Attempts) -> None:
        connection.settimeout(attempts.left())
        # A service that refuses a long request does not read it to its end; what it says still comes.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)

    def _connected(self, attempts: Attempts) -> socket.socket:
        terms = self._terms
        made = socket.create_connection((terms.host, terms.port), attempts.left())
        try:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if terms.tls is None:
                return made
            made.settimeout(attempts.left())
            return terms.tls.wrap_socket(made, server_hostname=terms.host)
        except BaseException:
            made.close()
            raise

    def stream(self, path: str) -> Iterator[dict[str, Any]]:
        """What a stream of events holds, until it ends."""
        attempts, reply, standings = Attempts(self._terms), Reply(), Standings()
        attempts.go_on()
        connection: socket.socket | None = None
        try:
            connection = self._connected(attempts)
            self._ask(connection, self._terms.request("GET", path, None, ""), attempts)
            while not reply.complete:
                connection.settimeout(self._terms.timeout)
                reply.feed(connection.recv(_PIECE))
                if reply.status == 200:
                    yield from standings.of(reply.taken())
        except OSError as problem:
            raise self._terms.unreachable(problem) from None
        finally:
            if connection is not None:
                connection.close()
        if reply.status != 200:
            raise refused_with(reply.status, reply.taken())

    def close(self) -> None:
        """Close all connections."""
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
