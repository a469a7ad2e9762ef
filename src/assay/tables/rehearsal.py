"""Learners learn from a few rows before they are timed: compiling and loading are no part of learning.

Where a loop turns out not to be compiled yet, other processes start to help: this one takes learners from the front of
the list, they take them from its end, and what they compile is kept on disk, where this one then loads it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.tables.candidates import Candidate, first_settings, learned
from assay.tables.rows import Features, Part, some_rows
from assay.types import Array

# More processes would wait for the longest learner all the same.
_MOST_HELPERS = 3
_HELP = "from assay.tables.rehearsal import help_out; help_out()"


@dataclass(frozen=True)
class Rehearsal:
    """A candidate, what it draws by, and a few rows."""

    candidate: Candidate
    seed: int
    X: Any
    y: Array

    def play(self) -> None:
        """Learn and predict; what is wrong with these rows is said when all are learned."""
        model = self.candidate.make(self.seed)
        with contextlib.suppress(AssayError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learned(model, self.candidate.learner, self.X, self.y, "a few rows")
            model.predict(self.X)


def few_rows(
    candidates: Iterable[Candidate], part: Part, features: Features, seed: int
) -> list[Rehearsal]:
    """A few rows of a part for the first candidate of each learner."""
    rows = some_rows(part.y, 40, seed)
    listed = []
    for one in first_settings(candidates):
        # What is wrong with all rows is said when all are learned.
        with contextlib.suppress(AssayError):
            X = features.matrix(part, one.learner, one.make(seed), one.scaling)
            listed.append(Rehearsal(one, seed, X[rows], part.y[rows]))
    return listed


def rehearse(rehearsals: Iterable[Rehearsal], tell: Callable[[str], None]) -> None:
    """Play all of them in this process, so that every loop they need is compiled and loaded.

    Parameters
    ----------
    rehearsals : iterable of Rehearsal
        One for each learner.
    tell : callable
        Is told what is being compiled, if anything is.
    """
    # Here, so that whoever is refused before does not wait for the compiler to be imported.
    from assay.compiled.common.flags import when_compiling

    waiting = deque(rehearsals)
    everyone = len(waiting)
    away: list[Rehearsal] = []
    with _helpers(waiting, away, tell) as helpers:
        while waiting:
            with contextlib.suppress(IndexError):  # a helper was quicker
                one = waiting.popleft()
                with when_compiling(helpers.start):
                    one.play()
                helpers.report(everyone - len(waiting) - len(away))
        helpers.wait()
    for one in away:
        one.play()


class _Helpers:
    """Processes that compile, each fed by a thread."""

    def __init__(
        self, waiting: deque[Rehearsal], away: list[Rehearsal], tell: Callable[[str], None]
    ) -> None:
        self._waiting, self._away, self._tell = waiting, away, tell
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        self._compiling = False

    def start(self) -> None:
        """Something has to be compiled: get help, as far as there are processors."""
        self._tell("Compiling for this machine; this happens once")
        if self._compiling:
            return
        self._compiling = True
        many = min((os.cpu_count() or 1) - 1, _MOST_HELPERS, len(self._waiting))
        for _ in range(many if sys.executable else 0):
            with contextlib.suppress(OSError):
                process = subprocess.Popen(
                    [sys.executable, "-c", _HELP],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                self._processes.append(process)
                thread = threading.Thread(target=self._feed, args=(process,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(IndexError, OSError, pickle.PickleError):
            while True:
                one = self._waiting.pop()
                self._away.append(one)
                pickle.dump(one, process.stdin)
                process.stdin.flush()
                if not process.stdout.readline():
                    return  # it cannot help, and this process does it later

    def report(self, done: int) -> None:
        """Say how far it is."""
        if self._compiling:
            left = len(self._waiting) + len(self._away)
            self._tell(
                f"Compiling for this machine; this happens once ({done} of {done + left} learners are ready)"
            )

    def wait(self) -> None:
        """Until all of them have nothing left to do."""
        for thread in self._threads:
            thread.join()

    def end(self) -> None:
        """Let them go."""
        for process in self._processes:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def _helpers(*arguments: Any) -> Iterator[_Helpers]:
    helpers = _Helpers(*arguments)
    try:
        yield helpers
    finally:
        helpers.end()


def help_out() -> None:
    """What a helping process does: play what it is handed, and say when it is done."""
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a learner prints is no answer
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            pickle.load(sys.stdin.buffer).play()
            os.write(answers, b"done\n")
