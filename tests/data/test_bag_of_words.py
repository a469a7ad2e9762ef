"""Bags of words: the same as scikit-learn's counter, a list that is fixed, and texts that are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from assay import Perceptron, Winnow
from assay.data import BagOfWords
from assay.errors import BadData, BadParameter

WORDS = ["free", "money", "lunch", "noon", "Win", "a1", "é cu", "x", "free,free"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(texts, texts, st.booleans(), st.integers(1, 2))
def test_as_scikit_learns_counter(known, new, counts, at_least):
    theirs = CountVectorizer(binary=not counts, min_df=at_least)
    try:
        theirs.fit(known)
    except ValueError:
        with pytest.raises(
            BadData, match=rf"^No word occurs in {at_least} of the texts or more\.$"
        ):
            BagOfWords.fit(known, at_least=at_least)
        return
    bag = BagOfWords.fit(known, counts=counts, at_least=at_least)
    assert list(bag.features) == theirs.get_feature_names_out().tolist()
    assert (bag.transform(new).toarray() == theirs.transform(new).toarray()).all()


def test_the_most_frequent_words_and_nothing_of_new_texts():
    bag = BagOfWords.fit(["b a cc dd", "cc dd ee", "dd ff", None], most=2)
    assert bag.words == ("cc", "dd")
    assert bag.transform(["new words dd DD", None]).toarray().tolist() == [[0, 1], [0, 0]]
    assert bag.transform([]).shape == (0, 2)


def test_a_plane_separates_two_kinds_of_mail():
    """Online learners take the bag as it is: boolean for Winnow, sparse for all."""
    spam = ["win free money now", "free prize win", "claim your free money"]
    ham = ["lunch at noon", "your meeting is at noon now", "lunch money for school"]
    bag = BagOfWords.fit(spam + ham)
    X, y = bag.transform(spam + ham), np.array(["spam"] * 3 + ["ham"] * 3)
    for learner in (Perceptron(), Winnow(negations=True)):
        assert learner.fit(X, y).score(X, y) == 1.0
        assert learner.predict(bag.transform(["free money", "lunch at school"])).tolist() == [
            "spam",
            "ham",
        ]


def test_refusals():
    with pytest.raises(BadData, match=r"^texts must be several texts, but is one\. Give a list\.$"):
        BagOfWords.fit("free money")
    with pytest.raises(BadData, match=r"^Row 2 must be a text, but is 3\.$"):
        BagOfWords.fit(["free", 3])
    with pytest.raises(BadParameter, match=r"^words must be at least one word, but is \(\)\.$"):
        BagOfWords(())
    with pytest.raises(
        BadParameter, match=r"^words must be all different, but is \('aa', 'aa'\)\.$"
    ):
        BagOfWords(("aa", "aa"))
    with pytest.raises(
        BadParameter, match=r"^most must be a whole number of at least 1, but is 0\.$"
    ):
        BagOfWords.fit(["free"], most=0)
