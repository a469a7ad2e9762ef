"""The k nearest neighbours: scikit-learn's answers on real data, leaving one out, limits, files, refusals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import neighbors
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from assay import KNeighborsClassifier, load, save
from assay.data.synthetic.gaussian_classes import gaussian_classes
from assay.errors import BadData, BadParameter
from assay.theory.generalization.neighbors import cover_hart
from tests.learners.model_files import reopened
from tests.naive.neighbors import cosine, ranked, vote
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"
X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)


def refuses(sentence, error=BadParameter):
    return pytest.raises(error, match=f"^{re.escape(sentence)}$")


def table(name, rows):
    frame = pd.read_parquet(DATA / f"{name}.parquet")
    picked = np.random.default_rng(1).permutation(len(frame))[:rows]
    y = frame.pop("target").to_numpy().astype(str)[picked]
    return frame.to_numpy(dtype=float)[picked], y


def told_apart(distances, k):
    """The examples whose first k neighbours are no matter of ties, which scikit-learn breaks in some way."""
    return (np.diff(distances[:, : k + 1], axis=1) > 1e-7 * (1 + distances[:, 1 : k + 1])).all(
        axis=1
    )


@pytest.mark.parametrize("name", ["vehicle", "satellite", "pima"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_neighbors": 1, "algorithm": "kd_tree"},
        {"n_neighbors": 7, "weights": "distance", "algorithm": "brute"},
        {"p": 1, "weights": lambda d: np.exp(-d)},
        {"metric": "manhattan", "algorithm": "brute"},
        {"metric": "cosine", "n_neighbors": 3},
        {"metric": "mahalanobis", "n_neighbors": 3},
    ],
)
def test_as_scikit_learn_on_real_data(name, parameters):
    rows, labels = table(name, 450)
    learn, judge = slice(0, 350), slice(350, None)
    ours = KNeighborsClassifier(**parameters).fit(rows[learn], labels[learn])
    theirs = dict(parameters) | {"algorithm": "brute"}
    if parameters.get("metric") == "mahalanobis":
        theirs["metric_params"] = {"VI": ours.VI_}
    peer = neighbors.KNeighborsClassifier(**theirs).fit(rows[learn], labels[learn])
    k = ours.n_neighbors
    far, near = ours.kneighbors(rows[judge], k + 1)
    their_far, their_near = peer.kneighbors(rows[judge], k + 1)
    np.testing.assert_allclose(far, their_far, rtol=1e-9, atol=1e-7)
    clear = told_apart(far, k)
    # Cosines of colours differ little; elsewhere nearly all neighbours are told apart.
    assert clear.mean() > (0.2 if parameters.get("metric") == "cosine" else 0.5)
    np.testing.assert_array_equal(near[clear, :k], their_near[clear, :k])
    np.testing.assert_array_equal(
        ours.predict(rows[judge])[clear], peer.predict(rows[judge])[clear]
    )
    np.testing.assert_allclose(
        ours.predict_proba(rows[judge])[clear], peer.predict_proba(rows[judge])[clear], rtol=1e-7
    )


def test_the_vote_is_that_of_the_definition():
    model = KNeighborsClassifier(4).fit(X, Y)
    asked = np.round(X[:30] + RNG.normal(size=(30, 4)), 1)
    for q, label in zip(asked, model.predict(asked), strict=True):
        assert label == vote([Y[r] for _, r in ranked(q, X)[:4]])


def test_ties_go_to_the_row_that_came_first_and_the_class_that_sorts_first():
    rows, labels = [[0.0], [2.0], [0.0], [2.0], [5.0]], ["b", "a", "a", "b", "b"]
    for algorithm in ("kd_tree", "brute"):
        model = KNeighborsClassifier(2, algorithm=algorithm).fit(rows, labels)
        far, near = model.kneighbors([[1.0]], 4)
        assert (far.tolist(), near.tolist()) == ([[1.0] * 4], [[0, 1, 2, 3]])
        assert model.predict([[1.0], [2.0], [0.0]]).tolist() == ["a", "a", "a"]


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_leaving_one_out_is_fitting_anew(algorithm):
    rows = np.round(X, 0)  # many of them the same
    model = KNeighborsClassifier(3, algorithm=algorithm).fit(rows, Y)
    anew = cross_val_predict(KNeighborsClassifier(3), rows, Y, cv=LeaveOneOut())
    np.testing.assert_array_equal(model.predict(None), anew)
    assert model.score(None, Y) == (anew == Y).mean()
    far, near = model.kneighbors()
    assert near.shape == (150, 3)
    assert (near != np.arange(150)[:, None]).all()
    assert (far[:, 0] == 0).mean() > 0.5


def test_graphs():
    model = KNeighborsClassifier(3).fit(X, Y)
    peer = neighbors.KNeighborsClassifier(3, algorithm="brute").fit(X, Y)
    for asked, mode in (
        (X[:9] + 0.01, "connectivity"),
        (X[:9] + 0.01, "distance"),
        (None, "distance"),
    ):
        ours, theirs = (m.kneighbors_graph(asked, mode=mode) for m in (model, peer))
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(
            np.sort(ours.toarray(), axis=1), np.sort(theirs.toarray(), axis=1), atol=1e-7
        )
    with refuses("mode must be 'connectivity' or 'distance', but is 'both'."):
        model.kneighbors_graph(X, mode="both")


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_are_the_dense_ones(metric):
    rows = np.round(np.maximum(RNG.normal(size=(120, 9)), 0), 1)
    labels = RNG.integers(0, 3, 120)
    thick = KNeighborsClassifier(metric=metric).fit(rows, labels)
    thin = KNeighborsClassifier(metric=metric).fit(sparse.csr_matrix(rows), labels)
    assert thin.algorithm_ == "brute"
    asked = np.round(np.maximum(RNG.normal(size=(30, 9)), 0), 1)
    for model in (thick, thin):
        for form in (np.asarray, sparse.csr_matrix, sparse.csc_matrix):
            far, near = model.kneighbors(form(asked))
            assert far.tobytes() == thick.kneighbors(asked)[0].tobytes()
            np.testing.assert_array_equal(near, thick.kneighbors(asked)[1])
    np.testing.assert_array_equal(thick.predict(None), thin.predict(None))


def test_cosines_of_rows_without_a_direction():
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 3.0], [2.0, 2.0], [0.0, 0.0]])
    asked = np.array([[1.0, 0.1], [0.0, 0.0], [-1.0, 0.0]])
    for form in (np.asarray, sparse.csr_matrix):
        model = KNeighborsClassifier(2, metric="cosine").fit(form(rows), [0, 0, 1, 1, 1])
        far, near = model.kneighbors(form(asked), 5)
        for i, q in enumerate(asked):
            truth = [cosine(q, rows[r]) for r in near[i]]
            np.testing.assert_allclose(far[i], truth, atol=1e-15)
        assert near[1].tolist() == [0, 1, 2, 3, 4]
        assert far[1].tolist() == [1.0] * 5


def test_a_tree_cannot_hold_sparse_rows():
    with pytest.warns(UserWarning, match="A kd-tree needs dense rows"):
        model = KNeighborsClassifier(algorithm="kd_tree").fit(sparse.csr_matrix(X), Y)
    assert model.algorithm_ == "brute"
    sentence = (
        "The Mahalanobis distance mixes all features, so sparse rows are not supported. Make them dense, or "
        "choose another metric."
    )
    with refuses(sentence, BadData):
        KNeighborsClassifier(metric="mahalanobis").fit(sparse.csr_matrix(X), Y)


def test_refitting_with_another_metric_forgets_the_matrix():
    model = KNeighborsClassifier(metric="mahalanobis").fit(X, Y)
    assert model.VI_.shape == (4, 4)
    assert not hasattr(model.set_params(metric="l1").fit(X, Y), "VI_")


def test_the_examples_are_kept_as_they_were():
    rows = X.copy()
    model = KNeighborsClassifier(1).fit(rows, Y)
    rows[:] = 0.0
    np.testing.assert_array_equal(model.predict(X), Y)


def test_twice_the_bayes_error_in_the_limit():
    """The nearest neighbour comes near the limit of Cover and Hart, and never below the best rule."""
    data = gaussian_classes(20_000, 2, bayes_error=0.1, random_state=1)
    fresh = gaussian_classes(20_000, 2, bayes_error=0.1, random_state=1).sample(20_000, 5)
    model = KNeighborsClassifier(1).fit(data.X, data.y)
    promise, consistent, _ = model.guarantees(bayes_error=0.1)
    assert promise.value == cover_hart(0.1) == pytest.approx(0.18)
    assert (promise.observed, promise.holds) == (None, None)
    assert (consistent.promised, consistent.theorem) == (None, "knn-consistency")
    error = float((model.predict(fresh[0]) != fresh[1]).mean())
    best = float((data.bayes_rule(fresh[0]) != fresh[1]).mean())
    assert best == pytest.approx(0.1, abs=0.01)
    assert best < error < promise.value
    assert error > 0.13
    many = KNeighborsClassifier(201).fit(data.X, data.y)
    assert float((many.predict(fresh[0]) != fresh[1]).mean()) < best + 0.01


def test_no_promise_without_an_odd_number_or_with_unequal_votes():
    flags = [
        KNeighborsClassifier(k, weights=weights)
        .fit(X[:100], Y[:100])
        .guarantees(bayes_error=0.1)[0]
        .applies
        for k, weights in ((1, "distance"), (3, "uniform"), (3, "distance"), (2, "uniform"))
    ]
    assert flags == [True, True, False, False]
    assert not KNeighborsClassifier(3).fit(X, Y).guarantees(bayes_error=0.1)[0].applies


def test_what_leaving_one_out_promises():
    model = KNeighborsClassifier(5).fit(X, Y)
    promise = model.guarantees(delta=0.2)[2]
    wrong = int((model.predict(None) != Y).sum())
    assert promise.inputs == {
        "errors": wrong,
        "rows": 150,
        "neighbors": 5,
        "delta": "0.2",
        "vote": "any",
    }
    assert promise.holds
    assert float(promise.observed) == pytest.approx(wrong / 150)
    assert [a.status for a in promise.assumptions] == [
        "assumed",
        "declared",
        "by construction",
        "by construction",
    ]
    two = KNeighborsClassifier(5).fit(X[:100], Y[:100]).guarantees()[2]
    assert two.inputs["vote"] == "majority"
    learned = KNeighborsClassifier(5, metric="mahalanobis").fit(X, Y).guarantees()[2]
    assert not learned.applies
    assert learned.promised is None
    given = KNeighborsClassifier(5, metric="mahalanobis", metric_params={"V": np.eye(4)})
    assert given.fit(X, Y).guarantees()[2].applies
    assert len(KNeighborsClassifier(3).fit(X[49:52], Y[49:52]).guarantees()) == 2


def test_a_matrix_named_afterwards_does_not_make_a_promise():
    model = KNeighborsClassifier(5, metric="mahalanobis").fit(X, Y)
    model.set_params(metric_params={"VI": np.eye(4)})
    limit, consistent, promise = model.guarantees(bayes_error=0.1)
    assert [p.applies for p in (limit, consistent, promise)] == [False] * 3
    assert all(p.applies for p in model.fit(X[:100], Y[:100]).guarantees(bayes_error=0.1)[1:])


def test_a_limit_that_cosines_do_not_reach():
    """The label is the length of a row, so the Bayes error is zero, and cosines see nothing of it."""
    rows = RNG.uniform(0.1, 1.0, (400, 1))
    labels = (rows[:, 0] > 0.5).astype(int)
    model = KNeighborsClassifier(1, metric="cosine").fit(rows, labels)
    assert model.score(None, labels) < 0.7
    limit, consistent, _ = model.guarantees(bayes_error=0.0)
    assert (limit.promised, consistent.applies) == (None, False)
    # As it would be promised without a look at the distance.
    assert KNeighborsClassifier(1).fit(rows, labels).guarantees(bayes_error=0.0)[0].promised == 0
    weighted = KNeighborsClassifier(3, weights=lambda d: (d == d.min(axis=1)[:, None]) + 0.0)
    assert not weighted.fit(rows, labels).guarantees()[1].applies  # is the nearest one for ever


def test_a_holdout_certifies_it():
    order = RNG.permutation(150)
    model = KNeighborsClassifier().fit(X[order[:75]], Y[order[:75]])
    claim = model.certificate(X[order[75:]], Y[order[75:]], delta=0.05).claims[0]
    wrong = int((model.predict(X[order[75:]]) != Y[order[75:]]).sum())
    assert float(claim.observed) == pytest.approx(wrong / 75)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"metric": "mahalanobis"},
        {"metric": "mahalanobis", "metric_params": {"VI": np.eye(4)}},
        {"metric": "cosine", "algorithm": "kd_tree", "weights": "distance"},
    ],
)
def test_files(parameters, tmp_path):
    model = KNeighborsClassifier(3, **parameters).fit(X.astype(np.float32), Y)
    save(model, tmp_path / "a")
    again = load(tmp_path / "a")
    asked = X[::7] + 0.03
    assert again.kneighbors(asked)[0].tobytes() == model.kneighbors(asked)[0].tobytes()
    np.testing.assert_array_equal(again.predict_proba(asked), model.predict_proba(asked))
    assert again.algorithm_ == model.algorithm_
    assert again.guarantees() == model.guarantees()


def test_sparse_rows_in_a_file(tmp_path):
    model = KNeighborsClassifier(metric="cosine").fit(sparse.csr_matrix(X), Y)
    save(model, tmp_path / "a")
    np.testing.assert_array_equal(load(tmp_path / "a").predict(X), model.predict(X))


def test_a_function_is_not_put_into_a_file(tmp_path):
    model = KNeighborsClassifier(weights=np.exp).fit(X, Y)
    with pytest.raises(BadParameter, match=r"^This k-neighbors-classifier cannot be saved: "):
        save(model, tmp_path / "a")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda m: setattr(m, "X_fit_", m.X_fit_[:, :3].copy()), "is of another kind or size"),
        (lambda m: setattr(m, "codes_", m.codes_[:-1].copy()), "is of another kind or size"),
        (lambda m: setattr(m, "codes_", m.codes_ + 1), "is of another kind or size"),
        # It would ask for more memory than there is.
        (lambda m: m.codes_.__setitem__(0, 2**60), "is of another kind or size"),
        (lambda m: delattr(m, "codes_"), "it has no codes_"),
        (lambda m: delattr(m, "algorithm_"), "it has no algorithm_"),
        (lambda m: setattr(m, "VI_", np.eye(4)), "matrix does not fit its metric"),
        (lambda m: setattr(m, "X_fit_", m.X_fit_ * 1e160), "could overflow"),
        (lambda m: setattr(m, "leaf_size", 0), "leaf_size must be"),
        (lambda m: setattr(m, "n_neighbors", 0), "n_neighbors must be"),
    ],
)
def test_parts_that_do_not_belong_together(change, problem):
    model = KNeighborsClassifier().fit(X, Y)
    change(model)
    with pytest.raises(ValueError, match=problem):
        reopened(model)


def test_a_matrix_that_does_not_belong():
    for VI in (np.eye(3), np.triu(np.ones((4, 4))), -np.eye(4)):
        model = KNeighborsClassifier(metric="mahalanobis").fit(X, Y)
        model.VI_ = VI
        with pytest.raises(ValueError, match=r"matrix|VI_"):
            reopened(model)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1, but is 0."),
        ({"n_neighbors": 2.0}, "n_neighbors must be a whole number of at least 1, but is 2.0."),
        (
            {"weights": "close"},
            "weights must be 'uniform', 'distance', None or a function, but is 'close'.",
        ),
        (
            {"algorithm": "cover_tree"},
            "algorithm must be 'auto', 'kd_tree', 'ball_tree' or 'brute', but is 'cover_tree'.",
        ),
        ({"leaf_size": True}, "leaf_size must be a whole number of at least 1, but is True."),
        ({"n_jobs": 0}, "n_jobs must be None, a count, or -1 for all processors, but is 0."),
    ],
)
def test_refusals(parameters, sentence):
    with refuses(sentence):
        KNeighborsClassifier(**parameters).fit(X, Y)


def test_too_many_neighbours():
    model = KNeighborsClassifier().fit(X[48:53], Y[48:53])
    assert model.predict(X[:2]).shape == (2,)
    with refuses("n_neighbors must be at most the number of rows, 5, but is 6."):
        model.kneighbors(X, 6)
    with refuses(
        "n_neighbors must be at most the number of other rows, 4, but is 5. An example is not its own neighbour."
    ):
        model.predict(None)
    with refuses("n_neighbors must be a whole number of at least 1, but is 0."):
        model.kneighbors(X, 0)
    with pytest.raises(NotFittedError):
        KNeighborsClassifier().predict(X)
    with pytest.raises(NotFittedError):
        KNeighborsClassifier().guarantees()


def test_checks_of_scikit_learn():
    assert_checks_pass_but_those_named(KNeighborsClassifier())


@pytest.mark.parametrize("parameters", [{"p": 0.5}, {"metric_params": {"p": 0.5}}])
def test_a_power_below_one_is_no_norm_however_it_is_given_or_changed_later(parameters):
    X = np.random.default_rng(0).normal(size=(40, 2))
    near = KNeighborsClassifier(3, metric="minkowski", **parameters).fit(X, X[:, 0] > 0)
    before = near.guarantees()
    assert [g.applies for g in before[:2]] == [False, False]
    assert near.set_params(p=3, metric_params=None, metric="euclidean").guarantees() == before


@pytest.mark.parametrize("include_self", [True, False])
def test_scikit_learns_graphs_take_a_fitted_model(include_self):
    how = {"mode": "distance", "include_self": include_self}
    rows = X + 0.01 * RNG.normal(size=X.shape)  # no ties
    ours = neighbors.kneighbors_graph(KNeighborsClassifier().fit(rows, Y), 3, **how)
    peer = neighbors.KNeighborsClassifier().fit(rows, Y)
    theirs = neighbors.kneighbors_graph(peer, 3, **how)
    assert (ours.indices == theirs.indices).all()
    assert np.allclose(ours.data, theirs.data, rtol=1e-12)
