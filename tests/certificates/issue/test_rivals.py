"""One model against several on the same rows: one document, how delta is shared, and forgers of it."""

import json
from fractions import Fraction

import numpy as np
import pytest

from assay import Ledger, certify_difference, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.certificates.issue.difference import certify_paired
from assay.certificates.issue.difference_claims import AskedDifference
from assay.errors import BadParameter, CertificateRefused
from assay.evidence.paired import Paired
from assay.report.text import certificate_text
from assay.theory.tail.difference import mcnemar_p, paired_difference
from assay.theory.tail.holm import holm_steps
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 600)


def model(error):
    return np.where(RNG.random(600) < error, 1 - TRUTH, TRUTH)


NEW = model(0.1)
RIVALS = {"tree": model(0.22), "line": model(0.13), "bayes": model(0.11), "stump": model(0.35)}
LABELS = {"y_true": TRUTH, "y_pred": NEW}


def counts(old):
    return int(((old != TRUTH) & (NEW == TRUTH)).sum()), int(
        ((old == TRUTH) & (NEW != TRUTH)).sum()
    )


def names(certificate):
    return [claim["old"] for claim in certificate.document["claims"]]


def test_several_rivals_have_a_claim_each_at_an_equal_share():
    made = certify_difference(**LABELS, baseline=RIVALS)
    assert names(made) == list(RIVALS)
    for claim, old in zip(made.claims, RIVALS.values(), strict=True):
        assert claim.delta == "0.0125"
        assert claim.promised == paired_difference(*counts(old), 600, "0.0125")
    assert made.document["delta"]["rule"] == "union"
    assert verify(made, **LABELS, baseline=RIVALS)
    assert str(made.claims[0].of) == "error of 'tree' less that of the new model"


def test_several_new_models_are_named_as_well():
    made = certify_difference(y_true=TRUTH, y_pred=RIVALS, baseline=NEW)
    assert [claim["new"] for claim in made.document["claims"]] == list(RIVALS)
    assert verify(made, y_true=TRUTH, y_pred=RIVALS, baseline=NEW)
    told = certificate_text(made)
    assert "The error of 'stump' is above the old model's by at most" in told
    with pytest.raises(BadParameter, match="Only one of y_pred and baseline may name several"):
        certify_difference(y_true=TRUTH, y_pred=RIVALS, baseline=RIVALS)


def test_the_set_that_is_better_is_that_of_holm():
    made = certify_difference(**LABELS, baseline=RIVALS, promise="better")
    p = {name: mcnemar_p(*counts(old)) for name, old in RIVALS.items()}
    passed = [name for name, c in zip(names(made), made.claims, strict=True) if c.promised == 0]
    assert (
        passed == sorted(p, key=p.__getitem__)[: holm_steps(p.values(), 0.05)] == ["stump", "tree"]
    )
    assert [claim.delta for claim in made.claims[:2]] == ["0.0125", "0.016666666666666666"]
    assert verify(made, **LABELS, baseline=RIVALS)


def seen(*pairs, rows=1000):
    return [Paired(rows, b, c, old=f"rival {i}") for i, (b, c) in enumerate(pairs)]


def test_a_gate_is_passed_in_steps_that_equal_shares_would_not_reach():
    asked = AskedDifference(margin="0.01", declared=3)
    pairs = (40, 8), (34, 24), (20, 40)
    made = certify_paired(seen(*pairs), asked)
    gate = Fraction(-1, 100)
    by_share = [Fraction(paired_difference(b, c, 1000, Fraction(1, 60))) >= gate for b, c in pairs]
    assert by_share == [True, False, False]
    assert [claim.promised_text for claim in made.claims[:2]] == ["-0.01", "-0.01"]
    assert [claim.delta for claim in made.claims] == ["0.016666666666666666", "0.025", "0.05"]
    assert made.claims[2].promised == paired_difference(20, 40, 1000, "0.05")
    found = verify(made)
    assert found
    assert not any("need be" in note for note in found.notes)
    assert "by Holm's steps" in certificate_text(made)


