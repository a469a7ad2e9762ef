"""Columns that name what a row is about: how many rows repeat a name that came before."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any


def rows_again(chunks: Sequence[Any]) -> tuple[int, int]:
    """How many rows repeat an id of an earlier row, and how many have an id at all.

    Letter case and spaces make no difference: a copy is a copy, however its id is typed.

    Parameters
    ----------
    chunks : sequence of list or Arrow array
        The column, whole or in consecutive chunks; rows without an id are not compared.

    Examples
    --------
    >>> rows_again([["q1", "q2"], ["Q1 ", None]])
    (1, 3)
    """
    if not chunks:
        return 0, 0
    if all(isinstance(chunk, list) for chunk in chunks):
        ids = [folded(value) for chunk in chunks for value in chunk if value not in (None, "")]
        return len(ids) - len(set(ids)), len(ids)
    import pyarrow as pa
    import pyarrow.compute as pc

    from assay.evidence.columns import is_text

    plain = [c.dictionary_decode() if hasattr(c, "dictionary") else c for c in chunks]
    column = pa.chunked_array(plain).drop_null()
    if pa.types.is_nested(column.type):
        return 0, 0
    if is_text(column.type):
        column = column.filter(pc.not_equal(column, ""))
    distinct = {folded(value) for value in column.unique().to_pylist()}
    return len(column) - len(distinct), len(column)


def folded(id: Any) -> Any:
    """An id without what people do not see: capitals, widths and spaces.

    Examples
    --------
    >>> folded("Q 1") == folded("q1")
    True
    """
    if not isinstance(id, str):
        return id
    if id.isascii():  # nothing to normalize, as nearly always
        return "".join(id.lower().split())
    return "".join(unicodedata.normalize("NFKC", id).casefold().split())
