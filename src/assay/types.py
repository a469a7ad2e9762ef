"""Array aliases and typing protocols shared by all rooms."""

from __future__ import annotations

from typing import Any, Protocol


class Predictor(Protocol):
    """A fitted model of any library, as far as certifying needs it."""

    def predict(self, X: Any, /) -> Any:
        """One prediction per row."""
