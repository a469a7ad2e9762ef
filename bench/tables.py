"""Is what `assay fit` chooses as good as the usual choices of scikit-learn? The same rows, side by side.

    python bench/tables.py FOLDER [--seeds 3] [--rst FILE]

FOLDER holds tables and `sets.json` (`bench/table_sets.py` makes both); without `sets.json` the last column of each
Parquet or CSV file is predicted. A fifth of the rows is kept for testing: drawn by the seed, or the last ones where
rows stand in the order of time. Classes are judged by the share of wrong rows, quantities by the mean absolute error.
Methods are ranked on every table, and the mean rank is what counts; two mean ranks closer than Nemenyi's critical
difference cannot be told apart by so few tables.
"""

import argparse
import json
import math
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata, studentized_range
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from assay import fit_table, predict_table

METHODS = ("assay fit", "HistGradientBoosting", "RandomForest", "linear")
TEST = 0.2


def peers(X, quantity, seed):
    """Scikit-learn's three, each with the preparation that its guide gives it."""
    numeric = X.select_dtypes(["number", "bool", "datetime"]).columns
    words = [name for name in X.columns if name not in numeric]
    ordinal = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, max_categories=250
    )
    coded = make_column_transformer(
        (ordinal, words), remainder="passthrough", verbose_feature_names_out=False
    )
    hot = OneHotEncoder(handle_unknown="ignore")
    filled = make_column_transformer((hot, words), (SimpleImputer(), numeric))
    scaled = make_column_transformer(
        (hot, words), (make_pipeline(SimpleImputer(), StandardScaler()), numeric)
    )
    mask = [True] * len(words) + [False] * len(numeric)
    if quantity:
        boosting = HistGradientBoostingRegressor(categorical_features=mask, random_state=seed)
        forest, linear = RandomForestRegressor(random_state=seed, n_jobs=2), Ridge()
    else:
        boosting = HistGradientBoostingClassifier(categorical_features=mask, random_state=seed)
        forest = RandomForestClassifier(random_state=seed, n_jobs=2)
        linear = LogisticRegression(max_iter=2000)
    return dict(
        zip(
            METHODS[1:],
            (
                make_pipeline(coded, boosting),
                make_pipeline(filled, forest),
                make_pipeline(scaled, linear),
            ),
            strict=True,
        )
    )


def plain(X):
    """Columns as scikit-learn takes them: times as numbers, nullable truth values as floats, the rest as text."""
    X = X.copy()
    for name in X.columns:
        kind = X[name].dtype
        if pd.api.types.is_datetime64_any_dtype(kind):
            stamp = X[name].dt
            X[f"{name} month"], X[f"{name} day"] = stamp.month, stamp.dayofweek
            X[f"{name} hour"] = stamp.hour + stamp.minute / 60
            X[name] = X[name].astype("int64") / 1e9
        elif isinstance(kind, pd.BooleanDtype) or X[name].dropna().isin([True, False]).all():
            X[name] = X[name].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
        elif not pd.api.types.is_numeric_dtype(kind):
            X[name] = X[name].astype(object).where(X[name].notna(), "(none)").astype(str)
    return X


def judged(truth, predicted, quantity):
    """The share of wrong rows, or the mean absolute error."""
    if quantity:
        return float(np.mean(np.abs(np.asarray(truth, float) - np.asarray(predicted, float))))
    return float(np.mean(np.asarray(truth).astype(str) != np.asarray(predicted).astype(str)))


def by_assay(train, test, one, seed, folder):
    """What `assay fit` learns from the training rows, judged on the same rows as the others."""
    target = one["target"]
    paths = [folder / name for name in ("all.parquet", "train.parquet", "test.parquet")]
    whole = pd.concat([train, test], ignore_index=True)
    for table, path in zip((whole, train, test), paths, strict=True):
        table.to_parquet(path, index=False)
    if one["split"] == "last":
        fitted = fit_table(paths[0], target, holdout=f"last:{len(test)}", random_state=seed)
    else:
        fitted = fit_table(paths[1], target, holdout_file=paths[2], random_state=seed)
    batches = predict_table(fitted.model, paths[2])
    predicted = [value for batch in batches for value in batch.column("prediction").to_pylist()]
    return predicted, fitted.learner


