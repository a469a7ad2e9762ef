"""The HTTP API: an ASGI application over the engine of a store."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from assay import __version__
from assay.server.engine.engine import Engine
from assay.server.fast_routes import Hot
from assay.server.limits import Limits
from assay.server.middleware import Authorise, Gate, anybody, is_answered_here, path_below
from assay.server.openapi import describe, document
from assay.server.personalizer.door import Door
from assay.server.personalizer.loop import open_loop
from assay.server.refusals import Refusal
from assay.server.request_log import RequestLog
from assay.server.routes import json_answer, routes
from assay.server.service import Service
from assay.server.store.store import Store


class App(FastAPI):
    """FastAPI, but for the routes that everything depends on: they are answered without its layers."""

    gate: Gate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "http" and is_answered_here(scope):
            await self.gate(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(
    store: str | os.PathLike[str] | Engine,
    *,
    limits: Limits | None = None,
    authorise: Authorise = anybody,
    requests: RequestLog | None = None,
    personalizer: str | None = None,
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
    personalizer : str, optional
        The learner that answers at the routes of Azure Personalizer, made if it is not there; None to have no such
        routes.

    Raises
    ------
    BadData
        If the store is open in another server, is no store, or was written by a later version.
    """
    own = not isinstance(store, Engine)
    engine = store if isinstance(store, Engine) else Engine(Store(Path(store)), limits)
    if personalizer is not None:
        try:
            open_loop(engine, personalizer)
        except BaseException:
            if own:
                engine.close()
            raise
    service = Service(engine, authorise, requests)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        care = asyncio.create_task(service.look_after())
        yield
        service.stopping = True
        care.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await care
        await asyncio.to_thread(service.desk.close)
        if own:
            await asyncio.to_thread(engine.close)

    app = App(
        title="assay",
        version=__version__,
        description=document,
        lifespan=lifespan,
        openapi_url=None,  # it is a route of ours, which leaves out what some generators cannot read
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # else the answer would repeat whatever host was asked for
    )
    app.state.service = service
    hot = Hot(engine, service.desk)
    terms: dict[str, Any] = {"hot": hot, "metrics": service.metrics}
    terms["personalizer"] = Door(service, hot, personalizer)
    terms |= {"authorise": authorise, "requests": requests}
    terms["paths"] = [route.path for route in routes.routes]  # type: ignore[attr-defined]
    app.gate = Gate(None, **terms)
    app.add_middleware(Gate, **terms)
    app.add_exception_handler(Refusal, _refused)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _lost)  # type: ignore[arg-type]
    app.include_router(routes)
    describe(app, routes, keys=bool(getattr(authorise, "asks_for_keys", False)))
    return app


async def _refused(request: Request, no: Refusal) -> Response:
    request.scope["assay.reason"] = no.code
    answer = json_answer(no.body(), no.status)
    if "retry_after" in no.details:
        answer.headers["Retry-After"] = str(no.details["retry_after"])
    return answer


async def _lost(request: Request, problem: HTTPException) -> Response:
    if problem.status_code != 405:
        return json_answer(Refusal("unknown_path", "There is nothing at this path.").body(), 404)
    no = Refusal("wrong_method", "This path does not take that method.")
    answer = json_answer(no.body(), 405)
    answer.headers["Allow"] = ", ".join(_allowed(request))
    return answer


def _allowed(request: Request) -> list[str]:
    """All methods of a path, which may have a route for each."""
    path = path_below(request.scope)  # type: ignore[arg-type]
    methods: set[str] = set()
    for route in routes.routes:
        if isinstance(route, Route) and route.path_regex.match(path):
            methods |= route.methods or set()
    return sorted(methods)
