"""Texts as bags of words: which words of a fixed list occur in each, or how often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from assay.errors import BadData, require

# As in the features of text columns: two or more letters or digits.
_WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True)
class BagOfWords:
    """A text as the words of a list that occur in it; their order is forgotten.

    In so many dimensions texts of two kinds are often separated by a plane, or nearly. The list of words is fixed
    before a text is transformed: a word that is not on it is as if it were not there.

    Parameters
    ----------
    words : tuple of str
        The list, in lower case; made by `fit`.
    counts : bool, default=False
        Whether features are how often a word occurs, rather than 1 where it does.

    Examples
    --------
    >>> mails = ["Free money, free lunch!", "Lunch at noon?", "Money for nothing"]
    >>> bag = BagOfWords.fit(mails, at_least=2)
    >>> bag.words
    ('lunch', 'money')
    >>> bag.transform(mails).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """

    words: tuple[str, ...]
    counts: bool = False

    def __post_init__(self) -> None:
        good = bool(self.words) and all(isinstance(word, str) for word in self.words)
        require(good, "words", "at least one word", self.words)
        require(len(set(self.words)) == len(self.words), "words", "all different", self.words)
        object.__setattr__(self, "words", tuple(self.words))

    @classmethod
    def fit(
        cls, texts: Iterable[Any], *, most: int = 10_000, at_least: int = 1, counts: bool = False
    ) -> Self:
        """The words of some texts, in the order of the alphabet.

        Parameters
        ----------
        texts : iterable of str
            Those to learn from, never those of a holdout; None has no words.
        most : int, default=10000
            How many words; those in most texts are taken, of equally frequent ones the first by the alphabet.
        at_least : int, default=1
            In how many texts a word must occur.
        counts : bool, default=False
            As in the class.

        Raises
        ------
        BadData
            If no word is left, or a text is none.
        """
        _require_count("most", most)
        _require_count("at_least", at_least)
        seen = Counter(word for text in _read(texts) for word in set(text))
        kept = sorted((-many, word) for word, many in seen.items() if many >= at_least)[:most]
        if not kept:
            raise BadData(f"No word occurs in {at_least} of the texts or more.")
        return cls(tuple(sorted(word for _, word in kept)), counts)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features: the words."""
        return self.words

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def transform(self, texts: Iterable[Any]) -> sparse.csr_array:
        """Texts by words, as a sparse matrix.

        Parameters
        ----------
        texts : iterable of str
            None has no words.
        """
        pointers, indices, data = [0], [], []
        for text in _read(texts):
            held = Counter(self._places[word] for word in text if word in self._places)
            indices += sorted(held)
            data += [float(held[place]) if self.counts else 1.0 for place in sorted(held)]
            pointers.append(len(indices))
        shape = (len(pointers) - 1, len(self.words))
        parts = np.array(data), np.array(indices, dtype=np.int64), np.array(pointers)
        return sparse.csr_array(parts, shape=shape)


def _read(texts: Iterable[Any]) -> list[list[str]]:
    if isinstance(texts, str):
        raise BadData("texts must be several texts, but is one. Give a list.")
    read = []
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise BadData(f"Row {row + 1} must be a text, but is {text!r}.")
        read.append([] if text is None else _WORD.findall(text.lower()))
    return read


def _require_count(name: str, value: Any) -> None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    require(good, name, "a whole number of at least 1", value)
