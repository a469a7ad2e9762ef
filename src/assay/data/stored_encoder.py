"""Encoders as model files hold them: plain values, read back whoever wrote them."""

from __future__ import annotations

from typing import Any

from assay.data.boolean_encoders import ENCODERS
from assay.data.encode import Encoder
from assay.data.numbered import Numbered
from assay.data.prepare import Preparation
from assay.errors import BadData, BadParameter

_KINDS: dict[str, type[Encoder]] = {
    **ENCODERS,
    Numbered.name: Numbered,
    Preparation.name: Preparation,
}


def encoder_from_json(document: Any) -> Encoder:
    """The encoder that `Encoder.to_json` wrote down.

    Raises
    ------
    BadData
        If the document is none of that kind.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from assay.data import OneHot
    >>> encoder = OneHot.fit(pa.table({"age": [3, 5]}))
    >>> encoder_from_json(encoder.to_json()) == encoder
    True
    """
    try:
        return _KINDS[document["encoder"]].from_json(document)
    except (KeyError, TypeError, BadParameter):
        pass
    raise BadData("An encoder cannot be made from this document; it was not written by to_json.")
