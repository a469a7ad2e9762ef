"""Rows that come near each other count together where the order of the training rows tells something."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import fit_table, predict_table, verify
from assay.tables.time_blocks import BLOCKS
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.unit_mean import unit_mean_betting
from tests.soundness import assert_sound, assert_unsound

ELEC2 = Path(__file__).parents[2] / "examples" / "data" / "elec2.parquet"


def error_on(model, table):
    batches = predict_table(model, table)
    predicted = np.concatenate([np.array(b.column("prediction").to_pylist()) for b in batches])
    return float(
        (predicted.astype(str) != np.array(table["target"].to_pylist()).astype(str)).mean()
    )


@pytest.mark.parametrize("cut", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("learner", ["gaussian-nb", "decision-tree-classifier"])
def test_the_next_prices_keep_the_promise(cut, learner):
    prices = pq.read_table(ELEC2)
    known = int(cut * prices.num_rows)
    fitted = fit_table(prices.slice(0, known), "target", learner=learner, holdout="last")
    [claim] = fitted.certificate.claims
    assert claim.theorem == "unit-mean-betting"
    # Weeks of dear and of cheap power follow each other: the blocks are as long as they can be.
    assert sum(many for _, _, many in claim.inputs["units"]) == BLOCKS[-1]
    assert error_on(fitted.model, prices.slice(known, known // 5)) <= claim.promised
    assert verify(fitted.certificate)


def test_rows_whose_order_tells_nothing_count_one_by_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    table = pa.table({"x": x, "y": np.where(x + rng.normal(size=600) > 0, "up", "down")})
    fitted = fit_table(table, "y", learner="gaussian-nb", holdout="last")
    assert fitted.certificate.claims[0].theorem == "holdout-exact"


def turning(rng, turn, rows=3_000):
    """A boundary that turns by so much within the last tenth of the rows."""
    X = rng.normal(size=(rows, 3))
    angle = np.where(np.arange(rows) >= 0.9 * rows, turn, 0.0)
    y = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0
    return pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "y": y.astype(int)})


@pytest.mark.parametrize("target", ["classes", "quantity"])
def test_a_model_that_does_worse_along_the_last_rows_promises_nothing(target):
    table = turning(np.random.default_rng(1), 0.8)
    if target == "quantity":
        table = table.set_column(3, "y", pa.array(table["y"].to_numpy() + 0.25))
        table = table.append_column("x4", pa.array(np.random.default_rng(2).normal(size=3_000)))
    learner = "gaussian-nb" if target == "classes" else "ridge"
    fitted = fit_table(table, "y", learner=learner, holdout="last", task=target)
    claim = fitted.certificate.claims[0]
    assert claim.promised is None
    assert claim.assumptions[0].status == "violated"
    assert "does worse from the first of the last rows" in fitted.notes[0]
    assert verify(fitted.certificate).verdict == "promises nothing"


def test_a_model_that_does_as_well_to_the_end_keeps_its_promise():
    fitted = fit_table(
        turning(np.random.default_rng(1), 0), "y", learner="gaussian-nb", holdout="last"
    )
    assert fitted.certificate.claims[0].promised is not None


def test_with_a_ledger_nothing_is_looked_at_that_was_not_charged_for(tmp_path):
    table, ledger = turning(np.random.default_rng(1), 0.8), tmp_path / "ledger.jsonl"
    fitted = fit_table(table, "y", learner="gaussian-nb", holdout="last", ledger=ledger)
    assert fitted.certificate.claims[0].promised is not None


def simulated(bound, runs, seed):
    """How often a bound on the mean error fails where a spell of bad rows lasts ten rows on average."""
    rng = np.random.default_rng(seed)
    broken = 0
    for _ in range(runs):
        changes = rng.random(1_500) < 0.1
        changes[0] = True
        spells = rng.random(int(changes.sum())) < 0.3
        broken += bound(spells[np.cumsum(changes) - 1]) < 0.3
    return broken


def by_blocks(wrong):
    return unit_mean_betting([(int(b.sum()), len(b), 1) for b in np.array_split(wrong, 50)], 0.05)


def by_rows(wrong):
    return holdout_exact(int(wrong.sum()), len(wrong), 0.05)


def test_blocks_keep_what_rows_taken_one_by_one_break():
    assert_sound(simulated(by_blocks, 60, seed=1), 60, 0.05)
    assert_unsound(simulated(by_rows, 400, seed=2), 400, 0.05)
