"""Columns that name what a row is about, known by a list of names that the documentation prints."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: A column so called names what a row belongs to; capitals, spaces, hyphens and underscores make no difference.
ID_NAMES = (
    *(
        "id",
        "uid",
        "uuid",
        "qid",
        "sample_id",
        "example_id",
        "question_id",
        "query_id",
        "prompt_id",
    ),
    *("item_id", "doc_id", "document_id", "instance_id", "task_id", "case_id", "test_id"),
    *("conversation_id", "dialogue_id", "dialog_id", "session_id", "thread_id", "user_id"),
    *("customer_id", "patient_id", "subject_id", "participant_id"),
)
_PLAIN = frozenset(re.sub(r"[\W_]+", "", name) for name in ID_NAMES)


def id_columns(columns: Iterable[str]) -> list[str]:
    """Those of the columns that are ids by their names.

    Examples
    --------
    >>> id_columns(["ID", "sampleId", "Question ID", "width", "solid"])
    ['ID', 'sampleId', 'Question ID']
    """
    return [name for name in columns if re.sub(r"[\W_]+", "", str(name)).casefold() in _PLAIN]
