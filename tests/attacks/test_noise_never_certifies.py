"""Coin flips cannot be predicted: whatever the table looks like, a promise below 50 % is as rare as delta says.

Every way to make a table look learnable is played on labels that are coin flips: rows written several times, rows
that belong together, rows that are tested on and learned from, in text, in numbers of another precision, in libsvm
text, in chunks; and the best of many seeds. Beside each stands its broken twin, in which rows are drawn by their
place and copies are counted, or looks are not paid for: the same check must reject it.
"""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay import certify
from assay.certificates.ledger.ledger import Ledger
from assay.tables import large
from assay.tables.compare import compare_table
from assay.tables.fit import fit_table
from tests.soundness import assert_sound, assert_unsound

DELTA = 0.05
TREE = {"learner": "decision-tree-classifier"}


def noise(rng, rows=60, features=3):
    """Distinct rows with coin flips for labels."""
    return rng.normal(size=(rows, features)).round(6), rng.integers(0, 2, rows)


def copied(rng, times=5, rows=60, features=3):
    """Every row several times, in any order."""
    X, y = noise(rng, rows, features)
    order = rng.permutation(times * rows)
    return np.tile(X, (times, 1))[order], np.tile(y, times)[order]


def table(X, y, **more):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return pa.table(columns | more | {"y": pa.array(np.array(["no", "yes"])[y])})


def csv(found, path):
    pyarrow.csv.write_csv(found, path)
    return path


def parquet(found, path):
    pq.write_table(found, path)
    return path


def fit_copies(rng, folder, broken):
    path = parquet(table(*copied(rng)), folder / "t.parquet")
    return fit_table(path, "y", **TREE, **overlap(broken)).certificate.error


def fit_copies_as_text(rng, folder, broken):
    """A copy of every row as another program would write it: 1 as 1.0, 0.5 as .5, 0.25 as 2.5e-1."""
    X, y = noise(rng)
    lines = [
        ",".join([*map(repr, row.tolist()), "ny"[label]]) for row, label in zip(X, y, strict=True)
    ]
    again = [
        ",".join([*(f" {cell:.9e}" for cell in row.tolist()), "ny"[label]])
        for row, label in zip(X, y, strict=True)
    ]
    (folder / "t.csv").write_text("\n".join(["a,b,c,y", *lines, *again, *lines, *again]))
    return fit_table(folder / "t.csv", "y", **TREE, **overlap(broken)).certificate.error


def compare_copies(rng, folder, broken):
    path = parquet(table(*copied(rng)), folder / "t.parquet")
    names = ["decision-tree-classifier", "gaussian-nb"]
    found = compare_table(path, "y", learners=names, **overlap(broken))
    return min(row.certificate.error for row in found.rows)


def sorted_ids(rng, folder, broken):
    """A column of ids in order, and labels of rows next to each other that are drawn together."""
    X, _ = noise(rng, rows=80)
    patient = np.arange(80) // 4
    y = rng.integers(0, 2, 20)[patient]
    path = parquet(table(X, y, id=np.arange(80), patient=patient), folder / "t.parquet")
    # Without a word on the order, neighbours that are drawn together would be found.
    unit = {"drop": ["patient"], "order": "none"} if broken else {"unit": "patient"}
    return fit_table(path, "y", **TREE, **unit).certificate.error


def groups(rng, folder, broken):
    """Rows that nearly repeat one another within a group, with one coin flip for each group."""
    X, y = noise(rng, rows=40)
    near = np.repeat(X, 5, axis=0) + 1e-3 * rng.normal(size=(200, 3))
    found = table(near, np.repeat(y, 5), group=np.repeat(np.arange(40), 5))
    path = csv(found, folder / "t.csv")
    unit = {"drop": ["group"], "order": "none"} if broken else {"unit": "group"}
    return fit_table(path, "y", **TREE, **unit).certificate.error


