"""Kill -9 under load, again and again, and see that everything acknowledged is there exactly once.

Clients ask and tell at the same time, while the store is copied, keys change, and other learners come and go; the
server is killed at a random moment, or kills itself at the worst ones;
it is started again, and whatever was not acknowledged is sent again under the same name. After every start the log
is compared with what was acknowledged, and at the end the learners with a replay of it, to the bit.

    python -m tests.server.crashing 500
"""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import save
from assay.server.engine.check import check_store
from assay.server.engine.engine import Engine
from assay.server.engine.requests import tell_decoder
from assay.server.keys import add_key, new_key, revoke_key
from assay.server.store.event import FEEDBACK, NO_LINK, TRIAL, link_of
from assay.server.store.store import Store
from tests.server.players import PLAYERS, Player
from tests.server.processes import Caller, Forked, Gone, Running

CLIENTS = 6
#: How a cycle ends, and how often: by chance under load; while stopping; while starting; and by its own hand within
#: a commit, behind one before anybody was told, and within a snapshot.
ENDS = {"load": 8, "stop": 3, "start": 2, "commit": 2, "answer": 3, "snapshot": 2}
#: What others do to the store while clients talk, and how often in ten cycles: see `Meanwhile`.
DEEDS = ("backup", "keys", "learners")
Key = tuple[str, str]


class Broken(AssertionError):
    """A promise was not kept."""


def must(holds: Any, what: str) -> None:
    if not holds:
        raise Broken(what)


