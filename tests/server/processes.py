"""Servers as real processes on loopback: started, killed and stopped.

`Forked` runs the command in a child of a process that has imported everything, so that hundreds of starts are
cheap; `Command` is `assay serve` as a user starts it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SAYS = re.compile(r"at https?://127\.0\.0\.1:(\d+)")
_PATIENCE_S = 60.0
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.server.warmed"])


class Gone(Exception):
    """The server did not answer: nobody knows whether the request was kept."""


class Running:
    """A server with its port; a subclass says how it is started."""

    def __init__(self, store: Path) -> None:
        self.store, self.said = store, store.with_name("said.txt")
        self.port = 0

    pid: int

    def alive(self) -> bool:
        raise NotImplementedError

    def code(self) -> int | None:
        """How it ended; minus the signal if by one."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Wait until it listens; False if it ended before."""
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            found = _SAYS.search(self.output())
            if found:
                self.port = int(found[1])
                return True
            if not self.alive():
                return False
            time.sleep(0.005)
        raise AssertionError(f"the server did not start: {self.output()}")

    def output(self) -> str:
        """What it has said so far."""
        return self.said.read_text() if self.said.exists() else ""

    def kill(self) -> None:
        """Kill -9."""
        self._send(signal.SIGKILL)
        self.wait()

    def terminate(self) -> None:
        """Ask it to stop."""
        self._send(signal.SIGTERM)

    def _send(self, what: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, what)

    def wait(self) -> int:
        """Wait for the end; returns the code."""
        until = time.monotonic() + _PATIENCE_S
        while self.alive():
            assert time.monotonic() < until, "the server does not end"
            time.sleep(0.002)
        code = self.code()
        assert code is not None
        return code

    def connection(self, timeout: float = 20.0) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)


