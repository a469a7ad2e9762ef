"""Choosing a learner: by training rows, a code that is prefix-free, and no candidate that cannot learn."""

from fractions import Fraction

import numpy as np
import pytest

from assay.errors import BadData
from assay.tables.candidates import CANDIDATES, Candidate, learned, make
from assay.tables.choice import SHARES, choose
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


@pytest.mark.parametrize("candidates", [CANDIDATES, QUICK])
def test_the_code_is_prefix_free(candidates):
    assert sum(Fraction(1, 2**one.bits) for one in candidates) <= 1


def test_a_candidate_that_is_left_out_frees_nothing(table):
    found = choose(*table, np.arange(200), candidates=QUICK)
    tree, bayes, winnow, svc = found.tried
    assert winnow.errors is svc.errors is None
    assert winnow.remark.startswith("left out: ")
    assert svc.remark == "left out: too slow for 150 rows of 8 features"
    for one in (tree, bayes):
        assert one.promised == occam_exact(one.errors, 50, one.candidate.bits, found.delta)
    assert found.chosen is min((tree, bayes), key=lambda one: one.promised)
    assert found.delta == "0.005"
    assert SHARES == (9, 1)


def test_only_the_rows_it_is_given_count(table):
    loaded, source = table
    rows = np.arange(0, 200, 2)
    first = choose(loaded, source, rows, candidates=QUICK[:2])
    loaded.y[1::2] = "tall"
    second = choose(loaded, source, rows, candidates=QUICK[:2])
    assert [one.errors for one in first.tried] == [one.errors for one in second.tried]


def test_too_few_rows(table):
    with pytest.raises(
        BadData, match=r"3 training rows, too few to choose a learner by\. Name one"
    ):
        choose(*table, np.arange(3))


def test_nobody_can_learn_it(table):
    with pytest.raises(
        BadData, match=r"No learner could learn .*: left out: Winnow needs features"
    ):
        choose(*table, np.arange(200), candidates=[Candidate("winnow", 1)])


def test_what_a_learner_cannot_learn_is_said_in_a_sentence():
    class Stubborn:
        def fit(self, X, y):
            raise ValueError("too large for float32")

    with pytest.raises(BadData, match=r"^stubborn cannot learn t.csv: too large for float32$"):
        learned(Stubborn(), "stubborn", [[1]], [1], "t.csv")


def test_seeds():
    assert make("random-forest-classifier", {}, 7).random_state == 7
    assert make("random-forest-classifier", {"random_state": 3}, 7).random_state == 3
