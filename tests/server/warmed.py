"""Imported once by the process that `Forked` servers are children of: everything is loaded and compiled."""

from __future__ import annotations

import tempfile
from pathlib import Path

import uvicorn  # noqa: F401

import assay.cli.app
import assay.server.app  # noqa: F401
import tests.server.processes  # noqa: F401
from assay.server.engine.engine import Engine
from assay.server.engine.requests import tell_decoder
from assay.server.store.store import Store
from tests.server.players import PLAYERS

with tempfile.TemporaryDirectory() as folder:
    engine = Engine(Store(Path(folder) / "warm.db"))
    for player in PLAYERS.values():
        engine.create(player.name, player.definition)
        for trial in ("a", "b"):
            engine.predict(player.name, player.decoded(player.ask(trial)))
            engine.feedback(player.name, tell_decoder.decode(player.tell(trial)))
        engine.model_file(player.name)
    engine.close()
