"""Two models on the same rows, from predictions to a certificate verified from the file and against the data."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from assay import certify_difference, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.errors import BadParameter, CertificateRefused
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
    honest = certify_difference(**PAIR).to_json()

    def forged(change):
        document = json.loads(json.dumps(honest))
        change(document)
        return verify(Certificate(sealed(document)))

    def claim(**fields):
        return lambda document: document["claims"][0].update(fields)

    def inputs(**fields):
        return lambda document: document["claims"][0]["inputs"].update(fields)

    assert forged(lambda document: None)
    assert forged(claim(promised="0.01"))  # less than can be said is true as well
    assert not forged(claim(promised="0.2"))
    assert not forged(claim(observed="0.5"))
    assert not forged(claim(quantity="better"))
    assert not forged(claim(quantity="error"))
    assert not forged(inputs(only_old=300))
    assert not forged(inputs(rows=500))
    assert not forged(inputs(delta="0.4"))
    assert not forged(lambda document: document["data"].update(rows=1000))
    assert not forged(lambda document: document["data"].update(role="holdout"))
    assert not forged(lambda document: document["claims"].append(document["claims"][0]))
    assert not forged(lambda document: document["claims"][0]["assumptions"].pop())


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
    with pytest.raises(BadParameter, match="ledger must be left out with baseline"):
        verify(certify_difference(**PAIR), **PAIR, ledger="nowhere")


def test_refusals():
    with refuses(
        "certify_difference takes one of model, X, y and baseline; y_true, y_pred and baseline; only_old, only_new "
        "and rows, but was given nothing.",
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
