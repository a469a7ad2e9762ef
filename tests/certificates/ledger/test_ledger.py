import itertools
import json
import math
import re
import sqlite3
import threading
from fractions import Fraction

import numpy as np
import pytest

from assay import Ledger, certify, verify
from assay.certificates.ledger.ledger import START
from assay.errors import BadData, BadParameter, CertificateRefused, LedgerBroken


def test_shares_follow_looks_and_answers():
    ledger = Ledger(":memory:")
    shares = [ledger.charge("h", answers=a, delta="0.05").share for a in (2, 1001, 2)]
    assert shares == [
        Fraction(1, 20) / 2,
        Fraction(1, 20) / (6 * 2),
        Fraction(1, 20) / (12 * 2 * 1001),
    ]


def test_all_transcripts_together_fail_with_probability_at_most_delta():
    # Three looks, answers of different sizes: the sum of the shares over all transcripts and looks.
    ledger, total, before = Ledger(":memory:"), Fraction(0), 1
    for ways in (2, 11, 3, 101, 2, 2):
        total += before * ledger.charge("h", answers=ways, delta="0.05").share
        before *= ways
    assert total <= Fraction(1, 20)


def test_holdouts_pay_separately():
    ledger = Ledger(":memory:")
    ledger.charge("a", answers=1001, delta="0.05")
    first = ledger.charge("b", answers=2, delta="0.01")
    assert first.number == 1
    assert first.share == Fraction(1, 200)
    assert [e.holdout for e in ledger.entries()] == ["a", "b"]
    assert len(ledger.entries("a")) == 1


