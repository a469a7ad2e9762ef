"""How examples come in: tables on disk, read whole or in chunks of bounded memory.

Names stand in ``__init__.pyi`` and are imported when first used, so that a file of this room costs no more than itself.
"""

import importlib
from typing import Any

import lazy_loader as lazy

_of_this_room, _, __all__ = lazy.attach_stub(__name__, __file__)
__all__ += ["RunningScale"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name != "RunningScale":
        return _of_this_room(name)
    # Above this room, since files of this room may not know compiled loops.
    return importlib.import_module("assay.learners.common.running_scale").RunningScale
