"""Kill -9 at any moment: nothing acknowledged is lost, nothing is learned twice."""

from __future__ import annotations

import pytest

from tests.server.crashing import DEEDS, ENDS, Broken, Play, crash


def test_nothing_acknowledged_is_lost_or_learned_twice(tmp_path):
    found = crash(3, tmp_path, seed=1, ends=("answer", "load", "snapshot"))
    assert found["feedback"] > 0
    assert sum(found["kept but sent again"].values()), (
        "no cycle died between a commit and its answers"
    )


@pytest.mark.parametrize(
    ("twin", "what"),
    [
        ("early:200", "was acknowledged and is lost|that were acknowledged before it"),
        ("twice:0", "in the log twice|is applied now"),
    ],
)
def test_a_server_that_breaks_its_promise_is_found_out(tmp_path, twin, what):
    play = Play(tmp_path, seed=2)
    play.begin()
    play.twin = twin
    with pytest.raises(Broken, match=what):
        _many(play)


def _many(play):
    for turn in range(20):
        play.cycle("answer" if turn % 2 == 0 else "load")


@pytest.mark.guarantees
def test_three_hundred_kills_of_every_kind(tmp_path):
    found = crash(300, tmp_path, seed=3, ends=tuple(ENDS))
    assert set(found["ends"]) == {"begin", *ENDS}
    assert found["feedback"] > 5000
    # A change of the keys is seen within a second or two, and most servers do not live as long.
    begun, done = found["begun meanwhile"], found["done meanwhile"]
    assert all(begun.get(deed, 0) > 100 and done.get(deed, 0) > 2 for deed in DEEDS), (begun, done)