@dataclass
class Ledger:
    """What was sent, and what was acknowledged."""

    sent: set[tuple[str, str, str]] = field(default_factory=set)
    answers: dict[Key, dict[str, Any]] = field(default_factory=dict)
    told: dict[Key, dict[str, Any]] = field(default_factory=dict)
    repeated: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    #: What the log holds, with its body, in the order of the log.
    kept: dict[tuple[str, str, str], str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Talker(threading.Thread):
    """A client that asks and tells until the server is gone; its first request is the one that was lost before."""

    def __init__(
        self, number: int, server: Running, key: str, ledger: Ledger, left: dict[str, Any]
    ) -> None:
        super().__init__(name=f"talker-{number}", daemon=True)
        self._number, self._ledger, self._left = number, ledger, left
        self._call = Caller(server, key)
        self._chance = random.Random(f"{number} {left['made']}")
        self.problem: BaseException | None = None
        self.enough = False

    def run(self) -> None:
        try:
            while not self.enough:
                self._next()
        except Gone:
            pass
        except BaseException as problem:
            self.problem = problem
        finally:
            self._call.close()

    def send_what_is_left(self) -> None:
        """Send again what was lost, and nothing else."""
        if self._left["sending"] is not None:
            self._next()
        self._call.close()

    def _next(self) -> None:
        left = self._left
        if left["sending"] is None:
            left["sending"] = self._chosen()
        what, name, trials = left["sending"]
        self._send(what, PLAYERS[name], trials)
        left["sending"] = None
        if what == "predict":
            left["open"] += [(name, trial) for trial in trials]

    def _chosen(self) -> tuple[str, str, list[str]]:
        """Something new to ask, or the truth of something asked, in any order; now and then of many at once."""
        left, many = self._left, 1 if self._chance.random() < 0.8 else self._chance.randint(2, 6)
        if left["open"] and self._chance.random() < 0.55:
            self._chance.shuffle(left["open"])
            name = left["open"][-1][0]
            trials = [trial for other, trial in left["open"] if other == name][-many:]
            left["open"] = [key for key in left["open"] if key[0] != name or key[1] not in trials]
            return "feedback", name, trials
        name = self._chance.choice(list(PLAYERS))
        left["made"] += many
        return "predict", name, [f"c{self._number}-{left['made'] - i}" for i in range(many)]

    def _send(self, what: str, player: Player, trials: list[str]) -> None:
        lines = [player.ask(t) if what == "predict" else player.tell(t) for t in trials]
        with self._ledger.lock:
            self._ledger.sent |= {(what, player.name, trial) for trial in trials}
        path = f"/v1/learners/{player.name}/{player.route if what == 'predict' else what}"
        if len(lines) == 1:
            status, answer = self._call("POST", path, lines[0])
            answers = [answer]
        else:
            status, answer = self._call("POST", path, b"\n".join(lines), "application/x-ndjson")
            answers = (
                [json.loads(line) for line in answer.splitlines()] if status == 200 else [answer]
            )
        if status in (429, 503):
            with self._ledger.lock:
                self._ledger.refused[f"{status} {answers[0]['error']['code']}"] += 1
            raise Gone  # a stopping server; the same is sent again to the next one
        must(status == 200, f"{what} of {player.name} answered {status}: {answers[0]}")
        must(len(answers) == len(trials), f"{len(trials)} lines were answered by {len(answers)}")
        for trial, one in zip(trials, answers, strict=True):
            self._note(what, player.name, trial, one)

    def _note(self, what: str, name: str, trial: str, answer: dict[str, Any]) -> None:
        must(answer.get("trial") == trial, f"{what} of {trial} was answered with {answer}")
        ledger, key = self._ledger, (name, trial)
        with ledger.lock:
            again = (what, name, trial) in ledger.kept
            ledger.repeated[what] += again
            if what == "predict":
                known = ledger.answers.setdefault(key, answer)
                must(known == answer, f"{key} was answered {known}, and later {answer}")
            else:
                must(answer["applied"] != again, f"{key} is in the log, but is applied now")
                ledger.told[key] = answer


class Meanwhile(threading.Thread):
    """What is done to the store and beside it while clients talk; each deed is a method, and may meet the kill.

    Another deed is another method, named in `DEEDS`.
    """

    def __init__(self, play: Play, server: Running, deed: str) -> None:
        super().__init__(name=deed, daemon=True)
        self._play, self._call, self._deed = play, Caller(server, play.operator), deed
        self.problem: BaseException | None = None

    def run(self) -> None:
        self._play.begun[self._deed] += 1
        try:
            getattr(self, f"_{self._deed}")()
        except Gone:
            pass
        except BaseException as problem:
            self.problem = problem
        finally:
            self._call.close()

    def _backup(self) -> None:
        """A copy is whole, and holds what was acknowledged before it began."""
        play = self._play
        copy = play.store.with_name(f"copy{play.starts}.db")
        with play.ledger.lock:
            told = set(play.ledger.told)
        beside = Store(play.store, exclusive=False)
        try:
            beside.backup(copy)
        finally:
            beside.close()
        with log_of(copy) as log:
            must(log.execute("PRAGMA quick_check").fetchone() == ("ok",), "a copy is damaged")
            names = dict(log.execute("SELECT id, name FROM learners"))
            kept = {
                (names[n], trial)
                for n, trial in log.execute(
                    "SELECT learner, trial FROM events WHERE kind = 'feedback'"
                )
                if n in names
            }
        must(told <= kept, f"a copy lacks {len(told - kept)} that were acknowledged before it")
        copy.unlink()
        play.done["backup"] += 1

    def _keys(self) -> None:
        """A key that is made lets in, within a second; one that was revoked does not."""
        play = self._play
        text, key = new_key(f"extra{play.starts}", ["read"])
        add_key(play.keys, key)
        mine = Caller(play.server, text)
        try:
            self._until(mine, 200)
            revoke_key(play.keys, key.id)
            self._until(mine, 401)
        finally:
            mine.close()
        play.done["keys"] += 1

    @staticmethod
    def _until(call: Caller, status: int) -> None:
        until = time.monotonic() + 5
        while (found := call("GET", "/v1/learners")[0]) not in (status, 503):
            must(found in (200, 401, 429), f"a key is answered {found}")
            must(time.monotonic() < until, f"a key is answered {found} for ever")
            time.sleep(0.02)

    def _learners(self) -> None:
        """Others come and go: one that was acknowledged is there, one that was deleted stays so."""
        play = self._play
        while True:
            name = f"guest{len(play.guests) % 7}-{play.starts}"
            made = play.guests.get(name) == "created"
            if not made:  # until it is acknowledged it may be there or not
                play.guests[name] = "perhaps"
            status, answer = self._call("PUT", f"/v1/learners/{name}", play.definition_of_guests)
            if status in (429, 503):
                return
            must(status in (200, 201), f"{name} was not created: {answer}")
            must(not (made and status == 201), f"{name} was acknowledged and is lost")
            play.guests[name] = "created"
            for n in range(3):
                self._call("POST", f"/v1/learners/{name}/predict", {"x": [n, 1], "trial": f"g{n}"})
            play.guests[name] = "perhaps"
            if self._call("DELETE", f"/v1/learners/{name}")[0] == 200:
                play.guests[name] = "deleted"
                play.done["learners"] += 1
            time.sleep(0.01)


class Play:
    """One store, and cycles of starting, talking and dying."""

    #: Of learners that come and go.
    definition_of_guests = PLAYERS["spam"].definition | {"features": 2}
    server: Running

    def __init__(self, folder: Path, seed: int = 0, twin: str | None = None) -> None:
        #: A trouble of every server: a broken twin, which must be found out.
        self.twin = twin
        self.store, self.ledger, self._chance = folder / "assay.db", Ledger(), random.Random(seed)
        self._left: list[dict[str, Any]] = [
            {"sending": None, "open": [], "made": 0} for _ in range(CLIENTS)
        ]
        self._checked: dict[int, tuple[int, str]] = {}
        self._last = 0
        self.keys = folder / "keys.json"
        self.operator, key = new_key("operator", ["admin"], rate=1e6)
        add_key(self.keys, key)
        #: Learners that come and go, and what was acknowledged of them last.
        self.guests: dict[str, str] = {}
        #: How often each deed was begun, and done before the kill came.
        self.begun: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.starts = 0

    def _started(self, trouble: str | None = None) -> Forked:
        self.starts += 1
        troubles = "+".join(filter(None, (self.twin, trouble)))
        self.server = Forked(self.store, troubles or None, self.keys, snapshot_every=25)
        return self.server

    def begin(self) -> None:
        """Make the learners."""
        server = self._started()
        must(server.ready(), server.output())
        call = Caller(server, self.operator)
        for player in PLAYERS.values():
            status, answer = call("PUT", f"/v1/learners/{player.name}", player.definition)
            must(status == 201, f"{player.name} was not created: {answer}")
        call.close()
        server.kill()
        self.ends["begin"] += 1

    def cycle(self, end: str | None = None) -> None:
        """Start, talk, die; then compare the log with what was acknowledged."""
        chance = self._chance
        end = end or chance.choices(list(ENDS), list(ENDS.values()))[0]
        trouble = None
        if end in ("commit", "answer", "snapshot"):
            trouble = f"{end}:{chance.randint(1, 12 if end != 'snapshot' else 2)}"
        elif end == "start" and chance.random() < 0.5:
            trouble = f"load:{chance.randint(1, len(PLAYERS))}"
        server = self._started(trouble)
        if end == "start":
            if trouble is None:
                time.sleep(chance.uniform(0, 0.15))
                server.kill()
            must(not server.ready() or trouble is None, "the server lives")
            server.wait()
        else:
            must(server.ready(), server.output())
            self._talk(server, end)
        self.ends[end] += 1
        self._compare_log()

    def _talk(self, server: Forked, end: str) -> None:
        talkers = self._talkers(server)
        deeds = [Meanwhile(self, server, deed) for deed in DEEDS if self._chance.random() < 0.6]
        for talker in (*talkers, *deeds):
            talker.start()
        if end in ("load", "stop"):
            # Now and then so long that a change of the keys is seen, which may take a second.
            time.sleep(self._chance.choice([0.1, 0.2, 0.3, 0.4, 0.5, 6.0]) * self._chance.random())
        if end == "load":
            server.kill()
        elif end == "stop":
            server.terminate()
            patience = self._chance.choice([0, 0.003, 0.01, 0.03, 0.06, 0.1, 10])
            until = time.monotonic() + patience
            while server.alive() and time.monotonic() < until:
                time.sleep(0.001)
            must(patience < 1 or not server.alive(), "the server does not stop")
            server.kill()
        else:
            # A long log has few snapshots, but each end in order makes some.
            begun = time.monotonic()
            while server.alive() and time.monotonic() < begun + 20:
                if end == "snapshot" and time.monotonic() > begun + 0.5:
                    server.terminate()
                time.sleep(0.005)
            must(not server.alive(), f"the server did not come to its {end}")
        for talker in talkers:
            talker.enough = True
            talker.join(30)
            must(not talker.is_alive(), "a client hangs")
            if talker.problem is not None:
                raise talker.problem
        for deed in deeds:
            deed.join(30)
            must(not deed.is_alive(), f"{deed.name} hangs")
            if deed.problem is not None:
                raise deed.problem
        said = server.output()
        must("Traceback" not in said, said)

    def _talkers(self, server: Running) -> list[Talker]:
        left = enumerate(self._left)
        return [Talker(i, server, self.operator, self.ledger, one) for i, one in left]

    # Comparing

    def _compare_log(self) -> None:
        """Nothing acknowledged is missing, nothing is there twice, nothing that nobody sent."""
        with log_of(self.store) as log:
            names = dict(log.execute("SELECT id, name FROM learners"))
            gone = {n for (n,) in log.execute("SELECT learner FROM events WHERE kind = 'deleted'")}
            self._checked = {n: tip for n, tip in self._checked.items() if n not in gone}
            self._compare_guests(set(names.values()))
            for number, (seq, link) in self._checked.items():
                found = log.execute("SELECT link FROM events WHERE seq = ?", (seq,)).fetchone()
                must(found == (link,), f"event {seq} of learner {number} is not what it was")
            rows = log.execute(
                "SELECT seq, learner, kind, at, trial, body, link FROM events WHERE seq > ? ORDER BY seq",
                (self._last,),
            ).fetchall()
        for seq, learner, kind, at, trial, body, link in rows:
            self._last = seq
            if learner in gone:
                continue
            before = self._checked.get(learner, (0, NO_LINK))[1]
            must(
                link == link_of(before, seq, learner, kind, at, trial, body),
                f"event {seq} is not chained",
            )
            self._checked[learner] = seq, link
            if kind in (TRIAL, FEEDBACK) and names[learner] in PLAYERS:
                what = "predict" if kind == TRIAL else "feedback"
                key = what, names[learner], trial
                must(key in self.ledger.sent, f"nobody sent {key}")
                must(key not in self.ledger.kept, f"{key} is in the log twice")
                self.ledger.kept[key] = body
        for name, trial in self.ledger.told:
            must(
                ("feedback", name, trial) in self.ledger.kept,
                f"feedback {name} {trial} was acknowledged and is lost",
            )
        for (name, trial), answer in self.ledger.answers.items():
            body = self.ledger.kept.get(("predict", name, trial))
            must(body is not None, f"trial {name} {trial} was acknowledged and is lost")
            kept = json.loads(body or "")
            must(
                all(kept[k] == v for k, v in _as_kept(answer, kept).items() if k != "trial"),
                f"{answer} is kept as {kept}",
            )

    def _compare_guests(self, names: set[str]) -> None:
        for name, last in self.guests.items():
            must(last != "created" or name in names, f"{name} was acknowledged and is lost")
            must(last != "deleted" or name not in names, f"{name} was deleted and is back")

    def finish(self) -> dict[str, Any]:
        """Send what is left, stop in order, and compare the learners with a replay of what was acknowledged."""
        server = self._started()
        must(server.ready(), server.output())
        for talker in self._talkers(server):
            talker.send_what_is_left()
        call = Caller(server, self.operator)
        models = {name: call("GET", f"/v1/learners/{name}/model")[1] for name in PLAYERS}
        standings = {name: call("GET", f"/v1/learners/{name}")[1] for name in PLAYERS}
        call.close()
        server.terminate()
        server.wait()
        self._compare_log()
        kept = Counter(what for what, *_ in self.ledger.kept)
        must(
            kept["feedback"] == len(self.ledger.told),
            "the log holds feedback that nobody was told of",
        )
        must(
            kept["predict"] == len(self.ledger.answers),
            "the log holds trials that nobody was told of",
        )
        self._compare_states(models, standings)
        checked = Store(self.store, exclusive=False)
        problems = check_store(checked).problems
        checked.close()
        must(not problems, f"a check says: {problems}")
        return {
            "starts": self.starts,
            "ends": dict(self.ends),
            "trials": len(self.ledger.answers),
            "feedback": len(self.ledger.told),
            "kept but sent again": dict(self.ledger.repeated),
            "refused": dict(self.ledger.refused),
            "begun meanwhile": dict(self.begun),
            "done meanwhile": dict(self.done),
        }

    def _compare_states(self, models: dict[str, Any], standings: dict[str, Any]) -> None:
        order = list(self.ledger.kept)  # as the log has them
        with tempfile.TemporaryDirectory() as folder:
            engine = Engine(Store(Path(folder) / "again.db"))
            for player in PLAYERS.values():
                engine.create(player.name, player.definition)
            learned = {name: player.fresh() for name, player in PLAYERS.items()}
            mistakes: Counter[str] = Counter()
            for what, name, trial in order:
                player = PLAYERS[name]
                if what == "predict":
                    again = engine.predict(name, player.decoded(player.ask(trial)))[0]
                    must(again == self.ledger.answers[name, trial], f"{name} {trial}: {again}")
                else:
                    again = engine.feedback(name, tell_decoder.decode(player.tell(trial)))[0]
                    must(again["applied"], f"{name} {trial} is told twice")
                    mistakes[name] += int(again.get("mistake", again.get("wrong", 0)))
                    if player.learn is not None:
                        player.learn(
                            learned[name],
                            json.loads(player.ask(trial)),
                            json.loads(player.tell(trial)),
                        )
            for name, player in PLAYERS.items():
                must(
                    engine.model_file(name) == models[name],
                    f"{name} is not, to the bit, what a replay gives",
                )
                must(
                    engine.describe(name)["mistakes"]
                    == standings[name]["mistakes"]
                    == mistakes[name],
                    name,
                )
                if player.learn is not None:
                    save(learned[name], Path(folder) / "model.assay")
                    same = (Path(folder) / "model.assay").read_bytes() == models[name]
                    must(same, f"{name} is not, to the bit, what the library learns")
            engine.close()


def _as_kept(answer: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """An answer as the log keeps it: actions by their places."""
    if "chosen" not in kept:
        return answer
    names = [action["id"] for action in kept["actions"]]
    filled = answer.get("slots", [answer])
    chances = [{one["id"]: one["probability"] for one in slot["ranking"]} for slot in filled]
    return {
        "chosen": [names.index(slot["action"]) for slot in filled],
        "chances": [[of[name] for name in names] for of in chances],
    }


def log_of(store: Path) -> Any:
    """The log, read beside whoever writes it."""
    return contextlib.closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=rw", uri=True))


def crash(
    cycles: int, folder: Path, seed: int = 0, ends: tuple[str, ...] = (), say: Any = None
) -> dict[str, Any]:
    """Play cycles; the first ones end as `ends` say."""
    play = Play(folder, seed)
    play.begin()
    for turn in range(cycles):
        play.cycle(ends[turn] if turn < len(ends) else None)
        if say is not None and turn % 25 == 24:
            say(f"{turn + 1} cycles, {len(play.ledger.told):,} acknowledged, {dict(play.ends)}")
    return play.finish()


if __name__ == "__main__":
    from tests.server import crashing

    with tempfile.TemporaryDirectory() as made:
        begun, many = time.monotonic(), int(sys.argv[1]) if len(sys.argv) > 1 else 50
        found = crashing.crash(
            many, Path(made), seed=random.randrange(2**32), say=lambda text: print(text, flush=True)
        )
        print(json.dumps(found))
        print(
            f"{many} kills in {time.monotonic() - begun:.0f} s: "
            "nothing lost, nothing twice, states the same to the bit."
        )
