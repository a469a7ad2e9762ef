"""What naive Bayes classifiers share: priors, and what a changed file may not hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay import BernoulliNB, GaussianNB, load, save
from assay.errors import BadParameter
from tests.learners.model_files import reopened

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = np.arange(30) % 2


@pytest.mark.parametrize(("kind", "name"), [(GaussianNB, "priors"), (BernoulliNB, "class_prior")])
def test_priors(kind, name):
    prior = kind(**{name: [0.25, 0.75]}).fit(X, Y).predict_log_proba(X)
    even = kind(**{name: [0.5, 0.5]}).fit(X, Y).predict_log_proba(X)
    odds = (prior[:, 1] - prior[:, 0]) - (even[:, 1] - even[:, 0])
    np.testing.assert_allclose(odds, np.log(3))
    for odd in ([1.0], [0.5, 0.6], [np.nan, 1.0], [-1.0, 2.0], "ab", [[0.5, 0.5]], {}):
        with pytest.raises(
            BadParameter, match=rf"^{name} must be 2 numbers, zero or more, that add up to 1"
        ):
            kind(**{name: odd}).fit(X, Y)


@pytest.mark.parametrize("kind", [GaussianNB, BernoulliNB])
@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("class_count_", np.ones(3), "class_count_ is of another kind or size"),
        ("class_count_", np.zeros(2), "class_count_ is of another kind or size"),
        ("training_errors_", 31, "training_errors_ is of another kind or size"),
        ("settings_", {}, "its settings are not those of its parameters"),
        ("feature_names_in_", np.array(["a"]), "is of another kind or size"),
        ("feature_index_", {"a": 0}, "is of another kind or size"),
    ],
)
def test_what_does_not_belong_together_is_refused(kind, name, value, sentence):
    model = kind().fit(X, Y)
    reopened(model)
    setattr(model, name, value)
    with pytest.raises(ValueError, match=sentence):
        reopened(model)


LATER = [
    (GaussianNB, {"priors": [1.0, 0.0]}),
    (GaussianNB, {"var_smoothing": 1e3}),
    (BernoulliNB, {"class_prior": [1.0, 0.0]}),
    (BernoulliNB, {"alpha": 1e6}),
    (BernoulliNB, {"alpha": [0.0, 5.0, 1.0], "fit_prior": False}),
    (BernoulliNB, {"binarize": 7.0, "force_alpha": False}),
]


@pytest.mark.parametrize(("kind", "later"), LATER)
def test_parameters_that_change_later_make_no_other_classifier(kind, later, tmp_path):
    """The errors were counted for this one, so it must stay the one that answers."""
    rows = X + 2.0 * Y[:, None]
    model = kind().fit(rows, Y)
    answers, promises = model.predict_proba(rows), model.guarantees()
    model.set_params(**later)
    save(model, tmp_path / "a")
    for one in (model, load(tmp_path / "a")):
        assert one.predict_proba(rows).tobytes() == answers.tobytes()
        assert one.guarantees() == promises
        assert float(promises[0].observed) == pytest.approx((one.predict(rows) != Y).mean())
    # As it would be if the latest parameters counted: other answers for the same promise.
    model.settings_ = model.settings_ | {
        k: tuple(np.ravel(v)) if np.ndim(v) else v for k, v in later.items()
    }
    assert model.predict_proba(rows).tobytes() != answers.tobytes()
    assert model.guarantees()[0].observed == promises[0].observed
    again = model.fit(rows, Y)
    assert (
        again.predict_proba(rows).tobytes()
        == kind(**later).fit(rows, Y).predict_proba(rows).tobytes()
    )


def test_parts_of_their_own():
    model = GaussianNB().fit(X, Y)
    for name in ("theta_", "squares_", "center_", "deviations_"):
        kept = getattr(model, name)
        setattr(model, name, kept[..., :2])
        with pytest.raises(ValueError, match="is of another kind or size"):
            reopened(model)
        setattr(model, name, kept)
    model = BernoulliNB().fit(X, Y)
    model.feature_count_ += 100
    with pytest.raises(ValueError, match="a feature is on in more rows than there are"):
        reopened(model)
    model.feature_count_ = model.feature_count_[:, :2]
    with pytest.raises(ValueError, match="feature_count_ is of another kind or size"):
        reopened(model)
    model = BernoulliNB().fit(X, Y)
    del model.rows_
    with pytest.raises(ValueError, match="it has no rows_"):
        reopened(model)


@pytest.mark.parametrize("kind", [GaussianNB, BernoulliNB])
def test_names_of_features_are_in_refusals(kind):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = kind().fit(frame, Y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))
