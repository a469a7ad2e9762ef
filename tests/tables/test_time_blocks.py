"""Rows that come near each other count together where the order of the training rows tells something."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import fit_table, predict_table, verify
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


@pytest.mark.parametrize("cut", [0.6, 0.7, 0.8])
@pytest.mark.parametrize("learner", ["logistic-regression", "decision-tree-classifier"])
def test_the_next_prices_keep_the_promise(cut, learner):
    prices = pq.read_table(ELEC2)
    known = int(cut * prices.num_rows)
    fitted = fit_table(prices.slice(0, known), "target", learner=learner, holdout="last")
    [claim] = fitted.certificate.claims
    assert claim.theorem == "unit-mean-betting"
    assert sum(many for _, _, many in claim.inputs["units"]) == 100
    assert error_on(fitted.model, prices.slice(known, known // 5)) <= claim.promised
    assert verify(fitted.certificate)


def test_rows_whose_order_tells_nothing_count_one_by_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    table = pa.table({"x": x, "y": np.where(x + rng.normal(size=600) > 0, "up", "down")})
    fitted = fit_table(table, "y", learner="gaussian-nb", holdout="last")
    assert fitted.certificate.claims[0].theorem == "holdout-exact"


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
