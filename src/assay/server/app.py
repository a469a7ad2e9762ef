"""The HTTP API: an ASGI application over the engine of a store."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from assay import __version__
from assay.server.auth import sees
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.engine import Engine
from assay.server.engine.requests import encode
from assay.server.fast_routes import Hot, read_body
from assay.server.limits import Limits
from assay.server.metrics import Metrics
from assay.server.middleware import Authorise, Gate, anybody, is_hot, path_below
from assay.server.openapi import describe_hot, document, documented
from assay.server.refusals import Refusal
from assay.server.request_log import RequestLog
from assay.server.store.store import Store
from assay.server.store.writer import Group

log = logging.getLogger("assay.server")
_SWEEP_S, _BOUND_S, _EVENT_S, _ALIVE_S, _ALLOWED_S = 1.0, 5.0, 0.25, 15.0, 5.0


Seen = TypeVar("Seen")


class LearnerBody(Definition, forbid_unknown_fields=True, frozen=True):
    """A definition with its first settings."""

    settings: Settings = Settings()


class App(FastAPI):
    """FastAPI, but for the two routes that everything depends on: they are answered without its layers."""

    gate: Gate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["method"] == "POST" and is_hot(scope):
            await self.gate(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class Service:
    """What the routes share: the engine, the metrics, and whether the end has come."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.metrics, self.stopping = engine, Metrics(), False

    async def look_after(self) -> None:
        """Tell defaults, and work out bounds beside the requests, as long as the service runs."""
        seen: dict[str, int] = {}
        for turn in range(2**62):
            await asyncio.sleep(_SWEEP_S)
            try:
                self.engine.sweep()
                if turn % int(_BOUND_S) == 0:
                    await self._bounds(seen)
            except Refusal:
                pass
            except Exception:
                log.exception("Looking after the learners failed, and goes on")

    async def _bounds(self, seen: dict[str, int]) -> None:
        for name in self.engine.names():
            told = self.engine.hosted_now(name)["told"]
            if told != seen.get(name, 0):
                seen[name] = told
                with contextlib.suppress(Refusal):
                    await asyncio.to_thread(self.engine.work_out_bound, name)

    async def committed(self, group: Group | None) -> None:
        """Wait until a group is on disk."""
        if group is not None:
            await group.committed()

    async def seen(self, look: Callable[[], Seen]) -> Seen:
        """What is seen now, told when everything it rests on is on disk."""
        with self.engine.lock:  # a commit that fails is forgotten under the same lock
            found, group = look(), self.engine.flushed()
        await self.committed(group)
        return found


def create_app(
    store: str | os.PathLike[str] | Engine,
    *,
    limits: Limits | None = None,
    authorise: Authorise = anybody,
    requests: RequestLog | None = None,
) -> FastAPI:
    """The service as an ASGI application, to be run by a server or mounted in another application.

    Parameters
    ----------
    store : str, path or Engine
        The SQLite file, which is made if it is not there; or an engine, which stays open at the end.
    limits : Limits, optional
    authorise : callable, optional
        Given the connection and the path, raises `Refusal` where a request is not allowed.
    requests : RequestLog, optional
        Where requests are written down.

    Raises
    ------
    BadData
        If the store is open in another server, is no store, or was written by a later version.
    """
    own = not isinstance(store, Engine)
    engine = store if isinstance(store, Engine) else Engine(Store(Path(store)), limits)
    service = Service(engine)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        care = asyncio.create_task(service.look_after())
        yield
        service.stopping = True
        care.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await care
        if own:
            await asyncio.to_thread(engine.close)

    app = App(
        title="assay",
        version=__version__,
        description=document,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # else the answer would repeat whatever host was asked for
    )
    app.state.service = service
    terms: dict[str, Any] = {"hot": Hot(engine), "metrics": service.metrics}
    terms |= {"authorise": authorise, "requests": requests}
    app.gate = Gate(None, **terms)
    app.add_middleware(Gate, **terms)
    _add_errors(app)
    _add_learners(app, service, authorise)
    _add_operation(app, service)
    describe_hot(app)
    return app


def _json(answer: Any, status: int = 200) -> Response:
    return Response(encode(answer), status, media_type="application/json")


def _add_errors(app: FastAPI) -> None:
    """One shape for everything that is refused."""

    @app.exception_handler(Refusal)
    async def refusal(request: Request, no: Refusal) -> Response:
        answer = _json(no.body(), no.status)
        if "retry_after" in no.details:
            answer.headers["Retry-After"] = str(no.details["retry_after"])
        return answer

    @app.exception_handler(HTTPException)
    async def other(request: Request, problem: HTTPException) -> Response:
        if problem.status_code == 405:
            no = Refusal("wrong_method", "This path does not take that method.")
            answer = _json(no.body(), 405)
            answer.headers.update(problem.headers or {})
            return answer
        return _json(Refusal("unknown_path", "There is nothing at this path.").body(), 404)


