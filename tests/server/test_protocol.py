"""The protocol as a state machine: whatever comes in whatever order, the engine is what a few lines say it is."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from assay.server.engine.check import check_store
from assay.server.engine.loading import load_hosted
from assay.server.engine.requests import tell_decoder
from assay.server.refusals import Refusal
from assay.server.store.store import Store
from tests.server.engines import opened
from tests.server.players import PLAYERS

NAMES = st.sampled_from(sorted(PLAYERS))
SIZE = {"blocks": 3, "page": 2}


class Protocol(RuleBasedStateMachine):
    """An engine beside what it must remember: each trial's answer, and whether it was told."""

    waiting = Bundle("waiting")
    done = Bundle("done")

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.engine = self._opened()
        self.answers, self.told, self.made = {}, {}, 0
        for player in PLAYERS.values():
            answer, group = self.engine.create(player.name, player.definition)
            assert answer["created"]
            group.wait()

    def _opened(self):
        return opened(self.folder / "a.db", snapshot_every=5)

    def teardown(self):
        if not hasattr(self, "engine"):
            return
        for name, hosted in self.engine._hosted.items():
            self._settle()
            again = load_hosted(
                self.engine.store, hosted.number, name, self.engine.limits, from_start=True
            )
            assert again.game.saved() == hosted.game.saved(), name
            assert again.counts() == hosted.counts(), name
        self.engine.close()
        store = Store(self.folder / "a.db", exclusive=False)
        assert check_store(store).problems == ()
        store.close()
        shutil.rmtree(self.folder)

    def _settle(self):
        group = self.engine.flushed()
        if group is not None:
            group.wait()

    def _predict(self, name, trial):
        player = PLAYERS[name]
        return self.engine.predict(name, player.decoded(player.ask(trial)))

    def _feedback(self, name, trial, other=False):
        chosen = PLAYERS[name].tell(f"{trial} otherwise" if other else trial)
        raw = json.loads(chosen) | {"trial": trial}
        return self.engine.feedback(name, tell_decoder.decode(json.dumps(raw)))

    @rule(target=waiting, name=NAMES, many=st.integers(1, 4))
    def ask(self, name, many):
        made = []
        for _ in range(many):
            self.made += 1
            trial = f"t{self.made}"
            answer, group = self._predict(name, trial)
            assert answer.pop("trial") == trial
            self.answers[name, trial] = answer
            made.append((name, trial))
        group.wait()
        return multiple(*made)

    @rule(key=waiting | done)
    def ask_again(self, key):
        answer, _ = self._predict(*key)
        assert answer == {"trial": key[1]} | self.answers[key]

    @rule(key=waiting | done)
    def ask_about_something_else(self, key):
        name, trial = key
        other = json.loads(PLAYERS[name].ask(f"{trial} otherwise")) | {"trial": trial}
        if set(other) == {"trial"}:
            return
        with pytest.raises(Refusal) as caught:
            self.engine.predict(name, PLAYERS[name].decoded(json.dumps(other).encode()))
        assert caught.value.code == "conflict"

    @rule(target=done, key=consumes(waiting))
    def tell(self, key):
        answer, group = self._feedback(*key)
        group.wait()
        assert answer["applied"]
        self.told[key] = answer.get("mistake", answer.get("wrong"))
        return key

    @rule(key=done)
    def tell_again(self, key):
        answer, _ = self._feedback(*key)
        assert not answer["applied"]
        assert answer.get("mistake", answer.get("wrong")) == self.told[key]

    @rule(key=done)
    def tell_something_else(self, key):
        name, trial = key
        if PLAYERS[name].told(_chance(trial)) == PLAYERS[name].told(_chance(f"{trial} otherwise")):
            return
        with pytest.raises(Refusal) as caught:
            self._feedback(name, trial, other=True)
        assert caught.value.code == "conflict"

    @rule(name=NAMES)
    def tell_of_nothing(self, name):
        with pytest.raises(Refusal) as caught:
            self._feedback(name, "nothing")
        assert caught.value.code == "unknown_trial"

    @rule(key=waiting)
    def a_commit_fails(self, key):
        commit = self.engine.writer._commit
        self._settle()

        def fails(group):
            raise sqlite3.OperationalError("database or disk is full")

        self.engine.writer._commit = fails
        groups = [self._feedback(*key)[1], self._predict(key[0], "lost")[1]]
        for group in groups:
            with pytest.raises(Refusal) as caught:
                group.wait()
            assert caught.value.code == "store_failed"
        self.engine.writer._commit = commit
        # A snapshot of before may still be on its way into the store that fails; nobody waits for it.
        while (group := self.engine.flushed()) is not None:
            with contextlib.suppress(Refusal):
                group.wait()

    @rule(seconds=st.floats(1, 1e6))
    def settings_change(self, seconds):
        answer, group = self.engine.change_settings("arms", {"feedback_within": seconds})
        if group is not None:
            group.wait()
        assert answer["settings"]["feedback_within"] == seconds

    @rule()
    def start_again(self):
        self.engine.close()
        self.engine = self._opened()

    @rule()
    def crash(self):
        self.engine._scribe.shutdown(cancel_futures=True)
        self.engine.writer.stop()
        self.engine.store.close()
        self.engine = self._opened()

    @invariant()
    def it_counts_what_was_acknowledged(self):
        if not hasattr(self, "engine"):
            return
        for name in PLAYERS:
            found, size = self.engine.describe(name), SIZE.get(name, 1)
            assert found["trials"] == size * sum(n == name for n, _ in self.answers)
            assert found["told"] == size * sum(n == name for n, _ in self.told)
            wrong = [int(w or 0) for (n, _), w in self.told.items() if n == name]
            assert found["mistakes"] == sum(wrong)


def _chance(trial):
    import random

    return random.Random(f"{trial} told")


class TestProtocol(Protocol.TestCase):
    settings = settings(max_examples=4, stateful_step_count=20)


@pytest.mark.guarantees
class TestProtocolAtLength(Protocol.TestCase):
    settings = settings(max_examples=60, stateful_step_count=50)
