from __future__ import annotations

import datetime
import decimal
import re
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from assay.errors import BadData
from assay.evidence import tally as module
from assay.evidence.digest import digest_labels
from assay.evidence.tally import declared_labels, tally, wrong_rows
from tests.naive.confusion import confusion

TEXT = st.sampled_from(["ham", "spam", "eggs", "é", ""])
PAIRS = st.one_of(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=50),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=50),
    st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), min_size=1, max_size=200),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=50),
)


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def columns(pairs):
    truth, prediction = zip(*pairs, strict=True)
    return list(truth), list(prediction)


def in_arrow(column):
    return pa.array(column).dictionary_encode()


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.sampled_from([list, np.array, pd.Series, pl.Series, pa.array, in_arrow]))
def test_against_a_loop_and_against_scikit_learn(pairs, container):
    truth, prediction = columns(pairs)
    labels, matrix, errors = confusion(truth, prediction)
    result = tally([(container(truth), container(prediction))], labels=labels)
    assert result.labels == labels
    assert [type(label) for label in result.labels] == [type(label) for label in labels]
    assert result.confusion == matrix
    assert result.errors == errors
    assert result.rows == len(truth)
    assert result.truth_digest == digest_labels(truth)
    assert result.prediction_digest == digest_labels(prediction)
    if len(labels) > 1:  # of a single label scikit-learn warns
        peer = confusion_matrix(truth, prediction, labels=list(labels))
        assert result.confusion == tuple(map(tuple, peer.tolist()))


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.lists(st.integers(0, 200), max_size=6))
def test_chunks_make_no_difference(pairs, cuts):
    truth, prediction = columns(pairs)
    edges = [0, *sorted(min(cut, len(truth)) for cut in cuts), len(truth)]
    chunks = [(truth[a:b], np.array(prediction[a:b])) for a, b in pairwise(edges)]
    labels = [*truth, *prediction]
    assert tally(chunks, labels=labels) == tally([(truth, prediction)], labels=labels)


@pytest.mark.parametrize("classes", [1, 2, 3, 10, 16, 17, 40, 999])
@pytest.mark.parametrize("low", [0, -7, 2**40])
def test_large_columns(classes, low):
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 150_001)
    truth[: min(classes, 1000)] = np.arange(classes)[:1000]
    prediction = np.where(rng.random(len(truth)) < 0.1, rng.permutation(truth), truth)
    result = tally([(truth + low, prediction + low)])
    if classes > 1:  # of a single label scikit-learn warns
        peer = confusion_matrix(truth, prediction)
        assert result.confusion == tuple(map(tuple, peer.tolist()))
    assert result.errors == int((truth != prediction).sum())
    assert result.labels == tuple(range(low, low + classes))


def test_a_miscount_would_be_seen():
    truth, prediction = [0, 0, 1, 1], [0, 1, 1, 1]
    assert tally([(truth, prediction)]).errors == 1
    assert tally([(truth, prediction[::-1])]).errors == 3


def test_columns_over_several_blocks():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2**21 + 3)
    prediction = truth ^ (rng.random(len(truth)) < 0.05)
    result = tally([(truth, prediction)])
    assert result.errors == int((truth != prediction).sum())
    parts = (np.array_split(column, 5) for column in (truth, prediction))
    assert result == tally(zip(*parts, strict=True))


def test_labels_that_occur_rarely_are_found():
    truth = np.zeros(20_000, dtype=np.int64)
    truth[-1] = 5
    assert tally([(truth, truth)]).labels == (0, 5)
    text = np.where(truth == 5, "rare", "usual")
    assert tally([(text, text)]).labels == ("rare", "usual")
    many = np.concatenate([np.zeros(5000, dtype=np.int64), np.arange(100) * 2])
    assert tally([(many, many)]).labels == tuple(range(0, 200, 2))


def test_truth_values_and_their_numbers_agree():
    result = tally([([True, False], [1, 0])])
    assert (result.errors, result.labels) == (0, (0, 1))
    assert [type(label) for label in result.labels] == [int, int]
    assert result.truth_digest == result.prediction_digest
    both = tally([([True, False], [False, False])])
    assert (both.errors, both.labels) == (1, (False, True))
    assert [type(label) for label in both.labels] == [bool, bool]
    assert tally([([True, True], [True, True])]).labels == (True,)


def test_whole_floats_and_decimals_are_whole_numbers():
    result = tally([([1.0, -0.0, 2.0], pa.array([1, 0, 2], pa.int8()))])
    assert (result.errors, result.labels) == (0, (0, 1, 2))
    price = pa.array([decimal.Decimal("1.00"), decimal.Decimal("2.00")])
    assert tally([(price, [1, 2])]).errors == 0


def test_mixed_lists_that_have_one_meaning():
    assert tally([([True, 0, 1.0], [1, False, np.int64(1)])]).errors == 0
    assert tally([([2**63, 1], [2**63, 1])]).labels == (1, 2**63)
    assert tally([([2**53 + 1, 1.0], [2**53 + 1, 1])]).labels == (1, 2**53 + 1)


