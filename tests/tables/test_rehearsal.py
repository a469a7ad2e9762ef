import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from assay.tables import rehearsal
from assay.tables.candidates import Candidate
from assay.tables.rehearsal import Rehearsal, rehearse
from assay.tables.stopwatch import Stopwatch

X, Y = np.eye(4), np.array([0, 0, 1, 1])


@dataclass
class Played:
    """Compiles something new where it is played, unless it is not to; and waits until these files are there."""

    compiles: bool = True
    until: tuple[Path, ...] = ()
    plays: list[int] = field(default_factory=list)

    def play(self) -> None:
        self.plays.append(os.getpid())
        if self.compiles:
            njit(lambda x: x + 1)(len(self.plays))
        for _ in range(600):
            if all(path.exists() for path in self.until):
                break
            time.sleep(0.1)


class Kept(Rehearsal):
    """One that says where it was played."""

    def play(self) -> None:
        print("what a learner prints is no answer")
        with open(self.y[0], "a") as places:
            places.write(f"{os.getpid()}\n")


def test_nobody_helps_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    sentences, listed = [], [Played(compiles=False) for _ in range(3)]
    rehearse(listed, sentences.append)
    assert [one.plays for one in listed] == [[os.getpid()]] * 3
    assert not sentences


def test_another_process_takes_learners_from_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(
        rehearsal, "_HELP", f"import sys; sys.path.insert(0, {os.getcwd()!r}); {rehearsal._HELP}"
    )
    places = [tmp_path / "0", tmp_path / "1"]
    kept = [Kept(Candidate("gaussian-nb", 1), 0, X, [str(place)]) for place in places]
    sentences: list[str] = []
    slow = Played(until=tuple(places))
    rehearse([slow, *kept], sentences.append)
    played = [list(map(int, place.read_text().split())) for place in places]
    # In the other process, to be compiled, and then in this one, to be loaded.
    assert all(len(pids) == 2 and pids[1] == os.getpid() != pids[0] for pids in played)
    assert slow.plays == [os.getpid()]
    assert sentences[0] == "Compiling for this machine; this happens once"
    assert "learners are ready" in sentences[-1]


@pytest.mark.parametrize("program", ["raise SystemExit(3)", "import time; time.sleep(0.1)"])
def test_a_process_that_cannot_help_does_no_harm(program, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(rehearsal, "_HELP", program)
    listed = [Played(), Played(compiles=False), Played(compiles=False)]
    rehearse(listed, lambda sentence: None)
    assert all(one.plays == [os.getpid()] for one in listed)


def test_an_interruption_ends_the_helpers(monkeypatch):
    started, real = [], subprocess.Popen
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(rehearsal, "_HELP", "import time; time.sleep(100)")
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1]
    )

    class Interrupted(Played):
        def play(self) -> None:
            super().play()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearse([Interrupted(), Played(compiles=False)], lambda sentence: None)
    assert [one.poll() is not None for one in started] == [True]


def test_what_cannot_be_learned_is_said_later():
    Rehearsal(Candidate("gaussian-nb", 1), 0, X, np.zeros(4)).play()


def test_compiling_is_not_learning():
    watch, begun = Stopwatch(), time.perf_counter()
    njit(lambda x: x * 3 + 1)(2)
    compiled = time.perf_counter() - begun
    assert watch.seconds < compiled / 2
    time.sleep(0.05)
    assert watch.seconds >= 0.05


def test_a_refusal_comes_before_anything_heavy_is_imported(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    program = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(sorted({'sklearn', 'numba'} & set(sys.modules))))\n"
        "from assay.cli.app import main\n"
        "main()"
    )
    for words in (
        ["fit", str(path), "--target", "nope"],
        ["fit", str(tmp_path / "none.csv"), "--target", "b"],
        ["fit", str(path), "--target", "b", "--learner", "nobody"],
        ["compare", str(path), "--target", "nope"],
    ):
        answer = subprocess.run(
            [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
        )
        assert (answer.returncode, answer.stdout) == (2, "[]\n"), answer.stderr
