"""The two sets of compiler flags, and the one notice that code is being compiled."""

import sys

from numba.core import event

# The default: every operation as written, so that results are the same to the bit everywhere.
EXACT = {"cache": True, "nogil": True, "fastmath": False, "error_model": "numpy"}

# For sums over features that must run at memory speed: the compiler may regroup them, which keeps
# NaN, infinities, and one result per machine.
REASSOC = EXACT | {"fastmath": {"reassoc", "contract"}}


class _Notice(event.Listener):
    """Says once per process that loops are being compiled, since the first call then takes longer."""

    said = False

    def on_start(self, event):
        if not self.said and not event.data["dispatcher"].__module__.startswith("numba"):
            self.said = True
            print(
                "assay: compiling loops for this machine; this happens once.",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event):
        """Nothing to say."""


event.register("numba:compile", _Notice())
