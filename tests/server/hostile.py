"""Those who mean no good, each in a thread of a process of its own, until a moment comes.

They only send: what becomes of others is measured elsewhere. Together they send what a line of half a gigabit carries,
since more would only measure how this machine shares its cores among them and the server.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

HOST = b"Host: localhost\r\n"
PATH = b"/v1/learners/victim/predict"


class Target:
    """A server to be attacked, and until when.

    Parameters
    ----------
    port : int
    key : str
        Of a tenant who turned hostile: good for one learner.
    until : float
        By the steady clock of the system.
    connects : int
        How many attempts to connect there shall be in all.
    """

    def __init__(self, port: int, key: str, until: float, connects: int) -> None:
        self.port, self.key, self.until, self.connects = port, key, until, connects
        self.begun = time.monotonic()
        #: How often each did what it does.
        self.done: dict[str, int] = {}

    def goes_on(self) -> bool:
        return time.monotonic() < self.until

    def count(self, what: str, many: int = 1) -> None:
        self.done[what] = self.done.get(what, 0) + many

    def connected(self, timeout: float = 5.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def post(self, path: bytes, body: bytes, method: bytes = b"POST", size: int | None = None) -> bytes:  # fmt: skip
        """One request on a connection of its own; the first bytes of the answer."""
        length = len(body) if size is None else size
        head = b"%b %b HTTP/1.1\r\n%bAuthorization: Bearer %b\r\nContent-Length: %d\r\n\r\n"
        with self.connected() as held:
            held.sendall(head % (method, path, HOST, self.key.encode(), length) + body)
            return held.recv(4096)


def slow_heads(target: Target) -> None:
    """Many connections whose heads come a byte at a time."""
    held: list[socket.socket] = []
    while target.goes_on():
        while len(held) < 200:
            with contextlib.suppress(OSError):
                held.append(target.connected())
                held[-1].sendall(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
        for one in [*held]:
            try:
                one.send(b"x")
                target.count("bytes of slow heads")
            except OSError:
                held.remove(one)
                one.close()
        time.sleep(0.5)
    for one in held:
        one.close()


def trailers(target: Target) -> None:
    """Trailers without an end, and headers in the place of trailers."""
    line = b"X-More: " + b"y" * 1000 + b"\r\n"
    while target.goes_on():
        with contextlib.suppress(OSError), target.connected() as held:
            begun = b"POST %b HTTP/1.1\r\n%bTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
            held.sendall(begun % (PATH, HOST))
            for _ in range(1_000):
                held.sendall(line)
                target.count("kilobytes of trailers")
        time.sleep(0.1)


def huge_parameters(target: Target) -> None:
    """Learners that would fill the memory, numbers and nestings that are too large, names without an end."""
    network = {"algorithm": "mlp-classifier", "classes": [0, 1], "features": 100}
    given: list[Any] = [
        network | {"params": {"hidden_layer_sizes": [10**9, 10**9]}},
        network | {"params": {"hidden_layer_sizes": [1] * 10**4}},
        {"algorithm": "exp3", "params": {"arms": 10**12}},
        {"algorithm": "kernel-perceptron", "classes": [0, 1], "params": {"budget": 10**10}},
        {"algorithm": "linucb", "features": 9_999, "actions": [f"a{n}" for n in range(9_999)]},
        {"algorithm": "perceptron", "classes": list(range(10_000)), "features": 10_000},
        {"algorithm": "hedge", "experts": 10**15},
        {"algorithm": "perceptron", "classes": [0, 1], "features": 10**400},
    ]
    chance = random.Random(1)
    while target.goes_on():
        body = json.dumps(chance.choice(given)).encode()
        for path, sent, method in (
            (b"/v1/learners/victim", body, b"PUT"),
            (PATH, b'{"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}", b"POST"),
            (PATH, b'{"x":{%b}}' % b",".join(b'"f%d":1' % chance.randrange(10**9) for _ in range(9_000)), b"POST"),
            (PATH, b'{"x":[1e999]}', b"POST"),
        ):  # fmt: skip
            with contextlib.suppress(OSError):
                target.post(path, sent, method)
                target.count("huge parameters")
        time.sleep(0.05)


def large_bodies(target: Target) -> None:
    """Bodies as large as may be, many at once, most of them never sent to their end."""
    piece = b" " * 2**20
    while target.goes_on():
        held = []
        for _ in range(20):
            with contextlib.suppress(OSError):
                one = target.connected()
                head = (
                    b"POST %b HTTP/1.1\r\n%bAuthorization: Bearer %b\r\nContent-Length: %d\r\n\r\n"
                )
                one.sendall(head % (PATH, HOST, target.key.encode(), 16 * 2**20))
                held.append(one)
        for _ in range(15):
            for one in held:
                with contextlib.suppress(OSError):
                    one.sendall(piece)
                    target.count("megabytes of bodies")
            time.sleep(0.3)
        for one in held:
            one.close()
        time.sleep(1.0)


def trials_without_end(target: Target) -> None:
    """Trials that are never told, as large as may be, to fill memory and disk."""
    row = b'{"x":[' + b",".join([b"0.12345678901234567"] * 1_000) + b"]}"
    batch = b"\n".join([row] * 20)
    head = b"POST /v1/learners/filler/predict HTTP/1.1\r\n%bAuthorization: Bearer %b\r\n"
    head += b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
    while target.goes_on():
        with contextlib.suppress(OSError), target.connected() as held:
            for _ in range(50):
                held.sendall(head % (HOST, target.key.encode(), len(batch)) + batch)
                if not held.recv(65_536):
                    break
                target.count("trials that nobody tells", 20)
                time.sleep(0.05)


def wrong_keys(target: Target) -> None:
    """Keys that are guessed."""
    asked = b"GET /v1/learners HTTP/1.1\r\n%bAuthorization: Bearer %b\r\n\r\n"
    while target.goes_on():
        with contextlib.suppress(OSError), target.connected() as held:
            for _ in range(50):
                guessed = b"assay_%012x_%064x" % (
                    random.randrange(16**12),
                    random.randrange(16**64),
                )
                held.sendall(asked % (HOST, guessed))
                if not held.recv(4096):
                    break
                target.count("keys guessed")
                time.sleep(0.02)


def attempts_to_connect(target: Target) -> None:
    """So many attempts to connect, which ask nothing, in bursts; some stay until they are shown out."""
    kept: list[socket.socket] = []
    while target.goes_on() and target.done.get("attempts", 0) < target.connects:
        share = (time.monotonic() - target.begun) / (target.until - target.begun)
        due = int(target.connects * min(1.0, share / 0.95)) - target.done.get("attempts", 0)
        for _ in range(min(due, 200)):
            with contextlib.suppress(OSError):
                kept.append(target.connected(timeout=2.0))
            target.count("attempts")
        while len(kept) > 300:
            kept.pop(0).close()
        time.sleep(0.05)
    for one in kept:
        one.close()


ATTACKS: tuple[Callable[[Target], None], ...] = (
    slow_heads,
    trailers,
    huge_parameters,
    large_bodies,
    trials_without_end,
    wrong_keys,
    attempts_to_connect,
)


def attack(
    attacks: Sequence[Callable[[Target], None]],
    port: int,
    key: str,
    until: float,
    connects: int,
    said: Any,
) -> None:
    """Several at once; `said` is sent how often each did what it does, and what failed."""
    target = Target(port, key, until, connects)
    failed: list[str] = []

    def run(one: Callable[[Target], None]) -> None:
        try:
            one(target)
        except Exception as problem:
            failed.append(f"{one.__name__}: {problem!r}")

    threads = [threading.Thread(target=run, args=(one,), daemon=True) for one in attacks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()) + 30)
    said.send((target.done, failed))
