"""Two models on the same rows, from predictions to a certificate verified from the file and against the data."""

import json
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from assay import Ledger, certify_difference, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.certificates.issue.difference_claims import AskedDifference, passing_count
from assay.errors import BadData, BadParameter, CertificateRefused
from assay.learners.registry import make_learner
from assay.theory.tail.difference import paired_difference, paired_loss_difference
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 900)
NEW = np.where(RNG.random(900) < 0.1, (TRUTH + 1) % 3, TRUTH)
OLD = np.where(RNG.random(900) < 0.2, (TRUTH + 1) % 3, TRUTH)
PAIR = {"y_true": TRUTH, "y_pred": NEW, "baseline": OLD}


@pytest.mark.parametrize(
    ("counts", "promised"),
    [((40, 20, 1000), 0.003949003726275503), ((20, 8, 164), 0.006812467015773332)],
)
def test_the_golden_numbers(counts, promised):
    made = certify_difference(**dict(zip(("only_old", "only_new", "rows"), counts, strict=True)))
    [claim] = made.claims
    assert claim.promised == pytest.approx(promised, abs=1e-15)
    assert (claim.direction, claim.holds, claim.vacuous) == ("at least", True, False)
    assert verify(made)


def test_counts_labels_and_models_agree():
    by_labels = certify_difference(**PAIR)
    inputs = by_labels.claims[0].inputs
    counts = {name: inputs[name] for name in ("only_old", "only_new", "rows")}
    assert counts["only_old"] == int(((OLD != TRUTH) & (NEW == TRUTH)).sum())
    assert certify_difference(**counts).claims[0].promised == by_labels.claims[0].promised
    X = RNG.normal(size=(400, 3))
    y = X[:, 0] + X[:, 1] > 0
    line = LogisticRegression().fit(X[:200], y[:200])
    tree = DecisionTreeClassifier(max_depth=1).fit(X[:200], y[:200])
    made = certify_difference(line, X[200:], y[200:], baseline=tree)
    assert made.claims[0].promised > 0
    told = {"y_true": y[200:], "y_pred": line.predict(X[200:])}
    assert verify(made, **told, baseline=tree.predict(X[200:]))


def test_units():
    unit = np.arange(900) // 5
    made = certify_difference(**PAIR, unit=unit)
    assert made.claims[0].theorem == "unit-difference"
    assert 0 < made.claims[0].promised < certify_difference(**PAIR).claims[0].promised
    assert verify(made, **PAIR, unit=unit)
    assert verify(made, **PAIR).reason == "data: the certificate is about units: give them too"
    assert not verify(made, **PAIR, unit=unit[::-1] // 2)


def test_better_or_not():
    better = {"promise": "better", "delta": 0.05}
    assert certify_difference(only_old=12, only_new=3, rows=500, **better).claims[0].promised == 0
    unsaid = certify_difference(only_old=9, only_new=3, rows=500, **better)
    assert unsaid.claims[0].vacuous
    assert verify(unsaid).verdict == "promises nothing"
    with pytest.raises(BadParameter, match="unit must be left out where only that it is better"):
        certify_difference(**PAIR, unit=TRUTH, promise="better")


def forged(honest, change):
    """What `verify` says of a document that was changed and sealed again."""
    document = json.loads(json.dumps(honest.to_json()))
    change(document)
    return verify(Certificate(sealed(document)))


# A gate: not worse by more than a margin.


def test_a_margin_is_a_gate_that_the_promise_reaches_or_not():
    made = certify_difference(only_old=40, only_new=20, rows=1000, margin="0.01")
    assert made.claims[0].promised == pytest.approx(0.003949003726275503, abs=1e-15)
    assert made.document["claims"][0]["margin"] == "0.01"
    assert verify(made).notes == (
        "nobody was asked whether both models were fixed before these rows were seen",
    )
    with refuses("margin must be a number between 0 and 1, but is -0.1.", BadParameter):
        certify_difference(only_old=40, only_new=20, rows=1000, margin=-0.1)
    with pytest.raises(BadParameter, match="margin must be left out where only that it is better"):
        certify_difference(only_old=4, only_new=2, rows=10, margin=0, promise="better")


def test_pass_or_fail_tells_one_bit():
    counts = {"only_old": 40, "only_new": 20, "rows": 1000}
    made = certify_difference(**counts, margin="0.01", answer="pass-fail")
    [claim] = made.claims
    assert (claim.promised_text, claim.observed) == ("-0.01", None)
    other = certify_difference(
        only_old=70, only_new=20, rows=1000, margin="0.01", answer="pass-fail"
    )
    assert other.document["claims"] == made.document["claims"]
    assert verify(made)
    with refuses(
        "Fail: from these rows it cannot be promised that the new model is worse by no more than 0.01, where this look "
        "may fail with probability 0.05.",
        CertificateRefused,
    ):
        certify_difference(only_old=20, only_new=40, rows=1000, margin=0.01, answer="pass-fail")
    with pytest.raises(BadParameter, match="margin must be given for a pass/fail answer"):
        certify_difference(**counts, answer="pass-fail")
    with pytest.raises(BadParameter, match="answer must be 'exact' with units"):
        certify_difference(**PAIR, unit=TRUTH, margin=0, answer="pass-fail")


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 50, 1000])
@pytest.mark.parametrize("margin", ["0", "0.004", "0.02", "0.3", "0.95"])
@pytest.mark.parametrize("share", ["0.05", "0.5", "1e-9"])
def test_counts_that_stand_for_those_not_told_pass_wherever_any_do(rows, margin, share):
    level, gate = Fraction(share), -Fraction(margin)
    any_passes = any(
        Fraction(paired_difference(b, c, rows, level)) >= gate
        for b in range(min(rows, 12) + 1)
        for c in range(min(rows - b, 2) + 1)
    )
    if any_passes:
        stands = passing_count(rows, AskedDifference(margin=margin), level)
        assert Fraction(paired_difference(stands, 0, rows, level)) >= gate


