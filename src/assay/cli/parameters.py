"""``--param name=value``: parameters of a learner as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.errors import BadParameter

_WORDS = {"True": True, "False": False, "None": None}


def named_values(texts: Iterable[str]) -> dict[str, Any]:
    """Each ``name=value``, the value as JSON has it where it is JSON, else as text.

    Examples
    --------
    >>> named_values(["C=10", "kernel=rbf", "shrinking=True"])
    {'C': 10, 'kernel': 'rbf', 'shrinking': True}
    """
    return dict(_named(text) for text in texts)


def _named(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise BadParameter(f"--param must be name=value, but is {text!r}.")
    if value in _WORDS:
        return name, _WORDS[value]
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
