"""When the thread that writes begins, and that nobody waits for it in vain."""

from __future__ import annotations

import asyncio
import threading

import pytest

from assay.server.store.event import NO_LINK, TRIAL, chained
from assay.server.store.writer import Writer


def _event(seq):
    return chained(NO_LINK, seq, 1, TRIAL, 0, f"t{seq}", "{}")


@pytest.fixture
def sizes():
    return []


@pytest.fixture
def writer(sizes):
    made = Writer(
        lambda group: sizes.append(len(group.events)), lambda _: None, lambda: True, 1000, 10**6
    )
    yield made
    made.stop()


def test_what_one_turn_of_a_loop_adds_is_committed_together(writer, sizes):
    async def turn(seqs):
        groups = []
        for seq in seqs:
            groups.append(writer.add([_event(seq)]))
            threading.Event().wait(0.002)  # time enough for the thread to begin
        await groups[-1].committed()

    for start in (1, 11):  # the second loop is another one
        asyncio.run(turn(range(start, start + 10)))
    assert sizes == [10, 10]


def test_whoever_waits_within_a_loop_is_told_although_its_turn_never_ends(writer, sizes):
    async def waits():
        group = writer.add([_event(1)])
        waiting = threading.Thread(target=group.wait)
        waiting.start()
        waiting.join(10)
        assert not waiting.is_alive()

    asyncio.run(waits())
    assert sizes == [1]


def test_a_loop_that_is_gone_takes_no_commit_along(writer):
    async def left():
        return writer.add([_event(1)])

    loop = asyncio.new_event_loop()
    steps = left()

    def adds():
        with pytest.raises(StopIteration) as done:
            steps.send(None)
        added.append(done.value.value)
        loop.stop()

    added = []
    loop.call_soon(adds)
    loop.run_forever()
    loop.close()  # it would have woken the thread in its next turn
    second = writer.add([_event(2)])  # by no loop
    second.wait()
    added[0].wait()
