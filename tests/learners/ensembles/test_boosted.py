"""Model files of boosted votes, learners within learners among them, and what is common to all."""

from __future__ import annotations

import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from assay import (
    AdaBoostClassifier,
    DecisionStump,
    LogisticRegression,
    MajorityBoostClassifier,
    Perceptron,
    load,
    save,
)
from assay.errors import BadData, BadParameter
from tests.learners.model_files import rewritten, same_state

X, Y = make_classification(120, 6, n_informative=4, flip_y=0.1, random_state=0)


def models():
    yield AdaBoostClassifier(n_estimators=5, trace=True)
    yield AdaBoostClassifier(DecisionStump("error"), n_estimators=4, learning_rate=0.5)
    yield AdaBoostClassifier(LogisticRegression(C=0.01), n_estimators=3)
    yield MajorityBoostClassifier(edge=0.02, n_estimators=3, trace=True)
    inner = AdaBoostClassifier(DecisionStump("error"), n_estimators=3)
    yield MajorityBoostClassifier(inner, edge=0.02, n_estimators=3)


@pytest.mark.parametrize("model", list(models()), ids=repr)
def test_save_and_load(model, tmp_path):
    fresh = clone(model)
    save(fresh, tmp_path / "fresh.assay")
    assert repr(load(tmp_path / "fresh.assay")) == repr(fresh)
    model.fit(X, Y)
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    save(again, tmp_path / "b.assay")
    assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
    assert repr(again.get_params(deep=False)) == repr(model.get_params(deep=False))
    assert repr(again.record_) == repr(model.record_)
    assert again.guarantees() == model.guarantees()
    assert again._ballots(X).tobytes() == model._ballots(X).tobytes()
    if hasattr(model, "features_"):
        assert again.feature_importances_.tolist() == model.feature_importances_.tolist()
    if model.estimator is None:
        same_state(model, again)


def test_learners_of_others_cannot_be_saved(tmp_path):
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2)
    sentence = (
        "This adaboost-classifier cannot be saved: it holds a DecisionTreeClassifier of sklearn, and only assay's own "
        "learners can stand in a model file."
    )
    for state in (model, clone(model).fit(X, Y)):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            save(state, tmp_path / "a.assay")
    assert not list(tmp_path.iterdir())
    inner = LogisticRegression().fit(X, Y)
    inner.helper_ = 1
    outer = AdaBoostClassifier(LogisticRegression(), n_estimators=1).fit(X, Y)
    outer.learners_[0].helper_ = 1
    sentence = "This adaboost-classifier cannot be saved: it declares no attribute 'helper_'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        save(outer, tmp_path / "a.assay")


CHANGES = {
    "another learner inside": lambda m: m["learned"]["learners_"]["list"][0]["learner"].__setitem__(
        0, "perceptron"
    ),
    "an unknown learner inside": lambda m: m["learned"]["learners_"]["list"][0][
        "learner"
    ].__setitem__(0, "os.system"),
    "one learner less": lambda m: m["learned"]["learners_"]["list"].pop(),
    "another base learner": lambda m: m["parameters"].__setitem__("estimator", None),
    "no learner as base learner": lambda m: m["parameters"].__setitem__("estimator", "stump"),
    "a parameter inside": lambda m: m["learned"]["learners_"]["list"][0]["learner"][1].__setitem__(
        "C", "large"
    ),
    "no classes": lambda m: m["learned"].pop("classes_"),
    "more errors than rows": lambda m: m["learned"].__setitem__("training_errors_", 10**6),
    "an end that was none": lambda m: m["learned"].__setitem__("stopped_", "perfect"),
    "a policy": lambda m: m["learned"]["learners_"]["list"].__setitem__(
        0, {"learner": ["hedge", {}, {}]}
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(name, tmp_path):
    path = tmp_path / "a.assay"
    save(AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, Y), path)
    with pytest.raises(BadData, match=r"damaged or was changed|does not know"):
        load(rewritten(path, CHANGES[name]))


def test_changed_stumps_are_refused(tmp_path):
    path = tmp_path / "a.assay"
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    for name, wrong in (
        ("features_", np.array([0, 1, 6])),
        ("features_", np.array([0, 1])),
        ("features_", np.array([0, 1, -2])),
        ("sides_", np.array([[0, 1], [0, 1], [0, 2]])),
        ("sides_", np.array([0, 1, 0])),
        ("thresholds_", np.array([0.0, 1.0, np.nan])),
        ("estimator_weights_", np.array([1.0, 0.0, 1.0])),
        ("estimator_errors_", np.array([0.1, 0.2])),
    ):
        changed = clone(model).fit(X, Y)
        setattr(changed, name, wrong)
        save(changed, path)
        with pytest.raises(BadData, match="damaged or was changed"):
            load(path)


def test_majority_files_are_looked_at(tmp_path):
    path = tmp_path / "a.assay"
    model = MajorityBoostClassifier(edge=0.02, n_estimators=3).fit(X, Y)
    for name, wrong in (
        ("votes_", 2),
        ("votes_", 10**12),
        ("clean_", 9),
        ("broken_", 9),
        ("votes_", 0),
    ):
        changed = clone(model).fit(X, Y)
        setattr(changed, name, wrong)
        save(changed, path)
        with pytest.raises(BadData, match="damaged or was changed"):
            load(path)


def test_nothing_in_a_file_names_code(tmp_path):
    path = tmp_path / "a.assay"
    save(AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, Y), path)
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    [name, parameters, _] = manifest["learned"]["learners_"]["list"][0]["learner"]
    assert name == "logistic-regression"
    assert parameters["C"] == 1.0


def test_hypotheses_are_classifiers_of_their_own():
    model = AdaBoostClassifier(n_estimators=6).fit(X, Y)
    votes = np.zeros((len(X), 2))
    for stump, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        votes[np.arange(len(X)), stump.predict(X)] += vote
        assert stump.predict_proba(X).max() == 1.0
    assert votes.tobytes() == model._ballots(X).tobytes()
    assert isinstance(model.estimator_, DecisionStump)
    assert model.n_classes_ == 2


def test_names_of_features_are_known():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = AdaBoostClassifier(n_estimators=3).fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.predict(frame).tolist() == model.predict(frame).tolist()


def test_a_second_fit_forgets_the_first():
    model = AdaBoostClassifier(n_estimators=4).fit(X, Y)
    model.set_params(estimator=LogisticRegression()).fit(X, Y)
    assert not hasattr(model, "features_")
    model.set_params(estimator=None).fit(X, Y)
    assert not hasattr(model, "learners_")
    assert (
        model.estimator_weights_.tolist()
        == AdaBoostClassifier(n_estimators=4).fit(X, Y).estimator_weights_.tolist()
    )


def test_importances_need_a_learner_that_has_them():
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, Y)
    with pytest.raises(AttributeError, match="a LogisticRegression has no feature_importances_"):
        _ = model.feature_importances_
    stumps = AdaBoostClassifier(n_estimators=9).fit(X, Y)
    assert stumps.feature_importances_.sum() == pytest.approx(1)


def test_online_learners_take_no_weights():
    with pytest.raises(BadParameter, match="the fit of Perceptron takes no sample_weight"):
        AdaBoostClassifier(Perceptron()).fit(X, Y)