def split(table, one, seed):
    """Rows to learn from and rows to test on."""
    tested = round(TEST * len(table))
    if one["split"] == "last":
        return table[:-tested], table[-tested:]
    order = np.random.default_rng(seed).permutation(len(table))
    return table.iloc[order[tested:]], table.iloc[order[:tested]]


def compare(table, one, seeds):
    """The mean over the seeds of every method's error, its seconds, and what assay chose."""
    target = one["target"]
    y = table[target]
    quantity = pd.api.types.is_numeric_dtype(y) and y.dtype != bool and y.nunique() > 100
    errors = {name: [] for name in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    chosen = []
    for seed in range(seeds):
        train, test = split(table, one, seed)
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            predicted, learner = by_assay(train, test, one, seed, Path(folder))
            seconds["assay fit"] += (time.perf_counter() - begun) / seeds
        chosen.append(learner)
        errors["assay fit"].append(judged(test[target], predicted, quantity))
        X, X_test = (plain(part.drop(columns=target)) for part in (train, test))
        labels = train[target] if quantity else train[target].astype(str)
        for name, model in peers(X, quantity, seed).items():
            begun = time.perf_counter()
            predicted = model.fit(X, labels).predict(X_test)
            seconds[name] += (time.perf_counter() - begun) / seeds
            errors[name].append(judged(test[target], predicted, quantity))
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    return means, seconds, sorted(set(chosen)), quantity


def critical_difference(methods, tables, alpha=0.05):
    """Nemenyi's: mean ranks that are closer cannot be told apart."""
    q = studentized_range.ppf(1 - alpha, methods, 10_000) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * tables))


def sets_of(folder):
    """What `sets.json` says, or every table by its last column."""
    listed = folder / "sets.json"
    if listed.exists():
        return json.loads(listed.read_text())
    files = sorted([*folder.glob("*.parquet"), *folder.glob("*.csv")])
    return [{"name": p.stem, "file": p.name, "target": None, "split": "random"} for p in files]


def main() -> None:
    """Compare on every table of a folder, and write the table of the documentation if asked."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--only", nargs="*", help="names of tables")
    words.add_argument("--rst", type=Path, help="write the table here")
    given = words.parse_args()
    warnings.simplefilter("ignore")
    lines, ranks = [], []
    for one in sets_of(given.folder):
        name = one["name"].split("/")[-1]
        if given.only and name not in given.only:
            continue
        path = given.folder / one["file"]
        table = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        one["target"] = one["target"] or table.columns[-1]
        # A peer cannot learn a row without its truth.
        table = table[table[one["target"]].notna()]
        means, seconds, chosen, quantity = compare(table, one, given.seeds)
        ranks.append(rankdata([means[method] for method in METHODS]))
        shown = [f"{means[m]:.4g}" if quantity else f"{100 * means[m]:.2f} %" for m in METHODS]
        lines.append([name, f"{len(table):,}", *shown, ", ".join(chosen)])
        took = ", ".join(f"{method} {seconds[method]:.2f} s" for method in METHODS)
        print(f"{name}: {dict(zip(METHODS, shown, strict=True))}; {chosen}; {took}", flush=True)
    mean = np.mean(ranks, axis=0)
    apart = critical_difference(len(METHODS), len(ranks))
    lines.append(["mean rank", "", *(f"{value:.2f}" for value in mean), ""])
    print(
        f"mean rank {dict(zip(METHODS, mean.round(2), strict=True))}, critical difference {apart:.2f}"
    )
    if given.rst:
        rows = [["table", "rows", *METHODS, "chosen"], *lines]
        text = "\n".join("   * - " + "\n     - ".join(row) for row in rows)
        given.rst.write_text(
            f".. list-table::\n   :header-rows: 1\n\n{text}\n\n"
            f"Mean over {given.seeds} seeds; mean ranks closer than {apart:.2f} cannot be told apart by {len(ranks)} "
            f"tables.\n"
        )


if __name__ == "__main__":
    main()