def test_where_everyone_passes_numbers_are_told_as_well():
    made = certify_paired(seen((60, 5), (30, 20)), AskedDifference(margin="0.02", declared=2))
    assert made.claims[0].promised == paired_difference(60, 5, 1000, "0.025")
    assert all(claim.promised >= -0.02 for claim in made.claims)
    assert verify(made)
    # Not where others were declared that are not here.
    more = certify_paired(seen((60, 5), (30, 20)), AskedDifference(margin="0.02", declared=3))
    assert more.claims[0].promised_text == "-0.02"
    assert verify(more)


def test_units_have_steps_and_graded_losses_equal_shares():
    unit = np.arange(600) // 3
    made = certify_difference(**LABELS, baseline=RIVALS, unit=unit, margin=0)
    assert made.document["delta"]["rule"] == "holm"
    assert verify(made, **LABELS, baseline=RIVALS, unit=unit)
    graded = {
        name: np.clip(0.5 * RNG.random(600) + (old != TRUTH), 0, 1) for name, old in RIVALS.items()
    }
    new = np.clip(0.5 * RNG.random(600) + (NEW != TRUTH), 0, 1)
    losses = certify_difference(loss=new, baseline_loss=graded, margin=0)
    assert losses.document["delta"]["rule"] == "union"
    assert {claim.delta for claim in losses.claims} == {"0.0125"}
    assert verify(losses, loss=new, baseline_loss=graded)


def test_all_must_pass_for_one_bit():
    both = {name: RIVALS[name] for name in ("tree", "stump")}
    ledger = Ledger(":memory:")
    gate = {"promise": "better", "answer": "pass-fail", "ledger": ledger}
    made = certify_difference(**LABELS, baseline=both, **gate)
    assert [int(entry.answers, 16) for entry in ledger.entries()] == [2]
    assert made.document["delta"]["rule"] == "intersection-union"
    assert {claim.delta for claim in made.claims} == {"0.025"}
    assert verify(made, **LABELS, baseline=both, ledger=ledger)
    with pytest.raises(CertificateRefused, match="Fail: from these rows it cannot be promised"):
        certify_difference(**LABELS, baseline=RIVALS, **gate)
    assert len(ledger.entries()) == 2


def test_models_by_name():
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    X = RNG.normal(size=(500, 3))
    y = X[:, 0] + X[:, 1] > 0
    olds = {f"depth {d}": DecisionTreeClassifier(max_depth=d).fit(X[:200], y[:200]) for d in (1, 2)}
    line = LogisticRegression().fit(X[:200], y[:200])
    made = certify_difference(line, X[200:], y[200:], baseline=olds, margin=0)
    assert names(made)[0] in olds
    before = {name: old.predict(X[200:]) for name, old in olds.items()}
    assert verify(made, y_true=y[200:], y_pred=line.predict(X[200:]), baseline=before)


def test_other_data_and_other_names_are_refused():
    made = certify_difference(**LABELS, baseline=RIVALS)
    swapped = dict(zip(RIVALS, list(RIVALS.values())[::-1], strict=True))
    assert verify(made, **LABELS, baseline=swapped).reason.startswith("data: what ")
    fewer = {name: old for name, old in RIVALS.items() if name != "line"}
    assert "such as 'line'" in verify(made, **LABELS, baseline=fewer).reason
    assert not verify(made, **LABELS, baseline=RIVALS["tree"])
    assert not verify(made, **LABELS | {"y_pred": RIVALS["tree"]}, baseline=RIVALS)


def test_refusals():
    with refuses("rivals must be at least the 4 that are given, but is 3.", BadParameter):
        certify_difference(**LABELS, baseline=RIVALS, rivals=3)
    with refuses("baseline must be a mapping of at least one, but is {}.", BadParameter):
        certify_difference(**LABELS, baseline={})
    with refuses("a model's name must be text of at most 200 characters, but is 7.", BadParameter):
        certify_difference(**LABELS, baseline={7: NEW})
    with refuses("rivals must be at most 100, but is 101.", BadParameter):
        certify_difference(**LABELS, baseline={f"m{i}": NEW for i in range(101)})
    with refuses(
        "rivals must be as many as are given where all must pass, but is 9.", BadParameter
    ):
        certify_difference(**LABELS, baseline=RIVALS, rivals=9, margin=0, answer="pass-fail")


# Forgers.


