"""What forests share: bags of parts, bins from parts, and files that somebody changed."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from assay import RandomForestClassifier, RandomForestRegressor, load, save
from assay.errors import BadData
from tests.learners.forgeries import by_chance, every_method, forge, refusals_are_fine
from tests.learners.model_files import rewritten

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (40, 6)).astype(float)
Y = np.where(X[:, 0] + X[:, 1] > RNG.random(40), "yes", "no")
MODELS = {
    "classes": RandomForestClassifier(20, random_state=0, oob_score=True).fit(X, Y),
    "numbers": RandomForestRegressor(20, random_state=0, oob_score=True).fit(X, X @ range(6)),
}


@pytest.mark.parametrize(
    ("most", "draws"), [(None, 40), (0.5, 20), (7, 7), (1.0, 40), (1.5, 60), (99, 99)]
)
def test_how_many_rows_are_drawn(most, draws):
    model = RandomForestClassifier(3, max_samples=most, random_state=0).fit(X, Y)
    assert model.draws_ == draws
    assert all(len(rows) == draws for rows in model.estimators_samples_)
    assert all(
        tree.weight[0] == draws and tree.rows[0] == len(set(rows.tolist()))
        for tree, rows in zip(model.trees_, model.estimators_samples_, strict=True)
    )


def test_rows_that_make_bins():
    model = RandomForestClassifier(max_bins=8)
    model.seed_ = 4
    assert len(model._bin_rows(2048)) == 2048
    for rows, many in ((2049, 2048), (20_000, 5000), (10**6, 65_536)):
        chosen = model._bin_rows(rows)
        assert len(chosen) == len(set(chosen.tolist())) == many
        assert (chosen == model._bin_rows(rows)).all()
    model.max_bins = None
    assert not len(model._bin_rows(20_000))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_predictions_change_nothing_and_pickles_predict_the_same(model):
    again, names = pickle.loads(pickle.dumps(model)), set(vars(model))
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert set(vars(again)) == set(vars(model)) == names


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_sealed_forgery_is_refused_or_works(model, tmp_path):
    chance, refused = random.Random(3), 0
    save(model, tmp_path / "whole.assay")
    whole = (tmp_path / "whole.assay").read_bytes()
    path = tmp_path / "forged.assay"
    for kinds in by_chance(chance, 60):
        forge(whole, path, kinds, chance)
        try:
            forged = load(path)
        except BadData:
            refused += 1
            continue
        for use in every_method(forged, tmp_path):
            with refusals_are_fine():
                use()
    assert refused > 40


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("classes_", "it has no classes_"),
        ("draws_", "it has no draws_"),
        ("seed_", "it has no seed_"),
        ("n_features_in_", "has no attribute 'n_features_in_'"),
    ],
)
def test_what_is_missing_is_named(name, why, tmp_path):
    save(MODELS["classes"], tmp_path / "a.assay")
    path = rewritten(tmp_path / "a.assay", lambda manifest: manifest["learned"].pop(name))
    with pytest.raises(BadData, match=why):
        load(path)
