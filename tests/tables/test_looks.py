"""Looks at a table: one account whatever the seed, and nothing told but what was charged for."""

import json

import pyarrow as pa
import pytest

from assay import verify
from assay.certificates.ledger.ledger import Ledger
from assay.tables.compare import compare_table
from assay.tables.fit import fit_table
from assay.tables.story import story_of
from assay.theory.tail.binomial import FIXED_BEFORE
from tests.cli.runner import run
from tests.tables.tables import changed, small, written

BAYES = {"learner": "gaussian-nb"}


@pytest.fixture
def path(tmp_path):
    return written(small(), tmp_path / "t.csv")


def test_another_seed_is_another_look_at_the_same_table(path, tmp_path):
    with Ledger(tmp_path / "l.db") as book:
        looks = [fit_table(path, "kind", random_state=s, ledger=book, **BAYES) for s in range(3)]
    assert [one.entry.number for one in looks] == [1, 2, 3]
    shares = [one.certificate.claims[0].delta for one in looks]
    assert shares[0] == "0.025"
    assert float(shares[1]) == pytest.approx(0.05 / 6 / 25)
    known = {a.name: a.evidence for a in looks[1].certificate.claims[0].assumptions}
    assert known[FIXED_BEFORE] == "in this run, by seed 1; what 1 earlier look told is paid for"
    for one in looks:
        one.certificate.save(tmp_path / "c.json")
        assert verify(tmp_path / "c.json", ledger=tmp_path / "l.db").ok


def test_the_table_is_known_in_another_order_type_and_under_other_labels(path, tmp_path):
    table = small()
    other = table.take(pa.array(range(119, -1, -1)))
    renamed = changed(other, "kind", range(120), "x")
    renamed = changed(renamed, "kind", range(0, 120, 2), "y")
    for i, one in enumerate((table, other, renamed)):
        looked = written(one, tmp_path / f"{i}.parquet")
        entry = fit_table(looked, "kind", ledger=tmp_path / "l.db", **BAYES).entry
        assert entry.number == i + 1


def test_a_comparison_is_one_look_that_all_learners_share(path, tmp_path):
    names = ["gaussian-nb", "decision-tree-classifier"]
    found = compare_table(path, "kind", learners=names, ledger=tmp_path / "l.db")
    assert found.entry.number == 1
    assert int(found.entry.answers, 16) == 25**2
    for row in found.rows:
        assert row.certificate.claims[0].delta == "0.0125"
        row.certificate.save(tmp_path / "c.json")
        assert verify(tmp_path / "c.json", ledger=tmp_path / "l.db").ok
    assert fit_table(path, "kind", ledger=tmp_path / "l.db", **BAYES).entry.number == 2


def test_a_comparison_may_not_be_split_into_single_certificates(path, tmp_path):
    """Each of its certificates spends a share; one that takes the whole is refused."""
    from assay.certificates.issue.certify import certify_evidence
    from assay.tables.looks import paid_for

    names = ["gaussian-nb", "decision-tree-classifier"]
    found = compare_table(path, "kind", learners=names, ledger=tmp_path / "l.db")
    greedy = certify_evidence(paid_for(found.rows[0].evidence, found.entry), entry=found.entry)
    greedy.save(tmp_path / "c.json")
    assert not verify(tmp_path / "c.json", ledger=tmp_path / "l.db").ok


def test_with_a_ledger_nothing_is_told_that_was_not_charged_for(path, tmp_path):
    fitted = fit_table(path, "kind", learner="auto", ledger=tmp_path / "l.db")
    assert int(fitted.entry.answers, 16) == len(fitted.choice.tried) * 25
    assert [claim.theorem for claim in fitted.certificate.claims] == ["holdout-exact"]
    story = story_of(fitted, figures=True)
    assert (story.candidates, story.guarantees, story.panels) == ((), (), ())
    assert "every time" not in story.summary[0]
    assert fitted.certificate.document["data"]["sha256"] is None
    told = json.loads(
        run("fit", path, "--target", "kind", "--ledger", tmp_path / "l.db", "--json").out
    )
    assert (told["candidates"], told["guarantees"], told["commonest_class_errors"]) == (
        [],
        [],
        None,
    )


def test_a_holdout_file_is_charged_as_it_is(path, tmp_path):
    other = written(small(50, seed=1), tmp_path / "h.parquet")
    for number in (1, 2):
        fitted = fit_table(path, "kind", holdout_file=other, ledger=tmp_path / "l.db", **BAYES)
        assert fitted.entry.number == number
    known = {a.name: a for a in fitted.certificate.claims[0].assumptions}
    assert known[FIXED_BEFORE].status == "declared"
    assert known[FIXED_BEFORE].evidence == "what 1 earlier look told is paid for"
