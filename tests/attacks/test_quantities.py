"""Attacks on promises about quantities: another limit, rank, range or truth than the data have."""

import copy
import itertools

import numpy as np
import pytest

from assay import certify
from assay.certificates.format.document import parse_document, sealed
from assay.certificates.verify.verify import verify_document
from assay.errors import AssayError, CertificateRefused
from assay.evidence.evidence import from_quantities
from tests.soundness import assert_sound, assert_unsound

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 40, 200) / 4
GUESS = TRUTH + RNG.integers(-12, 13, 200) / 8


def accepted(document, data=True):
    """Whether a forged file, sealed again, passes."""
    try:
        read = parse_document(__import__("json").dumps(sealed(document)))
    except CertificateRefused:
        return False
    return bool(verify_document(read, evidence=from_quantities([(TRUTH, GUESS)]) if data else None))


def forged(document, changes):
    made = copy.deepcopy(document)
    for path, value in changes.items():
        place = made["claims"][0]
        *way, last = path.split(".")
        for step in way:
            place = place[step]
        place[last] = value
    return made


def test_a_smaller_limit_fails_even_without_the_data():
    document = certify(y_true=TRUTH, y_pred=GUESS, coverage=0.9).to_json()
    assert accepted(document)
    rank = document["claims"][0]["inputs"]["rank"]
    for changes in (
        {"promised": "0.5"},
        {"inputs.rank": rank - 1},
        {"inputs.alpha": "0.05"},
        {"inputs.delta": "0.01"},
        {"inputs.rows": 400},
        {"inputs.rank": 201},
        {"inputs.rank": 0},
        {"inputs.threshold": "-1", "promised": "-1"},
    ):
        assert not accepted(forged(document, changes), data=False), changes


def test_a_smaller_limit_with_its_threshold_fails_by_the_data():
    document = certify(y_true=TRUTH, y_pred=GUESS, coverage=0.9).to_json()
    lower = {"inputs.threshold": "1", "promised": "1", "observed": "1"}
    made = forged(document, lower)
    assert not accepted(made)


@pytest.mark.parametrize("range", [["0", "9.75"], ["-1", "10"], ["9.75", "0"], ["0", "5"]])
def test_another_range_fails(range):
    document = certify(y_true=TRUTH, y_pred=GUESS, range=(0, 10)).to_json()
    assert accepted(document)
    made = forged(document, {"range": range})
    assert not accepted(made)


def test_fewer_rows_beyond_fail():
    document = certify(y_true=TRUTH, y_pred=GUESS, within=1).to_json()
    assert accepted(document)
    assert not accepted(forged(document, {"within": "1.25"}))
    assert not accepted(forged(document, {"inputs.errors": 0}))


def test_a_limit_chosen_after_the_fact_is_the_forgers_only_if_it_is_hidden():
    """Whoever looks for the best of many limits spends delta on each: one certificate, several claims."""
    with pytest.raises(AssayError):
        certify(y_true=TRUTH, y_pred=GUESS, within=[1, 2])


def simulated(trials, promise):
    """How often the true mean is above a promise: rows are nearly always right, and seldom off by the whole range."""
    rng, broken = np.random.default_rng(11), 0
    for _ in itertools.repeat(None, trials):
        off = (rng.random(80) < 0.02) * 10.0
        broken += bool(promise(off) < 10 * 0.03)
    return broken


@pytest.mark.guarantees
def test_the_mean_on_a_range_is_kept_where_errors_are_rare_and_large():
    def certified(off):
        return 10 * certify(y_true=off, y_pred=np.zeros(80), range=(0, 10)).claims[0].promised

    assert_sound(simulated(400, certified), 400, 0.05)
    # Mean and two standard errors: nothing was seen of what is rare.
    assert_unsound(simulated(400, lambda off: off.mean() + 2 * off.std() / 80**0.5), 400, 0.05)
