"""Short ways to ask and tell an engine in tests."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from assay.server.engine.engine import Engine
from assay.server.engine.requests import ask_decoder, rank_decoder, tell_decoder
from assay.server.limits import Limits
from assay.server.refusals import Refusal
from assay.server.store.store import Store


def opened(path, clock=None, steady=None, **limits):
    """An engine; with a clock alone, waiting goes by it as well."""
    terms = {} if clock is None else {"clock": clock, "steady": steady or clock}
    return Engine(Store(path), Limits(**limits), **terms)


@contextmanager
def engine_at(path, **terms):
    engine = opened(path, **terms)
    try:
        yield engine
    finally:
        engine.close()


def ask(engine, name, **asked):
    return engine.predict(name, ask_decoder.decode(json.dumps(asked)))[0]


def tell(engine, name, trial, **told):
    return engine.feedback(name, tell_decoder.decode(json.dumps({"trial": trial} | told)))[0]


def make(engine, name="it", settings=None, **definition):
    return engine.create(name, definition, settings)[0]


def state(engine, name="it"):
    """All that a learner is, to the bit."""
    hosted = engine.hosted(name)
    return hosted.game.saved(), hosted.counts(), hosted.link


@contextmanager
def refusal(code, sentence):
    with pytest.raises(Refusal) as caught:
        yield
    assert (caught.value.code, str(caught.value)) == (code, sentence)


def rank(engine, name="it", **asked):
    return engine.predict(name, rank_decoder.decode(json.dumps(asked)))[0]
