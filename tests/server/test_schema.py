"""The API against its own description: no request makes the server fail, no answer is undocumented."""

from __future__ import annotations

import contextlib
import copy
import logging
from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assay.server.app import create_app
from assay.server.refusals import Refusal
from tests.server.engines import opened
from tests.server.players import PLAYERS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
ALGORITHMS = sorted(
    {p.definition["algorithm"] for p in PLAYERS.values()} | {"ucb1", "hedge", "svc"}
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
#: Bodies that come close to what learners take, so that cases reach beyond the first check.
PARTS = {
    "algorithm": st.sampled_from(ALGORITHMS),
    "params": st.dictionaries(
        st.sampled_from(["arms", "loss", "budget", "random_state", "learning_rate", "rounds"]),
        st.none() | st.integers(-2, 5) | FLOATS | st.just("square") | st.lists(st.integers()),
        max_size=3,
    ),
    "classes": st.lists(
        st.integers(0, 3) | st.sampled_from(["a", "", True, 1.5, 2**70]), max_size=4
    ),
    "features": st.none() | st.integers(-1, 5) | st.lists(st.text(max_size=2), max_size=3),
    "experts": st.none() | st.integers(-1, 5) | st.lists(st.text(max_size=2), max_size=3),
    "delta": FLOATS | st.sampled_from(["0.05", "nan", "1e-400", "x", "1/20", ""]),
    "x": st.lists(FLOATS, min_size=3, max_size=5),
    "rows": st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=4), max_size=3),
    "advice": st.lists(st.none() | st.floats(-2, 2) | st.text(max_size=2), min_size=2, max_size=4),
    "label": st.integers(-1, 2) | st.booleans() | st.sampled_from(["a", 1.0, 2**70, 1e300]),
    "labels": st.lists(st.integers(-1, 2), min_size=2, max_size=4),
    "outcome": FLOATS | st.integers(-1, 2) | st.text(max_size=2),
    "losses": st.lists(FLOATS, min_size=2, max_size=4),
    "loss": FLOATS,
    "reward": FLOATS,
    "wait": FLOATS,
    "default_loss": st.floats(-1, 2),
    "feedback_within": FLOATS,
    "trial": st.sampled_from([f"open{n}" for n in range(40)] + ["t" * 64, "t" * 65, "", "a\x00b"]),
}


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    engine = opened(tmp_path_factory.mktemp("schema") / "a.db", learners=200)
    app = create_app(engine)
    yield Tried(engine, app)
    engine.close()


class Tried:
    """An application with learners and open trials, and the cases that it was asked."""

    def __init__(self, engine, app):
        self.engine, self.app = engine, app
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", app)
        self.statuses = Counter()
        self._turn = 0

    def operations(self):
        return [found.ok() for found in self.schema.get_all_operations()]

    def refresh(self):
        """Make again what cases have deleted, and trials that wait."""
        self._turn += 1
        for player in PLAYERS.values():
            self.engine.create(player.name, player.definition)
            trial = f"open{self._turn % 40}"
            with contextlib.suppress(Refusal):  # a case asked about something else by this name
                self.engine.predict(player.name, player.decoded(player.ask(trial)))
        for name in self.engine.names()[:-20]:
            if name not in PLAYERS:
                self.engine.delete(name)

    def ask(self, case, data):
        if case.path_parameters and "name" in case.path_parameters and data.draw(st.booleans()):
            case.path_parameters["name"] = data.draw(st.sampled_from([*PLAYERS, "fuzz1", "fuzz2"]))
        if case.operation.label == "PUT /v1/learners/{name}" and data.draw(st.booleans()):
            case.body = copy.deepcopy(data.draw(st.sampled_from([*PLAYERS.values()])).definition)
        if isinstance(case.body, dict):
            for name in data.draw(st.lists(st.sampled_from(sorted(PARTS)), max_size=4)):
                if name in case.body or data.draw(st.booleans()):
                    case.body[name] = data.draw(PARTS[name])
        # An event stream never ends by itself, unless the service does.
        self.app.state.service.stopping = case.operation.path.endswith("/events")
        answer = case.call()
        self.statuses[case.operation.label, answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)
        return answer


def try_out(tried, operation, mode, many):
    """Ask an operation many cases."""

    @settings(max_examples=many, suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def one(case, data):
        if tried.statuses.total() % 20 == 0:
            tried.refresh()
        tried.ask(case, data)

    one()


def _all(tried, many):
    log = logging.getLogger("assay.server")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        operations = tried.operations()
        assert len(operations) >= 12
        for operation in operations:
            if operation.body:
                for mode in MODES:
                    try_out(tried, operation, mode, many)
            else:  # takes nothing but a name, if that
                try_out(tried, operation, GenerationMode.POSITIVE, max(2, many // 4))
    finally:
        log.setLevel(level)


def test_no_request_makes_the_server_fail(tried):
    _all(tried, 4)
    assert all(status < 500 for _, status in tried.statuses)


def test_what_the_schema_forbids_is_refused(tried):
    """Without a look at what learners take: as the package does when somebody points it at the service."""
    for operation in tried.operations():
        if not operation.body:
            continue

        @settings(max_examples=5, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
        def one(case):
            case.validate_response(case.call(), checks=[*CHECKS, negative_data_rejection])

        one()


@pytest.mark.guarantees
def test_five_thousand_requests(tried):
    _all(tried, 750)
    assert tried.statuses.total() >= 5000
    answered = {label for (label, status) in tried.statuses if status < 300}
    assert {"PUT /v1/learners/{name}", "POST /v1/learners/{name}/predict"} <= answered
    assert "POST /v1/learners/{name}/feedback" in answered
