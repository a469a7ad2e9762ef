"""What the engine rests on: the store, the writer, the learners in memory, and what happens when a commit fails."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from assay.errors import AssayError, BadData
from assay.server.engine.hosted import Hosted
from assay.server.engine.loading import load_hosted
from assay.server.limits import Limits
from assay.server.refusals import Refusal
from assay.server.store.store import Snapshot, Store, put_snapshot
from assay.server.store.writer import Group, Job, Writer

_RETRY_S = 1.0
#: Events whose replay, when a learner is read again, is long enough to put its state down.
_MANY = 500


class Core:
    """The learners of a store, as their events make them."""

    def __init__(
        self, store: Store, limits: Limits | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.store, self.limits, self._clock = store, limits or Limits(), clock
        self.lock = threading.RLock()
        self._hosted: dict[str, Hosted] = {}
        self._broken: BaseException | None = None
        self._tried = 0.0
        try:
            self._load()
        except AssayError:
            store.close()
            raise
        except Exception as problem:
            store.close()
            raise BadData(
                f"{store.path} is damaged: its log cannot be replayed ({problem}). Go back to a backup, or "
                "see what `assay serve --check` finds."
            ) from None
        self.writer = Writer(store.commit, self._failed, self.limits.queue)
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="assay-snapshots")

    def _load(self) -> None:
        seq, at, number = self.store.last()
        self._seq, self._at, self._number = seq, max(at, getattr(self, "_at", 0)), number
        self._loaded = seq
        self._hosted = {}
        for learner, name in self.store.names().items():
            self._hosted[name] = load_hosted(self.store, learner, name, self.limits)

    def _failed(self, problem: BaseException) -> None:
        """A commit failed: what was in memory beyond the store is forgotten."""
        with self.lock:
            self.writer.drop_open(problem)
            self._broken = problem
            self._recover()

    def _recover(self) -> None:
        self._tried = time.monotonic()
        try:
            self._load()
            self._broken = None
        except Exception as problem:
            self._broken = problem

    def _require_sound(self) -> None:
        if not self.ready and not self._mended():
            raise Refusal("store_failed", "The store cannot be used at present.", retry_after=1)

    def _mended(self) -> bool:
        """Try to read the store again, unless that was just tried; others may have done so meanwhile."""
        with self.lock:
            if not self.ready and time.monotonic() - self._tried > _RETRY_S:
                self._recover()
            return self._broken is None

    @property
    def ready(self) -> bool:
        """Whether requests can be served."""
        return self._broken is None

    def close(self) -> None:
        """Commit what waits, put the states down, and close the store."""
        with self.lock:
            if self._broken is None:
                for hosted in self._hosted.values():
                    if hosted.events > hosted.snapshot_events and not hosted.damaged:
                        self._put_down(hosted)
        self._scribe.shutdown()
        self.writer.stop()
        self.store.close()

    def flushed(self) -> Group | None:
        """The group that makes everything so far durable; None if all is."""
        return self.writer.pending()

    def _now(self) -> int:
        self._at = max(self._at, int(self._clock() * 1000))
        return self._at

    def _append(
        self,
        hosted: Hosted,
        kind: str,
        trial: str | None,
        body: str,
        job: Job | None = None,
        at: int | None = None,
        after: Callable[[], None] | None = None,
    ) -> Group:
        self._seq += 1
        event = hosted.next_event(self._seq, at or self._now(), kind, trial, body)
        hosted.follow(event)
        return self.writer.add([event], job, after)

    def _put_down(self, hosted: Hosted) -> None:
        """Put a state down, beside the requests: it is copied now and written when it has become bytes."""
        counts, game = hosted.marked(), hosted.game.copied()
        number, seq, link = hosted.number, hosted.seq, hosted.link

        def written() -> None:
            # Without it a start takes longer, nothing else.
            with contextlib.suppress(AssayError, MemoryError, OSError):
                snapshot = Snapshot(number, seq, link, counts, game.saved())
                self.writer.add(job=put_snapshot(snapshot))

        self._scribe.submit(written)

    def hosted(self, name: str) -> Hosted:
        """A learner by its name."""
        self._require_sound()
        try:
            hosted = self._hosted[name]
        except KeyError:
            raise Refusal("unknown_learner", f"There is no learner {name!r}.") from None
        return self._read_again(name) if hosted.damaged else hosted

    def _read_again(self, name: str) -> Hosted:
        """A learner that may have stopped half-way, as its events make it."""
        with self.lock:
            hosted = self._hosted.get(name)
            if hosted is None or not hosted.damaged:  # others were here before
                return self.hosted(name)
            if hosted.seq > max(self.writer.committed, self._loaded):
                raise Refusal("busy", f"The learner {name!r} is being read again.", retry_after=1)
            hosted = self._hosted[name] = load_hosted(self.store, hosted.number, name, self.limits)
            if hosted.events - hosted.snapshot_events >= _MANY:  # the next time it is quicker
                self._put_down(hosted)
            return hosted

    def names(self) -> list[str]:
        """All learners."""
        self._require_sound()
        return sorted(self._hosted)
