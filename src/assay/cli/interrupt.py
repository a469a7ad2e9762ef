"""Ctrl-C that ends a long command in order: what is being learned is finished, the rest is not read."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
# Windows ends a process in order by SIGBREAK alone: by Ctrl-Break, or when its window is closed.
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
]


class _Enough(BaseException):
    """Raised while waiting for input; no library catches it on the way."""


class Interrupt:
    """Notes the wish to stop; a second one stops at once.

    While the next piece is being read, which may take for ever, the wish is granted at once. While a piece
    is being used, it is granted when that is done.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._before[number] = signal.signal(number, self._asked)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def until(self, pieces: Iterable[T]) -> Iterator[T]:
        """The pieces, as long as nobody wants to stop."""
        coming = iter(pieces)
        while self.signal is None:
            try:
                self._waiting = True
                piece = next(coming)
            except (StopIteration, _Enough):
                return
            finally:
                self._waiting = False
            yield piece

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number
        print(
            "assay: finishing with what was learned; press Ctrl-C again to stop at once.",
            file=sys.stderr,
            flush=True,
        )
        # Looked up, not imported: where no loop has been used yet, none is being compiled.
        flags = sys.modules.get("assay.compiled.common.flags")
        if flags is None:
            self._grant()
        else:
            flags.call_when_compiled(self._grant)

    def _grant(self) -> None:
        if self._waiting:
            raise _Enough
