"""How long learning takes, compiling apart."""

from __future__ import annotations

from time import perf_counter


class Stopwatch:
    """Seconds since it was started; those in which loops were compiled, once for this machine, do not count.

    Examples
    --------
    >>> Stopwatch().seconds < 1.0
    True
    """

    def __init__(self) -> None:
        # Whoever is refused before anything is learned does not wait for the compiler to be imported.
        from assay.compiled.common.flags import compiling_seconds

        self._compiling = compiling_seconds
        self._begun, self._compiled = perf_counter(), compiling_seconds()

    @property
    def seconds(self) -> float:
        """So far."""
        return perf_counter() - self._begun - (self._compiling() - self._compiled)
