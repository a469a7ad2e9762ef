"""The compiler flags of every loop, the one notice that code is being compiled, and how long that took."""

import gc
import sys
import time
from contextlib import contextmanager

from numba.core import event

# Every operation as written, none regrouped and none contracted, so that results are the same to the bit
# everywhere. Sums that must run at memory speed have a shape of their own: see lanes.py.
# No loop is handed to C, so no entry for C is compiled.
EXACT = {
    "cache": True,
    "nogil": True,
    "fastmath": False,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
# For functions that neither make nor keep arrays: no count of who holds them. Counts are atomic, and a function
# of a few steps, to which arrays are handed, would spend more time on them than on its steps.
LENT = EXACT | {"_nrt": False}
# For loops that only loops call: to open tuples of arrays for a caller in Python takes long to compile.
INNER = {"no_cpython_wrapper": True}


class _Watch(event.Listener):
    """Says once per process that loops are being compiled, since the first call then takes longer.

    Knows, too, when nothing is: an exception that is raised within the compiler from outside, as by a
    signal, may get lost there and leave half a loop behind, so whoever wants to raise one waits.
    """

    said = False
    depth = 0
    begun = seconds = 0.0
    collects = False
    waiting = None
    helper = None

    def on_start(self, event):
        if (event.data["dispatcher"].__module__ or "").startswith("numba"):
            return
        self.depth += 1
        if self.depth == 1:
            self.begun = time.perf_counter()
            # A seventh of the time would go into looking for garbage among what the compiler still needs.
            self.collects = gc.isenabled()
            gc.disable()
            from assay.compiled.common.cache_lock import lock_cache

            lock_cache()  # what is compiled is saved; whoever only loads needs no lock
        helper, self.helper = self.helper, None
        if helper is not None:
            helper()
        if not self.said:
            self.said = True
            print(
                "assay: compiling loops for this machine; this happens once.",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event):
        if (event.data["dispatcher"].__module__ or "").startswith("numba"):
            return
        self.depth -= 1
        if not self.depth:
            self.seconds += time.perf_counter() - self.begun
            if self.collects:
                gc.enable()
        if not self.depth and self.waiting is not None:
            call, self.waiting = self.waiting, None
            call()


_WATCH = _Watch()


def call_when_compiled(call):
    """Call it now, or as soon as the compiler is done."""
    if _WATCH.depth:
        _WATCH.waiting = call
    else:
        call()


def compiling_seconds() -> float:
    """How long this process has been compiling loops, all in all."""
    return _WATCH.seconds


@contextmanager
def when_compiling(call):
    """Call it once, if a loop is compiled in here."""
    _WATCH.helper = call
    try:
        yield
    finally:
        _WATCH.helper = None


event.register("numba:compile", _WATCH)