def libsvm_copies(rng, folder, broken):
    X, y = copied(rng)
    lines = [
        " ".join([str(label), *(f"{j + 1}:{cell}" for j, cell in enumerate(row))])
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (folder / "t.svm").write_text("\n".join(lines) + "\n")
    return fit_table(folder / "t.svm", **TREE, **overlap(broken)).certificate.error


def holdout_of_another_type(rng, folder, broken):
    """A file of its own, in single precision, that holds most training rows, and all of it thrice."""
    X, y = noise(rng)
    fresh, labels = noise(rng, rows=20)
    path = csv(table(X, y), folder / "t.csv")
    tested = np.tile(np.concatenate([X[:50], fresh]), (3, 1)).astype(np.float32)
    other = parquet(
        table(tested, np.tile(np.concatenate([y[:50], labels]), 3)), folder / "h.parquet"
    )
    found = fit_table(path, "y", holdout_file=other, **TREE, **overlap(broken))
    return found.certificate.error


def copies_in_chunks(rng, folder, broken):
    path = csv(table(*copied(rng, rows=40, features=60)), folder / "t.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LARGE", 100)
        patch.setattr(large, "_CHUNK_ROWS", 64)
        found = fit_table(path, "y", learner="perceptron", **overlap(broken))
    return found.certificate.error


def holdout_of_a_model(rng, folder, broken):
    """Of a model from anywhere: its training rows among those to test on, and each of these four times."""
    X, y = noise(rng)
    fresh, labels = noise(rng, rows=15)
    model = DecisionTreeClassifier().fit(X, y)
    tested = np.tile(np.concatenate([fresh, X[:40]]), (4, 1))
    truth = np.tile(np.concatenate([labels, y[:40]]), 4)
    ways = "keep" if broken else "drop"
    return certify(model, tested, truth, train=X.astype(np.float32), overlap=ways).error


def best_of_seeds(rng, folder, broken):
    """The smallest promise of twenty draws of one table; with a ledger the later ones pay for the earlier."""
    path = parquet(table(*noise(rng)), folder / "t.parquet")
    with Ledger(":memory:") as book:
        kept = {} if broken else {"ledger": book}
        return min(
            fit_table(
                path, "y", learner="k-neighbors-classifier", random_state=seed, **kept
            ).certificate.error
            for seed in range(20)
        )


ATTACKS = [
    fit_copies,
    fit_copies_as_text,
    compare_copies,
    sorted_ids,
    groups,
    libsvm_copies,
    holdout_of_another_type,
    copies_in_chunks,
    holdout_of_a_model,
    best_of_seeds,
]
BROKEN_BEYOND_DOUBT = [attack for attack in ATTACKS if attack not in (best_of_seeds, sorted_ids)]


def overlap(broken):
    return {"overlap": "keep"} if broken else {}


def broken_promises(attack, folder, tables, broken=False):
    """How many tables of coin flips were promised to be predicted better than coin flips can be."""
    found = [attack(np.random.default_rng([7, i]), folder, broken) for i in range(tables)]
    return sum(promised < 0.5 for promised in found)


@pytest.mark.parametrize("attack", ATTACKS)
def test_noise_is_not_promised(attack, tmp_path):
    tables = 2 if attack is best_of_seeds else 6
    assert_sound(broken_promises(attack, tmp_path, tables), tables, DELTA)


@pytest.mark.parametrize("attack", BROKEN_BEYOND_DOUBT)
def test_rows_by_place_and_copies_counted_promise_noise(attack, tmp_path):
    assert_unsound(broken_promises(attack, tmp_path, 6, broken=True), 6, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("attack", ATTACKS)
def test_two_thousand_tables_of_noise(attack, tmp_path):
    assert_sound(broken_promises(attack, tmp_path, 200), 200, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hundred_tables_of_noise_break_the_twin(attack, tmp_path):
    assert_unsound(broken_promises(attack, tmp_path, 100, broken=True), 100, DELTA)
