"""Where every request comes in: authorised, bounded, counted, and answered in one shape when refused."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from assay.server.fast_routes import Hot, Receive, Send, refuse
from assay.server.headers import secured
from assay.server.limits import how
from assay.server.metrics import Metrics
from assay.server.personalizer.door import Door, refuse_as_personalizer, route_of
from assay.server.personalizer.places import is_personalizers
from assay.server.refusals import Refusal
from assay.server.request_log import RequestLog
from assay.server.store.audit import ACTOR

#: Given the connection, raises `Refusal` where a request is not allowed; the path is as clients see it below
#: the place where the service is mounted.
Authorise = Callable[[dict[str, Any], str], None]

log = logging.getLogger("assay.server")
#: Where a scope keeps its way.
_WAY = "assay.way"
_HOT = ("predict", "feedback", "rank", "reward", "activate")


def anybody(scope: dict[str, Any], path: str) -> None:
    """Allow everything: for a service that only this machine can reach."""


class Gate:
    """ASGI middleware around the whole service."""

    def __init__(
        self,
        app: Any,
        hot: Hot,
        metrics: Metrics,
        authorise: Authorise,
        paths: Iterable[str],
        personalizer: Door,
        requests: RequestLog | None = None,
    ) -> None:
        self._personalizer = personalizer
        self._app, self._hot, self._metrics, self._authorise = app, hot, metrics, authorise
        self._requests = requests
        self._known = {_place(path.split("/")) for path in (*paths, "/openapi.json")}

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        route, status = await self._answered(scope, receive, send)
        seconds = time.perf_counter() - begun
        self._metrics.note(route, status, seconds)
        if self._requests is not None:
            self._requests.note(scope, way_of(scope).path, status, seconds)

    async def _answered(
        self, scope: dict[str, Any], receive: Receive, send: Send
    ) -> tuple[str, int]:
        path, parts, hot, theirs = way_of(scope)
        started = 0

        async def refused(no: Refusal) -> None:
            await (refuse_as_personalizer(watched, path, no) if theirs else refuse(watched, no))

        async def watched(message: dict[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = message["status"]
                message["headers"] = secured(message["headers"])
            try:
                await send(message)
            except RuntimeError as problem:  # how uvloop says that the client has gone
                if "is closed" not in str(problem):
                    raise
                raise ConnectionResetError from problem

        try:
            self._authorise(scope, path)
            # The router takes a line's end for the end of a path; names are refused with a sentence.
            if path.endswith("\n") and len(parts) != 4:
                raise Refusal("unknown_path", "There is nothing at this path.")
            key, client = scope.get("assay.key"), scope.get("client")
            ACTOR.set((None if key is None else key.id, None if client is None else client[0]))
            if hot:
                return parts[4], await self._hot(parts[4], parts[3], scope, receive, watched)
            self._require_small(scope)
            if theirs:
                return await self._personalizer(scope, path, receive, watched)
            await self._app(scope, receive, watched)
        except Refusal as no:
            scope["assay.reason"] = no.code
            if not started:
                await refused(no)
        except ConnectionError:
            return parts[4] if hot else "other", 499
        except Exception:
            log.exception("%s %s failed", scope["method"], path)
            if started:
                raise
            await refused(Refusal("failed", "The server made a mistake."))
        return parts[4] if hot else route_of(path) if theirs else self._route(parts), started

    def _route(self, parts: list[str]) -> str:
        """What a route is called in the metrics; never what a client made up."""
        place = _place(parts)
        return place[1] if place in self._known else "other"

    def _require_small(self, scope: dict[str, Any]) -> None:
        most = self._hot.engine.limits.body
        for key, value in scope["headers"]:
            if key == b"content-length" and value.isdigit() and int(value[:20]) > most:
                raise Refusal(
                    "too_large", f"A request must have at most {most:,} bytes. {how('body')}"
                )


def _place(parts: list[str]) -> tuple[bool, str]:
    """Whether a path is about learners, and what it is called in the metrics."""
    if parts[1:3] == ["v1", "learners"]:
        return True, parts[4] if len(parts) > 4 else "learner" if len(parts) == 4 else "learners"
    return False, parts[1] if len(parts) > 1 else ""


class Way(NamedTuple):
    """Where a request goes.

    Attributes
    ----------
    path : str
        Below the place where the service is mounted.
    parts : list of str
        Its parts.
    hot : bool
        Whether it is about trials.
    theirs : bool
        Whether it is one of Personalizer's.
    """

    path: str
    parts: list[str]
    hot: bool
    theirs: bool


def way_of(scope: dict[str, Any]) -> Way:
    """Where a request goes, looked at once."""
    way: Way | None = scope.get(_WAY)
    if way is None:
        path = path_below(scope)
        parts = path.split("/")
        hot = len(parts) == 5 and parts[4] in _HOT and parts[1:3] == ["v1", "learners"]
        hot = hot and scope["method"] == "POST"
        way = scope[_WAY] = Way(path, parts, hot, is_personalizers(path))
    return way


def is_answered_here(scope: dict[str, Any]) -> bool:
    """Whether a request is answered without the layers of the framework: one about trials, or Personalizer's."""
    way = way_of(scope)
    return way.hot or way.theirs


def path_below(scope: dict[str, Any]) -> str:
    """The path below the place where the service is mounted."""
    path, root = scope["path"], scope.get("root_path", "")
    below = root and path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/")
    return str(path[len(root) :] if below else path)
