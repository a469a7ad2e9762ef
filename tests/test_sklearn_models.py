"""Learners as scikit-learn's, and scikit-learn's as learners: equal predictions; of their fit nothing is promised."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.neural_network
import sklearn.svm
import sklearn.tree
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_regression

import assay
from assay import from_sklearn, load, save
from assay.errors import AssayError, BadParameter
from assay.learners.registry import find_learner, learner_names
from tests.refusals import refuses

ROWS = 160
X, CODES = make_classification(
    2 * ROWS, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0
)
# As trees compare cells: in single precision.
X = X.astype(np.float32).astype(np.float64)
NAMES = np.array(["ant", "bee", "cat"])
THREE, TWO = NAMES[CODES], NAMES[(CODES > 0).astype(int)]
NUMBERS = make_regression(2 * ROWS, 6, noise=5.0, random_state=1)[1] / 50
METHODS = ("predict", "predict_proba", "decision_function", "predict_log_proba")

OURS = [
    assay.DecisionTreeClassifier(max_depth=4),
    assay.DecisionTreeClassifier(max_leaf_nodes=7, criterion="entropy"),
    assay.DecisionTreeRegressor(max_depth=4),
    assay.RandomForestClassifier(7, random_state=0),
    assay.RandomForestRegressor(7, random_state=0),
    assay.HistGradientBoostingClassifier(max_iter=7, random_state=0),
    assay.HistGradientBoostingRegressor(max_iter=7, random_state=0),
    assay.HistGradientBoostingRegressor(loss="absolute_error", max_iter=5, random_state=0),
    assay.AdaBoostClassifier(n_estimators=6),
    assay.AdaBoostClassifier(assay.DecisionTreeClassifier(max_depth=2), n_estimators=4),
    assay.DecisionStump(),
    assay.BaggingClassifier(assay.LogisticRegression(), 4, max_features=0.5, random_state=0),
    assay.BaggingClassifier(n_estimators=4, random_state=0),
    assay.LogisticRegression(),
    assay.LogisticRegression(penalty="l1", C=0.5),
    assay.LinearRegression(),
    assay.Ridge(),
    assay.LinearSVC(),
    assay.HingeLossLP(),
    assay.Perceptron(random_state=0),
    assay.MarginPerceptron(random_state=0),
    assay.OnlineGradientDescent(random_state=0),
    assay.SGDClassifier(loss="log_loss", random_state=0),
    assay.SGDClassifier(average=True, random_state=0),
    assay.SGDRegressor(random_state=0),
    assay.SVC(),
    assay.SVC(kernel="linear", probability=True, random_state=0),
    assay.SVC(kernel="poly", degree=2, decision_function_shape="ovo"),
    assay.SVR(),
    assay.KernelRidge(kernel="rbf"),
    assay.GaussianNB(),
    assay.BernoulliNB(),
    assay.KNeighborsClassifier(3),
    assay.KNeighborsClassifier(4, weights="distance", metric="manhattan"),
    assay.KNeighborsRegressor(3),
    assay.RadiusNeighborsClassifier(4.0),
    assay.RadiusNeighborsRegressor(4.0),
    assay.MLPClassifier((5,), max_iter=20, random_state=0),
]
THEIRS = [
    sklearn.tree.DecisionTreeClassifier(max_depth=4),
    sklearn.tree.DecisionTreeClassifier(max_leaf_nodes=7),
    sklearn.tree.DecisionTreeClassifier(class_weight="balanced", max_depth=3),
    sklearn.tree.DecisionTreeRegressor(max_depth=4),
    sklearn.ensemble.RandomForestClassifier(7, random_state=0),
    sklearn.ensemble.RandomForestRegressor(7, random_state=0),
    sklearn.ensemble.HistGradientBoostingClassifier(max_iter=7),
    sklearn.ensemble.HistGradientBoostingRegressor(max_iter=7),
    sklearn.ensemble.HistGradientBoostingRegressor(max_iter=7, loss="poisson"),
    sklearn.ensemble.AdaBoostClassifier(n_estimators=6, random_state=0),
    sklearn.ensemble.BaggingClassifier(n_estimators=4, max_features=0.5, random_state=0),
    sklearn.ensemble.BaggingClassifier(
        sklearn.linear_model.LogisticRegression(), 4, random_state=0
    ),
    sklearn.linear_model.LogisticRegression(),
    sklearn.linear_model.LinearRegression(),
    sklearn.linear_model.Ridge(),
    sklearn.linear_model.Perceptron(),
    sklearn.linear_model.SGDClassifier(loss="log_loss"),
    sklearn.linear_model.SGDClassifier(average=True),
    sklearn.linear_model.SGDRegressor(),
    sklearn.svm.LinearSVC(),
    sklearn.svm.SVC(),
    sklearn.svm.SVC(kernel="linear", decision_function_shape="ovo"),
    sklearn.svm.SVR(),
    sklearn.kernel_ridge.KernelRidge(kernel="rbf"),
    sklearn.naive_bayes.GaussianNB(),
    sklearn.naive_bayes.BernoulliNB(),
    sklearn.neighbors.KNeighborsClassifier(3),
    sklearn.neighbors.KNeighborsRegressor(3),
    sklearn.neighbors.RadiusNeighborsClassifier(4.0),
    sklearn.neighbors.RadiusNeighborsRegressor(4.0),
    sklearn.neural_network.MLPClassifier((5,), max_iter=20, random_state=0),
]
KINDS = (assay.KNeighborsClassifier, assay.KNeighborsRegressor)
KINDS += (assay.RadiusNeighborsClassifier, assay.RadiusNeighborsRegressor)


def named(models):
    return [pytest.param(model, id=f"{type(model).__name__}-{i}") for i, model in enumerate(models)]


def target_for(model, many=3):
    if not is_classifier(model):
        return np.exp(NUMBERS) if getattr(model, "loss", "") == "poisson" else NUMBERS
    return THREE if many == 3 else TWO


def fitted(model, y, cells=X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(cells[:ROWS], y[:ROWS])


def assert_alike(one, other, cells):
    for method in METHODS:
        if not (hasattr(one, method) and hasattr(other, method)):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine, theirs = getattr(one, method)(cells), getattr(other, method)(cells)
        if "proba" in method and isinstance(one, assay.SVC):
            # LIBSVM couples the probabilities of pairs to 0.005 over the number of classes.
            np.testing.assert_allclose(np.exp(mine), np.exp(theirs), atol=0.02)
        elif mine.dtype.kind in "fc":
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9, err_msg=method)
        else:
            np.testing.assert_array_equal(mine, theirs, err_msg=method)
    assert one.n_features_in_ == other.n_features_in_


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize("model", named(OURS))
def test_the_equal_of_scikit_learn_predicts_the_same(model, many):
    if many == 2 and not is_classifier(model):
        pytest.skip("one target is enough")
    ours = fitted(model, target_for(model, many))
    theirs = ours.to_sklearn()
    assert type(theirs).__module__.startswith("sklearn.")
    assert_alike(ours, theirs, X)
    assert_alike(ours, pickle.loads(pickle.dumps(theirs)), X[ROWS:])
    if is_classifier(model):
        assert theirs.classes_.tolist() == ours.classes_.tolist()


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize("model", named(THEIRS))
def test_the_learner_that_equals_scikit_learns_predicts_the_same(model, many, tmp_path):
    if many == 2 and not is_classifier(model):
        pytest.skip("one target is enough")
    y = target_for(model, many)
    theirs = fitted(model, y)
    ours = from_sklearn(theirs)
    assert type(ours).__name__ == type(theirs).__name__
    assert type(ours).__module__.startswith("assay.")
    assert_alike(ours, theirs, X)
    assert_alike(ours.to_sklearn(), theirs, X)
    save(ours, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert_alike(again, theirs, X)
    assert ours.certificate(X[ROWS:], y[ROWS:]).claims
    if not isinstance(ours, KINDS):
        assert again.guarantees() == ours.guarantees() == []
        assert ours.fitted_by_ == f"scikit-learn {sklearn.__version__}"
    # A fit of its own forgets where it came from.
    if hasattr(ours, "warm_start"):
        ours.set_params(warm_start=False)
    assert not hasattr(fitted(ours, y), "fitted_by_")


def test_names_of_features_go_along():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:ROWS], columns=list("abcdef"))
    ours = assay.DecisionTreeClassifier(max_depth=2).fit(frame, THREE[:ROWS])
    theirs = ours.to_sklearn()
    assert theirs.feature_names_in_.tolist() == list("abcdef")
    assert from_sklearn(theirs).feature_names_in_.tolist() == list("abcdef")
    assert (theirs.predict(frame) == ours.predict(frame)).all()


def test_missing_cells_go_the_same_way():
    cells = X.copy()
    cells[::7, 1] = np.nan
    for kind in ("DecisionTreeClassifier", "HistGradientBoostingClassifier"):
        ours = getattr(assay, kind)(max_depth=4).fit(cells[:ROWS], THREE[:ROWS])
        assert_alike(ours, ours.to_sklearn(), cells)
        module = sklearn.tree if "Tree" in kind else sklearn.ensemble
        theirs = getattr(module, kind)(max_depth=4).fit(cells[:ROWS], THREE[:ROWS])
        assert_alike(from_sklearn(theirs), theirs, cells)


def test_several_columns_of_y():
    y = np.column_stack([THREE, TWO])[:ROWS]
    for kind in (assay.DecisionTreeClassifier, assay.RandomForestClassifier):
        ours = kind(random_state=0).fit(X[:ROWS], y)
        theirs = ours.to_sklearn()
        assert (ours.predict(X) == theirs.predict(X)).all()
        again = from_sklearn(theirs)
        assert (again.predict(X) == ours.predict(X)).all()
        for mine, other in zip(again.predict_proba(X), theirs.predict_proba(X), strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-12)


def test_sparse_rows_stay_sparse():
    cells = sparse.csr_matrix(np.where(np.abs(X) > 0.3, X, 0.0))
    for kind in (assay.SVC, assay.LogisticRegression, assay.KNeighborsClassifier):
        ours = kind().fit(cells[:ROWS], THREE[:ROWS])
        assert_alike(ours, ours.to_sklearn(), cells)
    theirs = sklearn.svm.SVC().fit(cells[:ROWS], THREE[:ROWS])
    assert_alike(from_sklearn(theirs), theirs, cells)


def test_a_kernel_that_was_computed_beforehand():
    gram = X @ X.T
    theirs = sklearn.svm.SVC(kernel="precomputed").fit(gram[:ROWS, :ROWS], THREE[:ROWS])
    assert_alike(from_sklearn(theirs), theirs, gram[:, :ROWS])
    ours = assay.SVC(kernel="precomputed").fit(gram[:ROWS, :ROWS], THREE[:ROWS])
    assert_alike(ours, ours.to_sklearn(), gram[:, :ROWS])


def test_an_online_learner_goes_on_from_weights_and_promises_nothing():
    theirs = sklearn.linear_model.Perceptron().fit(X[:ROWS], TWO[:ROWS])
    ours = from_sklearn(theirs)
    ours.partial_fit(X[ROWS:], TWO[ROWS:])
    again = clone(theirs).set_params(shuffle=False)
    again.partial_fit(X[:1], TWO[:1], classes=theirs.classes_)
    assert ours.guarantees() == []
    assert (ours.coef_ != theirs.coef_).any()


def test_a_stream_says_that_nobody_knows_what_its_learner_was_fitted_to():
    from assay.data.examples import Examples
    from assay.play.stream import Stream

    theirs = fitted(sklearn.linear_model.Perceptron(), TWO)
    for learner, known in ((from_sklearn(theirs), False), (assay.Perceptron(), True)):
        stream = Stream(learner)
        stream.learn(Examples(X[ROWS:], TWO[ROWS:], list("abcdef"), "label", None, 1))
        stream.close()
        document = str(stream.certificate().to_json())
        assert ("fitted by scikit-learn" not in document) == known


def test_what_training_rows_promise_of_a_fit_elsewhere_is_refused():
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2).fit(X[:ROWS], TWO[:ROWS])
    ours = from_sklearn(theirs)
    by = f"scikit-learn {sklearn.__version__}"
    sentence = (
        f"This DecisionTreeClassifier was fitted by {by}, and what its training rows promise depends on how. Fit it "
        "here, or ask for a certificate from a holdout."
    )
    with refuses(sentence):
        ours.training_certificate(X[:ROWS], TWO[:ROWS])
    linear = from_sklearn(fitted(sklearn.linear_model.LogisticRegression(), TWO))
    with pytest.raises(BadParameter, match="was fitted by scikit-learn"):
        linear.training_promises(X[:ROWS], TWO[:ROWS])


def test_a_fit_elsewhere_is_not_gone_on_with():
    theirs = sklearn.ensemble.RandomForestClassifier(3, warm_start=True).fit(X, THREE)
    with pytest.raises(BadParameter, match=r"^warm_start must be False to fit this"):
        from_sklearn(theirs).fit(X, THREE)


def test_refusals():
    with pytest.raises(AssayError, match="has no equal in scikit-learn"):
        assay.KernelPerceptron().fit(X, TWO).to_sklearn()
    with pytest.raises(AssayError, match="is assay's already"):
        from_sklearn(assay.Ridge().fit(X, NUMBERS))
    with pytest.raises(AssayError, match="There is no learner of assay's for a Lasso of sklearn"):
        from_sklearn(sklearn.linear_model.Lasso().fit(X, NUMBERS))
    with pytest.raises(AssayError, match="need all training rows"):
        assay.SVC(kernel="cosine").fit(X, TWO).to_sklearn()
    with pytest.raises(AssayError, match="multi_class='ovo'"):
        assay.SVC(multi_class="ovr").fit(X, THREE).to_sklearn()
    with pytest.raises(AssayError, match="a function cannot stand in a model file"):
        from_sklearn(sklearn.svm.SVC(kernel=lambda A, B: A @ B.T).fit(X, TWO))
    words = np.array([["red"], ["green"], ["blue"], ["red"]] * 5, dtype=object)
    grouped = assay.DecisionTreeClassifier().fit(words, [0, 1, 0, 1] * 5)
    with pytest.raises(AssayError, match="asks for categories"):
        grouped.to_sklearn()
    with pytest.raises(sklearn.exceptions.NotFittedError):
        assay.Ridge().to_sklearn()
    with pytest.raises(sklearn.exceptions.NotFittedError):
        from_sklearn(sklearn.linear_model.Ridge())


def test_every_classifier_and_regressor_has_the_method():
    for name in learner_names():
        learner = find_learner(name)
        assert hasattr(learner, "to_sklearn") == hasattr(learner, "certificate")


def test_trees_are_plotted_and_exported_by_scikit_learn():
    ours = assay.DecisionTreeClassifier(max_depth=2).fit(X, THREE)
    for tree in (ours, ours.to_sklearn()):
        assert "class: bee" in sklearn.tree.export_text(tree)
        assert sklearn.tree.export_graphviz(tree).startswith("digraph")


def test_weights_are_routed_through_pipelines_and_frames_reach_learners():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    weights = np.where(X[:ROWS, 0] > 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scaled = StandardScaler().set_fit_request(sample_weight=False)
        scaled.set_output(transform="pandas")
        for learner in (
            assay.LogisticRegression(),
            assay.DecisionTreeClassifier(max_depth=3),
            assay.BaggingClassifier(assay.GaussianNB(), 3, random_state=0),
            assay.AdaBoostClassifier(n_estimators=3),
            assay.HistGradientBoostingClassifier(max_iter=3),
        ):
            asking = make_pipeline(scaled, clone(learner).set_fit_request(sample_weight=True))
            asking.fit(X[:ROWS], TWO[:ROWS], sample_weight=weights)
            assert list(asking[-1].feature_names_in_) == [f"x{i}" for i in range(6)]
            cells = asking[0].transform(X[:ROWS])
            alone = clone(learner).fit(cells, TWO[:ROWS], sample_weight=weights)
            assert (alone.predict_proba(cells) == asking[-1].predict_proba(cells)).all()
            silent = make_pipeline(scaled, clone(learner))
            with pytest.raises(ValueError, match="sample_weight"):
                silent.fit(X[:ROWS], TWO[:ROWS], sample_weight=weights)
