"""How sure a model was of what it predicted, beside whether that was right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.types import Array, Bools, Floats


class Confidence(NamedTuple):
    """Of each held-out row, the probability of the class that was predicted, and whether it was right."""

    probability: Floats
    right: Bools


def confidence_of(model: Any, X: Any, predicted: Array, truth: Array) -> Confidence | None:
    """How sure the model was of its predictions; None where it gives no probabilities."""
    if not hasattr(model, "predict_proba"):
        return None
    most = np.asarray(model.predict_proba(X)).max(axis=1)
    return Confidence(most.astype(np.float64), np.asarray(predicted) == np.asarray(truth))
