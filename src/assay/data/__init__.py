"""How examples come in: tables on disk, read whole or in chunks of bounded memory.

Names are imported when first used, so that a file of this room costs no more than itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Public name -> module.
_PUBLIC = {
    "BallScale": "assay.data.scale",
    "Booleans": "assay.data.boolean_encoders",
    "Chunks": "assay.data.examples",
    "Encoder": "assay.data.encode",
    "Examples": "assay.data.examples",
    "Literals": "assay.data.boolean_encoders",
    "OneHot": "assay.data.encode",
    "Preparation": "assay.data.prepare",
    # Above this room, since files of this room may not know compiled loops.
    "RunningScale": "assay.learners.common.running_scale",
    "SignLabels": "assay.data.sign_labels",
    "Split": "assay.data.seeded_split",
    "encoder_from_json": "assay.data.stored_encoder",
    "split": "assay.data.seeded_split",
}

__all__ = [
    "BallScale",
    "Booleans",
    "Chunks",
    "Encoder",
    "Examples",
    "Literals",
    "OneHot",
    "Preparation",
    "RunningScale",
    "SignLabels",
    "Split",
    "encoder_from_json",
    "split",
]

if TYPE_CHECKING:
    from assay.data.boolean_encoders import Booleans, Literals
    from assay.data.encode import Encoder, OneHot
    from assay.data.examples import Chunks, Examples
    from assay.data.prepare import Preparation
    from assay.data.scale import BallScale
    from assay.data.seeded_split import Split, split
    from assay.data.sign_labels import SignLabels
    from assay.data.stored_encoder import encoder_from_json
    from assay.learners.common.running_scale import RunningScale


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay.data' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
