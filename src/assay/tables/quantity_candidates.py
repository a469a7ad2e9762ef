"""The regressors that `auto` chooses among."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.tables.candidates import Candidate


def regressors(texts: bool) -> list[Candidate]:
    """Learners of a quantity, those most often chosen first; all names are of one length, and sixteen fit."""
    from assay.tables.candidates import Candidate

    forest, boosting = "random-forest-regressor", "hist-gradient-boosting-regressor"
    slower = {"learning_rate": 0.05, "max_iter": 300, "max_leaf_nodes": 15}
    listed = [
        Candidate("ridge", 4),
        Candidate("decision-tree-regressor", 4, {"min_samples_leaf": 5, "max_leaf_nodes": 64}),
        Candidate(forest, 4, {"n_estimators": 100, "n_jobs": -1}, most_cells=10_000_000),
        Candidate(boosting, 4),
        Candidate(boosting, 4, slower, most_cells=100_000_000),
        Candidate(boosting, 4, {"loss": "absolute_error"}, most_cells=50_000_000),
        Candidate("k-neighbors-regressor", 4, most_rows=100_000, most_cells=20_000_000),
        Candidate("ridge", 4, {"alpha": 100.0}),
    ]
    if texts:
        return listed
    some = {"n_estimators": 100, "n_jobs": -1, "max_features": 0.4}
    smooth = {"kernel": "rbf", "alpha": 0.1}
    return [
        *listed,
        Candidate(forest, 4, some, most_cells=20_000_000),
        Candidate("kernel-ridge", 4, smooth, most_rows=4_000),
        Candidate("kernel-ridge", 4, smooth | {"gamma": 0.02}, most_rows=4_000),
        Candidate("svr", 4, {"C": 10.0}, most_rows=8_000, most_cells=1_000_000),
        Candidate("k-neighbors-regressor", 4, {"weights": "distance"}, most_rows=100_000),
    ]
