"""Choosing a learner: by training rows, a code that is prefix-free, and no candidate that cannot learn."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import BadData
from assay.tables.candidates import CANDIDATES, Candidate, learned, make
from assay.tables.choice import SHARES, choose
from assay.tables.divide import divide
from assay.tables.holdout_size import HoldoutSize
from assay.tables.source import Source, load_rows
from assay.theory.tail.exact_twins import occam_exact
from tests.tables.tables import small, written

QUICK = (
    Candidate("decision-tree-classifier", 1, {"max_leaf_nodes": 4}),
    Candidate("gaussian-nb", 2),
    Candidate("winnow", 3),
    Candidate("svc", 3, most_rows=10),
)


@pytest.fixture
def table(tmp_path):
    source = Source(written(small(200), tmp_path / "t.csv"), "kind")
    return load_rows(source), source


def given(loaded, rows):
    """The table with these rows to learn from."""
    whole = divide(loaded, None, HoldoutSize(0.2), 0, "drop")
    return replace(whole, rows=rows, digests=loaded.digests()[rows])


@pytest.mark.parametrize("candidates", [CANDIDATES, QUICK])
def test_the_code_is_prefix_free(candidates):
    assert sum(Fraction(1, 2**one.bits) for one in candidates) <= 1


def test_a_candidate_that_is_left_out_frees_nothing(table):
    loaded, source = table
    found = choose(given(loaded, np.arange(200)), source, candidates=QUICK)
    tree, bayes, winnow, svc = found.tried
    assert winnow.errors is svc.errors is None
    assert winnow.remark.startswith("left out: ")
    assert svc.remark == "left out: too slow for 150 rows of 8 features"
    for one in (tree, bayes):
        assert one.promised == occam_exact(one.errors, 50, one.candidate.bits, found.delta)
    assert found.chosen in (tree, bayes)
    assert found.splits == 6
    assert found.delta == "0.005"
    assert SHARES == (9, 1)


def test_only_the_rows_it_is_given_count(table):
    loaded, source = table
    rows = np.arange(0, 200, 2)
    first = choose(given(loaded, rows), source, candidates=QUICK[:2])
    loaded.y[1::2] = "tall"
    second = choose(given(loaded, rows), source, candidates=QUICK[:2])
    assert [one.errors for one in first.tried] == [one.errors for one in second.tried]


def test_copies_judge_once_and_never_what_learned_from_them(tmp_path):
    once = small(200)
    source = Source(written(pa.concat_tables([once] * 3), tmp_path / "t.csv"), "kind")
    loaded = load_rows(source)
    assert choose(given(loaded, np.arange(600)), source, candidates=QUICK[:2]).tried[0].rows == 50
    kept = choose(given(loaded, np.arange(600)), source, candidates=QUICK[:2], overlap="keep")
    assert kept.tried[0].rows == 150


def test_too_few_rows(table):
    with pytest.raises(
        BadData, match=r"3 training rows, too few to choose a learner by\. Name one"
    ):
        choose(given(table[0], np.arange(3)), table[1])


def test_nobody_can_learn_it(table):
    with pytest.raises(
        BadData, match=r"No learner could learn .*: left out: Winnow needs features"
    ):
        choose(given(table[0], np.arange(200)), table[1], candidates=[Candidate("winnow", 1)])


def test_what_a_learner_cannot_learn_is_said_in_a_sentence():
    class Stubborn:
        def fit(self, X, y):
            raise ValueError("too large for float32")

    with pytest.raises(BadData, match=r"^stubborn cannot learn t.csv: too large for float32$"):
        learned(Stubborn(), "stubborn", [[1]], [1], "t.csv")


def test_seeds():
    assert make("random-forest-classifier", {}, 7).random_state == 7
    assert make("random-forest-classifier", {"random_state": 3}, 7).random_state == 3
