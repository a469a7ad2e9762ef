"""Logs that would say too much: copies under other names, attempts that hide, samples that vanish."""

import json
import random

import numpy as np
import pytest

from assay import certify, read_eval
from tests.cli.runner import run


def _log(tmp_path, rows):
    entries = [
        {"doc_id": id, "resps": [], "arguments": asked, "metrics": ["acc"], "acc": score}
        for id, score, asked in rows
    ]
    path = tmp_path / "samples_sums_2026-01-01T00-00-00.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def _rows(n=40):
    return [(f"q{i}", float(i % 10 != 0), f"What is {i}?") for i in range(n)]


#: Each makes five of every sample, so that a bound by rows would be far too small.
COPIES = {
    "other ids": lambda id, k: f"{id}-{k}",
    "other letter case": lambda id, k: id.upper() if k % 2 else id,
    "spaces": lambda id, k: id + " " * k,
    "another width": lambda id, k: id.replace("q", "\uff51") if k % 2 else id,
    "the same id": lambda id, k: id,
}


@pytest.mark.parametrize("attack", COPIES)
@pytest.mark.parametrize("shuffled", [False, True])
def test_copies_never_make_a_promise_smaller(tmp_path, attack, shuffled):
    rename = COPIES[attack]
    rows = [(rename(id, k), score, asked) for k in range(5) for id, score, asked in _rows()]
    if shuffled:
        random.Random(0).shuffle(rows)
    claim = read_eval(_log(tmp_path, rows)).certificate().claims[0]
    honest = read_eval(_log(tmp_path, _rows())).certificate().claims[0]
    if attack == "the same id":
        assert claim.theorem == "unit-mean-betting"
        assert claim.promised >= honest.promised
    else:
        assert not claim.applies
        [drawn] = [a for a in claim.assumptions if a.status == "violated"]
        assert "ids" in str(drawn.evidence)


def test_copies_with_other_ids_are_one_unit_by_what_they_ask(tmp_path):
    rows = [(f"{id}-{k}", score, asked) for k in range(5) for id, score, asked in _rows()]
    log = read_eval(_log(tmp_path, rows))
    claim = log.certificate(unit="input").claims[0]
    assert claim.theorem == "unit-mean-betting"
    assert log.evidence(unit="input").units == ((0, 5, 36), (5, 5, 4))


def test_a_declaration_is_written_down(tmp_path):
    rows = _rows() * 3
    claim = read_eval(_log(tmp_path, rows)).certificate(unit="none").claims[0]
    assert claim.promised == certify(errors=12, rows=120).claims[0].promised
    [drawn] = [a for a in claim.assumptions if a.id == "independent-draws"]
    assert drawn.status == "declared"
    assert "though 80 of 120 repeat an id" in drawn.evidence


def test_rows_of_one_id_break_the_exact_bound_and_not_ours(tmp_path):
    """Ten attempts at each of 20 samples that all succeed or all fail: the broken twin counts rows."""
    rng = np.random.default_rng(0)
    truth, broken, ours, trials = 0.3, 0, 0, 120
    for _ in range(trials):
        wrong = rng.random(20) < truth
        rows = [(i, float(not wrong[i]), f"q{i}") for i in range(20) for _ in range(10)]
        log = read_eval(_log(tmp_path, rows))
        ours += log.certificate().claims[0].promised < truth
        broken += log.certificate(unit="none").claims[0].promised < truth
    assert ours <= 0.05 * trials + 3 * np.sqrt(0.05 * 0.95 * trials)
    assert broken > 0.2 * trials


def test_an_errored_sample_cannot_be_hidden_by_leaving_out_its_score(tmp_path):
    rows = [*_rows(), ("q99", None, "What is 99?")]
    path = _log(tmp_path, rows)
    answer = run("certify", path)
    assert (answer.code, answer.out) == (2, "")
    assert "has no score by 'acc' for 1 of 41 samples" in answer.err
    assert "--unscored wrong" in answer.err
    answer = run("certify", path, "--unscored", "wrong")
    assert answer.code == 0
    assert "5 of 41 rows are wrong" in answer.out


TABLE = {"truth": ["a", "b"] * 50, "guess": ["a", "b"] * 49 + ["b", "a"]}


@pytest.mark.parametrize(
    "column", ["id", "Sample ID", "questionId", "conversation_id", "PROMPT-ID"]
)
@pytest.mark.parametrize("typed", [str, str.upper])
def test_ids_that_come_again_in_a_table_promise_nothing(tmp_path, column, typed):
    ids = [typed(f"q{i % 80}") if i >= 80 else f"q{i}" for i in range(100)]
    path = _table(tmp_path, column, ids)
    columns = ("--truth", "truth", "--prediction", "guess")
    answer = run("certify", path, *columns)
    assert answer.code == 1
    assert f"the column {column!r} repeats itself in 20 of 100 rows" in answer.out
    assert "--unit none" in answer.out
    assert json.loads(run("certify", path, *columns, "--json").out)["promised"] is None
    declared = run("certify", path, *columns, "--unit", "none")
    assert declared.code == 0
    assert "(declared: every row is declared a draw of its own, though" in declared.out or (
        "declared" in declared.out
    )
    assert run("certify", path, *columns, "--unit", column).code == 0
    loss = run("certify", path, "--loss", "loss")
    assert loss.code == 1
    assert run("certify", path, "--loss", "loss", "--unit", "none").code == 0


def test_ids_that_come_once_or_are_no_ids_change_nothing(tmp_path):
    columns = ("--truth", "truth", "--prediction", "guess")
    once = run("certify", _table(tmp_path, "id", [f"q{i}" for i in range(100)]), *columns)
    other = run("certify", _table(tmp_path, "width", ["7"] * 100), *columns)
    missing = run("certify", _table(tmp_path, "id", [""] * 100), *columns)
    assert once.code == other.code == missing.code == 0
    assert once.out == other.out == missing.out


def _table(tmp_path, column, ids):
    path = tmp_path / "guesses.csv"
    rows = zip(ids, TABLE["truth"], TABLE["guess"], strict=True)
    lines = [f"{column},truth,guess,loss", *(f"{i},{t},{g},{float(t != g)}" for i, t, g in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path
