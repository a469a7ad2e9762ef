"""Certifying a million predictions with fifty groups and five metrics, beside one groupby of pandas.

One line per case: the best time of ours (all of `certify`: the counts of labels and groups, the digests of both
columns, the exact bounds of the error, the five metrics, every group, the worst and the gap, and the sealed document),
the best time of ``frame.groupby(["group", "truth", "prediction"], observed=True).size()`` on the same frame, and their
ratio; then how long `verify` takes for the file. Both take turns in one run.

    python bench/groups.py [--rows N] [--groups G] [--repeat K]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd
from measure import race

from assay import certify, verify
from assay.certificates.certificate import Certificate

RATES = ("accuracy", "precision", "recall", "f1", "balanced-accuracy")
COLUMNS = ["group", "truth", "prediction"]
MOST_RATIO = 3.0


def frame(rows: int, groups: int) -> pd.DataFrame:
    """Labels of two classes, wrong on a tenth of the rows, in groups of different sizes."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, rows)
    return pd.DataFrame(
        {
            "group": np.minimum(rng.geometric(3 / groups, rows), groups) - 1,
            "truth": truth,
            "prediction": np.where(rng.random(rows) < 0.1, 1 - truth, truth),
        }
    )


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    kinds = {"group": "group", "truth": "label", "prediction": "label"}
    names = {c: np.array([f"{k} {i}" for i in range(table[c].max() + 1)]) for c, k in kinds.items()}
    return pd.DataFrame({c: names[c][table[c]] for c in table})


def certified(table: pd.DataFrame) -> Certificate:
    return certify(
        y_true=table["truth"],
        y_pred=table["prediction"],
        groups=table["group"],
        rates=RATES,
        fixed_before=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    plain = frame(options.rows, options.groups)
    cases = {"int64": plain, "text": as_text(plain), "category": as_text(plain).astype("category")}
    print(
        f"{options.rows:,} rows, {options.groups} groups, {len(RATES)} metrics (goal: at most {MOST_RATIO:g} times "
        "pandas' groupby of group, truth and prediction)"
    )
    for name, table in cases.items():
        made = certified(table)
        each = made.claims[1 + len(RATES) : 1 + len(RATES) + options.groups]
        assert sum(claim.inputs["rows"] for claim in each) == options.rows
        best = race(
            {
                "ours": lambda table=table: certified(table),
                "pandas": lambda table=table: table.groupby(COLUMNS, observed=True).size(),
            },
            options.repeat,
        )
        ratio = best["ours"] / best["pandas"]
        start = time.perf_counter()
        assert verify(made)
        checked = time.perf_counter() - start
        print(
            f"{name:10} certify {best['ours'] * 1e3:6.1f} ms  groupby {best['pandas'] * 1e3:6.1f} ms  "
            f"ratio {ratio:4.2f} {'met' if ratio <= MOST_RATIO else 'MISSED'}  verify {checked * 1e3:6.1f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
