"""Work in threads, whose results come in the order of the work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from assay.compiled.common.processors import processors
from assay.errors import require

A = TypeVar("A")
B = TypeVar("B")


def workers_of(n_jobs: Any) -> int:
    """How many threads `n_jobs` asks for: -1 for as many as there are processors that may be used.

    None is one, unless `joblib.parallel_config` says another number.

    Examples
    --------
    >>> workers_of(None), workers_of(3), workers_of(-1) >= 1
    (1, 3, True)
    """
    counts = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    fine = n_jobs is None or (counts and n_jobs != 0)
    require(fine, "n_jobs", "None, a count, or -1 for all processors", n_jobs)
    if n_jobs is None:
        n_jobs = _configured()
    return int(n_jobs) if n_jobs > 0 else max(1, processors() + 1 + int(n_jobs))


def _configured() -> int:
    """What `joblib.parallel_config` or `joblib.parallel_backend` says, where we are within one."""
    parallel = sys.modules.get("joblib.parallel")  # whoever says so has imported it
    n_jobs = None if parallel is None else parallel.get_active_backend()[1]
    return int(n_jobs) if n_jobs else 1


def in_threads(work: Callable[[A], B], items: Iterable[A], workers: int) -> Iterator[B]:
    """Results in the order of the items; the work may be done in any.

    Examples
    --------
    >>> list(in_threads(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if workers == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def told(results: Iterable[B], many: int, name: str, what: str, verbose: int) -> Iterator[B]:
    """The results as they come; `verbose` says about how often to print how many there are.

    With 1, about ten times; with 2 or more, each time.
    """
    start = time.perf_counter()
    for done, result in enumerate(results, 1):
        yield result
        tenth = done == many or done * 10 // many > (done - 1) * 10 // many
        if verbose > 1 or (verbose == 1 and tenth):
            spent = time.perf_counter() - start
            print(f"{name}: {done} of {many} {what}, {spent:.1f} s", flush=True)
