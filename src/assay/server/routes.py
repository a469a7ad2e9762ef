"""The routes of the API: a function each, described by the line above it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
from fastapi import Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from assay.server.auth import sees
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.export import FORMATS, MEDIA
from assay.server.engine.requests import Activate, Tell, decoded, encode, erase_decoder
from assay.server.fast_routes import read_body
from assay.server.middleware import path_below
from assay.server.openapi import (
    Activated,
    Answer,
    Ask,
    Closed,
    Erase,
    Rank,
    Ranked,
    Routes,
    Told,
    without_lines,
)
from assay.server.refusals import Refusal
from assay.server.service import Service

_EVENT_S, _ALIVE_S, _ALLOWED_S = 0.25, 15.0, 5.0
_DEFINITION = 2**20
_LEARNERS = "/v1/learners"
_LEARNER = f"{_LEARNERS}/{{name}}"

routes = Routes()


class LearnerBody(Definition, frozen=True):
    """A definition with its first settings."""

    settings: Settings = Settings()


class Learner(msgspec.Struct):
    """What a learner is and where it stands, as its game has it."""

    name: str
    kind: str


class Learners(Closed):
    """All learners that whoever asks may know of."""

    learners: list[Learner]


class Deleted(Closed):
    """The name of what is gone."""

    deleted: str


class Erased(Closed):
    """How many trials were erased and were not known, and of the erased how many the model had learned from."""

    erased: int
    unknown: int
    learned: int
    keeps_examples: bool


class Guarantees(Closed):
    """Theorems with what they promise and what was observed."""

    guarantees: list[dict[str, Any]]


class Certificate(msgspec.Struct):
    """A certificate, as `assay verify` reads it."""


class Tip(Closed):
    """Where the chain of a learner ends."""

    learner: int
    name: str
    seq: int
    link: str


class Improvement(Closed):
    """By how much more a policy would have earned than what was done, at least."""

    at_least: float
    delta: float
    better: bool
    theorem: str


class Evaluated(Closed):
    """The mean reward that a policy would have had: an interval, estimates, and how much of it the log covers."""

    policy: str
    rounds: int
    untold: int
    logged_mean: float
    lower: float
    upper: float
    delta: float
    inverse_propensity: float | None
    self_normalised: float | None
    standard_error: float | None
    effective_rounds: float
    largest_weight: float
    covered: float
    theorem: str
    improvement: Improvement


class Head(Closed):
    """Where the log ends: kept by somebody else, it shows whether the log was cut or rewritten."""

    seq: int
    digest: str
    learners: list[Tip]


class Health(Closed):
    """Whether the service lives, and whether requests can be served."""

    live: bool
    ready: bool
    cause: str | msgspec.UnsetType = msgspec.UNSET


def _of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def json_answer(answer: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(encode(answer), status, media_type="application/json")


async def _body(request: Request, kind: Any) -> Any:
    # A definition is no data: what is larger is not even read.
    raw = await read_body(request.receive, _of(request).engine.limits, _DEFINITION)  # type: ignore[arg-type]
    return msgspec.to_builtins(decoded(msgspec.json.Decoder(kind), raw))


@routes.on("POST", f"{_LEARNER}/predict", body=Ask, answer=Answer, many=True,
           refusals=(400, 404, 408, 409, 410, 413, 422))  # fmt: skip
async def predict(name: str) -> None:
    """Predict, and get the trial by which the truth can be told."""
    raise NotImplementedError  # the middleware answers, without the layers of FastAPI


@routes.on("POST", f"{_LEARNER}/feedback", body=Tell, answer=Told, many=True,
           refusals=(400, 404, 408, 409, 410, 413, 422))  # fmt: skip
async def feedback(name: str) -> None:
    """Tell the truth of a trial; learned exactly once."""
    raise NotImplementedError  # as above


@routes.on("POST", f"{_LEARNER}/rank", body=Rank, answer=Ranked, many=True,
           refusals=(400, 404, 408, 409, 410, 413, 422))  # fmt: skip
async def rank(name: str) -> None:
    """Choose an action by context, and get the trial by which its reward can be told."""
    raise NotImplementedError  # as above


@routes.on("POST", f"{_LEARNER}/reward", body=Tell, answer=Told, many=True,
           refusals=(400, 404, 408, 409, 410, 413, 422))  # fmt: skip
async def reward(name: str) -> None:
    """Tell the reward of a trial: feedback by another name."""
    raise NotImplementedError  # as above


@routes.on("POST", f"{_LEARNER}/activate", body=Activate, answer=Activated, many=True,
           refusals=(400, 404, 408, 410, 413, 422))  # fmt: skip
async def activate(name: str) -> None:
    """Say that what a deferred trial chose was shown: from now on it takes part."""
    raise NotImplementedError  # as above


@routes.on("GET", _LEARNERS, answer=Learners)
async def learners(request: Request) -> Response:
    """All learners."""
    service = _of(request)
    for name in service.engine.names():
        await service.still(name)

    def look() -> list[dict[str, Any]]:
        names = [name for name in service.engine.names() if sees(request.scope, name)]  # type: ignore[arg-type]
        return [service.engine.describe(name) for name in names]

    return json_answer({"learners": await service.seen(look)})


@routes.on("PUT", _LEARNER, body=LearnerBody, answer=Learner, also=(201,),
           refusals=(400, 408, 409, 413, 422, 429))  # fmt: skip
async def create(name: str, request: Request) -> Response:
    """Create a learner. The same definition again changes nothing; another one is a conflict."""
    body = await _body(request, LearnerBody)
    settings = body.pop("settings", {})
    service = _of(request)
    made = await service.desk.alone(name, lambda: service.engine.create(name, body, settings))
    answer = await service.committed(made)
    return json_answer(answer, 201 if answer.pop("created") else 200)


@routes.on("GET", _LEARNER, answer=Learner, refusals=(404,))
async def learner(name: str, request: Request) -> Response:
    """Where a learner stands."""
    service = _of(request)
    await service.still(name)
    await service.desk.beside(lambda: service.engine.work_out_bound(name))
    await service.still(name)
    return json_answer(await service.seen(lambda: service.engine.describe(name)))


@routes.on("DELETE", _LEARNER, answer=Deleted, refusals=(404, 429))
async def delete(name: str, request: Request) -> Response:
    """Delete a learner and all that was kept of it."""
    service = _of(request)
    await service.still(name)
    return json_answer(await service.committed(service.engine.delete(name)))


@routes.on("POST", f"{_LEARNER}/erase", body=Erase, answer=Erased,
           refusals=(400, 404, 408, 413, 422, 429))  # fmt: skip
async def erase(name: str, request: Request) -> Response:
    """Erase trials: what was asked, answered and told, and their names. What was learned from them stays."""
    service = _of(request)
    raw = await read_body(request.receive, service.engine.limits)  # type: ignore[arg-type]
    service.engine.require_known(name)
    wanted = decoded(erase_decoder, raw)
    done = await service.desk.alone(name, lambda: service.engine.erase(name, wanted))
    return json_answer(await service.committed(done))


@routes.on("PUT", f"{_LEARNER}/settings", body=Settings, answer=Learner,
           refusals=(400, 404, 408, 413, 422, 429))  # fmt: skip
async def settings(name: str, request: Request) -> Response:
    """Change settings: a new version of them, from now on. Nothing that was learned is touched."""
    body, service = await _body(request, Settings), _of(request)
    await service.still(name)
    return json_answer(await service.committed(service.engine.change_settings(name, body)))


@routes.on("GET", f"{_LEARNER}/guarantees", answer=Guarantees, refusals=(404, 422))
async def guarantees(name: str, request: Request) -> Response:
    """What the learner's theorems say."""
    service = _of(request)
    return json_answer({"guarantees": await service.looked_at(name, service.engine.guarantees)})


