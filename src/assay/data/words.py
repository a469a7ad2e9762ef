"""Texts as features: the words of each text counted in a fixed number of places."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, as_words


def hashed_words(array: pa.Array, places: int, place: Place) -> Any:
    """The words of every text, each counted in a place that its letters alone decide.

    A word is two or more letters or digits, in lower case. Places are few, so two words may share one; each
    has a sign of its own, so that on the whole they do not add up. A row has length 1, or 0 without words.

    Parameters
    ----------
    array : pyarrow.Array
        A column of text; a missing one has no words.
    places : int
        How many features there are.
    place : Place
        Where the column stands, for refusals.

    Returns
    -------
    scipy.sparse.csr_array
        Texts by places.

    Examples
    --------
    >>> counts = hashed_words(pa.array(["free money", None, "Money, free!"]), 8, Place("mails", "text"))
    >>> counts.toarray().round(2)[0].tolist() == counts.toarray().round(2)[2].tolist()
    True
    >>> counts.sum(axis=1).round(2).tolist()[1]
    0.0
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import HashingVectorizer

    texts = as_words(array, place)
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_decode()
    counter = HashingVectorizer(n_features=places)
    return sparse.csr_array(counter.transform(texts.fill_null("").to_pylist()))


def several_words(array: pa.Array) -> bool:
    """Whether texts have two words or more, on average: then they are texts, and no names of categories.

    Examples
    --------
    >>> several_words(pa.array(["call me back", "see you"])), several_words(pa.array(["Rome", "New York", "Oslo"]))
    (True, False)
    """
    words = as_words(array, Place("", ""))
    words = words.dictionary_decode() if pa.types.is_dictionary(words.type) else words
    spaces = pc.count_substring_regex(pc.utf8_trim_whitespace(words), r"\s+")
    return bool((pc.mean(spaces).as_py() or 0) >= 0.9)
