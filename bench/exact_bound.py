"""The exact bound: many counts at once against SciPy, one count against statsmodels' way of asking SciPy."""

import time

import numpy as np
from scipy import stats

from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.binomial_many import holdout_exact_many


def best(function, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 10**6, size=10**6)
    errors = (rows * rng.random(10**6) * 0.3).astype(int)
    ours = best(lambda: holdout_exact_many(errors, rows, 0.05), repeats=3)
    some = slice(0, 20_000)
    peer = (
        best(lambda: stats.beta.isf(0.05, errors[some] + 1, rows[some] - errors[some]), repeats=3)
        * 50
    )
    same = np.allclose(
        holdout_exact_many(errors[some], rows[some], 0.05),
        stats.beta.isf(0.05, errors[some] + 1, rows[some] - errors[some]),
        rtol=1e-9,
    )
    print(
        f"a million counts: {ours:.2f} s (goal 2 s); scipy.stats.beta.isf {peer:.2f} s, ratio {peer / ours:.1f}"
    )
    print(f"  same numbers to 1e-9: {same}")

    one = best(lambda: [holdout_exact_many(50, 1000, 0.05) for _ in range(200)]) / 200
    scipy_one = best(lambda: [stats.beta.isf(0.05, 51, 950) for _ in range(200)]) / 200
    print(
        f"one count, to 1e-12: {1e6 * one:.0f} µs (goal 50 µs); scipy.stats.beta.isf {1e6 * scipy_one:.0f} µs, "
        f"ratio {scipy_one / one:.1f}"
    )
    for k, n in ((50, 1000), (500, 10_000), (500_000, 10_000_000)):
        took = best(lambda k=k, n=n: holdout_exact(k, n, 0.05))
        print(f"smallest double, {k} of {n}: {1e3 * took:.1f} ms (goal 500 ms)")


if __name__ == "__main__":
    main()
