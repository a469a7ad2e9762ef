"""Waiting is measured by a steady clock, whatever becomes of the one on the wall; starts count little of a gap."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.server.engine.check import check_store
from assay.server.engine.requests import Ask
from assay.server.engine.waiting_clock import MOST_GAP, WaitingClock
from assay.server.refusals import Refusal
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, refusal, state, tell

ARMS = {"algorithm": "ucb1", "params": {"arms": 2}}
YEAR = 365 * 86400.0


class Hands:
    """A clock on the wall and a steady one, set by hand."""

    def __init__(self, wall=1e9):
        self.wall, self.steady = wall, 50.0

    def terms(self):
        return {"clock": lambda: self.wall, "steady": lambda: self.steady}

    def go(self, seconds, jump=0.0):
        self.steady += seconds
        self.wall += seconds + jump


@pytest.mark.parametrize("jump", [10 * YEAR, -10 * YEAR, 3600.0, -3600.0])
def test_a_clock_that_is_set_ends_no_wait_and_stops_none(tmp_path, jump):
    hands = Hands()
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        make(engine, **ARMS, settings={"wait": 100, "default_reward": 0})
        trial = ask(engine, "it")["trial"]
        hands.go(10, jump)
        engine.sweep()
        later = ask(engine, "it")["trial"]
        hands.go(80)
        engine.sweep()
        assert engine.describe("it")["told"] == 0
        hands.go(20)
        engine.sweep()
        assert engine.describe("it")["told"] == 1
        assert tell(engine, "it", later, reward=1.0)["applied"]
        with refusal("too_late", f"Trial {trial!r} has been told the default already."):
            tell(engine, "it", trial, reward=1.0)
    with closing(sqlite3.connect(tmp_path / "a.db")) as file:
        times = [at for (at,) in file.execute("SELECT at FROM events ORDER BY seq")]
    assert times == sorted(times)
    if jump > 0:  # for people it is what the wall says
        assert times[-1] > times[0] + jump * 1000


@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize("jump", [10 * YEAR, -10 * YEAR])
def test_jumps_are_known_after_starts(tmp_path, monkeypatch, jump, orderly):
    """However often it starts, and wherever the clock on the wall stands then."""
    hands, settings = Hands(), {"wait": 1000, "default_loss": 1}
    if not orderly:  # as after a kill: nothing is written at the end
        monkeypatch.setattr("assay.server.engine.core.put_anchor", lambda anchor: lambda held: None)
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        make(engine, **ARMS, settings=settings)
        ask(engine, "it", trial="first")
        hands.go(10, jump)
        ask(engine, "it", trial="second")
    for turn in range(3):
        hands.go(2000, jump)  # nobody is served meanwhile
        with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
            hands.go(10)
            engine.sweep()
            ask(engine, "it", trial=f"more-{turn}")
            assert engine.describe("it")["told"] == 0, turn
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        hands.go(800)
        engine.sweep()
        assert engine.describe("it")["told"] == (
            0 if jump < 0 else 2
        )  # a minute of each gap counts
        hands.go(250)
        engine.sweep()
        assert engine.describe("it")["told"] == 5
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()


def test_a_wait_goes_on_over_starts(tmp_path):
    hands = Hands()
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        make(engine, **ARMS, settings={"feedback_within": 500})
        ask(engine, "it", trial="a")
        hands.go(400)  # nothing happens, and the end is in order
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        hands.go(99)
        assert tell(engine, "it", ask(engine, "it", trial="b")["trial"], loss=0.0)["applied"]
        hands.go(2)
        with refusal("too_late", "Trial 'a' takes feedback for 500 seconds, which are over."):
            tell(engine, "it", "a", loss=0.0)


def test_an_anchor_whose_commit_failed_is_written_later(tmp_path):
    hands = Hands()
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        make(engine, **ARMS)
        ask(engine, "it", trial="a")
        engine.flushed().wait()
        commit = engine.writer._commit

        def fails(group):
            raise sqlite3.OperationalError("database or disk is full")

        engine.writer._commit = fails
        hands.go(5, YEAR)
        with pytest.raises(Refusal):
            engine.predict("it", Ask(trial="b"))[1].wait()
        engine.writer._commit = commit
        ask(engine, "it", trial="b")
        engine.flushed().wait()
        before = state(engine)
        with closing(sqlite3.connect(tmp_path / "a.db")) as file:
            [(at, waited)] = file.execute("SELECT at, waited FROM clock").fetchall()
    assert at - waited == int(YEAR * 1000)
    with engine_at(tmp_path / "a.db", **hands.terms()) as engine:
        assert state(engine) == before


STEPS = st.lists(
    st.tuples(
        st.integers(0, 5_000), st.integers(-(10**7), 10**7), st.sampled_from(["go", "go", "start"])
    ),
    min_size=1,
    max_size=30,
)


@given(STEPS)
def test_what_was_waited_is_known_from_anchors_to_the_second(steps):
    """Times of the log never fall, and tell how long it was since, but for gaps between processes."""
    hands, seen, told = Hands(), [], {}
    clock = WaitingClock([], 0, lambda: hands.wall, lambda: hands.steady)
    truth = clock.waited
    for gone, jump, what in steps:
        if what == "start":
            hands.wall = max(0.0, hands.wall + jump / 1000)
            gap = int(hands.wall * 1000) - clock.at
            truth += min(max(gap, 0), MOST_GAP)
            clock = WaitingClock(
                [one for _, one in sorted(told.items())],
                clock.at,
                lambda: hands.wall,
                lambda: hands.steady,
            )
        else:
            hands.go(gone / 1000, jump / 1000 if jump % 3 == 0 else 0.0)
            hands.wall = max(0.0, hands.wall)
            clock.read()
            truth += gone
        if clock.unsaved is not None:
            told[clock.unsaved.at] = clock.unsaved
            clock.unsaved = None
        seen.append((clock.at, truth))
        assert abs(clock.waited - truth) <= 2 * len(steps) + 1_000 * (what == "start") + 1_000
    assert [at for at, _ in seen] == sorted(at for at, _ in seen)
    last = dict(seen)  # where the time of the log stood still, the end of that counts
    for at, waited in last.items():
        assert abs(clock.waited_at(at) - waited) <= 1_000 * (2 + len(steps))
