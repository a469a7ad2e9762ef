"""The parameters of gradient boosting, one by one, against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss, mean_pinball_loss
from threadpoolctl import threadpool_limits

from assay import HistGradientBoostingClassifier, HistGradientBoostingRegressor, load, save
from assay.errors import BadData
from tests.refusals import refuses


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def table(rows=400, seed=0, columns=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).round(1)
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=rows)


def both(kind="Regressor", **parameters):
    ours = {
        "Regressor": HistGradientBoostingRegressor,
        "Classifier": HistGradientBoostingClassifier,
    }
    return ours[kind](**parameters), getattr(ensemble, f"HistGradientBoosting{kind}")(**parameters)


def features_by_way(model):
    """The features asked for on each way down, of every tree, from the arrays a model file holds."""
    parts, ways = model.trees_, []
    for tree in range(len(parts["starts"]) - 1):
        first, many = int(parts["starts"][tree]) - tree, int(np.diff(parts["starts"])[tree]) - 1
        stack = [(0, frozenset())] if many else []
        while stack:
            node, above = stack.pop()
            asked = above | {int(parts["feature"][first + node])}
            for side in ("left", "right"):
                child = int(parts[side][first + node])
                stack += [(child, asked)] if child >= 0 else []
                ways += [] if child >= 0 else [asked]
    return ways


class TestInteractions:
    @pytest.mark.parametrize(
        ("given", "sets"),
        [
            ([{0, 1}], [{0, 1}, {2, 3, 4}]),
            ([[0, 1, 2], (2, 3)], [{0, 1, 2}, {2, 3}, {4}]),
            ("no_interactions", [{i} for i in range(5)]),
            ("pairwise", [{i, j} for i in range(5) for j in range(5)]),
        ],
    )
    def test_features_of_one_way_down_share_a_set(self, given, sets):
        X, y = table()
        free = features_by_way(HistGradientBoostingRegressor(max_iter=10).fit(X, y))
        ways = features_by_way(
            HistGradientBoostingRegressor(max_iter=10, interaction_cst=given).fit(X, y)
        )
        assert all(any(way <= one for one in sets) for way in ways)
        assert not all(any(way <= one for one in sets) for way in free)

    def test_as_in_scikit_learn(self):
        X, y = table()
        ours, theirs = both(
            max_iter=1, learning_rate=1.0, max_leaf_nodes=8, interaction_cst=[[0, 1]]
        )
        np.testing.assert_allclose(
            ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X), atol=1e-6
        )

    def test_with_features_drawn_and_threads(self):
        X, y = table(5000)
        settings = {
            "max_iter": 4,
            "max_features": 0.5,
            "interaction_cst": [{0, 1, 2}],
            "random_state": 1,
        }
        one, two = (HistGradientBoostingRegressor(n_jobs=k, **settings).fit(X, y) for k in (1, 2))
        assert one.predict(X).tobytes() == two.predict(X).tobytes()
        assert all(way <= {0, 1, 2} or way <= {3, 4} for way in features_by_way(one))

    @pytest.mark.parametrize("given", ["all", [{5}], [0], {0, 1}, [["x"]]])
    def test_refusals(self, given):
        must = "None, 'pairwise', 'no_interactions', or a list of sets of places from 0 to 4"
        with refuses(f"interaction_cst must be {must}, but is {given!r}."):
            HistGradientBoostingRegressor(interaction_cst=given).fit(*table())


class TestEarlyStopping:
    def test_by_the_sample_itself_as_in_scikit_learn(self):
        X, y = table()
        settings = {"early_stopping": True, "validation_fraction": None, "n_iter_no_change": 2}
        ours, theirs = both(tol=0.02, learning_rate=0.5, **settings)
        ours.fit(X, y), theirs.fit(X, y)
        assert abs(ours.n_iter_ - theirs.n_iter_) <= 1
        assert ours.n_iter_ < 100
        np.testing.assert_allclose(ours.train_score_[:4], theirs.train_score_[:4], rtol=0.02)
        assert len(ours.validation_score_) == 0
        assert ours.do_early_stopping_

    @pytest.mark.parametrize("scoring", ["loss", None, "r2", "neg_mean_absolute_error"])
    @pytest.mark.parametrize("fraction", [0.2, 80, None])
    def test_scoring(self, scoring, fraction):
        X, y = table()
        settings = {"early_stopping": True, "validation_fraction": fraction, "scoring": scoring}
        ours, theirs = both(n_iter_no_change=3, learning_rate=0.3, random_state=0, **settings)
        ours.fit(X, y), theirs.fit(X, y)
        assert len(ours.train_score_) == ours.n_iter_ + 1
        assert len(ours.validation_score_) == (0 if fraction is None else ours.n_iter_ + 1)
        # The same rows start from the same constant.
        assert ours.train_score_[0] == pytest.approx(theirs.train_score_[0], abs=0.05)
        assert max(ours.train_score_) == pytest.approx(max(theirs.train_score_), abs=0.1)

    def test_the_last_scores_are_those_of_the_predictions(self):
        X, y = table()
        label = np.where(y > 0.5, "yes", "no")
        model = HistGradientBoostingClassifier(
            early_stopping=True, scoring="accuracy", max_iter=20, random_state=0
        )
        model.fit(X[:300], label[:300], X_val=X[300:], y_val=label[300:])
        assert model.rows_ == 300
        stages = [accuracy_score(label[300:], said) for said in model.staged_predict(X[300:])]
        assert model.validation_score_[1:].tolist() == stages
        assert model.train_score_[-1] == model.score(X[:300], label[:300])

    def test_a_scorer_of_ones_own(self):
        X, y = table()
        asked = []

        def scorer(model, rows, truth, sample_weight=None):
            asked.append(len(truth))
            some = model.predict(rows[:5])  # not all rows: no scores are at hand
            assert np.array_equal(some, model.predict(rows)[:5])
            return -float(np.mean((some - truth[:5]) ** 2))

        settings = {"early_stopping": True, "scoring": scorer, "max_iter": 5, "random_state": 0}
        model = HistGradientBoostingRegressor(validation_fraction=0.25, **settings).fit(X, y)
        assert set(asked) == {300, 100}
        assert len(model.validation_score_) == 6
        weighted = HistGradientBoostingRegressor(**settings).fit(X, y, np.ones(400))
        assert weighted.n_iter_ == 5

    @pytest.mark.parametrize("scoring", ["goodness", 3])
    def test_scores_that_are_none(self, scoring):
        must = "'loss', None, the name of a score of scikit-learn, or a function of model, X and y"
        with refuses(f"scoring must be {must}, but is {scoring!r}."):
            HistGradientBoostingRegressor(scoring=scoring).fit(*table())

    def test_auto_stops_from_10_001_rows_on(self):
        X, y = table(10_001)
        settings = {"max_iter": 2, "max_leaf_nodes": 3}
        assert HistGradientBoostingRegressor(**settings).fit(X, y).do_early_stopping_
        assert not HistGradientBoostingRegressor(**settings).fit(X[1:], y[1:]).do_early_stopping_


class TestRowsThatSayWhenToStop:
    def test_as_in_scikit_learn(self):
        X, y = table(600)
        weights = np.random.default_rng(0).exponential(size=200)
        more = {"X_val": X[400:], "y_val": y[400:], "sample_weight_val": weights}
        ours, theirs = both(learning_rate=0.5, early_stopping=True, max_leaf_nodes=6)
        ours.fit(X[:400], y[:400], **more), theirs.fit(X[:400], y[:400], **more)
        assert ours.do_early_stopping_
        np.testing.assert_allclose(
            ours.validation_score_[:4], theirs.validation_score_[:4], rtol=0.05
        )
        assert ours.rows_ == 400

    def test_frames_with_categories(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"a": rng.choice(["x", "y", "z"], 300), "b": rng.normal(size=300)})
        y = (frame["a"] == "x").to_numpy()
        model = HistGradientBoostingClassifier(max_iter=30, n_iter_no_change=2)
        model.fit(frame[:200], y[:200], X_val=frame[200:], y_val=y[200:])
        assert model.score(frame, y) == 1.0

    def test_refusals(self):
        X, y = table()
        model = HistGradientBoostingRegressor(max_iter=2)
        with refuses("y_val must be given where X_val is, but is None."):
            model.fit(X, y, X_val=X)
        with refuses("X_val must be given where y_val is, but is None."):
            model.fit(X, y, y_val=y)
        with refuses(
            "early_stopping must be 'auto' or True where X_val says when to stop, but is False."
        ):
            clone(model).set_params(early_stopping=False).fit(X, y, X_val=X, y_val=y)
        with pytest.raises(BadData, match="which is none of the classes"):
            HistGradientBoostingClassifier().fit(X, y > 0, X_val=X, y_val=np.full(400, 7))


class TestTheRest:
    @pytest.mark.parametrize("chosen", [[0], ["colour"], [True, False], "from_dtype"])
    def test_categories_by_place_name_mask_and_type(self, chosen):
        rng = np.random.default_rng(1)
        codes = rng.integers(0, 8, 500)
        frame = pd.DataFrame({"colour": codes, "x": rng.normal(size=500)})
        if chosen == "from_dtype":
            frame["colour"] = pd.Categorical(codes)
        y = np.array([0, 3, 1, 9, 2, 7, 5, 4.0])[codes]
        ours, theirs = both(max_iter=1, learning_rate=1.0, categorical_features=chosen)
        np.testing.assert_allclose(
            ours.fit(frame, y).predict(frame), theirs.fit(frame, y).predict(frame), atol=1e-3
        )
        assert ours.is_categorical_.tolist() == [True, False]

    @pytest.mark.parametrize("given", [[1, 0, -1], {"a": 1, "c": -1}])
    def test_monotone_by_list_and_by_name(self, given):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(500, 3)), columns=["a", "b", "c"])
        y = np.sin(2 * frame["a"]) + frame["b"] - np.cos(frame["c"])
        model = HistGradientBoostingRegressor(monotonic_cst=given, max_iter=30).fit(frame, y)
        for name, sign in (("a", 1), ("c", -1)):
            grid = pd.DataFrame(np.repeat(frame[:10].to_numpy(), 40, axis=0), columns=frame.columns)
            grid[name] = np.tile(np.linspace(-3, 3, 40), 10)
            steps = np.diff(model.predict(grid).reshape(10, 40), axis=1)
            assert (sign * steps >= 0).all()

    def test_weights_of_rows_and_of_classes(self):
        X, y = table(600)
        label = np.digitize(y, [0.0, 1.5])
        weights = np.random.default_rng(0).exponential(size=600)
        for more in ({"class_weight": "balanced"}, {"class_weight": {0: 1, 1: 5, 2: 0.5}}, {}):
            ours, theirs = both("Classifier", max_iter=30, **more)
            a = ours.fit(X[:400], label[:400], weights[:400]).predict_proba(X[400:])
            b = theirs.fit(X[:400], label[:400], weights[:400]).predict_proba(X[400:])
            assert log_loss(label[400:], a) < log_loss(label[400:], b) + 0.06
            assert np.abs(a - b).mean() < 0.06

    def test_features_are_drawn_as_many_as_in_scikit_learn(self):
        # A share of 0.3 of five features is two: one that says nothing is asked for where the other is drawn with it.
        X, _ = table()
        settings = {"max_iter": 60, "max_leaf_nodes": 2, "max_features": 0.3, "random_state": 0}
        model = HistGradientBoostingRegressor(**settings).fit(X, 5 * X[:, 0])
        shares = np.bincount(model.trees_["feature"], minlength=5) / 60
        assert 0.2 < shares[0] < 0.6

    @pytest.mark.parametrize(
        "loss", ["squared_error", "absolute_error", "quantile", "poisson", "gamma"]
    )
    def test_losses_within_noise_over_seeds(self, loss):
        gaps, costs = [], []
        extra = {"quantile": 0.7} if loss == "quantile" else {}
        for seed in range(8):
            X, y = table(700, seed)
            y = y if loss in ("squared_error", "absolute_error", "quantile") else np.exp(y) + 0.1
            ours, theirs = both(loss=loss, max_iter=30, **extra)
            a, b = (
                _cost(loss, y[400:], m.fit(X[:400], y[:400]).predict(X[400:]))
                for m in (ours, theirs)
            )
            gaps.append(a - b)
            costs.append(b)
        error = np.std(gaps, ddof=1) / 8**0.5
        assert np.mean(gaps) < 3 * error + 0.005 * abs(np.mean(costs))

    @pytest.mark.parametrize("classes", [2, 4])
    def test_classes_within_noise_over_seeds(self, classes):
        gaps = []
        for seed in range(8):
            X, y = table(900, seed)
            label = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
            ours, theirs = both("Classifier", max_iter=30)
            a, b = (
                log_loss(label[600:], m.fit(X[:600], label[:600]).predict_proba(X[600:]))
                for m in (ours, theirs)
            )
            gaps.append(a - b)
        assert np.mean(gaps) < 3 * np.std(gaps, ddof=1) / 8**0.5 + 0.005

    def test_saved_and_loaded(self, tmp_path):
        X, y = table()
        model = HistGradientBoostingClassifier(
            early_stopping=True, scoring="accuracy", interaction_cst=[[0, 1]], max_iter=9
        ).fit(X, np.digitize(y, [0.0, 1.0]))
        save(model, tmp_path / "m.assay")
        again = load(tmp_path / "m.assay")
        assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert again.validation_score_.tolist() == model.validation_score_.tolist()
        assert again.train_score_.tolist() == model.train_score_.tolist()
        assert again.get_params() == model.get_params()
        assert clone(model).get_params() == model.get_params()


def _cost(loss, y, f):
    if loss == "quantile":
        return mean_pinball_loss(y, f, alpha=0.7)
    costs = {
        "squared_error": lambda: (y - f) ** 2 / 2,
        "absolute_error": lambda: np.abs(y - f),
        "poisson": lambda: f - y * np.log(f),
        "gamma": lambda: np.log(f) + y / f,
    }
    return float(np.mean(costs[loss]()))
