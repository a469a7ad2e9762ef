"""A certificate is accepted as issued, and refused after any change that matters."""

import copy
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from assay import Certificate, Ledger, certify, verify
from assay.certificates.format.document import sealed
from assay.certificates.verify.verify import verify_document
from assay.guarantees.decimals import decimal_above, decimal_ratio

TRUTH = np.array(["ham", "spam"] * 200)
GUESS = np.where(np.arange(400) % 19 == 0, "spam", TRUTH)
LOSSES = np.random.default_rng(0).beta(2, 8, size=300)


def issued():
    ledger = Ledger(":memory:")
    ledger.charge("h", answers=401, delta="0.05")
    return {
        "counts": certify(errors=50, rows=1000, delta=0.05),
        "classes": certify(y_true=TRUTH, y_pred=GUESS, rates=["class"]),
        "rates": certify(y_true=TRUTH, y_pred=GUESS, rates=["false-positive", "false-negative"]),
        "anytime": certify(errors=50, rows=1000, method="anytime"),
        "kl": certify(errors=50, rows=1000, method="kl"),
        "hoeffding": certify(errors=50, rows=1000, method="hoeffding"),
        "batch": certify(errors=50, rows=1000, population=2000),
        "declared": certify(errors=50, rows=1000, models=20),
        "betting": certify(loss=LOSSES),
        "bernstein": certify(loss=LOSSES, method="bernstein"),
        "loss-kl": certify(loss=LOSSES, method="kl"),
        "ledger": certify(errors=5, rows=400, ledger=ledger, holdout="h"),
        "gate": certify(errors=5, rows=400, answer="pass-fail", max_error="0.06"),
        "vacuous": certify(errors=4, rows=4),
        "next rows": certify(errors=50, rows=1000, next_rows=100),
        "next rows and classes": certify(
            y_true=TRUTH, y_pred=GUESS, rates=["class"], next_rows=1000, fixed_before=True
        ),
        "units": certify(y_true=TRUTH, y_pred=GUESS, unit=[i // 4 for i in range(len(TRUTH))]),
    }


ISSUED = issued()


@pytest.mark.parametrize("name", ISSUED)
def test_what_was_issued_is_accepted_without_notes(tmp_path, name):
    path = tmp_path / "a.cert.json"
    ISSUED[name].save(path)
    found = verify(path)
    assert found.adds_up, found.reason
    assert found.verdict == ("promises nothing" if name == "vacuous" else "holds")
    unasked = any(a.status == "not asked" for a in ISSUED[name].claims[0].assumptions)
    note = "nobody was asked whether the model was fixed before these rows were seen"
    assert found.notes == ((note,) if unasked else ())


def numbers(text):
    """Every digit of the file outside the base64 losses and the digests of data nobody has."""
    return [m.start() for m in re.finditer(r"\d", text)]


def test_any_single_changed_digit_is_refused(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["classes"].save(path)
    text = path.read_text()
    for place in numbers(text):
        digit = "7" if text[place] != "7" else "3"
        path.write_text(text[:place] + digit + text[place + 1 :])
        assert not verify(path).ok, text[max(place - 40, 0) : place + 10]


# A forger who seals the document again must still fail on every number a promise rests on, for the
# reason that is wrong with it.
FORGERIES = {
    "smaller promise": (
        lambda d: _promise(d, "0.0628634035123"),
        "is less than holdout-exact allows",
    ),
    "fewer errors": (lambda d: _counted(d, errors=40), "is loose"),
    "more errors": (lambda d: _counted(d, errors=51), "is less than holdout-exact allows"),
    "fewer rows": (lambda d: _counted(d, rows=900), "is less than holdout-exact allows"),
    "smaller delta": (lambda d: _at(d, "0.01"), "is less than holdout-exact allows"),
    "larger delta in the claim": (
        lambda d: d["claims"][0]["inputs"].update(delta="0.06"),
        "what is listed as spent is not what the claims spend",
    ),
    "smaller total": (lambda d: d["delta"].update(total="0.04"), "spend more than the total 0.04"),
    "total of one": (lambda d: d["delta"].update(total="1"), "spend more than the total 1"),
    "observed": (lambda d: d["claims"][0].update(observed="0.04"), "the counts give 0.05"),
    "rows of the data": (lambda d: d["data"].update(rows=999), "the first claim rests on 1000"),
    "more models": (lambda d: d["delta"].update(declared_models=2), "spend more than the total"),
    "bits": (lambda d: d["delta"].update(holdout_bits_released_before="3"), "0 bits were released"),
    "spent": (
        lambda d: d["delta"].update(spent=[["holdout-exact", "0.01"]]),
        "is not what the claims",
    ),
    "another theorem": (lambda d: _theorem(d, "holdout-kl"), "holdout-kl gives"),
    "unknown theorem": (lambda d: _theorem(d, "holdout-magic"), "No theorem is called"),
    "order only": (
        lambda d: _theorem(d, "winnow-margin-order"),
        "does not bound what a certificate",
    ),
    "another quantity": (
        lambda d: d["claims"][0].update(quantity="regret"),
        "holdout-exact does not bound 'regret'",
    ),
    "unknown quantity": (
        lambda d: d["claims"][0].update(quantity="error-of-all-future-models"),
        "quantity must be one of",
    ),
    "a label too many": (
        lambda d: d["claims"][0].update(label="spam"),
        "error is not what these fields belong to",
    ),
    "a class without its label": (
        lambda d: d["claims"][0].update(quantity="class-error"),
        "class-error is not what these fields belong to",
    ),
    "a side without the other class": (
        lambda d: d["claims"][0].update(quantity="class-error", label="a", side="positive"),
        "class-error is not what these fields belong to",
    ),
    "later than predicted": (
        lambda d: d["claims"][0].update(delayed=True),
        "error is not what these fields belong to",
    ),
    "unknown condition": (
        lambda d: d["claims"][0]["assumptions"][0].update(id="good-intentions"),
        "No condition is called 'good-intentions'",
    ),
    "counts of another condition": (
        lambda d: d["claims"][0]["assumptions"][0].update(
            overlap={"repeated": 0, "rows": 1000, "left_out": False}
        ),
        "independent-draws is not about rows of the training set",
    ),
    "rows of the training set not counted": (
        lambda d: d["claims"][0]["assumptions"].append(
            {"id": "not-in-training", "status": "checked", "evidence": "0 of 1000"}
        ),
        "it is not said how many rows occur in the training set",
    ),
    "rows left out that are still there": (
        lambda d: d["claims"][0]["assumptions"].append(_overlap(3, 1000, left_out=True)),
        "does not fit 1000 rows, checked",
    ),
    "rows of the training set": (
        lambda d: d["claims"][0]["assumptions"].append(_overlap(3, 1000)),
        "does not fit 1000 rows, checked",
    ),
    "a sample for the whole": (
        lambda d: d["claims"][0]["assumptions"].append(_overlap(0, 1000, compared=10, learned=90)),
        "does not fit 1000 rows, checked",
    ),
    "textbook": (
        lambda d: d["claims"][0]["textbook"].update(promised="0.07"),
        "but 0.07 stands beside",
    ),
    "textbook name": (
        lambda d: d["claims"][0]["textbook"].update(theorem="occam-bits"),
        "is not the textbook form",
    ),
    "assumption left out": (lambda d: d["claims"][0]["assumptions"].pop(), "is not listed"),
    "assumption violated": (
        lambda d: d["claims"][0]["assumptions"][0].update(status="violated"),
        "a number is promised although",
    ),
    "no number": (lambda d: d["claims"][0].update(promised=None), "no assumption is violated"),
    "negative errors": (lambda d: _counted(d, errors=-1), ""),
    "no rows": (lambda d: _counted(d, rows=0, errors=0), ""),
    "text for a count": (lambda d: d["claims"][0]["inputs"].update(errors="50"), ""),
    "missing input": (lambda d: d["claims"][0]["inputs"].pop("rows"), ""),
    "extra input": (lambda d: d["claims"][0]["inputs"].update(luck=1), ""),
    "claimed twice": (lambda d: _twice(d), "the same thing is claimed twice"),
    "losses that are none": (
        lambda d: d["claims"][0].update(inputs={"losses": "x", "delta": "0.05"}),
        "",
    ),
}

# Theorems of kind "error" that bound a gap, a tail, an average, or from below.
NOT_CLAIMABLE = {
    "hoeffding-tail": {"rows": 1000, "deviation": "0.1"},
    "no-free-lunch": {"rows": 1000, "points": 100},
    "validation-hoeffding-two-sided": {"rows": 1000, "delta": "0.05"},
    "uniform-convergence-finite": {"class_size": 1000, "rows": 500, "delta": "0.05"},
    "online-to-batch-random-stopping": {"mistakes": 10, "rows": 1000},
}


@pytest.mark.parametrize("theorem", NOT_CLAIMABLE)
def test_other_theorems_cannot_be_passed_off_as_a_promise(theorem):
    document = copy.deepcopy(ISSUED["counts"].to_json())
    _theorem(document, theorem)
    document["claims"][0]["inputs"] = NOT_CLAIMABLE[theorem]
    found = verify_document(sealed(document))
    assert "does not bound what a certificate promises" in found.reason


def _counted(document, **changes):
    """Change counts everywhere they stand, so that only the bound can be wrong."""
    claim = document["claims"][0]
    claim["inputs"].update(changes)
    errors, rows = claim["inputs"]["errors"], claim["inputs"]["rows"]
    claim["observed"] = decimal_ratio(max(errors, 0), max(rows, 1))
    document["data"]["rows"] = rows
    claim.pop("textbook")


def _at(document, delta):
    claim = document["claims"][0]
    claim["inputs"]["delta"] = delta
    document["delta"]["spent"] = [["holdout-exact", delta]]


def _theorem(document, name):
    document["claims"][0]["theorem"] = name
    document["delta"]["spent"] = [[name, "0.05"]]


def _twice(document):
    claim = document["claims"][0]
    claim["inputs"]["delta"] = "0.025"
    document["claims"] = [claim, copy.deepcopy(claim)]
    document["delta"]["spent"] = [["holdout-exact", "0.025"]] * 2


def _promise(document, number):
    document["claims"][0]["promised"] = number


def _overlap(repeated, rows, *, left_out=False, **compared):
    counts = {"repeated": repeated, "rows": rows, "left_out": left_out, **compared}
    return {"id": "not-in-training", "status": "checked", "overlap": counts}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_sealed_again_is_refused_for_what_is_wrong_with_it(name):
    change, reason = FORGERIES[name]
    forged = copy.deepcopy(ISSUED["counts"].to_json())
    change(forged)
    found = verify_document(sealed(forged))
    if reason == "is loose":
        assert found.ok
        assert "larger than it need be" in found.notes[0]
    else:
        assert not found.ok
        assert reason in found.reason


@pytest.mark.parametrize(
    "name", ["kl", "anytime", "hoeffding", "betting", "bernstein", "loss-kl", "batch"]
)
def test_a_smaller_number_is_refused_and_a_larger_one_noted(name):
    number = float(ISSUED[name].document["claims"][0]["promised"])
    for factor, ok in ((0.999, False), (1.01, True)):
        changed = copy.deepcopy(ISSUED[name].to_json())
        _promise(changed, repr(number * factor))
        found = verify_document(sealed(changed))
        assert found.ok is ok, found.reason
        assert bool(found.notes) is ok


def test_classes_must_add_up():
    changed = copy.deepcopy(ISSUED["classes"].to_json())
    changed["claims"].pop(1)
    changed["delta"]["spent"].pop(1)
    found = verify_document(sealed(changed))
    assert "do not add up" in found.reason


ODD = {
    "float": ('"rows": 1000', '"rows": 1000.0', "holds the number 1000.0"),
    "not a number": ('"rows": 1000', '"rows": NaN', "holds the number NaN"),
    "huge whole number": (
        '"rows": 1000',
        '"rows": 1' + "0" * 5000,
        "a whole number of 5001 digits",
    ),
    "huge exponent": ('"total": "0.05"', '"total": "1e-99999999"', "does not follow the schema"),
    "long decimal": (
        '"total": "0.05"',
        '"total": "0.' + "1" * 4000 + '"',
        "does not follow the schema",
    ),
    "half a character": ('"drawn": "not stated"', '"drawn": "\\ud800"', "not UTF-8"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_documents_are_refused_and_not_stumbled_over(tmp_path, name):
    old, new, reason = ODD[name]
    path = tmp_path / "a.cert.json"
    ISSUED["counts"].save(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert reason in verify(path).reason


@pytest.mark.parametrize(("errors", "rows"), [(0, 10**6), (19, 10**5), (5000, 10**5), (3, 9999)])
def test_large_holdouts_are_verified_without_huge_integers(errors, rows):
    certificate = certify(errors=errors, rows=rows)
    assert verify(certificate).ok
    smaller = copy.deepcopy(certificate.to_json())
    promised = float(smaller["claims"][0]["promised"])
    _promise(smaller, decimal_above(promised * (1 - 1e-9)))
    assert not verify_document(sealed(smaller)).ok


def test_a_forged_pass_is_caught_by_data_and_ledger(tmp_path):
    ledger = Ledger(":memory:")
    y = np.arange(400) % 2
    guess = np.where(np.arange(400) < 20, 1 - y, y)
    gate = {"ledger": ledger, "answer": "pass-fail", "max_error": "0.1"}
    certificate = certify(y_true=y, y_pred=guess, **gate)
    assert verify(certificate, y_true=y, y_pred=guess, ledger=ledger).ok
    forged = copy.deepcopy(certificate.to_json())
    forged["claims"][0]["inputs"]["errors"] = 3
    promised = certify(errors=3, rows=400, delta=forged["claims"][0]["inputs"]["delta"])
    _promise(forged, promised.document["claims"][0]["promised"])
    forged["claims"][0]["textbook"] = promised.document["claims"][0]["textbook"]
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(sealed(forged)))
    assert verify(path, ledger=ledger).ok  # the number follows from what it says was seen
    found = verify(path, y_true=y, y_pred=guess, ledger=ledger)
    assert "the data show 20 for 'error', not 3" in found.reason
    other = copy.deepcopy(certificate.to_json())
    other["subject"]["predictions"]["sha256"] = "0" * 64
    assert (
        "ledger's entry says something else" in verify_document(sealed(other), ledger=ledger).reason
    )


def test_losses_in_the_file_are_counted(tmp_path):
    changed = copy.deepcopy(ISSUED["betting"].to_json())
    changed["claims"][0]["inputs"]["losses"]["rows"] = 299
    assert not verify_document(sealed(changed)).ok
    changed["claims"][0]["inputs"]["losses"] = {"encoding": "trust", "rows": 1, "data": ""}
    assert not verify_document(sealed(changed)).ok


def test_the_data_at_hand_are_compared_with_those_certified(tmp_path):
    path = tmp_path / "a.cert.json"
    certify(y_true=TRUTH, y_pred=GUESS).save(path)
    assert verify(path, y_true=TRUTH, y_pred=GUESS).ok
    other = verify(path, y_true=TRUTH, y_pred=TRUTH)
    assert other.reason == "data: the predictions are not those that were certified"
    flipped = verify(path, y_true=TRUTH[::-1], y_pred=GUESS)
    assert flipped.reason == "data: the truth is not the one that was certified"


def test_truncated_and_future_files_are_refused_with_the_reason(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["counts"].save(path)
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert "is damaged or not a certificate" in verify(path).reason
    path.write_text(json.dumps(json.loads(text) | {"format": 3}))
    assert "has format 3, but this version of assay reads up to format 2" in verify(path).reason


def test_exact_claims_are_verified_without_numpy_scipy_or_a_learner(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["classes"].save(path)
    code = (
        "import sys, assay; assert assay.verify(sys.argv[1]).ok;"
        "heavy = {'numpy', 'scipy', 'pyarrow', 'sklearn', 'numba'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_verifying_loads_few_modules(tmp_path):
    path = tmp_path / "a.cert.json"
    ISSUED["classes"].save(path)
    code = (
        "import sys; from assay import verify; assert verify(sys.argv[1]).ok;"
        "print(*sorted(m for m in sys.modules if m.partition('.')[0] == 'assay'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    loaded = done.stdout.split()
    assert len(loaded) <= 30, loaded
    assert not [
        m for m in loaded if re.match(r"assay\.(certificates\.(issue|ledger|show)|evidence)", m)
    ]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"claims": []}, "does not follow the schema of format 2 at claims"),
        ({"extra": 1}, "does not follow the schema of format 2"),
        ({"format": 3}, "has format 3, but this version of assay reads up to format 2"),
        ({"data": {"role": "stream"}}, "does not follow the schema of format 2 at data"),
        ({"delta": 0.05}, "The document holds the number 0.05; only whole numbers"),
        ({"software": {1, 2}}, "is not JSON serializable"),
    ],
)
def test_a_document_in_memory_is_refused_as_its_file_is(changed, reason):
    document = ISSUED["classes"].to_json() | changed
    refused = verify(Certificate(document))
    assert [finding.check for finding in refused.findings] == ["document"]
    assert reason in refused.reason


def test_other_losses_are_told_apart():
    for method in ("betting", "bernstein", "kl"):
        certificate = certify(loss=LOSSES, method=method)
        assert verify(certificate, loss=LOSSES).ok
        assert not verify(certificate, loss=LOSSES[::-1] * 0.999).ok
    ledger = Ledger(":memory:")
    quiet = certify(loss=LOSSES, ledger=ledger, holdout="h")
    assert verify(quiet, loss=LOSSES, ledger=ledger).ok
    found = verify(quiet, loss=np.zeros(300), ledger=ledger)
    assert found.reason == "data: the losses are not those that were certified"


def test_two_parts_under_one_name_are_each_verified():
    ledger, y = Ledger(":memory:"), np.arange(100) % 2
    certify(y_true=y, y_pred=y, ledger=ledger, holdout="h")
    second = certify(y_true=1 - y, y_pred=y, ledger=ledger, holdout="h")
    found = verify(second, y_true=1 - y, y_pred=y, ledger=ledger)
    assert found.adds_up
    assert found.verdict == "promises nothing"  # every row is wrong
    assert not found
