"""What the engine rests on: the store, the writer, the learners in memory, and what happens when a commit fails."""

from __future__ import annotations

import contextlib
import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from assay.errors import AssayError, BadData
from assay.server.engine.hosted import Hosted, OpenTrial
from assay.server.engine.loading import load_hosted
from assay.server.engine.open_bytes import OpenBytes
from assay.server.engine.waiting_clock import Anchor, WaitingClock, put_anchor
from assay.server.limits import Limits
from assay.server.refusals import Refusal
from assay.server.store.audit import ACTOR, together
from assay.server.store.room import no_room
from assay.server.store.store import Snapshot, Store, put_snapshot
from assay.server.store.stored_bytes import StoredBytes, size_of
from assay.server.store.writer import Group, Job, Writer

log = logging.getLogger("assay.server")
#: Events whose replay, when a learner is read again, is long enough to put its state down.
_MANY = 500


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Make many objects that all stay: to look through them for garbage would take longer than to make them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Core:
    """The learners of a store, as their events make them."""

    def __init__(
        self,
        store: Store,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.limits = store, limits or Limits()
        self.lock = threading.RLock()
        self._hosted: dict[str, Hosted] = {}
        self._broken: BaseException | None = None
        #: Bytes of all trials that wait, and of what the log holds.
        self.open_bytes, self.stored = OpenBytes(), StoredBytes()
        self._no_room: str | None = None
        try:
            self._load()
            anchors = map(Anchor._make, store.anchors())
            self._clock = WaitingClock(anchors, store.last()[1], clock, steady)
        except AssayError:
            store.close()
            raise
        except Exception as problem:
            store.close()
            raise BadData(
                f"{store.path} is damaged: its log cannot be replayed ({problem}). Go back to a backup, or "
                "see what `assay serve --check` finds."
            ) from None
        self.writer = Writer(
            store.commit, self._failed, self._mended, self.limits.queue, self.limits.queue_bytes
        )
        self.look_for_room()
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="assay-snapshots")

    def _load(self) -> None:
        """What the store holds. Learners that hold nothing beyond it stay; nobody changes them meanwhile."""
        seq, _, number = self.store.last()
        known = self._hosted
        loaded: dict[str, Hosted] = {}
        with without_collecting():
            for learner, name in self.store.names().items():
                kept = known.get(name)
                if kept is None or kept.number != learner or kept.seq > seq or kept.damaged:
                    kept = load_hosted(self.store, learner, name, self.limits)
                loaded[name] = kept
        stored = StoredBytes.of_store(self.store)
        for name, hosted in loaded.items():
            before = known.get(name)
            if before is not hosted:
                hosted.bytes.join(self.open_bytes)
        for name, before in known.items():
            if loaded.get(name) is not before:
                before.bytes.leave()
        self._seq, self._number, self.stored = seq, number, stored
        self._loaded, self._hosted = seq, loaded

    def _failed(self, problem: BaseException) -> None:
        """A commit failed: nothing is served until a probe can be written."""
        with self.lock:
            self._broken = problem
            self.writer.drop_open()
            self._clock.save_again()
        log.error("Nothing is served: %s", self.cause)

    def _mended(self) -> bool:
        """Whether a probe can be written; then what was in memory beyond the store is forgotten."""
        try:
            self.store.probe()
            self._load()  # without the lock: who asks is refused, and does not wait
        except Exception as problem:
            self._broken = problem
            return False
        with self.lock:
            self._broken = None
        log.warning("The store can be written again")
        return True

    def _require_sound(self) -> None:
        if self._broken is not None:
            raise Refusal("store_failed", "The store cannot be used at present.", retry_after=1)

    def _require_same(self, hosted: Hosted) -> None:
        """Refuse where the store failed, or the learner went, while it was worked on without the lock."""
        self._require_sound()
        if self._hosted.get(hosted.name) is not hosted:
            raise Refusal("store_failed", "The store was read again. Send it once more.", retry_after=1)  # fmt: skip

    @property
    def ready(self) -> bool:
        """Whether requests can be served."""
        return self._broken is None

    @property
    def cause(self) -> str | None:
        """Why they cannot, in words."""
        broken = self._broken
        if broken is None:
            return self._no_room
        why = " ".join(str(broken).split())[:200] or type(broken).__name__
        return f"the store cannot be written: {why}"

    def close(self) -> None:
        """Commit what waits, put the states down, and close the store."""
        with self.lock:
            if self._broken is None:
                for hosted in self._hosted.values():
                    if hosted.events > hosted.snapshot_events and not hosted.damaged:
                        self._put_down(hosted)
                self._put_down_stored()
                if any(hosted.open for hosted in self._hosted.values()):
                    self.writer.aside(put_anchor(self._clock.anchor()))
        self._scribe.shutdown()
        self.writer.stop()
        self.store.close()

    def look_for_room(self) -> None:
        """See how much room the disk has."""
        self._no_room = no_room(self.store.path, self.limits)

    def _require_disk(self) -> None:
        if self._no_room is not None:
            raise Refusal("store_full", self._no_room, retry_after=60)

    def _put_down_stored(self) -> None:
        job = self.stored.job(self._seq)
        if job is not None:
            self.writer.add(job=job)

    def flushed(self) -> Group | None:
        """The group that makes everything so far durable; None if all is."""
        return self.writer.pending()

    def _now(self) -> int:
        """The time of an event that happens now."""
        return self._clock.read()

    def _waited(self, opened: OpenTrial) -> int:
        """The milliseconds that a trial has waited, as of the last `_now`."""
        since = opened.since
        if since is None:  # it comes from the log
            since = opened.since = self._clock.waited_at(opened.at)
        return self._clock.waited - since

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
        self.stored.add(hosted.number, ACTOR.get()[0], size_of(body))
        return self.writer.add([event], self._dated(job), after)

    def _dated(self, job: Job | None = None) -> Job | None:
        """A job, and what is to be written of the clocks."""
        anchor = self._clock.job() if self._clock.unsaved is not None else None
        return job if anchor is None else anchor if job is None else together(job, anchor)

    def _put_down(self, hosted: Hosted) -> None:
        """Put a state down, beside the requests: it is copied now and written when it has become bytes."""
        counts, game = hosted.marked(), hosted.game.copied()
        number, seq, link = hosted.number, hosted.seq, hosted.link

        def written() -> None:
            # Without it a start takes longer, nothing else.
            with contextlib.suppress(AssayError, MemoryError, OSError):
                snapshot = Snapshot(number, seq, link, counts, game.saved())
                self.writer.aside(put_snapshot(snapshot))

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
            damaged = self._hosted.get(name)
            if damaged is None or not damaged.damaged:  # others were here before
                return self.hosted(name)
            if damaged.seq > max(self.writer.committed, self._loaded):
                raise Refusal("busy", f"The learner {name!r} is being read again.", retry_after=1)
        # Whoever is alone with it does not hold the lock: others go on.
        hosted = load_hosted(self.store, damaged.number, name, self.limits)
        with self.lock:
            if self._hosted.get(name) is not damaged:
                return self.hosted(name)
            self._hosted[name] = hosted
            damaged.bytes.leave()
            hosted.bytes.join(self.open_bytes)
            if hosted.events - hosted.snapshot_events >= _MANY:  # the next time it is quicker
                self._put_down(hosted)
            return hosted

    def require_known(self, name: str) -> None:
        """Refuse what nobody could answer, without looking any closer."""
        self._require_sound()
        if name not in self._hosted:
            raise Refusal("unknown_learner", f"There is no learner {name!r}.")

    def damaged(self, name: str) -> bool:
        """Whether a learner must be read again, which takes long."""
        hosted = self._hosted.get(name)
        return hosted is not None and hosted.damaged

    def names(self) -> list[str]:
        """All learners."""
        self._require_sound()
        return sorted(self._hosted)
