"""The exact bound: many counts at once, one count, and its smallest double, beside SciPy."""

import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.binomial_many import holdout_exact_many

MANY, ONE, SMALLEST = 2.0, 50e-6, 0.5  # seconds: the goals


def best(function: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def met(goal: bool) -> str:
    return "met" if goal else "MISSED"


def many() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 10**6, size=10**6)
    errors = (rows * rng.random(10**6) * 0.3).astype(int)
    ours = best(lambda: holdout_exact_many(errors, rows, 0.05), repeats=3)
    # SciPy is asked for one count in fifty, and its time multiplied.
    some = slice(0, 20_000)
    k, n = errors[some], rows[some]
    theirs = 50 * best(lambda: stats.beta.isf(0.05, k + 1, n - k), repeats=3)
    print(
        f"a million counts: {ours:.2f} s (goal {MANY:g} s: {met(ours <= MANY)}); "
        f"scipy.stats.beta.isf {theirs:.2f} s (50 times 20,000 counts), ratio {theirs / ours:.1f}"
    )
    same = np.allclose(
        holdout_exact_many(k, n, 0.05), stats.beta.isf(0.05, k + 1, n - k), rtol=1e-9
    )
    print(f"  same numbers to 1e-9: {met(bool(same))}")


def one() -> None:
    ours = best(lambda: [holdout_exact_many(50, 1000, 0.05) for _ in range(200)]) / 200
    theirs = best(lambda: [stats.beta.isf(0.05, 51, 950) for _ in range(200)]) / 200
    print(
        f"one count, to 1e-12: {1e6 * ours:.0f} µs (goal {1e6 * ONE:.0f} µs: {met(ours <= ONE)}); "
        f"scipy.stats.beta.isf {1e6 * theirs:.0f} µs, ratio {theirs / ours:.1f}"
    )


def smallest_double() -> None:
    for k, n in ((50, 1000), (500, 10_000), (500_000, 10_000_000)):
        took = best(lambda k=k, n=n: holdout_exact(k, n, 0.05))
        print(
            f"smallest double, {k:,} of {n:,}: {1e3 * took:.1f} ms "
            f"(goal {1e3 * SMALLEST:.0f} ms: {met(took <= SMALLEST)})"
        )


def main() -> None:
    many()
    one()
    smallest_double()


if __name__ == "__main__":
    main()