class Forked(Running):
    """`assay serve` in a child; `trouble` names what happens to it, see `_make_trouble`."""

    def __init__(
        self,
        store: Path,
        trouble: str | None = None,
        keys: Path | None = None,
        options: tuple[str, ...] = (),
        **limits: float,
    ) -> None:
        super().__init__(store)
        self.said.unlink(missing_ok=True)
        more = [*options] if keys is None else [*options, "--keys", str(keys)]
        for name, value in limits.items():
            more += ["--limit", f"{name}={value}"]
        self._process = _forks.Process(
            target=_serve, args=(str(store), str(self.said), trouble, more), daemon=True
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def alive(self) -> bool:
        return self._process.is_alive()

    def code(self) -> int | None:
        return self._process.exitcode


class Command(Running):
    """`assay serve` as a user starts it."""

    def __init__(self, store: Path, *options: str, env: dict[str, str] | None = None) -> None:
        super().__init__(store)
        with open(self.said, "w") as said:
            self._process = subprocess.Popen(
                [*ASSAY, "serve", "--store", str(store), "--port", "0", *options],
                stdout=said,
                stderr=subprocess.STDOUT,
                env=env,
            )
        self.pid = self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def code(self) -> int | None:
        return self._process.poll()


ASSAY = [sys.executable, "-c", "from assay.cli.app import main; main()"]


class Caller:
    """One connection that sends JSON and tells apart what was answered from what was lost."""

    def __init__(self, server: Running, key: str | None = None) -> None:
        self._connection = server.connection()
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}

    def __call__(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        raw = (
            None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        try:
            headers = self._headers | ({} if raw is None else {"Content-Type": kind})
            self._connection.request(method, path, raw, headers)
            answer = self._connection.getresponse()
            read = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            self._connection.close()
            raise Gone(str(problem)) from None
        if answer.headers.get_content_type() == "application/json":
            return answer.status, json.loads(read)
        return answer.status, read

    def close(self) -> None:
        self._connection.close()


# In the child


def _serve(store: str, said: str, trouble: str | None, more: list[str]) -> None:
    where = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(where, 1)
    os.dup2(where, 2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    from assay.cli.app import app
    from assay.errors import AssayError

    if trouble is not None:
        for one in trouble.split("+"):
            _make_trouble(*one.split(":"))
    try:
        app(["serve", "--store", store, "--port", "0", *more], standalone_mode=False)
    except AssayError as refusal:
        print(f"assay: {refusal}", flush=True)
        sys.exit(2)


def _make_trouble(where: str, after: str) -> None:
    """Have the server meet what chance would seldom bring.

    It kills itself: `commit:n` before the n-th commit is done, `answer:n` behind it, before anybody is told,
    `snapshot:n` within the n-th snapshot, `load:n` while the n-th learner is read. Its disk: `slow:ms` for every
    commit, `full:bytes` for any file, until it gets SIGUSR1; `fills:s` is full for a second in every so many;
    `nobody:0` may not write where root may. Its surroundings: `clock:s` has a clock that jumps by so many seconds, to
    and fro; of `pipe:0` nobody reads the log. `blocks:ms` keeps the event loop that long, again and again.
    Broken twins: `early:ms` acknowledges before a commit that takes so long, `twice:0` forgets what was told.
    """
    _TROUBLES[where](int(after))


def _replace(old: Any, new: Any) -> None:
    """Put something in the place of a function, wherever the service has imported it."""
    places = [
        (module, name)
        for key, module in sys.modules.items()
        if key.startswith("assay.server.")
        for name, value in vars(module).items()
        if value is old
    ]
    assert places
    for module, name in places:
        setattr(module, name, new)


class _Due:
    """Kills this process when it is called for the n-th time."""

    def __init__(self, left: int) -> None:
        self._left = left

    def __call__(self, *given: Any) -> None:
        self._left -= 1
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


def _around_commit(
    before: Callable[[Any], None] | None = None, after: Callable[[], None] | None = None
) -> None:
    from assay.server.store.store import Store

    commit = Store.commit

    def changed(self: Any, group: Any) -> None:
        if before is not None:
            before(group)
        commit(self, group)
        if after is not None:
            after()

    Store.commit = changed  # type: ignore[method-assign]


def _commit(after: int) -> None:
    due = _Due(after)
    _around_commit(before=lambda group: group.jobs.append(due))


def _snapshot(after: int) -> None:
    from assay.server.store.store import put_snapshot

    due = _Due(after)

    def half(snapshot: Any) -> Any:
        job = put_snapshot(snapshot)
        return lambda connection: (job(connection), due())

    _replace(put_snapshot, half)


def _load(after: int) -> None:
    from assay.server.engine.loading import load_hosted

    due = _Due(after)

    def stopped(*given: Any, **named: Any) -> Any:
        found = load_hosted(*given, **named)
        due()
        return found

    _replace(load_hosted, stopped)


def _full(size: int) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    signal.signal(
        signal.SIGUSR1, lambda *_: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    )


def _fills(every: int) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        while True:
            time.sleep(every - 1)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
            time.sleep(1)
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    threading.Thread(target=fill, daemon=True).start()


def _clock(most: int) -> None:
    from assay.server.engine.core import Core

    made = Core.__init__

    def jumping() -> float:
        return time.time() + most * math.sin(int(time.monotonic()) ** 2)

    def init(self: Any, store: Any, limits: Any = None) -> None:
        made(self, store, limits, jumping)

    Core.__init__ = init  # type: ignore[method-assign,assignment]


def _pipe(_: int) -> None:
    from assay.server import request_log

    reads, writes = os.pipe()
    os.set_inheritable(reads, True)  # nobody closes it, and nobody reads
    unread = os.fdopen(writes, "w")
    init = request_log.RequestLog.__init__

    def begun(self: Any, out: Any = None, **terms: Any) -> None:
        init(self, unread, **terms)

    request_log.RequestLog.__init__ = begun  # type: ignore[method-assign]


def _blocks(milliseconds: int) -> None:
    from assay.server.engine.engine import Engine

    sweep = Engine.sweep

    def slowly(self: Any, *given: Any) -> None:
        time.sleep(milliseconds / 1000)
        sweep(self, *given)

    Engine.sweep = slowly  # type: ignore[method-assign]


def _nobody(_: int) -> None:
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def _early(milliseconds: int) -> None:
    from assay.server.store.writer import Group

    async def at_once(self: Any) -> None:
        return

    Group.committed = at_once  # type: ignore[method-assign]
    _slow(milliseconds)


def _slow(milliseconds: int) -> None:
    _around_commit(before=lambda group: time.sleep(milliseconds / 1000))


def _twice(_: int) -> None:
    from assay.server.engine.engine import Engine

    feedback = Engine.feedback

    def again(self: Any, name: str, tell: Any, **terms: Any) -> Any:
        hosted = self.hosted(name)
        asked = self.store.of_trial(hosted.number, tell.trial).get("trial")
        if asked is not None and tell.trial not in hosted.open:
            hosted.open_trial(tell.trial, hosted.restored(asked))
        return feedback(self, name, tell, **terms)

    Engine.feedback = again  # type: ignore[method-assign]

    def forgetful(group: Any) -> None:  # the file would refuse it as well
        group.jobs.append(lambda held: held.execute("DROP INDEX IF EXISTS events_of_trial"))

    _around_commit(before=forgetful)


_TROUBLES: dict[str, Callable[[int], None]] = {
    "commit": _commit,
    "answer": lambda after: _around_commit(after=_Due(after)),
    "snapshot": _snapshot,
    "load": _load,
    "slow": _slow,
    "full": _full,
    "fills": _fills,
    "clock": _clock,
    "pipe": _pipe,
    "blocks": _blocks,
    "nobody": _nobody,
    "early": _early,
    "twice": _twice,
}
