"""How many processors this process may use."""

import os


def processors() -> int:
    """The processors that the system lets this process run on, or all where it does not say."""
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(allowed(0)) if allowed else os.cpu_count() or 1
