"""The parameters that a fit used: guarantees are about that fit, whatever parameters are set to later."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.learners.common import kinds

#: What stands for a function or an object of the user's, which no file can hold.
OWN = "one of yours"


def _settings(model: Any) -> dict[str, Any]:
    return {name: plain_setting(getattr(model, name)) for name in model.settings}


def plain_setting(value: Any) -> Any:
    """A parameter in Python's own types, as files hold it."""
    if isinstance(value, np.generic | np.ndarray | list | tuple):
        return tuple(np.ravel(value).tolist()) if np.ndim(value) else np.asarray(value).item()
    return value if isinstance(value, str | int | float | None) else OWN


class Settled:
    """Base of the learners whose guarantees depend on some of their parameters."""

    #: Their names.
    settings: ClassVar[tuple[str, ...]] = ()

    state = kinds.declare(settings_=kinds.parameters)
    #: Of files that do not say so, what the parameters were set to last is all that is known.
    later_state: ClassVar[Any] = {"settings_": _settings}

    settings_: dict[str, Any]

    def _hold_settings(self) -> None:
        """Hold on to these parameters as they are now."""
        self.settings_ = _settings(self)
