"""Learners side by side: the same rows, delta shared by all, and the best may be taken after looking."""

import numpy as np
import pytest

from assay import certify, verify
from assay.errors import BadData, BadParameter, UnknownName
from assay.tables.compare import compare_table
from assay.tables.comparison_story import comparison_story
from tests.tables.tables import small, written

THREE = ["gaussian-nb", "decision-tree-classifier", "perceptron"]


@pytest.fixture
def path(tmp_path):
    return written(small(), tmp_path / "t.csv")


def test_everyone_gets_an_equal_share(path, tmp_path):
    found = compare_table(path, "kind", learners=THREE, delta="0.03")
    assert (found.train_rows, found.holdout_rows) == (96, 24)
    assert {row.learner for row in found.rows} == set(THREE)
    for row in found.rows:
        # Half of a third: the other half is that of the pairs.
        alone = certify(errors=row.errors, rows=24, delta="0.005")
        assert row.certificate.claims[0].promised == alone.claims[0].promised
        row.certificate.save(tmp_path / "c.json")
        assert verify(tmp_path / "c.json").ok
    assert sorted(row.certificate.error for row in found.rows) == [
        row.certificate.error for row in found.rows
    ]
    assert "3 learners compared on t.csv" in comparison_story(found).title


def test_one_that_cannot_learn_costs_its_share_and_says_why(path):
    found = compare_table(path, "kind", learners=["gaussian-nb", "winnow"], delta="0.02")
    best, other = found.rows
    assert other.certificate is None
    assert "Winnow needs features that are 0 or 1" in other.remark
    assert best.certificate.claims[0].delta == "0.005"


def test_refusals(path, tmp_path):
    with pytest.raises(BadParameter, match="svc is named twice"):
        compare_table(path, "kind", learners=["svc", "svc"])
    with pytest.raises(UnknownName, match="Did you mean 'svc'"):
        compare_table(path, "kind", learners=["svcc"])
    with pytest.raises(BadData, match="must hold numbers in column 'kind' for a quantity"):
        compare_table(path, "kind", learners=["ridge"])
    with pytest.raises(BadData, match="No learner could learn"):
        compare_table(path, "kind", learners=["winnow"])
    lines = ["a,y", *(f"{'oops' if i == 30 else i},{i % 2}" for i in range(60))]
    (tmp_path / "w.csv").write_text("\n".join(lines))
    with pytest.raises(BadData, match="'oops' in column 'a', row 31"):
        compare_table(tmp_path / "w.csv", "y", learners=THREE)


def test_the_same_numbers_every_time(path):
    first, second = (
        compare_table(path, "kind", learners=["random-forest-classifier"]) for _ in range(2)
    )
    assert first.rows[0].errors == second.rows[0].errors
    assert np.isfinite(first.rows[0].seconds)
