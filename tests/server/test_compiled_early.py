"""Loops are compiled when a learner is made or read from the store: no request waits for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: In a process of its own, which has compiled nothing yet.
_PLAY = """
import sys
from numba.core.dispatcher import Dispatcher
from tests.server.engines import opened
from tests.server.players import PLAYERS
from assay.server.engine.requests import tell_decoder

def compiled():
    loops = {
        id(value): value
        for name, module in list(sys.modules.items())
        if name.startswith("assay.")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return {f"{loop.__module__}.{loop.__name__}": len(loop.signatures) for loop in loops.values()}

engine = opened(sys.argv[1])
for player in PLAYERS.values():
    engine.create(player.name, player.definition)
before = compiled()
for player in PLAYERS.values():
    for n in range(2):
        trial = f"{sys.argv[2]}{n}"
        engine.predict(player.name, player.decoded(player.ask(trial)))
        engine.feedback(player.name, tell_decoder.decode(player.tell(trial)))
after = compiled()
print(sum(before.values()), sorted(name for name in after if after[name] != before.get(name, 0)))
engine.close()
"""


def test_nothing_is_compiled_by_a_request(tmp_path):
    for when in ("made", "read"):
        done = subprocess.run(
            [sys.executable, "-c", _PLAY, str(tmp_path / "a.db"), when],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        many, _, later = done.stdout.strip().partition(" ")
        assert int(many) > 5
        assert later == "[]", when
