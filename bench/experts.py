"""Hedge over a whole matrix of losses, against NumPy reading that matrix once and the naive rule."""

import math
import time

import numpy as np
from measure import race

from assay import Hedge

ROUNDS, EXPERTS = 50_000, 1000
GOAL = 2.0


def naive(losses, rate):
    """Hedge as it is defined, a round at a time in NumPy."""
    totals, loss = np.zeros(losses.shape[1]), 0.0
    for row in losses:
        weights = np.exp(-rate * (totals - totals.min()))
        loss += weights @ row / weights.sum()
        totals += row
    return loss, totals


def played(losses):
    policy = Hedge(rounds=len(losses))
    policy.play(losses)
    return policy


def one_by_one(losses):
    policy = Hedge(rounds=len(losses))
    for row in losses:
        policy.update(row)
    return policy


def main() -> None:
    losses = np.random.default_rng(0).random((ROUNDS, EXPERTS))
    losses *= np.linspace(0.9, 1.0, EXPERTS)
    rate = math.sqrt(8 * math.log(EXPERTS) / ROUNDS)
    ours, (loss, totals) = played(losses), naive(losses, rate)
    apart = abs(ours.record_.loss / loss - 1)
    same = apart < 1e-12 and np.allclose(ours.totals_, totals, rtol=1e-12)
    best = race(
        {"sum": lambda: losses.sum(), "assay": lambda: played(losses), "max": lambda: losses.max()},
        7,
    )
    print(f"Hedge, {EXPERTS} experts, {ROUNDS} rounds; same losses as the naive rule: {same}")
    print(f"  regret {ours.record_.regret:.4g}, promised {ours.guarantees()[0].value:.4g}")
    share = best["assay"] / best["sum"]
    print(
        f"  play: {best['assay']:.4g} s, NumPy's sum of the matrix {best['sum']:.4g} s, "
        f"{share:.2f} times as long (goal at most {GOAL:g}) {'met' if share <= GOAL else 'MISSED'}; "
        f"its max {best['max']:.4g} s"
    )
    few = losses[:2000]
    start = time.perf_counter()
    naive(few, rate)
    slow = time.perf_counter() - start
    best = race({"one": lambda: one_by_one(few), "play": lambda: played(few)}, 3)
    print(
        f"  a round: naive {1e6 * slow / 2000:.2f} µs, update {1e6 * best['one'] / 2000:.2f} µs, "
        f"play {1e6 * best['play'] / 2000:.2f} µs"
    )


if __name__ == "__main__":
    main()
