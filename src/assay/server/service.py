"""What the routes share: the engine, the metrics, who is let in, and whether the end has come."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from assay.server.engine.engine import Answer, Engine
from assay.server.metrics import Metrics
from assay.server.middleware import Authorise
from assay.server.refusals import Refusal
from assay.server.wire.table import Connections

log = logging.getLogger("assay.server")
_SWEEP_S, _BOUND_S = 1.0, 5.0

Seen = TypeVar("Seen")


class Service:
    """The engine as it is served, and looked after as long as it is."""

    def __init__(self, engine: Engine, authorise: Authorise) -> None:
        self.engine, self.authorise = engine, authorise
        self.metrics, self.stopping = Metrics(), False
        #: Counted where `assay serve` has them; another server counts its own.
        self.connections = Connections(engine.limits)

    @property
    def ready(self) -> bool:
        """Whether requests can be served."""
        return self.engine.ready and not self.stopping

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
            count = self.engine.hosted_now(name)["told"]
            if count != seen.get(name, 0):
                seen[name] = count
                with contextlib.suppress(Refusal):
                    await asyncio.to_thread(self.engine.work_out_bound, name)

    async def committed(self, answer: Answer) -> dict[str, Any]:
        """An answer, once its group is on disk."""
        body, group = answer
        if group is not None:
            await group.committed()
        return body

    async def seen(self, look: Callable[[], Seen]) -> Seen:
        """What is seen now, told when everything it rests on is on disk."""
        with self.engine.lock:  # a commit that fails is forgotten under the same lock
            sight, group = look(), self.engine.flushed()
        if group is not None:
            await group.committed()
        return sight