def test_nullable_columns_without_nulls():
    truth = pd.Series([1, 2, 1], dtype="Int64")
    masked = np.ma.array([1, 2, 1], mask=[False, False, False])
    assert tally([(truth, masked)]).errors == 0
    assert tally([(pd.Series(["a", "b"], dtype="category"), pl.Series(["a", "b"]))]).errors == 0
    unused = pd.Series(pd.Categorical(["b", "a"], categories=["z", "b", "a"]))
    assert tally([(unused, ["b", "a"])]).labels == ("a", "b")


def test_a_dictionary_far_longer_than_the_column():
    column = pa.DictionaryArray.from_arrays(
        pa.array([90, 10, 90]), pa.array([str(k) for k in range(100)])
    )
    assert tally([(column, ["90", "10", "90"])]).labels == ("10", "90")
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert tally([(twice, ["a", "a", "b"])]).confusion == ((2, 0), (0, 1))


def test_generators_are_columns_too():
    assert tally([((x for x in "ab"), iter(["a", "b"]))]).errors == 0


def test_progress_is_told_after_every_chunk():
    seen = []
    tally([([1, 2], [1, 2]), ([1], [1]), ([], [])], progress=seen.append)
    assert seen == [2, 3, 3]


def test_a_tally_cannot_be_changed():
    result = tally([([1], [1])])
    with pytest.raises(FrozenInstanceError):
        result.errors = 5


MISSING = "truth has no value in row 2; every row needs one. Fill it in, or leave the row out."


