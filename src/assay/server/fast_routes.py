"""The routes that everything depends on, without a framework between them and the engine."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from assay.server.desk import Desk
from assay.server.engine.engine import Answer, Engine
from assay.server.engine.requests import (
    activate_decoder,
    ask_decoder,
    decoded,
    encode,
    rank_decoder,
    tell_decoder,
)
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.server.store.writer import Group
from assay.server.wire.begun import rest_of

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Done = TypeVar("Done")

_JSON, _NDJSON = b"application/json", b"application/x-ndjson"
#: How many lines of a batch are worked on before others have their turn.
_TURN = 64
#: Bytes of a request, and seconds, beyond which it is worked on in a thread.
_LARGE, _LONG_S = 32_768, 0.005


async def read_body(receive: Receive, limits: Limits, most: int | None = None) -> bytes:
    """The body of a request; refuses one that is too large or was not sent to its end."""
    most = limits.body if most is None else min(most, limits.body)
    message = await _piece(receive, limits)
    body: bytes = message.get("body", b"")
    if message["type"] == "http.disconnect":
        raise ConnectionError
    if not message.get("more_body") and len(body) <= most:
        return body
    parts, size = [body], len(body)
    while message.get("more_body") and size <= most:
        message = await _piece(receive, limits)
        if message["type"] == "http.disconnect":
            raise ConnectionError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
    if size > most:
        more = f" {how('body')}" if most == limits.body else ""
        raise Refusal("too_large", f"A request must have at most {most:,} bytes.{more}")
    return b"".join(parts)


async def _piece(receive: Receive, limits: Limits) -> dict[str, Any]:
    """The next message; a clock is set only where it is not there yet, which a small body always is."""
    message: dict[str, Any]
    steps = receive().__await__()
    try:
        awaited = next(steps)
    except StopIteration as done:
        message = done.value
        return message
    try:
        async with asyncio.timeout(limits.stall):
            message = await rest_of(steps, awaited)
    except TimeoutError:
        raise Refusal(
            "too_slow", f"The next piece of a request must come within {limits.stall:g} seconds."
        ) from None
    return message


async def answer_with(
    send: Send, status: int, body: bytes, kind: bytes = _JSON, more: tuple[Any, ...] = ()
) -> None:
    """Send an answer; one of status 204 has no body."""
    headers = [*more]
    if status != 204:
        headers += [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, no: Refusal) -> None:
    """Send a refusal."""
    after = no.details.get("retry_after")
    more: tuple[Any, ...] = () if after is None else ((b"retry-after", b"%d" % after),)
    if no.status == 401:
        more = ((b"www-authenticate", b"Bearer"),)
    await answer_with(send, no.status, encode(no.body()), more=more)


class Hot:
    """Predict, feedback and their kin: one request, a list of them, or one in each line.

    What is small is answered on the event loop. What is large, what a learner does for the first time, and all
    that is asked of a learner that has been slow, is worked on at the desk, beside the requests of others.
    """

    def __init__(self, engine: Engine, desk: Desk) -> None:
        self.engine, self.desk = engine, desk
        self._calls: dict[str, tuple[Any, Callable[..., Answer]]] = {
            "predict": (ask_decoder, engine.predict),
            "feedback": (tell_decoder, engine.feedback),
            "rank": (rank_decoder, engine.predict),
            "reward": (tell_decoder, engine.feedback),
            "activate": (activate_decoder, engine.activate),
        }
        self._quick: set[tuple[str, str]] = set()

    async def __call__(
        self, what: str, name: str, scope: dict[str, Any], receive: Receive, send: Send
    ) -> int:
        """Answer a request; returns the status."""
        try:
            body = await read_body(receive, self.engine.limits)
            if _header(scope, b"content-type").startswith(_NDJSON):
                lines = await self._split(body, _lines)
                answers = await self._batch(name, what, lines)
                written = await self._written(
                    answers, lambda held: b"\n".join(map(encode, held)) + b"\n"
                )
                await answer_with(send, 200, written, _NDJSON)
                return 200
            if body.lstrip()[:1] == b"[":
                items = await self._split(body, _listed)
                answers = await self._batch(name, what, items)
                await answer_with(send, 200, await self._written(answers, encode))
                return 200
            decoder, call = self._calls[what]
            answer, group = await self.worked(
                name,
                what,
                len(body),
                lambda **terms: call(name, decoded(decoder, body or b"{}"), **terms),
            )
            scope["assay.trial"] = answer["trial"]
            if group is not None:
                await group.committed()
        except Refusal as no:
            scope["assay.reason"] = no.code
            await refuse(send, no)
            return no.status
        large = len(body) > _LARGE
        text = await self._written(answer, encode, len(body)) if large else encode(answer)
        await answer_with(send, 200, text)
        return 200

    async def worked(self, name: str, what: str, size: int, work: Callable[..., Done]) -> Done:
        """What comes of a request of so many bytes, worked on here or at the desk; then `work` gets `alone=True`."""
        if name in self.desk.busy:
            await self.desk.free(name)
        if size > _LARGE or self._takes_long(name, what):
            return await self._aside(name, what, lambda: work(alone=True))
        # By a clock on the wall, since to ask for processor time takes as long as to answer: where the machine was only
        # busy with other things, the next request finds out at the desk.
        begun = time.perf_counter()
        try:
            return work()
        finally:
            if time.perf_counter() - begun > _LONG_S:
                self._quick.discard((name, what))

    def _takes_long(self, name: str, what: str) -> bool:
        return (name, what) not in self._quick or self.engine.damaged(name)

    async def _aside(self, name: str, what: str, work: Callable[[], Done]) -> Done:
        """Work at the desk; where it took little, the next request need not."""
        self.engine.require_known(name)
        took = 0.0

        def timed() -> Done:
            nonlocal took
            begun = time.thread_time()
            try:
                return work()
            finally:
                took = time.thread_time() - begun

        try:
            return await self.desk.alone(name, timed)
        finally:
            if took < _LONG_S:
                if len(self._quick) > 2 * self.engine.limits.learners + _TURN:
                    self._quick.clear()  # of learners that are gone
                self._quick.add((name, what))

    async def _split(self, body: bytes, split: Callable[[bytes], list[Any]]) -> list[Any]:
        return split(body) if len(body) <= _LARGE else await self.desk.beside(lambda: split(body))

    async def _written(self, answer: Any, write: Callable[[Any], bytes], size: int = 0) -> bytes:
        if size <= _LARGE and (isinstance(answer, dict) or len(answer) <= _TURN):
            return write(answer)
        return await self.desk.beside(lambda: write(answer))

    async def _batch(self, name: str, what: str, items: list[Any]) -> list[dict[str, Any]]:
        """One answer for each, in their order; a refusal stands in the place of its answer."""
        if len(items) > self.engine.limits.rows:
            raise Refusal(
                "too_large",
                f"A batch must have at most {self.engine.limits.rows:,} entries. {how('rows')}",
            )
        self.engine.require_known(name)
        answers: list[dict[str, Any]] = []
        groups: list[Group] = []
        while len(answers) < len(items):
            if name in self.desk.busy:
                await self.desk.free(name)
            part = items[len(answers) : len(answers) + _TURN]
            if self._takes_long(name, what) or sum(map(_size, part)) > _LARGE:
                work = partial(self._some, name, what, part, answers, groups, alone=True)
                try:
                    busy = await self._aside(name, what, work)
                except Refusal as no:
                    # The store may fail between two turns, after some lines were kept.
                    raise (_partly(no) if answers and no.code in _HALTED else no) from None
            else:
                busy = self._some(name, what, part, answers, groups)
            # A batch waits for room, as it is one request; others are told to come again.
            room = self.engine.flushed() if busy else None
            await (asyncio.sleep(0) if room is None else _committed([room]))
        # Each group by itself: one may fail while those behind it, which were begun anew, do not.
        await _committed(groups)
        return answers

    def _some(
        self,
        name: str,
        what: str,
        items: list[Any],
        answers: list[dict[str, Any]],
        groups: list[Group],
        *,
        alone: bool = False,
    ) -> bool:
        """Some of a batch, as many as a turn takes; returns whether it ended because there was no more room."""
        decoder, call = self._calls[what]
        done = 0
        until = time.perf_counter() + _LONG_S * (10 if alone else 1)
        # Committed together, unless that would keep everybody's commit waiting.
        with contextlib.nullcontext() if alone else self.engine.writer.held():
            for item in items:
                try:
                    answer, group = call(name, decoded(decoder, item), alone=alone)
                except Refusal as no:
                    if no.code in _HALTED:
                        raise _partly(no) from None
                    if no.code == "busy":
                        return True
                    answers.append(no.body() | {"status": no.status})
                    continue
                answers.append(answer)
                if group is not None and group not in groups[-1:]:
                    groups.append(group)
                done += 1
                if time.perf_counter() > until:
                    if not alone and done < _TURN // 8:
                        self._quick.discard((name, what))
                    break
        return False


def _lines(body: bytes) -> list[Any]:
    return [line for line in body.split(b"\n") if line.strip()]


def _listed(body: bytes) -> list[Any]:
    items: list[Any] = decoded(_LIST, body)
    return items


def _size(item: Any) -> int:
    return len(item if isinstance(item, bytes) else bytes(item))


async def _committed(groups: list[Group]) -> None:
    try:
        for group in groups:
            await group.committed()
    except Refusal as no:
        raise _partly(no) from None


def _partly(no: Refusal) -> Refusal:
    """The refusal of a batch some of whose lines may have been kept."""
    return Refusal(
        no.code,
        "A part of the batch was not kept. Send all of it again: what was kept is not learned twice.",
        **no.details,
    )


# Nothing is kept any more, whatever it is.
_HALTED = ("store_failed", "stopping")
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def _header(scope: dict[str, Any], name: bytes) -> bytes:
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return b""
