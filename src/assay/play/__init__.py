"""The games: online, experts, bandit, delayed feedback; conversions and adversaries.

`assay.play` is at once this folder and the function of its commonest game: calling it plays online.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package that can be called, because importing any of its files makes it ``assay.play``."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """See `assay.play.online.play`."""
        from assay.play.online import play

        return play(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