@pytest.mark.parametrize(
    "column",
    [
        ["a", None],
        ["a", np.nan],
        [1.0, np.nan],
        [1, None],
        [True, None],
        [1, pd.NA],
        [True, 0.0, np.nan][1:],
        np.array([1.0, np.nan]),
        np.array(["a", None], dtype=object),
        np.ma.array([1, 2], mask=[False, True]),
        pd.Series(["a", None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None]),
        pl.Series(["a", None], dtype=pl.Categorical),
        pa.array([1, None]),
        pa.array([True, None]),
        pa.array(["a", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([1.0, None])),
    ],
    ids=lambda column: type(column).__name__,
)
def test_a_missing_label_is_refused_with_its_row(column):
    with refuses(MISSING):
        tally([(column, ["a", "b"])])
    with refuses(MISSING.replace("truth", "label").replace("row 2", "row 5")):
        tally([(column[:1], column[:1])] * 3 + [(column, column)], names=("label", "guess"))


def test_missing_from_the_start():
    with refuses(MISSING.replace("row 2", "row 1")):
        tally([(pa.nulls(2), ["a", "b"])])


@pytest.mark.parametrize(
    ("column", "shown"),
    [([1.0, 0.5], "0.5"), ([1, np.inf], "inf"), ([1.0, 2.0**53], "9007199254740992.0"),
     (np.array([1, 1.5], dtype=np.float32), "1.5"),
     ([decimal.Decimal("1"), decimal.Decimal("0.5")], "0.5")],
)  # fmt: skip
def test_a_measured_quantity_is_refused(column, shown):
    sentence = (
        f"prediction holds {shown} in row 2, which looks like a measured quantity, not a label; "
        "ask for coverage, within or range, or certify a per-example loss instead."
    )
    with refuses(sentence):
        tally([([1, 0], column)])


def test_what_is_no_label_at_all():
    kind = "which are not labels; labels are text, whole numbers or truth values."
    with refuses(f"truth holds values of type date32[day], {kind} Turn the column into text."):
        tally([([datetime.date(2026, 1, 1)], ["a"])])
    with refuses(f"truth holds values of type timestamp[s], {kind} Turn the column into text."):
        tally([(np.array(["2026-01-01"], dtype="M8[s]"), ["a"])])
    with refuses(f"truth holds values of type binary, {kind} Turn the column into text."):
        tally([(np.array([b"a"]), ["a"])])
    with refuses(
        "truth holds a value of type complex in row 2; "
        "a column holds text, numbers or truth values."
    ):
        tally([([1, 1j], [1, 1])])
    with refuses("truth must be a column (a list, an array or a series), but is of type str."):
        tally([("ham", ["ham"])])
    with refuses("truth must be a column (a list, an array or a series), but is of type int."):
        tally([(1, 1)])
    with refuses(
        "prediction must be one-dimensional, but has shape (2, 2). "
        "Pass one value per row, e.g. through .ravel() or .argmax(axis=1)."
    ):
        tally([([1, 1], np.array([[1, 0], [1, 0]]))])
    with refuses(
        f"truth holds {2**64} in row 1, which does not fit into 64 bits. Turn the column into text."
    ):
        tally([([2**64], [1])])
    with refuses(
        f"truth holds {2**63} in row 2, which does not fit into 64 bits. Turn the column into text."
    ):
        tally([([-1, 2**63], [1, 1])])
    with refuses("truth holds text that is not valid Unicode; write it as UTF-8."):
        tally([(["\ud800"], ["a"])])
    broken = pa.array([b"\xff"]).view(pa.string())
    with refuses("truth holds text that is not valid UTF-8; write it as UTF-8."):
        tally([(broken, ["a"])])


@pytest.mark.parametrize(
    "column", [["a", 1], np.array(["a", 1], dtype=object), pd.Series(["a", 1], dtype=object)]
)
def test_text_and_numbers_in_one_column(column):
    with refuses(
        "truth holds both text ('a' in row 1) and numbers (1 in row 2); "
        "write the whole column one way."
    ):
        tally([(column, [1, 1])])


def test_text_against_numbers():
    with refuses(
        "truth holds text ('ham') but prediction holds whole numbers (0); "
        "write both in the same labels."
    ):
        tally([(["ham", "spam"], [0, 1])])
    with refuses(
        "label holds truth values (False) but guess holds text ('no'); "
        "write both in the same labels."
    ):
        tally([([True, False], ["yes", "no"])], names=("label", "guess"))


def test_truth_values_against_other_numbers():
    with refuses(
        "truth holds truth values but prediction holds -1; "
        "only 0 and 1 can stand for False and True."
    ):
        tally([([True, False], [1, -1])])
    with refuses(
        "prediction holds truth values but truth holds 2, 3; "
        "only 0 and 1 can stand for False and True."
    ):
        tally([([1, 2, 3], [True, False, True])])


def test_unequal_lengths():
    with refuses("truth holds 3 rows but prediction holds 2; every row needs one label in each."):
        tally([([1, 1, 1], [1, 1])])


def test_a_column_of_one_by_one():
    column = np.array([["ham"], ["spam"]])
    assert tally([(column, ["ham", "ham"])]) == tally([(["ham", "spam"], ["ham", "ham"])])
    assert tally([(np.array([[1], [0]]), np.array([[1], [1]]))]).errors == 1


def test_a_label_that_the_truth_never_holds_is_wrong():
    counted = tally([(["ham", "spam"], ["ham", "Spam"])])
    assert (counted.errors, counted.unseen) == (1, ("Spam",))
    assert tally([([False, False], [True, False])]).unseen == (True,)
    assert tally([([False, True], [True, False])]).unseen == ()
    # A later chunk of the truth may still hold it.
    assert tally([([1], [2]), ([2], [2])]).errors == 1


def test_columns_without_a_label_in_common():
    with refuses(
        "label and guess must share a label, but label holds 1 and guess 7, 8, 9, 10, 11 and 2 more. Write both in "
        "the same labels; if all are meant to count as wrong, declare the labels."
    ):
        tally([([1] * 7, range(7, 14))], names=("label", "guess"))
    with refuses(
        "truth and prediction must share a label, but the truth holds False and the prediction True. Write both in "
        "the same labels; if all are meant to count as wrong, declare the labels."
    ):
        tally([([False, False], [True, True])])
    assert tally([([1], [2])], unseen="wrong").errors == 1


def test_wrong_rows_one_by_one():
    truth, prediction = ["a", "b", "c", "c"], ["a", "c", "c", "d"]
    assert wrong_rows(truth, prediction).tolist() == [False, True, False, True]
    assert wrong_rows([1, 0, 2], [1.0, True, 2.0]).tolist() == [False, True, False]


def test_declared_labels():
    declared = tally([(["ham", "spam"], ["ham", "Spam"])], labels=["ham", "spam", "Spam"])
    assert (declared.errors, declared.labels) == (1, ("Spam", "ham", "spam"))
    assert tally([([False], [True])], labels=[True, False]).labels == (False, True)
    with refuses(
        "truth holds 'eggs', which is not among the declared labels; declare every label there is."
    ):
        tally([(["ham", "eggs"], ["ham", "ham"])], labels=["ham", "spam"])
    with refuses(
        "prediction holds 3, which is not among the declared labels; declare every label there is."
    ):
        tally([([1], [3])], labels=(1, 2))
    assert declared_labels([]) == ()


def test_no_rows():
    for pairs in [], [([], [])], [(np.array([]), pa.array([], pa.string()))]:
        with refuses("truth and prediction hold no rows; there is nothing to count."):
            tally(pairs)


def test_too_many_labels():
    column = np.arange(65_537)
    with refuses(
        "truth and prediction hold more than 65,536 distinct labels; so many are names or "
        "quantities, not classes. Check that the columns are the right ones."
    ):
        tally([(column, column)])
    result = tally([(column[:-1], np.append(column[1:-1], 5))])
    assert (result.errors, result.confusion, len(result.labels)) == (65_536, None, 65_536)


def test_the_confusion_is_dropped_once_it_would_be_too_large(monkeypatch):
    monkeypatch.setattr(module, "MOST_CONFUSED", 3)
    small = tally([([1, 2, 3], [1, 3, 3])])
    assert small.confusion == ((1, 0, 0), (0, 0, 1), (0, 0, 1))
    grown = tally([([1, 2, 3], [1, 3, 3]), ([4, 4], [4, 1])])
    assert (grown.confusion, grown.errors) == (None, 2)