def forged(certificate, change):
    document = json.loads(json.dumps(certificate.to_json()))
    change(document)
    document["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in document["claims"]]
    return verify(Certificate(sealed(document)))


def spending(document, place, share):
    """Another share for a claim, with the number that it gives."""
    claim = document["claims"][place]
    claim["inputs"]["delta"] = share
    counted = {name: claim["inputs"][name] for name in ("only_old", "only_new", "rows")}
    claim["promised"] = repr(paired_difference(**counted, delta=share) - 1e-12)


STEPS = certify_paired(
    seen((40, 8), (34, 24), (20, 40)), AskedDifference(margin="0.01", declared=3)
)
EQUAL = certify_paired(seen((40, 8), (34, 24), (20, 40)), AskedDifference(declared=3))


def test_nothing_changed_holds():
    assert forged(STEPS, lambda document: None)
    assert forged(EQUAL, lambda document: None)


def test_fewer_rivals_declared_than_there_are():
    for made in (STEPS, EQUAL):
        found = forged(made, lambda d: d["delta"].update(declared_models=2))
        assert "3 comparisons are more than the 2 that were declared" in found.reason
    # As many as are claimed, at the shares of fewer.
    found = forged(EQUAL, lambda d: spending(d, 0, "0.025"))
    assert "the claims spend more than the total 0.05" in found.reason


def test_a_rival_that_is_listed_cannot_be_dropped():
    for made in (STEPS, EQUAL):
        found = forged(made, lambda d: d["claims"].pop())
        assert "a model that it lists has no claim" in found.reason
        found = forged(made, lambda d: d["subject"].update(rivals={"rival 0": None}))
        assert "'rival 1' is none of the models that it lists" in found.reason
        assert not forged(made, lambda d: d["subject"].pop("rivals"))


def test_a_name_stands_for_one_model():
    found = forged(EQUAL, lambda d: d["claims"][1].update(old="rival 0"))
    assert "the same thing is claimed twice" in found.reason
    found = forged(EQUAL, lambda d: d["claims"][1].update(old="", new="rival 1"))
    assert not found
    found = forged(EQUAL, lambda d: d["claims"][1].update(new="rival 0"))
    assert not found


def test_the_order_of_the_steps():
    found = forged(STEPS, lambda d: d["claims"].reverse())
    assert "a model that passes stands behind one that does not" in found.reason
    found = forged(STEPS, lambda d: d["claims"].insert(0, d["claims"].pop(1)))
    assert "claim 1 spends more than its step of Holm's may" in found.reason


def test_a_step_promises_its_gate_and_no_more():
    found = forged(STEPS, lambda d: spending(d, 0, "0.016666666666666666"))
    assert "claim 1 passed a step of Holm's, which promises the gate and no more" in found.reason


def test_a_step_is_not_taken_twice():
    def spend(document):
        spending(document, 1, "0.05")
        document["claims"][1]["promised"] = "-0.01"

    assert "claim 2 spends more than its step of Holm's may" in forged(STEPS, spend).reason


def test_steps_need_one_gate():
    assert not forged(STEPS, lambda d: d["claims"][0].update(margin="0.5"))
    assert not forged(STEPS, lambda d: d["claims"][0].pop("margin"))
    assert not forged(EQUAL, lambda d: d["delta"].update(rule="holm"))

    def wider(document):
        for claim in document["claims"]:
            claim["margin"] = "0.05"

    # With a wider gate everyone would pass, and those that did promise more than it.
    assert "promises the gate and no more" in forged(STEPS, wider).reason


def test_all_of_delta_on_each_only_where_nothing_else_is_told():
    def alike(document):
        document["delta"]["rule"] = "intersection-union"
        for place in range(3):
            spending(document, place, "0.05")

    assert not forged(STEPS, alike)
    passed = certify_paired(
        seen((60, 5), (40, 8)), AskedDifference(margin="0.01", answer="pass-fail", declared=2)
    )
    assert forged(passed, lambda d: None)
    assert not forged(passed, lambda d: d["delta"].update(rule="union"))
    assert not forged(passed, lambda d: d["delta"].update(rule="holm"))
    assert not forged(passed, lambda d: d["claims"][0].update(promised="0"))
    assert not forged(passed, lambda d: d["claims"][0]["inputs"].update(only_new=1))
    assert not forged(passed, lambda d: d["claims"][0].update(observed="0.05"))
    assert not forged(passed, lambda d: d["delta"].update(declared_models=3))
    assert not forged(passed, lambda d: d["claims"].pop())


def test_steps_by_losses_are_refused():
    losses = {name: RNG.random(50) / 2 + 0.4 for name in "ab"}
    made = certify_difference(loss=RNG.random(50) / 4, baseline_loss=losses, margin="0.5")
    found = forged(made, lambda d: d["delta"].update(rule="holm"))
    assert "holm needs bounds that grow with delta" in found.reason


def test_rules_for_several_models_have_no_place_elsewhere():
    from assay import certify

    document = certify(errors=5, rows=100).to_json()
    for rule in ("holm", "intersection-union"):
        changed = document | {"delta": document["delta"] | {"rule": rule}}
        found = verify(Certificate(sealed(changed)))
        assert f"{rule} is for models that are compared on the same rows" in found.reason
    rivals = document | {"subject": document["subject"] | {"rivals": {"a": None}}}
    assert not verify(Certificate(sealed(rivals)))


def test_names_that_no_document_may_hold():
    for name in ("", "x" * 201):
        document = json.loads(json.dumps(EQUAL.to_json()))
        document["claims"][0]["old"] = name
        assert not verify(Certificate(sealed(document)))


# What is promised of all at once, where the new model is as good as every rival; and twins.


def together(trials, seed, rivals=4, rows=300):
    """For so many draws, (b, c) against each of several rivals that are as good as the new model."""
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        wrong = rng.random((rivals + 1, rows)) < 0.12
        new, olds = wrong[0], wrong[1:]
        yield [(int((old & ~new).sum()), int((new & ~old).sum())) for old in olds]


def at_steps(pairs):
    asked = AskedDifference("better", declared=len(pairs))
    made = certify_paired(seen(*pairs, rows=300), asked)
    return any(claim.promised == 0 for claim in made.claims)


def each_at_all_of_delta(pairs):
    """Broken: every rival is tried at the full delta."""
    return any(mcnemar_p(b, c) <= 0.05 for b, c in pairs)


def test_no_rival_that_is_as_good_is_called_worse():
    assert_sound(sum(map(at_steps, together(150, 5))), 150, 0.05)
    assert_unsound(sum(map(each_at_all_of_delta, together(2000, 6))), 2000, 0.05)


@pytest.mark.guarantees
def test_no_rival_that_is_as_good_is_called_worse_at_length():
    assert_sound(sum(map(at_steps, together(10_000, 7))), 10_000, 0.05)


def numbers_broken(trials, seed, of, differences=(-0.03, -0.012, 0.0, 0.04)):
    """How often one of the numbers of a certificate with a gate lies above its true difference."""
    rng, broken = np.random.default_rng(seed), 0
    for _ in range(trials):
        pairs = []
        for apart in differences:
            shares = 0.06 + apart / 2, 0.06 - apart / 2, 0.88
            b, c, _ = rng.multinomial(300, shares).tolist()
            pairs.append((b, c))
        broken += any(n > d for n, d in zip(of(pairs), differences, strict=True))
    return broken


def by_certificate(pairs):
    asked = AskedDifference(margin="0.012", declared=len(pairs))
    made = certify_paired(seen(*pairs, rows=300), asked)
    told = {claim.of.old: claim.promised for claim in made.claims}
    return [told[f"rival {i}"] for i in range(len(pairs))]


def by_numbers_at_all_of_delta(pairs):
    """Broken: a bound for each at the full delta."""
    return [paired_difference(b, c, 300, "0.2") for b, c in pairs]


@pytest.mark.guarantees
def test_all_numbers_of_a_gate_hold_at_once():
    assert_sound(numbers_broken(200, 8, by_certificate), 200, 0.05)


@pytest.mark.guarantees
def test_all_numbers_of_a_gate_hold_at_once_at_length():
    assert_sound(numbers_broken(10_000, 9, by_certificate), 10_000, 0.05)
    assert_unsound(numbers_broken(5000, 9, by_numbers_at_all_of_delta), 5000, 0.2)