def test_pass_or_fail_is_compared_with_the_data():
    made = certify_difference(**PAIR, promise="better", answer="pass-fail")
    assert verify(made, **PAIR)
    assert not verify(made, **PAIR | {"y_pred": OLD, "baseline": NEW})
    swapped = certify_difference(
        y_true=TRUTH, y_pred=NEW, baseline=OLD, answer="pass-fail", margin=0
    )
    document = swapped.to_json() | {
        "subject": {
            "model": None,
            "predictions": swapped.document["subject"]["baseline"],
            "baseline": swapped.document["subject"]["predictions"],
        }
    }
    found = verify(Certificate(sealed(document)), y_true=TRUTH, y_pred=OLD, baseline=NEW)
    assert found.reason == "data: what was seen of these models does not pass"


# A ledger.


def test_pass_or_fail_costs_a_ledger_one_bit_and_numbers_cost_more():
    ledger = Ledger(":memory:")
    gate = {"margin": "0.02", "answer": "pass-fail", "ledger": ledger}
    first, second = (certify_difference(**PAIR, **gate) for _ in range(2))
    third = certify_difference(**PAIR, ledger=ledger)
    assert [int(entry.answers, 16) for entry in ledger.entries()] == [2, 2, 901 * 902 // 2]
    assert [one.claims[0].delta for one in (first, second)] == ["0.025", "0.0041666666666666666"]
    for made in (first, second, third):
        assert made.document["data"]["sha256"] is None
        found = verify(made, **PAIR, ledger=ledger)
        assert found, found.reason
        assert not verify(made, **PAIR | {"y_true": np.roll(TRUTH, 1)}, ledger=ledger)
    fixed = third.claims[0].assumptions[1]
    assert (fixed.status, fixed.evidence) == ("declared", "what 2 earlier looks told is paid for")
    assert verify(third, **PAIR).not_compared == ("the ledger", "who issued it")


def test_a_failed_gate_is_charged_as_well():
    ledger = Ledger(":memory:")
    gate = {"margin": 0, "answer": "pass-fail", "ledger": ledger}
    with pytest.raises(CertificateRefused):
        certify_difference(y_true=TRUTH, y_pred=OLD, baseline=NEW, **gate)
    assert [int(entry.answers, 16) for entry in ledger.entries()] == [2]


def test_what_a_ledger_cannot_charge_is_refused_before_it_does():
    ledger = Ledger(":memory:")
    with pytest.raises(BadParameter, match="ledger must be left out for graded losses"):
        certify_difference(loss=[0.5] * 9, baseline_loss=[0.25] * 9, ledger=ledger, holdout="h")
    with pytest.raises(BadParameter, match="unit must be left out where only that it is better"):
        certify_difference(**PAIR, unit=TRUTH, promise="better", ledger=ledger)
    assert ledger.entries() == []


def test_an_entry_that_paid_for_a_bit_does_not_pay_for_numbers():
    ledger = Ledger(":memory:")
    gate = certify_difference(**PAIR, margin="0.02", answer="pass-fail", ledger=ledger)
    told = certify_difference(**PAIR, delta=gate.claims[0].delta, margin="0.02").to_json()
    document = gate.to_json() | {"claims": told["claims"]}
    assert not verify(Certificate(sealed(document)), ledger=ledger)
    other = gate.to_json() | {"subject": gate.document["subject"] | {"baseline": None}}
    assert not verify(Certificate(sealed(other)), ledger=ledger)


# Graded losses.

SCORES = np.random.default_rng(2)
NEW_LOSS, OLD_LOSS = SCORES.beta(1, 5, 400), SCORES.beta(2, 5, 400)
LOSSES = {"loss": NEW_LOSS, "baseline_loss": OLD_LOSS}


def test_graded_losses_are_certified_and_verified():
    made = certify_difference(**LOSSES)
    [claim] = made.claims
    exact = paired_loss_difference(OLD_LOSS, NEW_LOSS, 0.05)
    assert exact - 4 / 65535 <= claim.promised <= exact
    assert claim.observed == pytest.approx(OLD_LOSS.mean() - NEW_LOSS.mean())
    assert verify(made, **LOSSES)
    assert not verify(made, loss=OLD_LOSS, baseline_loss=NEW_LOSS)
    assert verify(made, loss=NEW_LOSS[::-1], baseline_loss=OLD_LOSS[::-1]).reason.startswith(
        "data:"
    )


def test_graded_losses_of_units_are_bet_on_unit_by_unit():
    unit = np.arange(400) // 4
    made = certify_difference(**LOSSES, unit=unit)
    means = [losses.reshape(100, 4).mean(axis=1) for losses in (OLD_LOSS, NEW_LOSS)]
    assert made.rows == 100
    assert made.claims[0].promised == pytest.approx(paired_loss_difference(*means, 0.05), abs=1e-4)
    assert made.claims[0].assumptions[0].evidence == (
        "each of 100 rows is a unit, with the mean of its losses"
    )
    assert verify(made, **LOSSES, unit=unit)
    assert not verify(made, **LOSSES)


def test_losses_of_a_whole_number_type_are_errors():
    wrong = {"loss": (NEW != TRUTH).astype(int), "baseline_loss": OLD != TRUTH}
    made = certify_difference(**wrong)
    assert made.claims[0].promised == certify_difference(**PAIR).claims[0].promised
    assert verify(made, **wrong)


def test_forged_losses_are_refused():
    honest = certify_difference(**LOSSES)
    entry = honest.document["claims"][0]["inputs"]

    def swap(document):
        inputs = document["claims"][0]["inputs"]
        inputs["old_losses"], inputs["new_losses"] = entry["new_losses"], entry["old_losses"]

    def rounded_up(document):
        document["claims"][0]["inputs"]["old_losses"]["encoding"] = entry["new_losses"]["encoding"]

    def shorter(document):
        document["claims"][0]["inputs"]["new_losses"] = certify_difference(
            loss=NEW_LOSS[:50], baseline_loss=OLD_LOSS[:50]
        ).document["claims"][0]["inputs"]["new_losses"]

    def anytime(document):
        document["claims"][0]["inputs"]["anytime"] = True

    for change in (swap, rounded_up, shorter, anytime):
        assert not forged(honest, change)
    assert not forged(honest, lambda d: d["claims"][0].update(observed="0.9"))
    assert not forged(honest, lambda d: d["claims"][0].update(promised="0.9"))
    assert not forged(honest, lambda d: d["data"].update(rows=399))


def test_losses_that_cannot_be_compared_are_refused():
    with refuses(
        "loss and baseline_loss must be of the same rows, but are of 400 and 399.", BadData
    ):
        certify_difference(loss=NEW_LOSS, baseline_loss=OLD_LOSS[1:])
    with pytest.raises(BadData, match=r"loss (holds nan|has no value)"):
        certify_difference(loss=[0.5, np.nan], baseline_loss=[0.5, 0.5])
    with pytest.raises(BadData, match=r"baseline_loss holds 1.5 in row 2"):
        certify_difference(loss=[0.5, 0.5], baseline_loss=[0.5, 1.5])
    with pytest.raises(BadParameter, match="promise must be 'difference' for graded losses"):
        certify_difference(**LOSSES, promise="better")
    with pytest.raises(BadParameter, match="answer must be 'exact' for graded losses"):
        certify_difference(**LOSSES, margin=0, answer="pass-fail")
    with pytest.raises(BadData, match="more than the 200,000 for which it can"):
        certify_difference(loss=np.full(200_001, 0.5), baseline_loss=np.full(200_001, 0.5))


# Rows that are no draws of their own, and rows that were learned.


def test_ids_that_come_again_promise_nothing_unless_somebody_says_what_they_are():
    ids = [f"q{i // 3}" for i in range(900)]
    void = certify_difference(**PAIR, ids=ids)
    assert void.claims[0].promised is None
    assert void.claims[0].assumptions[0].evidence == "600 of 900 rows repeat an id"
    assert verify(void).verdict == "promises nothing"
    declared = certify_difference(**PAIR, ids=ids, unit="none").claims[0]
    assert declared.assumptions[0].status == "declared"
    assert declared.promised == certify_difference(**PAIR).claims[0].promised
    units = certify_difference(**PAIR, ids=ids, unit=ids).claims[0]
    assert (units.theorem, units.applies) == ("unit-difference", True)
    with pytest.raises(CertificateRefused, match="No promise: it is not true that the rows are"):
        certify_difference(**PAIR, ids=ids, promise="better", answer="pass-fail")
    with refuses("unit must be a column, or 'none', but is 'patient'.", BadParameter):
        certify_difference(**PAIR, unit="patient")


def test_rows_that_a_model_has_learned_promise_nothing():
    X = RNG.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    new = make_learner("gaussian-nb", {}).fit(X, y)
    old = DecisionTreeClassifier(max_depth=1).fit(X[:, ::-1], y)
    void = certify_difference(new, X, y, baseline=old).claims[0]
    assert void.promised is None
    assert any(a.status == "violated" and a.id == "not-in-training" for a in void.assumptions)
    fresh = RNG.normal(size=(100, 2))
    mixed = np.vstack([X[:50], fresh, fresh[:20]])
    truth = (mixed[:, 0] > 0).astype(int)
    made = certify_difference(new, mixed, truth, baseline=old, overlap="drop")
    assert (made.rows, made.claims[0].applies) == (100, True)
    # The old model's own rows are no evidence either.
    other = make_learner("gaussian-nb", {}).fit(fresh, fresh[:, 0] > 0)
    assert not certify_difference(new, fresh, fresh[:, 0] > 0, baseline=other).claims[0].applies
    line = LogisticRegression().fit(X, y)
    assert not certify_difference(line, X, y, baseline=old, train=X).claims[0].applies


def test_models_of_numbers_are_told_what_to_give():
    X = RNG.normal(size=(50, 2))
    models = [make_learner("ridge", {}).fit(X, X[:, 0]) for _ in range(2)]
    with pytest.raises(BadParameter, match="give the losses of each row, between 0 and 1"):
        certify_difference(models[0], X, X[:, 0], baseline=models[1])


def test_rivals_share_delta():
    one, five = (certify_difference(**PAIR, rivals=k).claims[0] for k in (1, 5))
    assert (one.delta, five.delta) == ("0.05", "0.01")
    assert five.promised < one.promised


@pytest.mark.parametrize(
    "swapped", [{"y_pred": OLD, "baseline": NEW}, {"y_true": NEW}, {"baseline": TRUTH}]
)
def test_other_data_are_refused(swapped):
    assert not verify(certify_difference(**PAIR), **PAIR | swapped)


def test_forged_documents_are_refused():
    honest = certify_difference(**PAIR)

    def claim(**fields):
        return lambda document: document["claims"][0].update(fields)

    def inputs(**fields):
        return lambda document: document["claims"][0]["inputs"].update(fields)

    assert forged(honest, lambda document: None)
    assert forged(honest, claim(promised="0.01"))  # less than can be said is true as well
    assert not forged(honest, claim(promised="0.2"))
    assert not forged(honest, claim(observed="0.5"))
    assert not forged(honest, claim(quantity="better"))
    assert not forged(honest, claim(quantity="error"))
    assert not forged(honest, inputs(only_old=300))
    assert not forged(honest, inputs(rows=500))
    assert not forged(honest, inputs(delta="0.4"))
    assert not forged(honest, lambda document: document["data"].update(rows=1000))
    assert not forged(honest, lambda document: document["data"].update(role="holdout"))
    assert not forged(honest, lambda document: document["claims"].append(document["claims"][0]))
    assert not forged(honest, lambda document: document["claims"][0]["assumptions"].pop())


def test_what_was_seen_of_a_better_model_is_held_to_the_rows():
    better = certify_difference(**PAIR, promise="better").to_json()
    for fields in ({"observed": "5"}, {"observed": "0.9"}):
        forged = json.loads(json.dumps(better))
        forged["claims"][0].update(fields)
        assert not verify(Certificate(sealed(forged)), **PAIR)
    for rows in (600, 10**9):
        forged = json.loads(json.dumps(better))
        forged["data"]["rows"] = rows
        assert not verify(Certificate(sealed(forged)))


def test_what_cannot_be_verified_is_not_issued():
    with pytest.raises(BadParameter, match="rows must be at most 1,000,000,000"):
        certify_difference(only_old=10, only_new=0, rows=10**10)
    assert verify(certify_difference(only_old=40, only_new=2, rows=100, rivals=10**12))


def test_refusals():
    with refuses(
        "certify_difference takes one of model, X, y and baseline; y_true, y_pred and baseline; loss and "
        "baseline_loss; only_old, only_new and rows, but was given nothing.",
        BadParameter,
    ):
        certify_difference()
    with refuses(
        "certify_difference needs all of y_true, y_pred and baseline, but some are missing.",
        BadParameter,
    ):
        certify_difference(y_true=TRUTH, y_pred=NEW)
    with refuses(
        "rows must be at least the 60 on which one model is wrong, but is 50.", BadParameter
    ):
        certify_difference(only_old=40, only_new=20, rows=50)
    with pytest.raises(
        CertificateRefused, match="promises a difference of two models and no error rate"
    ):
        _ = certify_difference(**PAIR).error


def simulated(bound, runs, seed=1, rows=300):
    """How often a bound on the difference of two equal models lies above zero."""
    rng = np.random.default_rng(seed)
    broken = 0
    for _ in range(runs):
        both = rng.random(rows)
        old, new = both < 0.1, (both > 0.03) & (both < 0.13)
        broken += bound(int((old & ~new).sum()), int((new & ~old).sum()), rows) > 0
    return broken


def by_us(only_old, only_new, rows):
    return (
        certify_difference(only_old=only_old, only_new=only_new, rows=rows, promise="better")
        .claims[0]
        .promised
        + 0.5
    )


def unpaired(only_old, only_new, rows):
    """Broken: which is better is decided after looking."""
    return max(by_us(only_old, only_new, rows), by_us(only_new, only_old, rows))


def test_equal_models_are_seldom_called_better():
    assert_sound(simulated(by_us, 400), 400, 0.05)


@pytest.mark.guarantees
def test_equal_models_are_seldom_called_better_at_length():
    assert_sound(simulated(by_us, 10_000), 10_000, 0.05)
    assert_unsound(simulated(unpaired, 10_000), 10_000, 0.05)


def test_models_of_quantities_are_compared_by_losses():
    with refuses(
        "truth holds 0.5 in row 1, which looks like a measured quantity, not a label; models of quantities are "
        "compared by their losses, from 0 to 1 on every row, such as 1 where it is off by more than you allow: give "
        "them as loss and baseline_loss.",
        BadData,
    ):
        certify_difference(y_true=[0.5, 1.25], y_pred=[0.5, 1.0], baseline=[0.25, 1.0])
