import inspect
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from assay import Perceptron
from assay.cli.interrupt import Interrupt
from assay.cli.live import View, bound_as_json
from assay.cli.stream import stream_command
from assay.cli.stream_learner import LearnerRun, least_bound
from assay.data.examples import Examples
from assay.guarantees.assumption import Assumption
from assay.guarantees.mistakes import mistake_guarantee
from assay.play.stream import Stream
from assay.theory.mistake.perceptron import SEPARABLE

X = np.random.default_rng(0).normal(size=(200, 2))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def learner_run():
    run = run_of(Stream(Perceptron(), source="mails.csv"))
    run.stream.learn(Examples(X, X[:, 0] > 0, ["a", "b"], "kind"))
    return run


def run_of(stream):
    asked = {
        name: getattr(option.default, "default", None)
        for name, option in inspect.signature(stream_command).parameters.items()
    } | {"data": ["mails.csv"], "learner": "perceptron"}
    run = LearnerRun(SimpleNamespace(**asked), Interrupt())
    run.stream = stream
    return run


def bound(margin, **more):
    known = {"assumptions": ()} | more
    inputs = {"radius": 1.0, "margin": margin}
    return mistake_guarantee("perceptron-margin-mistakes", inputs, 3, of="mistakes", **known)


def test_the_smallest_bound_that_applies():
    void = bound(0.9, assumptions=(Assumption(SEPARABLE, "violated"),))
    assert least_bound([bound(0.1), bound(0.5), void, bound(0.2)]).promised == 4
    assert least_bound([void]) is None
    assert least_bound([]) is None


def test_lines_of_json(learner_run, capsys):
    with View(learner_run, as_json=True) as view:
        view.show()
        view.show()  # too soon after the one before
    [line] = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    stream = learner_run.stream
    bound = bound_as_json(least_bound(stream.guarantees()))
    assert found == vars(stream.standing()) | {"bound": bound}
    assert set(found) == {"rows", "errors", "error", "promised", "bound"}
    assert found["rows"] == 200
    assert found["bound"]["observed"] == str(found["errors"])


def test_a_table_on_a_terminal(learner_run, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with View(learner_run, as_json=False) as view:
        view.total = 1000
        view.show()
    shown = screen.getvalue()
    now = learner_run.stream.standing()
    for text in ("mails.csv", "200 of 1,000", f"{now.errors} (", "promised", "mistakes, at most"):
        assert text in shown
    assert "by perceptron-" in shown


def test_nothing_where_nobody_looks_and_nothing_before_the_first_row(learner_run, capsys):
    with View(learner_run, as_json=False) as view:
        view.show()
    with View(run_of(Stream(Perceptron())), as_json=True) as view:
        view.show()
    assert capsys.readouterr() == ("", "")


def test_bounds_that_take_long_are_looked_for_seldom(learner_run, monkeypatch, capsys):
    clock = iter(np.arange(0.0, 1000.0, 2.0))
    monkeypatch.setattr("assay.cli.live.time.monotonic", lambda: float(next(clock)))
    asked = []
    monkeypatch.setattr(learner_run.stream, "guarantees", lambda: asked.append(1) or [])
    with View(learner_run, as_json=True) as view:
        for _ in range(10):
            view.show()
    assert len(capsys.readouterr().out.splitlines()) == 10
    # Each look seems to take two seconds, so the next has to wait for forty.
    assert len(asked) == 2
