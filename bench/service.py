"""`assay serve` under load, beside a FastAPI + pydantic + sqlite3 application with the same group commit.

32 connections ask for a prediction and tell its truth, in turn; both servers and the load run on the cores of one
machine. Every request is durable: it is answered after a commit in WAL mode with synchronous=FULL has returned, which
it shares with all that wait. Then decisions among many actions, batches, and a start with millions of events.

Rates are those of the machine as it is: beside each stands how many processes wanted to run (the load of the last
minute), and the processor time of the server for each request, which says more where others work as well.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import numpy as np

CONNECTIONS, SECONDS, TURNS = 32, 4.0, 3
FEATURES, BLOCK, BLOCKS, CLIENTS = 20, 1000, 100, 2
GOAL_RATE, GOAL_P99_MS, GOAL_RATIO, GOAL_EXAMPLES = 9_000, 10.0, 2.5, 100_000
ACTIONS, GOAL_RANKS = 50, 3_000
EVENTS, OPEN, GOAL_START_S, GOAL_CERTIFICATE_S = 2_300_000, 300_000, 4.0, 0.3
LEARNER = "/v1/learners/bench"


# The peer, run by `python bench/service.py --peer STORE --port PORT`


class GroupCommit:
    """Statements that wait share a commit, in a thread; whoever sent one is told when it is done."""

    def __init__(self, held):
        self._held, self._wake = held, threading.Condition()
        self._waiting, self._ends = [], False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    async def done(self, statement, values):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        with self._wake:
            self._waiting.append((statement, values, future, loop))
            self._wake.notify()
        await future

    def stop(self):
        with self._wake:
            self._ends = True
            self._wake.notify()
        self._thread.join()

    def _run(self):
        while True:
            with self._wake:
                while not self._waiting:
                    if self._ends:
                        return
                    self._wake.wait()
                group, self._waiting = self._waiting, []
            self._held.execute("BEGIN IMMEDIATE")
            for statement, values, _, _ in group:
                self._held.execute(statement, values)
            self._held.execute("COMMIT")
            group[0][3].call_soon_threadsafe(self._tell, [future for _, _, future, _ in group])

    @staticmethod
    def _tell(futures):
        for future in futures:
            if not future.done():
                future.set_result(None)


def plain_app(path):
    """What one writes in a day: a route each, a model of pydantic each, and a commit for all that wait."""
    from contextlib import asynccontextmanager
    from uuid import uuid4

    from fastapi import FastAPI, HTTPException
    from pydantic import BaseModel, ConfigDict

    from assay import Perceptron

    held = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    held.execute("PRAGMA journal_mode = WAL")
    held.execute("PRAGMA synchronous = FULL")
    held.execute(
        "CREATE TABLE trials (trial TEXT PRIMARY KEY, x TEXT, prediction INTEGER, label INTEGER)"
    )
    commits = GroupCommit(held)
    model, known = Perceptron(), {}
    model.learn_one(np.zeros(FEATURES), 1, classes=[0, 1])

    @asynccontextmanager
    async def lifespan(app):
        yield
        commits.stop()
        held.close()

    app = FastAPI(lifespan=lifespan)

    class Ask(BaseModel):
        model_config = ConfigDict(extra="forbid")
        x: list[float]

    class Answer(BaseModel):
        trial: str
        prediction: int

    class Tell(BaseModel):
        model_config = ConfigDict(extra="forbid")
        trial: str
        label: int

    class Told(BaseModel):
        trial: str
        mistake: bool

    @app.post("/predict")
    async def predict(ask: Ask) -> Answer:
        said = int(model.predict_one(np.array(ask.x)))
        trial = uuid4().hex
        known[trial] = [ask.x, said, None]
        insert = "INSERT INTO trials VALUES (?, ?, ?, NULL)"
        await commits.done(insert, (trial, json.dumps(ask.x), said))
        return Answer(trial=trial, prediction=said)

    @app.post("/feedback")
    async def feedback(tell: Tell) -> Told:
        trial = known.get(tell.trial)
        if trial is None:
            raise HTTPException(404)
        x, said, label = trial
        if label is None:
            model.learn_one(np.array(x), tell.label)
            trial[2] = tell.label
            update = "UPDATE trials SET label = ? WHERE trial = ?"
            await commits.done(update, (tell.label, tell.trial))
        elif label != tell.label:
            raise HTTPException(409)
        return Told(trial=tell.trial, mistake=said != tell.label)

    return app


def serve_peer(path, port):
    import uvicorn

    uvicorn.run(plain_app(path), host="127.0.0.1", port=port, log_level="warning", access_log=False)


# The load


class Connection(asyncio.Protocol):
    """One client that predicts and tells, over and over, on a connection that stays open."""

    def __init__(self, prefix, bodies, until, asks, tells):
        self._asks = [_request(f"{prefix}/{asks}", body) for body, _ in bodies]
        self._labels, self._tells = [label for _, label in bodies], tells
        self._prefix, self._until, self._place = prefix, until, 0
        self._buffer, self._asked = b"", True
        self.times, self.told, self.refused = [], 0, 0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self._transport = transport
        self._send(self._asks[0])

    def _send(self, request):
        self._begun = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data):
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._buffer.index(b"content-length: ") + 16
        size = int(self._buffer[at : self._buffer.index(b"\r", at)])
        if len(self._buffer) < head + 4 + size:
            return
        body, status = self._buffer[head + 4 :], self._buffer[9:12]
        self._buffer = b""
        now = time.perf_counter()
        self.times.append(now - self._begun)
        if status != b"200":
            self.refused += 1
        elif not self._asked:
            self.told += 1
        asked = self._asked and self._tells is not None
        if now >= self._until and not asked:
            self._transport.close()
            self.done.set_result(None)
            return
        if asked and status == b"200":
            at = body.index(b'"trial":"') + 9
            trial = body[at : body.index(b'"', at)]
            label = self._labels[self._place]
            self._asked = False
            self._send(
                _request(f"{self._prefix}/{self._tells[0]}", self._tells[1] % (trial, label))
            )
        else:
            self._asked = True
            self._place = (self._place + 1) % len(self._asks)
            self._send(self._asks[self._place])

    def connection_lost(self, problem):
        if not self.done.done():
            self.done.set_exception(problem or ConnectionError("the server closed the connection"))


def _request(path, body):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def bodies_for(number):
    rng = np.random.default_rng(number)
    X = rng.normal(size=(200, FEATURES)).round(4)
    labels = (X @ np.random.default_rng(0).normal(size=FEATURES) > 0).astype(int)
    return [
        (json.dumps({"x": x}, separators=(",", ":")).encode(), label)
        for x, label in zip(X.tolist(), labels.tolist(), strict=True)
    ]


TELL = b'{"trial":"%b","label":%d}'
REWARD = b'{"trial":"%b","reward":%d}'


def rounds_for(number):
    """Rounds of many actions with features each."""
    rng = np.random.default_rng(number)
    rounds = []
    for features in rng.normal(size=(8, ACTIONS, FEATURES)).round(3).tolist():
        actions = [{"id": f"item-{n}", "features": its} for n, its in enumerate(features)]
        rounds.append(
            (json.dumps({"actions": actions}, separators=(",", ":")).encode(), number % 2)
        )
    return rounds


async def load(
    port, prefix, seconds, asks="predict", tells=("feedback", TELL), bodies_of=bodies_for
):
    """Requests a second, p50 and p99 in milliseconds, and how many truths were acknowledged."""
    loop = asyncio.get_running_loop()
    all_bodies = [bodies_of(number) for number in range(CONNECTIONS)]
    begun = time.perf_counter()
    clients = []
    for bodies in all_bodies:
        _, client = await loop.create_connection(
            lambda b=bodies: Connection(prefix, b, begun + seconds, asks, tells), "127.0.0.1", port
        )
        clients.append(client)
    await asyncio.gather(*(client.done for client in clients))
    took = time.perf_counter() - begun
    refused = sum(client.refused for client in clients)
    if refused:
        raise SystemExit(f"{refused} requests were refused")
    times = np.sort(np.concatenate([client.times for client in clients]))
    p50, p99 = (1000 * times[math.ceil(q * len(times)) - 1] for q in (0.5, 0.99))
    return len(times) / took, p50, p99, sum(client.told for client in clients)


def run(coroutine):
    try:
        import uvloop
    except ImportError:
        return asyncio.run(coroutine)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(coroutine)


# The servers


@contextlib.contextmanager
def served(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if process.poll() is not None:
                raise SystemExit(f"{command[1]} ended with {process.returncode}")
            with contextlib.suppress(OSError):
                call(port, "GET", "/healthz")
                break
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def processor(process):
    """Seconds of processor time of a process so far; nothing where the system does not say."""
    try:
        told = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def busy():
    """How many processes wanted to run, as a mean over the last minute."""
    with contextlib.suppress(OSError):
        return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return "load unknown"


def call(port, method, path, body=None):
    held = HTTPConnection("127.0.0.1", port, timeout=60)
    held.request(method, path, body, {"Content-Type": "application/json"})
    answer = held.getresponse()
    text = answer.read()
    held.close()
    return answer.status, text


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def ours(folder):
    port, store = free_port(), Path(folder, "assay.db")
    executable = str(Path(sys.executable).with_name("assay"))
    return port, store, [executable, "serve", "--store", str(store), "--port", str(port)]


def define(port):
    body = json.dumps({"algorithm": "perceptron", "classes": [0, 1], "features": FEATURES})
    status, text = call(port, "PUT", LEARNER, body)
    if status not in (200, 201):
        raise SystemExit(f"the learner was refused: {text.decode()}")


def kept(store, query):
    with contextlib.closing(sqlite3.connect(store)) as held:
        return held.execute(query).fetchone()[0]


def single(folder):
    """Requests one by one, the servers in turns."""
    port, store, command = ours(folder)
    peer_port, peer_store = free_port(), Path(folder, "peer.db")
    peer_command = [sys.executable, __file__, "--peer", str(peer_store), "--port", str(peer_port)]
    best, peer, told, peer_told = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 0
    cost, peer_cost = [], []
    with served(command, port) as server, served(peer_command, peer_port) as other:
        define(port)
        for place, prefix in ((port, LEARNER), (peer_port, "")):  # what is compiled at first use
            warm = run(load(place, prefix, 0.5))[3]
            told, peer_told = (
                (told + warm, peer_told) if place == port else (told, peer_told + warm)
            )
        for _ in range(TURNS):
            spent = processor(server)
            *figures, more = run(load(port, LEARNER, SECONDS))
            best, told = max(best, tuple(figures)), told + more
            cost.append((processor(server) - spent) / (2 * more))
            spent = processor(other)
            *figures, more = run(load(peer_port, "", SECONDS))
            peer, peer_told = max(peer, tuple(figures)), peer_told + more
            peer_cost.append((processor(other) - spent) / (2 * more))
    found = kept(store, "SELECT count(*) FROM events WHERE kind = 'feedback'")
    peer_found = kept(peer_store, "SELECT count(*) FROM trials WHERE label IS NOT NULL")
    if (found, peer_found) != (told, peer_told):
        raise SystemExit(f"acknowledged {told} and {peer_told}, but kept {found} and {peer_found}")
    ratio = best[0] / peer[0]
    met = best[0] >= GOAL_RATE and best[2] < GOAL_P99_MS and ratio >= GOAL_RATIO
    print(
        f"predict and feedback, {CONNECTIONS} connections, durable: {best[0]:,.0f} requests/s, "
        f"p50 {best[1]:.1f} ms, p99 {best[2]:.1f} ms; FastAPI + pydantic + sqlite3 {peer[0]:,.0f} requests/s, "
        f"p50 {peer[1]:.1f} ms, p99 {peer[2]:.1f} ms; ratio {ratio:.2f} (goals {GOAL_RATE:,}/s, "
        f"p99 {GOAL_P99_MS:.0f} ms, ratio {GOAL_RATIO:g}) {'met' if met else 'MISSED'}"
    )
    print(f"  acknowledged and kept: {told:,} and {peer_told:,} truths, none lost; {busy()}")
    print(
        f"  processor time of a request: {1e6 * min(cost):.0f} us, of the peer's {1e6 * min(peer_cost):.0f} us"
    )


def ranks(folder):
    """Decisions among many actions, each with features; alone, and each with its reward."""
    port, _, command = ours(folder)
    definition = {"algorithm": "linucb", "action_features": FEATURES, "params": {"products": False}}
    best, both, cost = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), []
    with served(command, port) as server:
        for _ in range(TURNS):
            for tells in (None, ("reward", REWARD)):
                status, text = call(port, "PUT", LEARNER, json.dumps(definition))
                if status != 201:
                    raise SystemExit(f"the learner was refused: {text.decode()}")
                terms = {"asks": "rank", "tells": tells, "bodies_of": rounds_for}
                run(load(port, LEARNER, 0.2, **terms))
                spent, before = processor(server), json.loads(call(port, "GET", LEARNER)[1])
                *figures, _ = run(load(port, LEARNER, SECONDS / 2, **terms))
                after = json.loads(call(port, "GET", LEARNER)[1])
                if tells is None:
                    best = max(best, tuple(figures))
                    many = after["trials"] - before["trials"]
                    cost.append((processor(server) - spent) / many)
                else:
                    both = max(both, tuple(figures))
                call(port, "DELETE", LEARNER)
    print(
        f"rank, {ACTIONS} actions x {FEATURES} features, {CONNECTIONS} connections, durable: {best[0]:,.0f} a second, "
        f"p50 {best[1]:.1f} ms, p99 {best[2]:.1f} ms (goal {GOAL_RANKS:,}) "
        f"{'met' if best[0] >= GOAL_RANKS else 'MISSED'}; processor time {1e6 * min(cost):.0f} us; {busy()}"
    )
    print(f"  each with its reward: {both[0] / 2:,.0f} ranks and as many rewards a second")


def batches(folder):
    """Examples in batches, predicted, then told; one counts when it was learned and is on disk."""
    port, _, command = ours(folder)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(BLOCK, FEATURES)).round(4)
    labels = (X @ np.random.default_rng(0).normal(size=FEATURES) > 0).astype(int).tolist()
    rows = [json.dumps(x, separators=(",", ":")) for x in X.tolist()]
    forms = {
        "block": (BLOCKS, b'{"rows":[%b]}' % ",".join(rows).encode(), _tell_block, "json"),
        "lines": (
            BLOCKS // 10,
            "\n".join(f'{{"x":{x}}}' for x in rows).encode(),
            _tell_lines,
            "x-ndjson",
        ),
    }
    rates = {}
    with served(command, port):
        define(port)
        for name, (count, ask, tell, kind) in forms.items():
            _play(port, 2, ask, labels, tell, kind)
            for _ in range(TURNS):
                begun = time.perf_counter()
                with ThreadPoolExecutor(CLIENTS) as pool:
                    each = count // CLIENTS
                    for done in [
                        pool.submit(_play, port, each, ask, labels, tell, kind)
                        for _ in range(CLIENTS)
                    ]:
                        done.result()
                rate = each * CLIENTS * BLOCK / (time.perf_counter() - begun)
                rates[name] = max(rates.get(name, 0.0), rate)
        told = json.loads(call(port, "GET", LEARNER)[1])["told"]
        expected = sum(
            BLOCK * (2 + TURNS * CLIENTS * (count // CLIENTS)) for count, *_ in forms.values()
        )
        if told != expected:
            raise SystemExit(f"acknowledged {expected} examples, but {told} were learned")
    verdict = "met" if rates["block"] >= GOAL_EXAMPLES else "MISSED"
    print(
        f"batches of {BLOCK:,} x {FEATURES}, {CLIENTS} connections, predicted and told, durable: "
        f"{rates['block']:,.0f} examples/s (goal {GOAL_EXAMPLES:,}) {verdict}"
    )
    print(f"  NDJSON with a trial for each example: {rates['lines']:,.0f} examples/s")


def large(folder):
    """A start, and a certificate, of a store with millions of events."""
    store = Path(folder, "assay.db")
    told = (EVENTS - OPEN) // 2
    grown(store, told)
    port = free_port()
    executable = str(Path(sys.executable).with_name("assay"))
    command = [executable, "serve", "--store", str(store), "--port", str(port)]
    times, issued = [], []
    for _ in range(TURNS):
        begun = time.perf_counter()
        with served(command, port) as server:
            times.append((time.perf_counter() - begun, processor(server)))
            standing = json.loads(call(port, "GET", LEARNER)[1])
            if (standing["told"], standing["open"]) != (told, OPEN):
                raise SystemExit(f"the store was read as {standing}")
            for _ in range(2):
                begun = time.perf_counter()
                status, text = call(port, "GET", f"{LEARNER}/certificate")
                issued.append(time.perf_counter() - begun)
                if status != 200:
                    raise SystemExit(f"there is no certificate: {text[:300].decode()}")
    wall, spent = min(times)
    print(
        f"start with {2 * told + OPEN:,} events and {OPEN:,} open trials: {wall:.2f} s, "
        f"of them {spent:.2f} s of processor time (goal {GOAL_START_S:g} s) "
        f"{'met' if wall < GOAL_START_S else 'MISSED'}; {busy()}"
    )
    print(
        f"certificate on {told:,} told: {min(issued):.3f} s (goal {GOAL_CERTIFICATE_S:g} s) "
        f"{'met' if min(issued) < GOAL_CERTIFICATE_S else 'MISSED'}; the first after a start {issued[0]:.3f} s"
    )


def grown(path, told):
    """Make a store with so many trials told, and more that wait."""
    import msgspec

    from assay.server.engine.engine import Engine
    from assay.server.engine.requests import Ask, Tell
    from assay.server.limits import Limits
    from assay.server.store.store import Store

    engine = Engine(Store(path), Limits(queue=10**9, queue_bytes=2**40))
    engine.create("bench", {"algorithm": "perceptron", "classes": [0, 1], "features": 3})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3)).round(3)
    rows = [msgspec.Raw(json.dumps(x).encode()) for x in X.tolist()]
    labels = (X[:, 0] > 0).astype(int).tolist()
    for t in range(told + OPEN):
        answer, group = engine.predict("bench", Ask(x=rows[t % 1000]))
        if t >= OPEN:
            engine.feedback("bench", Tell(answer["trial"], label=labels[t % 1000]))
        if t % 10_000 == 0:
            group.wait()  # else all of it would wait in memory
    engine.close()


def _play(port, count, ask, labels, tell, kind):
    held = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": f"application/{kind}"}
    written = json.dumps(labels, separators=(",", ":")).encode()
    for _ in range(count):
        said = _ok(held, f"{LEARNER}/predict", ask, headers)
        told = _ok(held, f"{LEARNER}/feedback", tell(said, labels, written), headers)
        if b'"error"' in told:
            raise SystemExit(f"a batch was refused: {told[:300].decode()}")
    held.close()


def _tell_block(said, labels, written):
    at = said.index(b'"trial":"') + 9
    return b'{"trial":"%b","labels":%b}' % (said[at : said.index(b'"', at)], written)


def _tell_lines(said, labels, written):
    found = re.findall(rb'"trial":"([^"]+)"', said)
    return b"\n".join(
        b'{"trial":"%b","label":%d}' % pair for pair in zip(found, labels, strict=True)
    )


def _ok(held, path, body, headers):
    held.request("POST", path, body, headers)
    answer = held.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"a batch was refused: {text[:300].decode()}")
    return text


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer")
    parser.add_argument("--port", type=int)
    given = parser.parse_args()
    if given.peer:
        serve_peer(given.peer, given.port)
        return
    with tempfile.TemporaryDirectory() as folder:
        single(folder)
    for measured in (ranks, batches, large):
        with tempfile.TemporaryDirectory() as folder:
            measured(folder)


if __name__ == "__main__":
    main()