@routes.on("GET", f"{_LEARNER}/certificate", answer=Certificate, refusals=(404, 409, 422))
async def certificate(name: str, request: Request) -> Response:
    """The certificate about all acknowledged feedback."""
    service = _of(request)
    issued = await service.looked_at(name, service.engine.certificate)
    return json_answer(issued.to_json())


@routes.on("GET", f"{_LEARNER}/model", answer="application/octet-stream", refusals=(404, 422))
async def model(name: str, request: Request) -> Response:
    """The learner as a model file."""
    service = _of(request)
    file = await service.looked_at(name, service.engine.model_file)
    return Response(file, media_type="application/octet-stream")


@routes.on("GET", f"{_LEARNER}/evaluate", answer=Evaluated, refusals=(404, 409, 422))
async def evaluate(
    name: str, request: Request, policy: str = "baseline", delta: str = "0.05"
) -> Response:
    """What another policy would have earned on what this learner logged, with an interval."""
    service = _of(request)
    kind, _, other = policy.partition(":")
    named = [name, other] if kind == "learner" else [name]
    if named.count(name) > 1:
        raise Refusal("refused", "A learner cannot be judged by what it learned from. Name another one.")  # fmt: skip
    if not all(sees(request.scope, one) for one in named):  # type: ignore[arg-type]
        raise Refusal("forbidden", "The key is not for this.")
    sights = {one: await service.looked_at(one, lambda _, sight: sight) for one in named}
    return json_answer(
        await service.desk.beside(lambda: service.engine.evaluation(name, policy, delta, sights))
    )


