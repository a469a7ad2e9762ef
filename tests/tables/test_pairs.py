"""Every pair of learners on one holdout: shares, the best named after looking, and attacks on that."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from assay import Ledger, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.certificates.issue.difference import certify_pairs
from assay.evidence.paired import from_paired_errors
from assay.guarantees.assumption import Assumption
from assay.tables.compare import compare_table
from assay.tables.comparison_story import comparison_story
from assay.tables.pairs import behind
from assay.theory.tail.difference import BOTH_FIXED_BEFORE, mcnemar_p, paired_difference
from tests.cli.runner import run
from tests.soundness import assert_sound, assert_unsound
from tests.tables.tables import small, written

THREE = ["gaussian-nb", "decision-tree-classifier", "perceptron"]


@pytest.fixture
def path(tmp_path):
    return written(small(), tmp_path / "t.csv")


def test_errors_and_pairs_share_delta_by_halves(path):
    found = compare_table(path, "kind", learners=THREE, delta="0.06")
    assert {row.certificate.claims[0].delta for row in found.rows} == {"0.01"}
    document = found.differences.to_json()
    assert {claim["inputs"]["delta"] for claim in document["claims"]} == {"0.005"}
    assert (document["delta"]["rule"], document["delta"]["declared_models"]) == ("union", 6)
    assert len(document["claims"]) == 6
    assert verify(found.differences)
    spent = 3 * 0.01 + 6 * 0.005
    assert spent == pytest.approx(0.06)


def test_what_is_behind_the_best_is_what_the_counts_say(path):
    found = compare_table(path, "kind", learners=THREE)
    wrong = {row.learner: row.wrong for row in found.rows}
    assert [one.best for one in found.behind] == [found.best.learner] * 2
    for one in found.behind:
        old, new = wrong[one.learner], wrong[one.best]
        b, c = int((old & ~new).sum()), int((new & ~old).sum())
        share = found.differences.claims[0].delta
        assert float(one.least) == paired_difference(b, c, len(old), share)
        assert float(one.most) == -paired_difference(c, b, len(old), share)
        assert one.least <= one.observed <= one.most
        assert float(one.observed) == pytest.approx((b - c) / len(old))


def test_one_that_cannot_learn_has_its_share_of_pairs_as_well(path):
    found = compare_table(path, "kind", learners=["gaussian-nb", "winnow", "perceptron"])
    document = found.differences.to_json()
    assert (len(document["claims"]), document["delta"]["declared_models"]) == (2, 6)
    assert verify(found.differences)


def test_where_there_are_no_pairs_errors_share_all_of_delta(path, tmp_path):
    alone = compare_table(path, "kind", learners=["gaussian-nb"])
    assert (alone.differences, alone.rows[0].certificate.claims[0].delta) == (None, "0.05")
    charged = compare_table(path, "kind", learners=THREE[:2], ledger=Ledger(":memory:"))
    assert (charged.differences, charged.behind) == (None, [])
    assert charged.rows[0].certificate.claims[0].delta == "0.0125"
    assert "How far learners are apart is not told" in comparison_story(charged).tested[0]


def test_units_are_taken_together(tmp_path):
    table = small()
    who = [f"p{i // 2}" for i in range(len(table))]
    path = written(table.append_column("who", [who]), tmp_path / "u.csv")
    found = compare_table(path, "kind", learners=THREE[:2], unit="who")
    assert {claim.theorem for claim in found.differences.claims} == {"unit-difference"}
    assert verify(found.differences).adds_up


def test_quantities_within_a_distance_have_pairs(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    columns = {
        "x": x.round(4),
        "z": rng.normal(size=300).round(4),
        "y": (2 * x + rng.normal(size=300)).round(4),
    }
    lines = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    (tmp_path / "q.csv").write_text("\n".join(lines))
    learners = ["ridge", "decision-tree-regressor"]
    found = compare_table(tmp_path / "q.csv", "y", learners=learners, within=2, task="quantity")
    assert found.rows[0].certificate.claims[0].delta == "0.0125"
    assert verify(found.differences)
    assert all(verify(row.certificate) for row in found.rows)
    plain = compare_table(tmp_path / "q.csv", "y", learners=learners, task="quantity")
    assert plain.differences is None


def test_the_story_the_report_and_the_command_tell_them(path, tmp_path):
    found = compare_table(path, "kind", learners=THREE)
    story = comparison_story(found, figures=True)
    assert [panel.title for panel in story.panels] == [
        "Learners side by side",
        f"Behind {found.best.learner}",
    ]
    best, *others = story.candidates
    assert best.behind == ""
    assert all(one.behind.endswith(" points") for one in others)
    assert "so may any pair" in story.tested[0]
    out, page = tmp_path / "pairs.json", tmp_path / "r.html"
    asked = ("compare", path, "--target", "kind", "--learners", ",".join(THREE))
    shown = run(*asked, "--out", out, "--report", page)
    assert shown.code == 0
    assert "behind *" in shown.out
    assert "the differences of every pair; check it with: assay verify" in shown.out
    assert "Behind the chosen one, promised" in page.read_text()
    assert run("verify", out).code == 0
    answer = json.loads(run(*asked, "--json").out)
    assert [one["learner"] for one in answer["differences"]] == [o.learner for o in found.behind]
    assert answer["differences_certificate"] == json.loads(out.read_text())
    assert "Behind the best, promised" in run(*asked, "--summary").out
    alone = run("compare", path, "--target", "kind", "--learners", "gaussian-nb", "--out", out)
    assert alone.code == 2
    assert "--out is for the differences of learners" in alone.err


# Forgers.


def forged(certificate, change):
    document = json.loads(json.dumps(certificate.to_json()))
    change(document)
    document["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in document["claims"]]
    return verify(Certificate(sealed(document)))


def test_no_pair_may_be_picked(path):
    made = compare_table(path, "kind", learners=THREE).differences
    best = made.document["claims"][0]["new"]

    def only_the_best(document):
        document["claims"] = [c for c in document["claims"] if best in (c["old"], c["new"])]
        document["delta"]["declared_models"] = len(document["claims"])

    found = forged(made, only_the_best)
    assert "of 3 models every pair is claimed, both ways" in found.reason

    def with_itself(document):
        document["claims"][0]["old"] = document["claims"][0]["new"]

    assert not forged(made, with_itself)
    assert not forged(made, lambda d: d["claims"][0].pop("old"))
    assert not forged(made, lambda d: d["delta"].update(declared_models=2))
    assert not forged(made, lambda d: d["subject"]["rivals"].pop(best))

    def more_each(document):
        for claim in document["claims"]:
            claim["inputs"]["delta"] = "0.02"

    assert not forged(made, more_each)


# The best is named after looking: what is promised of it must hold all the same.

MODELS, ROWS = 6, 250


def drawn(trials, seed, rate=0.2):
    """So many times, which rows each of several equally good models gets wrong."""
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        yield rng.random((MODELS, ROWS)) < rate


def counts(old, new):
    return int((old & ~new).sum()), int((new & ~old).sum())


def by_every_pair(wrong, delta="0.1"):
    """The ends behind the best of the certificate of every pair."""
    names = [f"m{i}" for i in range(MODELS)]

    seen = [
        replace(from_paired_errors(wrong[i], wrong[j]), old=names[i], new=names[j])
        for i, j in permutations(range(MODELS), 2)
    ]
    first = Assumption(BOTH_FIXED_BEFORE, "by construction")
    terms = {"declared": len(seen), "delta": delta, "drawn": "", "first": first}

    made = certify_pairs(seen, spend=Fraction(delta), **terms)
    best = names[int(wrong.sum(axis=1).argmin())]
    return [(float(one.least), float(one.most)) for one in behind(made, best)]


def by_the_best_alone(wrong, delta="0.1"):
    """Broken: delta is shared by the comparisons with the best as if it had been named before."""
    best = int(wrong.sum(axis=1).argmin())
    share = float(delta) / (MODELS - 1)
    told = []
    for other in range(MODELS):
        if other != best:
            b, c = counts(wrong[other], wrong[best])
            told.append((paired_difference(b, c, ROWS, share), 1.0))
    return told


def broken(ends, trials, seed):
    """How often equally good models are promised to differ."""
    return sum(any(low > 0 or high < 0 for low, high in ends(w)) for w in drawn(trials, seed))


def broken_by_sign(trials, seed, share):
    """The same of McNemar's test, which spends all of its share on the sign."""

    total = 0
    for wrong in drawn(trials, seed):
        best = int(wrong.sum(axis=1).argmin())
        others = (i for i in range(MODELS) if i != best)
        total += any(mcnemar_p(*counts(wrong[i], wrong[best])) <= share for i in others)
    return total


def test_naming_the_best_afterwards_breaks_shares_for_it_alone():
    assert_unsound(broken_by_sign(2000, 3, 0.1 / (MODELS - 1)), 2000, 0.1)
    assert_sound(broken_by_sign(2000, 4, 0.1 / (MODELS * (MODELS - 1))), 2000, 0.1)


@pytest.mark.guarantees
def test_every_pair_holds_whoever_is_named():
    assert_sound(broken(by_every_pair, 120, 5), 120, 0.1)


@pytest.mark.guarantees
def test_every_pair_holds_whoever_is_named_at_length():
    assert_sound(broken(by_every_pair, 1500, 6), 1500, 0.1)
    assert_unsound(broken(by_the_best_alone, 1500, 7), 1500, 0.1)
