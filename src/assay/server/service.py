"""What the routes share: the engine, the metrics, who is let in, and whether the end has come."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from assay.server.desk import Desk
from assay.server.engine.engine import Answer, Engine
from assay.server.engine.knowledge import Sight
from assay.server.metrics import Metric, Metrics
from assay.server.middleware import Authorise
from assay.server.refusals import Refusal
from assay.server.request_log import RequestLog
from assay.server.store.audit import used
from assay.server.wire.table import Connections

log = logging.getLogger("assay.server")
_SWEEP_S, _BOUND_S, _USES_S, _OLD_S = 1.0, 5.0, 30.0, 60.0

Seen = TypeVar("Seen")


class Service:
    """The engine as it is served, and looked after as long as it is."""

    def __init__(
        self, engine: Engine, authorise: Authorise, requests: RequestLog | None = None
    ) -> None:
        self.engine, self.authorise, self.requests = engine, authorise, requests
        self.metrics, self.stopping = Metrics(), False
        self.desk = Desk()
        #: Counted where `assay serve` has them; another server counts its own.
        self.connections = Connections(engine.limits)

    @property
    def cause(self) -> str | None:
        """Why requests cannot be served, in words; None if they can."""
        if self.stopping:
            return "the server is stopping"
        keys = getattr(self.authorise, "problem", None)
        return self.engine.cause or (None if keys is None else keys())

    @property
    def ready(self) -> bool:
        """Whether requests can be served."""
        return self.cause is None

    async def metrics_text(self) -> str:
        """All counters."""
        here: tuple[tuple[str, str, str, float], ...] = (
            ("assay_ready", "gauge", "Whether requests can be served.", int(self.ready)),
            (
                "assay_authentication_failures_total",
                "counter",
                "Requests without a valid key where one was needed.",
                getattr(self.authorise, "failures", 0),
            ),
            (
                "assay_log_lines_dropped_total",
                "counter",
                "Lines of the log that nobody took.",
                0 if self.requests is None else self.requests.dropped,
            ),
        )
        held: list[Metric] = [(a, b, c, {"": value}) for a, b, c, value in here]
        held += self.connections.lines()
        # Learners are described under the lock of the engine, for which the loop need not wait.
        return await asyncio.to_thread(self.metrics.text, self.engine, held)

    async def look_after(self) -> None:
        """Tell defaults, and work out bounds beside the requests, as long as the service runs."""
        seen: dict[str, int] = {}
        more = False
        for turn in range(2**62):
            await asyncio.sleep(_SWEEP_S)
            try:
                await asyncio.to_thread(self.engine.look_for_room)
                self.engine.sweep(self.desk.busy)
                if turn % int(_USES_S) == 0:
                    self._note_uses()
                if turn % int(_BOUND_S) == 0:
                    await self._bounds(seen)
                if more or turn % int(_OLD_S) == 0:
                    more = await self._let_go_old()
            except Refusal:
                pass
            except Exception:
                log.exception("Looking after the learners failed, and goes on")

    def _note_uses(self) -> None:
        """Write down when keys were last used."""
        uses = getattr(self.authorise, "uses", None)
        if uses and self.engine.ready:
            self.engine.writer.aside(used(dict(uses)))
            uses.clear()

    async def _let_go_old(self) -> bool:
        """Let go of some events that are older than learners keep; returns whether there may be more."""
        more = False
        for name in self.engine.names():
            try:
                if name in self.desk.busy or not self.engine.lets_go(name):
                    continue
                group = await self.desk.alone(name, partial(self.engine.let_go_old, name))
                if group is not None:
                    await group.committed()
                    more = True
            except Refusal:
                pass  # it is gone, or the store is: another time
            except Exception:
                log.exception("What is old could not be let go, and stays")
        return more

    async def _bounds(self, seen: dict[str, int]) -> None:
        for name in self.engine.names():
            if name in self.desk.busy:
                continue
            count = self.engine.hosted_now(name)["told"]
            if count != seen.get(name, 0):
                seen[name] = count
                with contextlib.suppress(Refusal):
                    await self.desk.beside(partial(self.engine.work_out_bound, name))

    async def committed(self, answer: Answer) -> dict[str, Any]:
        """An answer, once its group is on disk."""
        body, group = answer
        if group is not None:
            await group.committed()
        return body

    async def looked_at(self, name: str, work: Callable[[str, Sight], Seen]) -> Seen:
        """What comes of a learner as it is now: it is copied alone with it, and looked at while others go on."""
        self.engine.require_known(name)
        sight = await self.desk.alone(name, lambda: self.engine.seen(name))
        return await self.desk.beside(lambda: work(name, sight))

    async def still(self, name: str) -> None:
        """Wait until a learner is not worked on, and read it again if it must be."""
        while name in self.desk.busy or self.engine.damaged(name):
            if self.engine.damaged(name):
                await self.desk.alone(name, lambda: self.engine.hosted(name))
            else:
                await self.desk.free(name)

    async def seen(self, look: Callable[[], Seen]) -> Seen:
        """What is seen now, told when everything it rests on is on disk."""
        with self.engine.lock:  # a commit that fails is forgotten under the same lock
            sight, group = look(), self.engine.flushed()
        if group is not None:
            await group.committed()
        return sight
