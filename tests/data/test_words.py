"""Words counted in places: the same place on every day, length one, nothing for a missing text."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import HashingVectorizer

from assay.data.cells import Place
from assay.data.words import hashed_words

TEXTS = ["free money now", None, "Money, free!", "", "a b c", "naïve café 42"]
HERE = Place("mails", "text")


def test_rows_have_length_one_or_none():
    lengths = np.sqrt((hashed_words(pa.array(TEXTS), 64, HERE).toarray() ** 2).sum(axis=1))
    assert lengths == pytest.approx([1, 0, 1, 0, 0, 1])


def test_as_scikit_learn_counts_them():
    ours = hashed_words(pa.array(TEXTS), 256, HERE).toarray()
    theirs = HashingVectorizer(n_features=256).transform([text or "" for text in TEXTS]).toarray()
    assert (ours == theirs).all()


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_text_of_every_type(kind):
    typed = hashed_words(pa.array(TEXTS).cast(kind), 64, HERE).toarray()
    assert (typed == hashed_words(pa.array(TEXTS), 64, HERE).toarray()).all()


def test_a_row_does_not_depend_on_its_neighbours():
    whole = hashed_words(pa.array(TEXTS), 64, HERE).toarray()
    alone = [hashed_words(pa.array([text], pa.string()), 64, HERE).toarray()[0] for text in TEXTS]
    assert whole.tobytes() == np.array(alone).tobytes()
