"""What a model keeps of its table: how columns become features, and what its training rows looked like."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.data.encode import Encoder
from assay.data.prepare import Preparation
from assay.data.seen import Seen
from assay.tables.rows import Part


def keep_preparation(model: Any, preparation: Encoder | None, train: Part | None = None) -> None:
    """Put how columns become features with the model, for its file.

    Parameters
    ----------
    model : learner
        Fitted.
    preparation : Encoder or None
        How columns became features.
    train : Part, optional
        The training rows, if they are separate draws: then new rows can be tested against them.
    """
    if preparation is None:
        return
    model.encoder_ = preparation.to_json()
    if 0 < len(preparation.features) <= 1000:
        model.feature_names_in_ = np.array(preparation.features, dtype=object)
    if train is not None and isinstance(preparation, Preparation):
        model.seen_ = Seen.of(train.cells, preparation, source=train.name).to_json()
