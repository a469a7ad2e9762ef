"""The end of a server in a stated time: nothing new is taken, what was accepted is answered, and then it is over.

Requests have the first part of the time. The rest is for what they wrote and for the states of learners, which spare
the next start a replay. Where a disk does not answer the time runs out; then the process ends as it stands, which loses
nothing that was acknowledged.
"""

from __future__ import annotations

import json
import os
import threading
import time

from assay.server.service import Service

#: The share of the time that requests have.
_FOR_REQUESTS = 0.7


class Drain:
    """The end of a service, once somebody has asked for it.

    Parameters
    ----------
    service : Service
    seconds : float
        The time until the process has ended.
    """

    def __init__(self, service: Service, seconds: float) -> None:
        self._service, self._seconds = service, seconds
        self._over = threading.Event()

    @property
    def for_requests(self) -> float:
        """Seconds that accepted requests may take."""
        return self._seconds * _FOR_REQUESTS

    def begin(self) -> None:
        """Be ready for nothing more, and watch the time; asked again, this changes nothing."""
        if not self._service.stopping:
            self._service.stopping = True
            # Its own thread: whatever hangs, this one does not.
            threading.Thread(target=self._watch, name="assay-drain", daemon=True).start()

    def finished(self) -> None:
        """All is done."""
        self._over.set()

    def _watch(self) -> None:
        if self._over.wait(self._seconds):
            return
        lost = self._service.engine.flushed() is not None
        what = (
            "Requests that were accepted could not be written, and were not answered"
            if lost
            else "What was answered is written, but not the states of all learners: the next start takes longer"
        )
        line = {
            "at": round(time.time(), 3),
            "level": "error" if lost else "warning",
            "message": f"{what}. The {self._seconds:g} seconds of `--limit drain=N` are over.",
        }
        os.write(2, json.dumps(line).encode() + b"\n")  # the log's own thread may hang as well
        os._exit(int(lost))