@routes.on("GET", f"{_LEARNER}/export", answer=tuple(MEDIA.values()), refusals=(404, 422))
async def export(name: str, request: Request, format: str = "jsonl") -> Response:
    """What was asked, answered and told, a row for each decision: jsonl, csv or parquet."""
    service = _of(request)
    if format not in FORMATS:
        raise Refusal("refused", f"format must be {', '.join(FORMATS)}, but is {format[:50]!r}.")
    await service.still(name)
    pieces = service.engine.export(name).pieces(format)
    first = await service.desk.beside(lambda: next(pieces, b""))

    async def rest() -> AsyncIterator[bytes]:
        piece: bytes | None = first
        while piece is not None:
            if piece:
                yield piece
            piece = await service.desk.beside(lambda: next(pieces, None))

    headers = {"Content-Disposition": f'attachment; filename="{name}.{format}"'}
    return StreamingResponse(rest(), media_type=MEDIA[format], headers=headers)


@routes.on("GET", f"{_LEARNER}/events", answer="text/event-stream", refusals=(404, 429))
async def events(name: str, request: Request) -> Response:
    """Where the learner stands, whenever that changes."""
    service = _of(request)
    service.engine.hosted(name)
    if service.metrics.listeners >= service.engine.limits.listeners:
        raise Refusal("too_many", "Too many event streams are open.", retry_after=10)
    path = path_below(request.scope)  # type: ignore[arg-type]

    def still_allowed() -> bool:
        try:
            service.authorise(request.scope, path)  # type: ignore[arg-type]
        except Refusal as no:
            return no.status not in (401, 403)
        return True

    stream = standings(service, name, still_allowed)
    return StreamingResponse(stream, media_type="text/event-stream")


async def standings(
    service: Service, name: str, still_allowed: Callable[[], bool] = lambda: True
) -> AsyncIterator[str]:
    """Server-sent events: the latest standing, never one that is not on disk; ends with the key that asked."""
    engine, last, quiet, looked = service.engine, None, 0.0, time.monotonic()
    service.metrics.listeners += 1
    try:
        while not service.stopping:
            if time.monotonic() - looked >= _ALLOWED_S:
                looked = time.monotonic()
                if not still_allowed():
                    return
            try:
                await service.still(name)
                standing = await service.seen(lambda: engine.describe(name))
            except Refusal as no:
                if no.code == "unknown_learner":
                    yield "event: deleted\ndata: {}\n\n"
                    return
                await asyncio.sleep(_EVENT_S)  # the store may be back soon
                continue
            now = tuple(map(standing.get, ("trials", "told", "settings_version", "bound_at")))
            if now != last:
                last, quiet = now, 0.0
                yield f"event: standing\nid: {standing['told']}\ndata: {json.dumps(standing)}\n\n"
            elif quiet >= _ALIVE_S:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(_EVENT_S)
            quiet += _EVENT_S
    finally:
        service.metrics.listeners -= 1


@routes.on("GET", "/v1/head", answer=Head)
async def head(request: Request) -> Response:
    """Where the log ends, to be kept elsewhere and compared by `assay serve --check --head`."""
    return json_answer(await asyncio.to_thread(_of(request).engine.head))


@routes.get("/openapi.json", include_in_schema=False)
async def description(request: Request, bodies: str = "") -> Response:
    """The description of all this; with `bodies=json` without what goes by lines, which some generators do not know."""
    if bodies not in ("", "json"):
        raise Refusal("refused", f"bodies must be json, but is {bodies[:50]!r}.")
    described = request.app.openapi()
    return json_answer(without_lines(described) if bodies else described)


@routes.head("/healthz", include_in_schema=False)
@routes.on("GET", "/healthz", answer=Health, also=(503,))
async def health(request: Request) -> Response:
    """Whether the service lives, and whether it is ready."""
    answer = _health(request)
    return json_answer(answer, 200 if answer.ready else 503)


@routes.head("/healthz/live", include_in_schema=False)
@routes.on("GET", "/healthz/live", answer=Health)
async def live(request: Request) -> Response:
    """Whether the service lives."""
    return json_answer(_health(request))


def _health(request: Request) -> Health:
    cause = _of(request).cause
    return Health(True, True) if cause is None else Health(True, False, cause)


@routes.on("GET", "/metrics", answer="text/plain")
async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    text = await _of(request).metrics_text()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")
