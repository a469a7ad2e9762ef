"""Processes, threads and signals as Windows and macOS have them."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import resource
import signal
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from sklearn.model_selection import cross_val_score

from assay import Perceptron, RandomForestClassifier
from assay.cli import interrupt as interrupt_module
from assay.cli.interrupt import Interrupt
from assay.compiled.common.processors import processors
from assay.compiled.ensembles import boosting_sync
from assay.server.wire.table import descriptors_for

ROWS = np.random.default_rng(0).normal(size=(200, 3))
LABELS = np.where(ROWS @ [1.0, -2.0, 0.5] > 0, "up", "down")


def learned(model):
    """In another process: the scores, the promises, and the model itself."""
    fitted = model.fit(ROWS, LABELS)
    return (
        cross_val_score(model, ROWS, LABELS, cv=3).tolist(),
        list(map(str, fitted.guarantees())),
        fitted,
    )


def test_processes_that_are_begun_anew():
    """Windows and macOS fork nothing: whatever a process is handed is pickled, and its modules are imported again."""
    models = [Perceptron(random_state=0), RandomForestClassifier(5, random_state=0)]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = list(pool.map(learned, models))
    for model, (scores, promises, fitted) in zip(models, there, strict=True):
        assert (scores, promises) == learned(model)[:2]
        assert (fitted.predict(ROWS) == model.predict(ROWS)).all()


def test_processors_are_counted_where_no_system_says_which_may_be_used(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert processors() == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1


def test_what_macos_calls_unlimited_has_a_bound(monkeypatch):
    held = [256]

    def set_limit(_, both):
        if both[0] > 10_240:
            raise ValueError("current limit exceeds maximum limit")
        held[0] = both[0]

    monkeypatch.setattr(resource, "getrlimit", lambda _: (held[0], resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    assert descriptors_for(20_000) == held[0] == 10_240
    assert descriptors_for(20_000) == 10_240  # it has as many already
    held[0] = 256
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: set_limit(_, (99_999, both[1])))
    assert descriptors_for(20_000) == 256
    assert descriptors_for(1_000) == 256


def test_threads_meet_where_none_can_be_told_to_wait(tmp_path, monkeypatch):
    """Windows has no `sched_yield`: threads spin there until all have come."""
    copied = tmp_path / "sync_of_windows.py"  # whose loops are kept beside it
    with open(boosting_sync.__file__, encoding="utf-8") as file:
        copied.write_text(file.read(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sync_of_windows", copied)
    made = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as there:
        there.setattr(os, "name", "nt")
        spec.loader.exec_module(made)
    assert hasattr(made._yield, "py_func")
    sync, came = np.zeros(16 + 8 * 2, dtype=np.int64), []

    def meet(thread):
        came.extend(bool(made.barrier(sync, thread, 2)) for _ in range(200))

    threads = [threading.Thread(target=meet, args=(thread,)) for thread in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert came == [True] * 400
    assert sync[0] == 400


def test_a_window_that_is_closed_ends_in_order(monkeypatch, capsys):
    """Windows tells that by a signal of its own, as Ctrl-Break."""
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    spec = importlib.util.spec_from_file_location("interrupt_of_windows", interrupt_module.__file__)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    done = []
    with made.Interrupt() as interrupt:
        for piece in interrupt.until(range(5)):
            if piece == 2:
                os.kill(os.getpid(), signal.SIGUSR1)
            done.append(piece)
    assert done == [0, 1, 2]
    assert interrupt.signal == signal.SIGUSR1
    assert capsys.readouterr().err.startswith("assay: finishing with what was learned")
    with Interrupt():
        assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL  # which here is somebody else's
