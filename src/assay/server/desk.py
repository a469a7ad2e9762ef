"""What takes long runs beside the event loop, alone with its learner; the requests of others go on.

A learner that is worked on in a thread is busy: requests for it wait in their order, and hold up nobody. Only the
event loop says who is busy, so nothing can come between a look and a mark.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from assay.server.refusals import Refusal

_THREADS, _MOST_WAITING = 4, 256

Done = TypeVar("Done")


class Desk:
    """Threads for long work, and who waits for which learner."""

    def __init__(self) -> None:
        self.busy: dict[str, deque[asyncio.Future[None]]] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="assay-desk")

    async def free(self, name: str) -> None:
        """Wait until nobody works on a learner."""
        while name in self.busy:
            waiting = self.busy[name]
            if len(waiting) >= _MOST_WAITING:
                raise Refusal("busy", f"The learner {name!r} is busy. Try again.", retry_after=1)
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            waiting.append(turn)
            await turn

    async def alone(self, name: str, work: Callable[[], Done]) -> Done:
        """Work in a thread, as the only one who touches a learner."""
        await self.free(name)
        self.busy[name] = deque()
        try:
            return await self.beside(work)
        finally:
            for turn in self.busy.pop(name):
                if not turn.done():
                    turn.set_result(None)

    async def beside(self, work: Callable[[], Done]) -> Done:
        """Work in a thread on what nobody else touches."""
        # With what is known of who asks, which the audit log names.
        known = contextvars.copy_context()
        running = asyncio.get_running_loop().run_in_executor(self._threads, known.run, work)
        # Whoever asked may go away; the work is done all the same, and its learner is not free before.
        return await asyncio.shield(running)

    def close(self) -> None:
        """Wait for what is being done, and end."""
        self._threads.shutdown()
