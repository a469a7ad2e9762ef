"""A table is known again by its ids, in whatever order its rows stand, whatever its labels are called."""

import csv
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import Ledger, certify, certify_difference
from assay.certificates.issue.id_holdout import id_digests
from tests.cli.runner import run


def digests(ids, truth=None):
    found = id_digests({"id": ids}, truth)
    return set() if found is None else {bytes(row) for row in found}


def test_ids_are_the_same_in_any_order_and_type():
    named = digests(["a7", "b", None, "a7"])
    assert len(named) == 2
    assert named == digests(["b", "a7", ""])
    assert digests([15, 7.0, float("nan")]) == digests(["7", "15"])
    assert len(digests(["a", "b"]) & digests(["b", "c"])) == 1


def test_ids_that_count_tell_by_labels_alone():
    for counted in ([1, 2, 3, 4], ["0", "3", "1", "2"]):
        assert digests(counted) == set()
        assert len(digests(counted, list("abab"))) == 1
    assert digests([1, 2, 3], list("aab")) == digests([3, 2, 1], list("yxx"))
    assert digests([1, 2, 3], list("aab")) != digests([1, 2, 3], list("aba"))
    assert digests(["9", "10", "11"], list("aab")) >= digests([10, 11, 9], list("aba")) != set()
    # A row without a name, or two of one, stand nowhere for sure.
    assert digests([1, 2, None], list("aab")) == digests([1, 2, 1], list("aab")) == set()


def rows(seed=0, many=60, named=True):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, many)
    guess = np.where(rng.random(many) < 0.1, 1 - truth, truth)
    ids = [f"mail {seed}/{i}" if named else i + 1 for i in range(many)]
    return list(zip(ids, truth.tolist(), guess.tolist(), strict=True))


def written(path, table, label=str):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "truth", "guess"])
        writer.writerows([one, label(t), label(g)] for one, t, g in table)
    return path


def shuffled(table, seed=1):
    return random.Random(seed).sample(table, len(table))


def looks(ledger):
    with Ledger(ledger) as book:
        return [entry.number for entry in book.entries()]


@pytest.mark.parametrize("named", [True, False], ids=["names", "numbers"])
def test_a_shuffled_file_with_other_labels_is_the_same_holdout(tmp_path, named):
    ledger, table = tmp_path / "book", rows(named=named)
    first = written(tmp_path / "a.csv", table)
    other = written(tmp_path / "b.csv", shuffled(table), lambda label: ("ham", "spam")[label])
    another = written(tmp_path / "c.csv", rows(5, named=named))
    for path in (first, other, another):
        told = run(
            *("certify", path, "--truth", "truth", "--prediction", "guess", "--ledger", ledger)
        )
        assert told.code == 0, told.err
    assert looks(ledger) == [1, 2, 1]


def test_a_part_of_a_file_with_names_is_that_holdout(tmp_path):
    ledger, table = tmp_path / "book", rows()
    columns = ("--truth", "truth", "--prediction", "guess", "--ledger", ledger)
    assert run("certify", written(tmp_path / "a.csv", table), *columns).code == 0
    assert run("certify", written(tmp_path / "b.csv", shuffled(table)[:40]), *columns).code == 0
    with_unit = run("certify", written(tmp_path / "c.csv", table[20:]), *columns, "--unit", "guess")
    assert with_unit.code == 2
    assert looks(ledger) == [1, 2]


def test_files_that_are_compared_are_known_by_what_names_their_rows(tmp_path):
    ledger, table = tmp_path / "book", rows(named=False)
    better = [(one, t, t) for one, t, _ in table]
    files = [written(tmp_path / f"{i}.csv", shuffled(t, i)) for i, t in enumerate((table, better))]
    options = ("--on", "id", "--truth", "truth", "--prediction", "guess", "--ledger", ledger)
    for old, new in (files, files[::-1]):
        assert run("compare", old, new, *options).code in (0, 1)
    assert run("certify", files[1], *options[2:]).code == 0
    assert looks(ledger) == [1, 2, 3]


@pytest.mark.parametrize("typed", [list, np.array, pd.Series, pl.Series, pa.array])
def test_ids_that_are_given_are_looked_at_too(tmp_path, typed):
    ledger, table = tmp_path / "book", rows()
    for seen in (table, shuffled(table)):
        ids, truth, guess = (list(column) for column in zip(*seen, strict=True))
        certify(y_true=truth, y_pred=guess, ids=typed(ids), ledger=ledger)
        certify_difference(
            y_true=truth, y_pred=truth, baseline=guess, ids=typed(ids), ledger=ledger
        )
    assert looks(ledger) == [1, 2, 3, 4]