def test_one_holdout_has_one_delta():
    ledger = Ledger(":memory:")
    ledger.charge("h", answers=2, delta="0.05")
    sentence = (
        "delta must be 0.05 again, as in the first look at this holdout, but is '0.1'. "
        "All looks at one holdout share one delta."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        ledger.charge("h", answers=2, delta="0.1")


def test_the_ledger_survives_being_closed_and_opened(tmp_path):
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        assert ledger.head == START
        first = ledger.charge("h", answers=2, delta=0.05)
    with Ledger(path) as ledger:
        assert ledger.entries() == [first]
        assert ledger.charge("h", answers=2, delta=0.05).previous == first.digest
        assert ledger.head == ledger.entries()[-1].digest


CHANGES = [
    "UPDATE entry SET answers = '0x2' WHERE sequence = 1",
    "UPDATE entry SET answers_before = '0x1' WHERE sequence = 2",
    "UPDATE entry SET holdout = 'other' WHERE sequence = 1",
    "UPDATE entry SET at = '2000-01-01' WHERE sequence = 3",
    "UPDATE entry SET digest = 'sha256:' || hex(zeroblob(32)) WHERE sequence = 2",
    "DELETE FROM entry WHERE sequence = 2",
    "DELETE FROM entry WHERE sequence = 1",
    "UPDATE entry SET answers = x'00' WHERE sequence = 1",
    "UPDATE entry SET number = 1.5 WHERE sequence = 2",
    "DELETE FROM secret",
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_to_the_chain_is_noticed(tmp_path, change):
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        for _ in range(3):
            ledger.charge("h", answers=1001, delta="0.05")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(LedgerBroken, match=r"does not hold together at entry|has lost its salt"):
        Ledger(path)


def test_what_is_not_a_ledger_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to look like a file" * 20)
    with pytest.raises(BadData, match="cannot be used as a ledger"):
        Ledger(text)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(BadData, match="is an SQLite file, but not a ledger"):
        Ledger(other)
    connection = sqlite3.connect(tmp_path / "empty.db")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(BadData, match="cannot be used as a ledger: no such table"):
        Ledger(tmp_path / "empty.db")


def test_a_ledger_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "ledger.db"
    Ledger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(BadData, match="was written by a newer version of assay"):
        Ledger(path)


def test_many_writers_leave_one_chain(tmp_path):
    path = tmp_path / "ledger.db"
    Ledger(path).close()

    def charge():
        with Ledger(path) as ledger:
            for _ in range(5):
                ledger.charge("h", answers=2, delta="0.05")

    threads = [threading.Thread(target=charge) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Ledger(path) as ledger:
        entries = ledger.entries("h")
        assert [e.number for e in entries] == list(range(1, 21))
        assert entries[-1].bits_before == 19


# The price list of the tenth certificate on one holdout, 50 errors in 1000 rows at delta 0.05.
def tenth_after(answers_before):
    ledger = Ledger(":memory:")
    for _ in range(9):
        ledger.charge("h", answers=answers_before, delta="0.05")
    return certify(errors=50, rows=1000, delta=0.05, ledger=ledger, holdout="h").error


def test_the_tenth_certificate_pays_for_the_nine_before_it():
    assert tenth_after(1) == pytest.approx(0.0770, abs=5e-5)
    assert tenth_after(2) == pytest.approx(0.0907, abs=5e-5)
    assert tenth_after(1001) == pytest.approx(0.1703, abs=5e-5)


def test_certificates_name_their_entry_and_verify_against_the_ledger(tmp_path):
    with Ledger(tmp_path / "ledger.db") as ledger:
        for look in range(3):
            path = tmp_path / f"{look}.cert.json"
            certify(y_true=[0, 1] * 200, y_pred=[0, 1] * 200, ledger=ledger).save(path)
            assert verify(path, ledger=ledger).ok
        stranger = Ledger(":memory:")
        found = verify(path, ledger=stranger)
        assert not found.ok
        assert "is not in this ledger" in found.reason
    bits = certify(errors=0, rows=9, ledger=(ledger := Ledger(":memory:")), holdout="h").document[
        "delta"
    ]
    assert bits["holdout_bits_released_before"] == "0.000"
    second = certify(errors=0, rows=9, ledger=ledger, holdout="h").document["delta"]
    assert second["holdout_bits_released_before"] == f"{math.log2(10):.3f}"


def test_pass_fail_tells_one_bit_and_hides_the_count(tmp_path):
    ledger = Ledger(":memory:")
    gate = {"rows": 1000, "ledger": ledger, "holdout": "h", "answer": "pass-fail", "max_error": 0.1}
    passed = certify(errors=50, **gate)
    again = certify(errors=20, **gate)
    assert passed.observed is None
    assert passed.error <= 0.1
    assert passed.document["claims"][0]["inputs"]["errors"] > 50
    with pytest.raises(
        CertificateRefused, match=r"^Fail: an error rate of 0\.1 cannot be promised"
    ):
        certify(errors=300, **gate)
    assert [e.answers for e in ledger.entries()] == ["0x2"] * 3
    for number, certificate in enumerate((passed, again)):
        certificate.save(tmp_path / f"{number}.cert.json")
        assert verify(tmp_path / f"{number}.cert.json", ledger=ledger).ok


def test_the_holdout_is_the_same_whatever_the_model_or_the_loss(tmp_path):
    ledger, y = Ledger(":memory:"), [0, 1] * 50
    X = [[float(i)] for i in range(100)]

    class Model:
        def predict(self, X):
            return [0] * len(X)

    certify(y_true=y, y_pred=y, ledger=ledger)
    certify(Model(), X, y, ledger=ledger)
    certify(Model(), X, y, train=X[:5], overlap="drop", ledger=ledger)
    assert [e.number for e in ledger.entries()] == [1, 2, 3]
    with pytest.raises(BadParameter, match="neither counts nor losses tell which holdout it is"):
        certify(loss=[0.5, 0.25], ledger=ledger)
    by_loss = certify(loss=[0.5, 0.25] * 50, ledger=ledger, holdout="h")
    assert by_loss.claims[0].theorem == "holdout-kl"


def test_another_name_does_not_make_it_another_holdout():
    ledger, y = Ledger(":memory:"), [0, 1] * 50
    certify(y_true=y, y_pred=y, ledger=ledger, holdout="a")
    with pytest.raises(BadParameter, match="Another name does not make it a new holdout"):
        certify(y_true=y, y_pred=y, ledger=ledger, holdout="b")
    # Without a name it is known by its labels, and charged to its account.
    assert certify(y_true=y, y_pred=y, ledger=ledger).document["ledger"]["holdout"] == "a"
    assert ledger.entries("a")[1].number == 2


def test_nothing_is_told_that_is_not_charged_for():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    guess = rng.integers(0, 2, 200)

    class Model:
        def predict(self, X):
            return np.full(len(X), 7)  # a label the truth never holds

    documents = []
    for labels in (y, 1 - y):
        ledger = Ledger(":memory:")
        gate = {"ledger": ledger, "answer": "pass-fail", "max_error": 0.9, "overlap": "drop"}
        try:
            certify(Model(), X, labels, train=(X[:50], guess[:50]), **gate)
        except CertificateRefused as refusal:
            documents.append(str(refusal))
        assert [e.answers for e in ledger.entries()] == ["0x2"]
    # The same answer for opposite labels: neither the overlap nor the label 7 says anything about y.
    assert documents[0] == documents[1]


def test_a_mean_loss_is_told_no_finer_than_it_is_charged():
    ledger = Ledger(":memory:")
    losses = np.random.default_rng(0).random(200)
    claim = certify(loss=losses, ledger=ledger, holdout="h").claims[0]
    assert Fraction(claim.observed_text) == pytest.approx(
        Fraction(claim.inputs["errors"]) / 200, rel=1e-15
    )
    assert Fraction(claim.inputs["errors"]) * 1000 % 1 == 0
    assert ledger.entries()[0].answers == hex(200_001)


def test_the_truth_cannot_be_guessed_from_a_certificate_of_a_ledger():
    y, ledger = [0, 1, 1, 0, 1, 0, 0, 1], Ledger(":memory:")
    text = json.dumps(certify(y_true=y, y_pred=y, ledger=ledger).to_json())
    from assay.evidence.digest import digest_labels

    for guess in itertools.product([0, 1], repeat=8):
        assert digest_labels(list(guess)).removeprefix("sha256:") not in text.replace(
            digest_labels(y).removeprefix("sha256:"), "", 1
        )


def test_a_refused_question_is_not_charged():
    ledger = Ledger(":memory:")
    for bad in ({"method": "magic"}, {"population": 10}, {"rates": ["class"], "population": 1000}):
        with pytest.raises(BadParameter):
            certify(errors=5, rows=100, ledger=ledger, holdout="h", **bad)
    with pytest.raises(BadParameter, match="max_error must be given for a pass/fail answer"):
        certify(errors=5, rows=100, ledger=ledger, holdout="h", answer="pass-fail")
    with pytest.raises(BadParameter, match="holdout must be named"):
        certify(errors=5, rows=100, ledger=ledger)
    assert ledger.entries() == []


# Rows: what is kept of them, and files of earlier versions.


def digests(first, rows):
    from assay.evidence.rows import row_digests

    return row_digests(np.arange(first, first + rows, dtype=float)[:, None])


def test_where_two_holdouts_meet_the_smaller_delta_is_shared():
    ledger = Ledger(":memory:")
    ledger.charge("a", answers=2, delta="0.05", rows=digests(0, 100))
    ledger.charge("b", answers=2, delta="0.01", rows=digests(100, 100))
    with pytest.raises(BadParameter, match=r"^delta must be 0\.01 again"):
        ledger.charge(answers=2, delta="0.05", rows=digests(0, 200))
    both = ledger.charge(answers=2, delta="0.01", rows=digests(0, 200))
    assert (both.holdout, both.joins, both.number) == ("a", '["b"]', 3)
    assert both.share == Fraction(1, 100) / (3 * 4 * 4)


def test_a_new_name_for_rows_that_are_known_joins_their_account():
    ledger = Ledger(":memory:")
    ledger.charge("a", answers=2, delta="0.05", rows=digests(0, 100))
    ledger.charge("a and more", answers=2, delta="0.05", rows=digests(0, 150))
    assert ledger.charge("a and more", answers=2, delta="0.05").number == 3
    assert ledger.charge("a", answers=2, delta="0.05").number == 4


def test_all_looks_at_one_part_fail_with_probability_at_most_delta_though_parts_meet():
    # Every transcript of the first part, and of the union, gets its share of one delta.
    ledger, total = Ledger(":memory:"), Fraction(0)
    parts = [(0, 100), (0, 100), (100, 100), (100, 100), (0, 200), (0, 100), (100, 100), (0, 200)]
    for ways, (first, rows) in zip((3, 2, 5, 7, 2, 4, 2, 9), parts, strict=True):
        entry = ledger.charge(answers=ways, delta="0.05", rows=digests(first, rows))
        if (first, rows) != (100, 100) or entry.number > 2:
            total += int(entry.answers_before, 16) * entry.share
    assert total <= Fraction(1, 20)


def test_what_is_kept_of_rows_is_bounded_and_sealed(tmp_path):
    from assay.certificates.ledger.row_sketch import MOST_KEYS

    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        for _ in range(3):
            ledger.charge(answers=2, delta="0.05", rows=digests(0, 2 * MOST_KEYS))
    assert path.stat().st_size < 2 * 8 * MOST_KEYS  # once, whatever the number of looks
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE sketch SET keys = zeroblob(8)")
    connection.close()
    with pytest.raises(LedgerBroken, match="has lost the keys of a holdout's rows"):
        Ledger(path)


def test_neither_labels_nor_rows_stand_in_the_file(tmp_path):
    X, y = np.arange(1.0, 41.0)[:, None], [0, 1] * 20
    from assay.evidence.partition import digest_partition
    from assay.evidence.rows import row_digests

    class Model:
        def predict(self, X):
            return [0] * len(X)

    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        certify(Model(), X, y, ledger=ledger)
    raw = path.read_bytes()
    assert digest_partition(y).removeprefix("sha256:").encode() not in raw
    assert not any(bytes(row) in raw or bytes(row[:8]) in raw for row in row_digests(X))


FIRST_SCHEMA = """
CREATE TABLE entry (sequence INTEGER PRIMARY KEY, holdout TEXT NOT NULL, data TEXT NOT NULL,
 number INTEGER NOT NULL, at TEXT NOT NULL, query TEXT NOT NULL, answer TEXT NOT NULL, answers TEXT NOT NULL,
 answers_before TEXT NOT NULL, delta TEXT NOT NULL, previous TEXT NOT NULL, digest TEXT NOT NULL,
 UNIQUE (holdout, number));
CREATE TABLE secret (salt BLOB NOT NULL);
INSERT INTO secret VALUES (zeroblob(32));
PRAGMA user_version = 1;
"""


def test_a_ledger_of_the_first_schema_goes_on(tmp_path):
    import hashlib

    from assay.certificates.format.document import canonical
    from assay.evidence.digest import digest_labels

    y, path = [0, 1, 1] * 50, tmp_path / "ledger.db"
    salted = "salted:" + hashlib.sha256(bytes(32) + digest_labels(y).encode()).hexdigest()
    body = {
        "sequence": 1,
        "holdout": salted,
        "data": salted,
        "number": 1,
        "at": "2026-01-01",
        "query": "",
    }
    body |= {"answer": "exact", "answers": hex(151), "answers_before": "0x1", "delta": "0.05"}
    body |= {"previous": START}
    body["digest"] = "sha256:" + hashlib.sha256(canonical(body)).hexdigest()
    connection = sqlite3.connect(path)
    connection.executescript(FIRST_SCHEMA)
    columns, places = ", ".join(body), ", ".join(f":{key}" for key in body)
    with connection:
        connection.execute(f"INSERT INTO entry ({columns}) VALUES ({places})", body)
    connection.close()
    with Ledger(path) as ledger:
        certify(y_true=y, y_pred=y, ledger=ledger)
        certify(y_true=[["a", "b"][v] for v in y], y_pred=["a"] * 150, ledger=ledger)
        assert [e.number for e in ledger.entries()] == [1, 2, 3]
        ledger.check()
