"""The two routes that everything depends on, without a framework between them and the engine."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import msgspec

from assay.server.engine.engine import Answer, Engine
from assay.server.engine.requests import ask_decoder, decoded, encode, tell_decoder
from assay.server.limits import Limits
from assay.server.refusals import Refusal
from assay.server.store.writer import Group

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_JSON, _NDJSON = b"application/json", b"application/x-ndjson"
#: How many lines of a batch are worked on before others have their turn.
_TURN = 64


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """The body of a request; refuses one that is too large or was not sent to its end."""
    most = limits.body
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
        raise Refusal("too_large", f"A request must have at most {most:,} bytes.")
    return b"".join(parts)


async def _piece(receive: Receive, limits: Limits) -> dict[str, Any]:
    """The next message; a clock is set only where it is not there yet, which a small body always is."""
    steps = receive().__await__()
    try:
        awaited = next(steps)
    except StopIteration as done:
        message: dict[str, Any] = done.value
        return message
    try:
        async with asyncio.timeout(limits.stall):
            return await _rest(steps, awaited)
    except TimeoutError:
        raise Refusal(
            "too_slow", f"The next piece of a request must come within {limits.stall:g} seconds."
        ) from None


@types.coroutine
def _rest(steps: Any, awaited: Any) -> Generator[Any, Any, dict[str, Any]]:
    """What is left of something begun, which waits for `awaited`."""
    try:
        while True:
            try:
                given = yield awaited
            except BaseException as problem:
                awaited = steps.throw(problem)
            else:
                awaited = steps.send(given)
    except StopIteration as done:
        message: dict[str, Any] = done.value
        return message


async def answer_with(
    send: Send, status: int, body: bytes, kind: bytes = _JSON, more: tuple[Any, ...] = ()
) -> None:
    """Send an answer."""
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *more]
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
    """Predict and feedback: one request, a list of them, or one in each line."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._calls: dict[str, tuple[Any, Callable[[str, Any], Answer]]] = {
            "predict": (ask_decoder, engine.predict),
            "feedback": (tell_decoder, engine.feedback),
        }

    async def __call__(
        self, what: str, name: str, scope: dict[str, Any], receive: Receive, send: Send
    ) -> int:
        """Answer a request; returns the status."""
        decoder, call = self._calls[what]
        try:
            body = await read_body(receive, self.engine.limits)
            if _header(scope, b"content-type").startswith(_NDJSON):
                lines = [line for line in body.split(b"\n") if line.strip()]
                answers = await self._batch(name, what, lines)
                await answer_with(send, 200, b"\n".join(map(encode, answers)) + b"\n", _NDJSON)
                return 200
            if body.lstrip()[:1] == b"[":
                answers = await self._batch(name, what, decoded(_LIST, body))
                await answer_with(send, 200, encode(answers))
                return 200
            answer, group = call(name, decoded(decoder, body or b"{}"))
            scope["assay.trial"] = answer["trial"]
            if group is not None:
                await group.committed()
        except Refusal as no:
            scope["assay.reason"] = no.code
            await refuse(send, no)
            return no.status
        await answer_with(send, 200, encode(answer))
        return 200

    async def _batch(self, name: str, what: str, items: list[Any]) -> list[dict[str, Any]]:
        """One answer for each, in their order; a refusal stands in the place of its answer."""
        if len(items) > self.engine.limits.rows:
            raise Refusal(
                "too_large", f"A batch must have at most {self.engine.limits.rows:,} entries."
            )
        self.engine.hosted(name)
        answers: list[dict[str, Any]] = []
        groups: list[Group] = []
        while len(answers) < len(items):
            part = items[len(answers) : len(answers) + _TURN]
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
    ) -> bool:
        """Some of a batch, committed together; returns whether it ended because there was no more room."""
        decoder, call = self._calls[what]
        with self.engine.writer.held():
            for item in items:
                try:
                    answer, group = call(name, decoded(decoder, item))
                except Refusal as no:
                    if no.code in ("store_failed", "stopping"):
                        raise _partly(no) from None
                    if no.code == "busy":
                        return True
                    answers.append(no.body() | {"status": no.status})
                    continue
                answers.append(answer)
                if group is not None and group not in groups[-1:]:
                    groups.append(group)
        return False


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


_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def _header(scope: dict[str, Any], name: bytes) -> bytes:
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return b""
