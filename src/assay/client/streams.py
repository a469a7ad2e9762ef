"""The client for asynchronous programs: streams of the event loop, no threads."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from assay.client.http import Reply, Standings
from assay.client.learner import Learner, encoded, path_of
from assay.client.refused import ServiceRefused, refused_with
from assay.client.terms import Attempts, Terms

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
_PIECE = 65_536


def _awaited(
    call: Callable[Concatenate[Any, Given], Answer],
) -> Callable[Concatenate[Any, Given], Coroutine[Any, Any, Answer]]:
    """A call of `Learner`, to be awaited: it hands on what its client answers, which here is a coroutine."""
    return cast("Callable[Concatenate[Any, Given], Coroutine[Any, Any, Answer]]", call)


class AsyncClient:
    """The same for asynchronous programs, each with one event loop; any number of calls may be under way at once.

    A call that is cancelled may have been kept all the same: ask again about the same trial.

    Parameters
    ----------
    url, key, timeout, retries, deadline, cafile
        As for `Client`.
    connections : int, default=64
        How many connections there may be; calls beyond it wait their turn.
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
        connections: int = 64,
    ) -> None:
        self._terms = Terms(
            url, key, timeout=timeout, retries=retries, deadline=deadline, cafile=cafile
        )
        self._idle: list[_Line] = []
        self._room = asyncio.Semaphore(connections)

    def within(self, seconds: float) -> Self:
        """The same client, by the same connections, with a deadline for each call."""
        twin = copy.copy(self)
        twin._terms = self._terms.within(seconds)
        return twin

    # Learners

    async def create(self, name: str, **definition: Any) -> AsyncLearner:
        """Create a learner, or find the one that was created with the same definition."""
        return await self.call("PUT", path_of(name), definition, lambda _: self.learner(name))

    def learner(self, name: str) -> AsyncLearner:
        """A learner that is there already."""
        return AsyncLearner(self, name)

    async def learners(self) -> list[dict[str, Any]]:
        """All learners, and where they stand."""
        return await self.call("GET", "/v1/learners", of=lambda held: list(held["learners"]))

    async def health(self) -> dict[str, Any]:
        """Whether the service lives and is ready."""
        return await self.call("GET", "/healthz/live", of=dict)

    async def head(self) -> dict[str, Any]:
        """Where the log ends: kept elsewhere, it shows whether the log was cut or rewritten since."""
        return await self.call("GET", "/v1/head", of=dict)

    # Requests

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        of: Callable[[Any], Answer] = lambda held: held,
    ) -> Answer:
        """Send a request in JSON; what `of` makes of the answer."""
        raw = None if body is None else encoded(body)
        terms = self._terms
        return await self.send(
            method, path, raw, "application/json", lambda answer: terms.json(answer, of)
        )

    async def send(
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
            try:
                async with asyncio.timeout(attempts.left_in_all()), self._room:
                    attempts.go_on()
                    reply, answer = await self._once(request, attempts)
            except OSError as problem:
                wait = attempts.after_failure(problem)
            else:
                if 200 <= reply.status < 300:
                    return of(answer)
                wait = attempts.after_answer(reply.status, reply.headers, answer)
            await asyncio.sleep(wait)

    async def _once(self, request: bytes, attempts: Attempts) -> tuple[Reply, bytes]:
        while True:
            used = bool(self._idle)
            line = self._idle.pop() if used else await self._connected(attempts)
            reply = Reply()
            try:
                async with asyncio.timeout(attempts.left()):
                    await line.ask(request)
                while not reply.complete:
                    async with asyncio.timeout(attempts.left()):
                        reply.feed(await line.piece())
                    attempts.go_on()
            except BaseException as problem:
                line.close()
                # One that was kept may have been closed by the service meanwhile.
                if used and not reply.begun and isinstance(problem, ConnectionError):
                    continue
                raise
            if reply.keep:
                self._idle.append(line)
            else:
                line.close()
            return reply, reply.taken()

    async def _connected(self, attempts: Attempts) -> _Line:
        terms = self._terms
        name = None if terms.tls is None else terms.host
        async with asyncio.timeout(attempts.left()):
            reader, writer = await asyncio.open_connection(
                terms.host, terms.port, ssl=terms.tls, server_hostname=name
            )
        return _Line(reader, writer)

    async def stream(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """What a stream of events holds, until it ends."""
        attempts, reply, standings = Attempts(self._terms), Reply(), Standings()
        attempts.go_on()
        line: _Line | None = None
        try:
            line = await self._connected(attempts)
            async with asyncio.timeout(attempts.left()):
                await line.ask(self._terms.request("GET", path, None, ""))
            while not reply.complete:
                async with asyncio.timeout(self._terms.timeout):
                    reply.feed(await line.piece())
                if reply.status == 200:
                    for standing in standings.of(reply.taken()):
                        yield standing
        except OSError as problem:
            raise self._terms.unreachable(problem) from None
        finally:
            if line is not None:
                line.close()
        if reply.status != 200:
            raise refused_with(reply.status, reply.taken())

    async def aclose(self) -> None:
        """Close all connections."""
        while self._idle:
            await self._idle.pop().closed()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


class _Line:
    """A connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, request: bytes) -> None:
        """Send a request."""
        self._writer.write(request)
        # A service that refuses a long request does not read it to its end; what it says still comes.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await self._writer.drain()

    async def piece(self) -> bytes:
        """What comes next; nothing at the end."""
        return await self._reader.read(_PIECE)

    def close(self) -> None:
        """Let it go."""
        self._writer.close()

    async def closed(self) -> None:
        """The same, waited for."""
        self._writer.close()
        with contextlib.suppress(OSError):  # it is gone
            await self._writer.wait_closed()


class AsyncLearner:
    """One learner of a service, asked and told asynchronously: the calls are those of `Learner`."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self._client, self.name = client, name

    within = Learner.within
    _lines = Learner._lines

    predict = _awaited(Learner.predict)
    feedback = _awaited(Learner.feedback)
    rank = _awaited(Learner.rank)
    reward = _awaited(Learner.reward)
    activate = _awaited(Learner.activate)
    predict_many = _awaited(Learner.predict_many)
    feedback_many = _awaited(Learner.feedback_many)
    model = _awaited(Learner.model)
    erase = _awaited(Learner.erase)
    change_settings = _awaited(Learner.change_settings)
    standing = _awaited(Learner.standing)
    guarantees = _awaited(Learner.guarantees)
    certificate = _awaited(Learner.certificate)
    evaluate = _awaited(Learner.evaluate)
    export = _awaited(Learner.export)

    async def delete(self) -> None:
        """Delete the learner and everything that was kept of it."""
        try:
            await self._client.call("DELETE", path_of(self.name))
        except ServiceRefused as no:
            if no.code != "unknown_learner":  # deleted by an attempt whose answer was lost
                raise

    def events(self) -> AsyncIterator[dict[str, Any]]:
        """Where the learner stands, whenever that changes, until the service stops or it is deleted."""
        return self._client.stream(f"{path_of(self.name)}/events")