async def _body(request: Request, kind: Any, limits: Limits) -> Any:
    raw = await read_body(request.receive, limits)  # type: ignore[arg-type]
    try:
        return msgspec.to_builtins(msgspec.json.decode(raw, type=kind))
    except msgspec.ValidationError as problem:
        raise Refusal("refused", f"The request cannot be read: {problem}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise Refusal("bad_json", f"The request is not JSON: {problem}.") from None


def _add_learners(app: FastAPI, service: Service, authorise: Authorise) -> None:
    engine = service.engine
    base = "/v1/learners"

    @app.get(base, **documented("All learners.", answer="Learners"))
    async def learners(request: Request) -> Response:
        def look() -> list[dict[str, Any]]:
            names = [name for name in engine.names() if sees(request.scope, name)]  # type: ignore[arg-type]
            return [engine.describe(name) for name in names]

        return _json({"learners": await service.seen(look)})

    put = documented(
        "Create a learner. The same definition again changes nothing; another one is a conflict.",
        body="LearnerBody", answer="Learner", also=(201,), refusals=(400, 408, 409, 413, 422, 429),
    )  # fmt: skip

    @app.put(f"{base}/{{name}}", **put)
    async def create(name: str, request: Request) -> Response:
        body = await _body(request, LearnerBody, engine.limits)
        settings = body.pop("settings", {})
        answer, group = engine.create(name, body, settings)
        await service.committed(group)
        return _json(answer, 201 if answer.pop("created") else 200)

    @app.get(
        f"{base}/{{name}}",
        **documented("Where a learner stands.", answer="Learner", refusals=(404,)),
    )
    async def learner(name: str) -> Response:
        await asyncio.to_thread(engine.work_out_bound, name)
        return _json(await service.seen(lambda: engine.describe(name)))

    @app.delete(
        f"{base}/{{name}}",
        **documented(
            "Delete a learner and all that was kept of it.", answer="Deleted", refusals=(404, 429)
        ),
    )
    async def delete(name: str) -> Response:
        answer, group = engine.delete(name)
        await service.committed(group)
        return _json(answer)

    patch = documented(
        "Change settings: a new version of them, from now on. Nothing that was learned is touched.",
        body="Settings", answer="Learner", refusals=(400, 404, 408, 413, 422, 429),
    )  # fmt: skip

    @app.put(f"{base}/{{name}}/settings", **patch)
    async def settings(name: str, request: Request) -> Response:
        body = await _body(request, Settings, engine.limits)
        answer, group = engine.change_settings(name, body)
        await service.committed(group)
        return _json(answer)

    @app.get(
        f"{base}/{{name}}/guarantees",
        **documented("What the learner's theorems say.", answer="Guarantees", refusals=(404, 422)),
    )
    async def guarantees(name: str) -> Response:
        found = await asyncio.to_thread(engine.guarantees, name)
        return _json({"guarantees": found})

    @app.get(
        f"{base}/{{name}}/certificate",
        **documented(
            "The certificate about all acknowledged feedback.",
            answer="Certificate",
            refusals=(404, 409, 422),
        ),
    )
    async def certificate(name: str) -> Response:
        found = await asyncio.to_thread(engine.certificate, name)
        return _json(found.to_json())

    @app.get(
        f"{base}/{{name}}/model",
        **documented(
            "The learner as a model file.", answer="application/octet-stream", refusals=(404, 422)
        ),
    )
    async def model(name: str) -> Response:
        found = await service.seen(lambda: engine.model_file(name))
        return Response(found, media_type="application/octet-stream")

    @app.get(
        f"{base}/{{name}}/events",
        **documented(
            "Where the learner stands, whenever that changes.",
            answer="text/event-stream",
            refusals=(404, 429),
        ),
    )
    async def events(name: str, request: Request) -> Response:
        engine.hosted(name)
        if service.metrics.listeners >= engine.limits.listeners:
            raise Refusal("too_many", "Too many event streams are open.", retry_after=10)
        path = path_below(request.scope)  # type: ignore[arg-type]

        def still_allowed() -> bool:
            try:
                authorise(request.scope, path)  # type: ignore[arg-type]
            except Refusal as no:
                return no.status not in (401, 403)
            return True

        stream = _events(service, name, still_allowed)
        return StreamingResponse(stream, media_type="text/event-stream")


async def _events(
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
                found = await service.seen(lambda: engine.describe(name))
            except Refusal as no:
                if no.code == "unknown_learner":
                    yield "event: deleted\ndata: {}\n\n"
                    return
                await asyncio.sleep(_EVENT_S)  # the store may be back soon
                continue
            now = (found["trials"], found["told"], found["settings_version"], found.get("bound_at"))
            if now != last:
                last, quiet = now, 0.0
                yield f"event: standing\nid: {found['told']}\ndata: {json.dumps(found)}\n\n"
            elif quiet >= _ALIVE_S:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(_EVENT_S)
            quiet += _EVENT_S
    finally:
        service.metrics.listeners -= 1


def _add_operation(app: FastAPI, service: Service) -> None:
    engine = service.engine

    @app.head("/healthz", include_in_schema=False)
    @app.get(
        "/healthz",
        **documented(
            "Whether the service lives, and whether it is ready.", answer="Health", refusals=(503,)
        ),
    )
    async def health() -> Response:
        ready = engine.ready and not service.stopping
        return _json({"live": True, "ready": ready}, 200 if ready else 503)

    @app.head("/healthz/live", include_in_schema=False)
    @app.get("/healthz/live", **documented("Whether the service lives.", answer="Health"))
    async def live() -> Response:
        return _json({"live": True, "ready": engine.ready and not service.stopping})

    @app.get("/metrics", **documented("Counters for Prometheus.", answer="text/plain"))
    async def metrics() -> Response:
        return PlainTextResponse(
            service.metrics.text(engine), media_type="text/plain; version=0.0.4; charset=utf-8"
        )
