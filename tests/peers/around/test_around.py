"""The tools around scikit-learn with assay's learners; each is skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import train_test_split

import assay

X, Y = make_classification(400, 6, n_informative=6, n_redundant=0, random_state=0)
X = X.astype(np.float32).astype(np.float64)
NUMBERS = make_regression(400, 6, noise=5.0, random_state=1)[1] / 50
X_TRAIN, X_TEST, Y_TRAIN, Y_TEST, N_TRAIN, N_TEST = train_test_split(X, Y, NUMBERS, random_state=0)
pytestmark = pytest.mark.filterwarnings("ignore")

CLASSIFIERS = [
    assay.DecisionTreeClassifier(max_depth=4),
    assay.RandomForestClassifier(8, max_depth=5, random_state=0),
    assay.HistGradientBoostingClassifier(max_iter=8),
    assay.AdaBoostClassifier(n_estimators=6),
    assay.BaggingClassifier(n_estimators=4, random_state=0),
    assay.LogisticRegression(),
    assay.LinearSVC(),
    assay.Perceptron(random_state=0),
    assay.SGDClassifier(loss="log_loss", random_state=0),
    assay.SVC(),
    assay.GaussianNB(),
    assay.BernoulliNB(),
    assay.KNeighborsClassifier(3),
    assay.MLPClassifier((5,), max_iter=30, random_state=0),
]
REGRESSORS = [
    assay.DecisionTreeRegressor(max_depth=4),
    assay.RandomForestRegressor(8, max_depth=5, random_state=0),
    assay.HistGradientBoostingRegressor(max_iter=8),
    assay.LinearRegression(),
    assay.Ridge(),
    assay.SGDRegressor(random_state=0),
    assay.SVR(),
    assay.KNeighborsRegressor(3),
]
EVERY = [*CLASSIFIERS, *REGRESSORS]


def named(models):
    return [pytest.param(model, id=type(model).__name__) for model in models]


def fitted(model):
    y = Y_TRAIN if is_classifier(model) else N_TRAIN
    return clone(model).fit(X_TRAIN, y)


# ONNX


@pytest.mark.parametrize("model", named(EVERY))
def test_onnx_predicts_the_same(model):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    from assay.onnx import to_onnx

    ours = fitted(model)
    made = to_onnx(ours)
    session = runtime.InferenceSession(made.content, providers=["CPUExecutionProvider"])
    [given] = session.get_inputs()
    answer = session.run(None, {given.name: X_TEST.astype(np.float32)})[0].ravel()
    expected = ours.predict(X_TEST)
    if is_classifier(model):
        assert (answer == expected).mean() > 0.98
    else:
        np.testing.assert_allclose(answer, expected, rtol=1e-3, atol=1e-3)
    assert (made.rows, len(made.features)) == (1000, 6)


def test_onnx_of_another_model_is_refused():
    pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    from assay import onnx
    from assay.errors import BadParameter

    one = fitted(CLASSIFIERS[0])
    other = assay.DecisionTreeClassifier(max_depth=1).fit(X_TRAIN, Y_TRAIN)
    with pytest.raises(BadParameter, match="predicts another label on"):
        onnx.compared(one, onnx.to_onnx(other).content, onnx.probes(one))
    numbers = [fitted(assay.Ridge()), fitted(assay.LinearRegression())]
    numbers[0].coef_ = numbers[0].coef_ * 2
    with pytest.raises(BadParameter, match="gives numbers that are off by up to"):
        onnx.compared(numbers[0], onnx.to_onnx(numbers[1]).content, onnx.probes(numbers[0]))


def test_what_has_no_onnx_is_refused():
    pytest.importorskip("skl2onnx")
    from assay.errors import BadParameter
    from assay.onnx import to_onnx

    with pytest.raises(BadParameter, match="has no equal in scikit-learn"):
        to_onnx(assay.KernelPerceptron().fit(X, Y))
    with pytest.raises(BadParameter, match=r"^skl2onnx cannot convert this kernel-ridge: "):
        to_onnx(assay.KernelRidge().fit(X, NUMBERS))


# Explanations and drawings


@pytest.mark.parametrize("model", named(EVERY[:3] + REGRESSORS[:3]))
def test_shap_explains_trees(model):
    shap = pytest.importorskip("shap")
    ours = fitted(model)
    theirs = ours.to_sklearn()
    explainer = shap.TreeExplainer(theirs)
    values = np.asarray(explainer.shap_values(X_TEST[:20]))
    base = np.ravel(explainer.expected_value)
    if "HistGradient" in type(model).__name__:
        scores = ours.decision_function if is_classifier(model) else ours.predict
        np.testing.assert_allclose(values.sum(axis=1) + base[0], scores(X_TEST[:20]), atol=1e-5)
    elif is_classifier(model):
        shares = values.sum(axis=1) + base
        np.testing.assert_allclose(shares, ours.predict_proba(X_TEST[:20]), atol=1e-5)
    else:
        np.testing.assert_allclose(
            values.sum(axis=1) + base[0], ours.predict(X_TEST[:20]), atol=1e-5
        )


def test_shap_asks_any_learner():
    shap = pytest.importorskip("shap")
    ours = fitted(assay.LogisticRegression())
    explained = shap.Explainer(lambda rows: ours.predict_proba(rows)[:, 1], X_TRAIN[:50])(
        X_TEST[:5]
    )
    total = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(total, ours.predict_proba(X_TEST[:5])[:, 1], atol=1e-6)
    linear = shap.LinearExplainer(ours.to_sklearn(), X_TRAIN)
    assert np.asarray(linear.shap_values(X_TEST[:5])).shape == (5, 6)


@pytest.mark.parametrize("model", named([CLASSIFIERS[0], REGRESSORS[0]]))
def test_trees_are_drawn(model):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    from sklearn.tree import export_text, plot_tree

    ours = fitted(model)
    for tree in (ours, ours.to_sklearn()):
        assert len(plot_tree(tree)) >= len(ours.nodes_)
        assert export_text(tree).count("\n") >= len(ours.nodes_)
    plt.close("all")


@pytest.mark.parametrize("model", named([CLASSIFIERS[0], REGRESSORS[0]]))
def test_dtreeviz_reads_trees(model):
    pytest.importorskip("dtreeviz")
    from dtreeviz.models.sklearn_decision_trees import ShadowSKDTree

    ours = fitted(model)
    names = [f"x{i}" for i in range(6)]
    y = Y_TRAIN if is_classifier(model) else N_TRAIN
    more = {"class_names": ["no", "yes"]} if is_classifier(model) else {}
    shadow = ShadowSKDTree(ours.to_sklearn(), X_TRAIN, y, names, "y", **more)
    assert shadow.nnodes() == len(ours.nodes_)
    answer = shadow.predict(X_TEST[0])
    answer = answer[0] if isinstance(answer, tuple) else answer
    assert answer == pytest.approx(ours.predict(X_TEST[:1])[0])


# Wrappers


def test_mapie_calibrates():
    pytest.importorskip("mapie")
    from mapie.classification import SplitConformalClassifier
    from mapie.regression import SplitConformalRegressor

    intervals = SplitConformalRegressor(
        fitted(assay.HistGradientBoostingRegressor(max_iter=30)), confidence_level=0.9, prefit=True
    )
    intervals.conformalize(X_TEST[:50], N_TEST[:50])
    _, ends = intervals.predict_interval(X_TEST[50:])
    inside = (ends[:, 0, 0] <= N_TEST[50:]) & (N_TEST[50:] <= ends[:, 1, 0])
    assert inside.mean() > 0.7
    sets = SplitConformalClassifier(
        fitted(assay.RandomForestClassifier(20, random_state=0)), confidence_level=0.9, prefit=True
    )
    sets.conformalize(X_TEST[:50], Y_TEST[:50])
    assert sets.predict_set(X_TEST[50:])[1].shape[:2] == (50, 2)


def test_imbalanced_learn_samples_before_a_fit():
    pytest.importorskip("imblearn")
    from imblearn.ensemble import BalancedBaggingClassifier
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline

    kept = np.r_[np.flatnonzero(Y_TRAIN == 0), np.flatnonzero(Y_TRAIN == 1)[:30]]
    rows, labels = X_TRAIN[kept], Y_TRAIN[kept]
    pipe = make_pipeline(SMOTE(random_state=0), assay.DecisionTreeClassifier(max_depth=4))
    assert pipe.fit(rows, labels).score(X_TEST, Y_TEST) > 0.6
    assert pipe[-1].record_.rows == 2 * (labels == 0).sum()
    bags = BalancedBaggingClassifier(assay.LogisticRegression(), n_estimators=4, random_state=0)
    assert bags.fit(rows, labels).score(X_TEST, Y_TEST) > 0.6


# Files and trackers


@pytest.mark.parametrize("model", named(EVERY))
def test_skops_dumps_and_loads(model):
    sio = pytest.importorskip("skops.io")
    ours = fitted(model)
    packed = sio.dumps(ours)
    unknown = sio.get_untrusted_types(data=packed)
    ours_only = [name for name in unknown if not name.startswith("assay.")]
    assert ours_only == [] or set(ours_only) <= {
        "builtins.slice",
        "numpy.random.mtrand.RandomState",
    }
    again = sio.loads(packed, trusted=unknown)
    assert (again.predict(X_TEST) == ours.predict(X_TEST)).all()


@pytest.fixture
def tracked(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    mlflow.set_experiment("assay")
    yield mlflow
    while mlflow.active_run():
        mlflow.end_run()


def test_mlflow_keeps_model_certificate_and_promises(tracked, tmp_path):
    import assay.mlflow

    model = fitted(assay.LogisticRegression())
    certificate = model.certificate(X_TEST, Y_TEST)
    with tracked.start_run() as run:
        info = assay.mlflow.log_model(model, certificate=certificate)
    again = assay.mlflow.load_model(info.model_uri)
    assert (again.predict(X_TEST) == model.predict(X_TEST)).all()
    served = tracked.pyfunc.load_model(info.model_uri)
    assert (served.predict(X_TEST) == model.predict(X_TEST)).all()
    kept = tracked.get_run(run.info.run_id)
    assert kept.data.metrics["error.promised"] == certificate.error
    assert kept.data.metrics["error.observed"] == certificate.observed
    path = tracked.artifacts.download_artifacts(
        artifact_uri=f"runs:/{run.info.run_id}/certificate.json", dst_path=str(tmp_path)
    )
    assert assay.verify(path)
    assay.mlflow.save_model(model, tmp_path / "folder", certificate=certificate)
    assert (assay.mlflow.load_model(str(tmp_path / "folder")).coef_ == model.coef_).all()
    with pytest.raises(assay.errors.BadData, match="must be a folder that is not there"):
        assay.mlflow.save_model(model, tmp_path / "folder")


def test_mlflow_logs_fits(tracked):
    import assay.mlflow

    assay.mlflow.autolog()
    try:
        with tracked.start_run() as run:
            assay.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X_TRAIN, Y_TRAIN)
        kept = tracked.get_run(run.info.run_id)
        assert kept.data.params["n_estimators"] == "20"
        assert "error.promised" in kept.data.metrics
        assert kept.data.tags["estimator_name"] == "RandomForestClassifier"
    finally:
        assay.mlflow.autolog(disable=True)
    assert not hasattr(assay.Perceptron.fit, "before_autolog")


def test_a_model_of_a_table_is_served(tracked, tmp_path):
    pd = pytest.importorskip("pandas")
    import assay.mlflow

    frame = pd.DataFrame(X, columns=list("abcdef")).assign(
        kind=np.where(X[:, 0] > 0, "u", "v"), y=Y
    )
    made = assay.fit_table(frame, target="y", learner="decision-tree-classifier")
    assay.mlflow.save_model(made.model, tmp_path / "folder")
    served = tracked.pyfunc.load_model(str(tmp_path / "folder"))
    assert set(np.asarray(served.predict(frame.drop(columns="y"))).tolist()) <= {0, 1}


# Tensors


@pytest.mark.parametrize("model", named(EVERY))
def test_tensors_are_read_as_arrays(model):
    torch = pytest.importorskip("torch")
    y = Y_TRAIN if is_classifier(model) else N_TRAIN
    ours = clone(model).fit(X_TRAIN, y)
    same = clone(model).fit(torch.from_numpy(X_TRAIN), torch.from_numpy(y))
    assert (same.predict(torch.from_numpy(X_TEST)) == ours.predict(X_TEST)).all()
    if hasattr(model, "partial_fit"):
        more = {"classes": [0, 1]} if is_classifier(model) else {}
        clone(model).partial_fit(torch.from_numpy(X_TRAIN), torch.from_numpy(y), **more)
    truth = torch.from_numpy(Y_TEST if is_classifier(model) else N_TEST)
    assert ours.certificate(torch.from_numpy(X_TEST), truth).claims
