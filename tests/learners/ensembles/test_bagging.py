"""Bagging of any learner: trees, linear learners, scikit-learn's; rows left out, promises, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, ensemble, linear_model, naive_bayes, svm, tree
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV

from assay import (
    BaggingClassifier,
    DecisionTreeClassifier,
    LogisticRegression,
    Perceptron,
    load,
    save,
    verify,
)
from assay.errors import BadData, BadParameter
from tests.naive.forest import bag
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(300, 6, n_informative=4, flip_y=0.1, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "base",
    [
        None,
        LogisticRegression(),
        Perceptron(),
        tree.DecisionTreeClassifier(max_depth=3),
        naive_bayes.GaussianNB(),
        svm.SVC(),
        linear_model.SGDClassifier(random_state=0),
    ],
    ids=lambda base: type(base).__name__,
)
def test_any_learner(base):
    model = BaggingClassifier(base, 25, random_state=0, oob_score=True, n_jobs=2).fit(
        X[:200], Y[:200]
    )
    alone = clone(DecisionTreeClassifier() if base is None else base).fit(X[:200], Y[:200])
    assert model.score(X[200:], Y[200:]) > alone.score(X[200:], Y[200:]) - 0.1
    assert abs(model.oob_score_ - model.score(X[200:], Y[200:])) < 0.15
    assert model.guarantees()[1].applies
    again = BaggingClassifier(base, 25, random_state=0, oob_score=True).fit(X[:200], Y[:200])
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.record_ == model.record_


def test_as_accurate_as_scikit_learn():
    base = tree.DecisionTreeClassifier()
    ours = BaggingClassifier(base, 60, random_state=0).fit(X[:200], Y[:200])
    theirs = ensemble.BaggingClassifier(base, 60, random_state=0).fit(X[:200], Y[:200])
    shares = [m.predict_proba(X[200:])[:, 1] for m in (ours, theirs)]
    assert np.corrcoef(*shares)[0, 1] > 0.95


def test_members_are_fitted_to_their_bags():
    model = BaggingClassifier(naive_bayes.GaussianNB(), 4, random_state=7).fit(IRIS, KINDS)
    for t, (member, rows) in enumerate(
        zip(model.estimators_, model.estimators_samples_, strict=True)
    ):
        assert np.bincount(rows, minlength=150).tolist() == bag(model.seed_, t, 150, 150)[1]
        alone = naive_bayes.GaussianNB().fit(IRIS[rows], KINDS[rows])
        assert member.predict_proba(IRIS).tobytes() == alone.predict_proba(IRIS).tobytes()
    mean = sum(m.predict_proba(IRIS) for m in model.estimators_) / 4
    np.testing.assert_allclose(model.predict_proba(IRIS), mean)


def test_rows_left_out_are_judged_as_by_hand():
    for base in (naive_bayes.GaussianNB(), Perceptron()):
        model = BaggingClassifier(base, 25, random_state=3, oob_score=True).fit(X, Y)
        left = [np.setdiff1d(np.arange(300), rows) for rows in model.estimators_samples_]
        votes, loss = np.zeros((300, 2)), np.zeros((25, 300))
        for t, (member, rows) in enumerate(zip(model.estimators_, left, strict=True)):
            if hasattr(member, "predict_proba"):
                shares = member.predict_proba(X[rows])
            else:
                shares = np.eye(2)[member.predict(X[rows])]
            votes[rows] += shares
            loss[t, rows] = 1 - shares[np.arange(len(rows)), Y[rows]]
        record = model.record_
        assert record.errors == (votes.argmax(axis=1) != Y).sum()
        assert record.loss == pytest.approx(
            np.mean([loss[t, r].mean() for t, r in enumerate(left)])
        )
        both = [np.intersect1d(a, b) for a in left for b in left]
        means = [
            (loss[t, rows] * loss[s, rows]).mean()
            for (t, s), rows in zip(np.ndindex(25, 25), both, strict=True)
        ]
        assert record.tandem == pytest.approx(np.mean(means))
        assert record.left_out == min(map(len, left))
        assert record.left_out_by_both == min(map(len, both))


def test_parts_of_rows_and_features():
    model = BaggingClassifier(
        naive_bayes.GaussianNB(), 12, max_samples=0.4, max_features=3, bootstrap=False, random_state=0,
        oob_score=True,
    ).fit(X, Y)  # fmt: skip
    for rows, features in zip(model.estimators_samples_, model.estimators_features_, strict=True):
        assert len(rows) == len(set(rows.tolist())) == 120
        assert len(set(features.tolist())) == 3
    assert model.record_.left_out == 180
    assert model.guarantees()[1].applies
    twice = BaggingClassifier(naive_bayes.GaussianNB(), 12, bootstrap_features=True, random_state=0)
    assert any(len(set(f.tolist())) < 6 for f in twice.fit(X, Y).estimators_features_)


def test_sparse_rows_and_text_labels():
    names = np.array(["ham", "spam"])[Y]
    thin = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0))
    model = BaggingClassifier(Perceptron(), 15, random_state=0).fit(thin, names)
    whole = BaggingClassifier(Perceptron(), 15, random_state=0).fit(thin.toarray(), names)
    np.testing.assert_array_equal(model.predict(thin), whole.predict(thin.toarray()))


def test_a_class_that_a_bag_lacks():
    labels = np.where(np.arange(60) < 2, "rare", np.where(np.arange(60) % 2, "a", "b"))
    model = BaggingClassifier(naive_bayes.GaussianNB(), 10, random_state=0).fit(X[:60], labels)
    assert any(len(m.classes_) == 2 for m in model.estimators_)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_weights_are_handed_on():
    weights = np.random.default_rng(0).random(300)
    model = BaggingClassifier(naive_bayes.GaussianNB(), 3, random_state=0)
    model.fit(X, Y, sample_weight=weights)
    rows = model.estimators_samples_[1]
    alone = naive_bayes.GaussianNB().fit(X[rows], Y[rows], sample_weight=weights[rows])
    np.testing.assert_array_equal(model.estimators_[1].predict(X), alone.predict(X))

    class Plain(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return X[:, 0]

    with pytest.raises(BadParameter, match=r"^The fit of Plain takes no sample_weight\.$"):
        BaggingClassifier(Plain()).fit(X, Y, sample_weight=weights)


def test_growing_on_progress_and_a_score_of_ones_own(capsys):
    at_once = BaggingClassifier(naive_bayes.GaussianNB(), 8, random_state=5).fit(X, Y)
    model = BaggingClassifier(naive_bayes.GaussianNB(), 3, random_state=5, warm_start=True)
    model.fit(X, Y).set_params(n_estimators=8, verbose=2).fit(X, Y)
    assert model.predict_proba(X).tobytes() == at_once.predict_proba(X).tobytes()
    assert len(capsys.readouterr().out.splitlines()) == 5
    with pytest.raises(BadData, match=r"^warm_start goes on with the classes it has"):
        model.fit(X, Y + 1)
    told = {"random_state": 5, "oob_score": lambda truth, said: float(len(said))}
    assert BaggingClassifier(naive_bayes.GaussianNB(), 30, **told).fit(X, Y).oob_score_ == 300.0


def test_promises_and_their_certificate():
    model = BaggingClassifier(LogisticRegression(), 30, random_state=0, oob_score=True).fit(X, Y)
    certificate = model.oob_certificate()
    assert verify(certificate).verdict == "promises nothing"  # the bound is 1
    assert certificate.error == pytest.approx(model.guarantees()[1].value)
    [share] = BaggingClassifier(LogisticRegression(), 3).fit(X, Y).guarantees()
    assert share.theorem == "bootstrap-out-of-bag"
    parts = BaggingClassifier(LogisticRegression(), 3, max_samples=0.5, bootstrap=False).fit(X, Y)
    assert parts.guarantees() == []


def test_files(tmp_path):
    for model in (
        BaggingClassifier(random_state=0, max_features=0.5),
        BaggingClassifier(LogisticRegression(C=2.0), 30, random_state=0, oob_score=True),
    ):
        save(model.fit(IRIS, KINDS), tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict_proba(IRIS).tobytes() == model.predict_proba(IRIS).tobytes()
        assert again.record_ == model.record_
        assert repr(again) == repr(model)
    foreign = BaggingClassifier(naive_bayes.GaussianNB()).fit(IRIS, KINDS)
    with pytest.raises(
        BadParameter, match=r"only assay's own learners can stand in a model file\.$"
    ):
        save(foreign, tmp_path / "b.assay")


class NoShares(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.9)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators must be a count of at least 1, but is 0."),
        (
            {"max_samples": 0.0},
            "max_samples must be None, a count of at least 1, or a share above 0 and at most 1, but is 0.0.",
        ),
        ({"estimator": 3}, "estimator must be None for decision trees, or a classifier, but is 3."),
        (
            {"oob_score": True, "bootstrap": False},
            "oob_score must be False where bags hold all rows, but is True. Only a bag leaves rows out.",
        ),
        ({"verbose": -1}, "verbose must be a whole number, zero or more, but is -1."),
    ],
)
def test_refused_parameters(told, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        BaggingClassifier(**told).fit(X, Y)


def test_refused_samples_and_shares():
    # Perceptron refuses a single class; its bags, as those of one class among two, say it of every row.
    alone = BaggingClassifier(Perceptron(), 40, oob_score=True, random_state=0)
    alone.fit(X, np.ones(len(X), int))
    assert (alone.predict(X) == 1).all()
    with pytest.raises(BadData, match=r"^predict_proba of NoShares gives shares that are no prob"):
        BaggingClassifier(NoShares()).fit(X, Y).predict(X)


class Elsewhere(NoShares):
    predict_proba = property()

    def predict(self, X):
        return np.full(len(X), 7)


def test_labels_that_are_none_of_the_classes():
    with pytest.raises(BadData, match=r"^There is a label 7, which is none of the classes 0, 1\.$"):
        BaggingClassifier(Elsewhere()).fit(X, Y).predict(X)


def test_checks():
    assert_checks_pass_but_those_named(BaggingClassifier())


@pytest.mark.filterwarnings("ignore:.*rows are in every bag")
def test_members_of_another_library_are_taken_at_their_word():
    """What they read besides their bags nobody here can see."""
    from sklearn.naive_bayes import GaussianNB as Peer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from assay import AdaBoostClassifier, GaussianNB
    from assay.theory.generalization.out_of_bag import BAG_ALONE

    class Own(GaussianNB):
        """Anybody's."""

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)

    def known(estimator):
        model = BaggingClassifier(estimator, n_estimators=15, oob_score=True, random_state=0).fit(
            X, y
        )
        member, vote = model.guarantees()[:2]
        found = {a.status for g in (member, vote) for a in g.assumptions if a.name == BAG_ALONE}
        [claim] = model.oob_certificate().claims
        assert found == {a.status for a in claim.assumptions if a.name == BAG_ALONE}
        return found

    for foreign in (
        Peer(),
        make_pipeline(StandardScaler(), Peer()),
        Own(),
        AdaBoostClassifier(Peer(), n_estimators=3),
    ):
        assert known(foreign) == {"declared"}
    for own in (None, GaussianNB(), AdaBoostClassifier(n_estimators=3)):
        assert known(own) == {"by construction"}


def test_bags_state_the_share_they_left_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    model = BaggingClassifier(n_estimators=7, random_state=0).fit(X, y)
    share = model.guarantees()[-1]
    left = sum(50 - len(np.unique(bag)) for bag in model.estimators_samples_)
    assert float(share.observed) == pytest.approx(left / 350, abs=1e-9)
    assert share.holds is None  # it is promised on average only
    assert BaggingClassifier(bootstrap=False, max_samples=0.5).fit(X, y).guarantees() == []


def test_scores_and_shares_of_members():
    """As scikit-learn's: the mean of the members' scores; not where some member saw fewer classes."""
    model = BaggingClassifier(LogisticRegression(), 7, random_state=0).fit(X, Y)
    each = [
        one.decision_function(X[:, f])
        for one, f in zip(model, model.estimators_features_, strict=True)
    ]
    np.testing.assert_allclose(model.decision_function(X), np.mean(each, axis=0))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert len(model) == 7
    assert model[3] is model.learners_[3]
    assert model.n_classes_ == len(model.classes_)
    assert type(model.estimator_) is LogisticRegression
    assert not hasattr(BaggingClassifier().fit(X, Y), "decision_function")
    few = BaggingClassifier(LogisticRegression(), 40, max_samples=2, random_state=0).fit(X, Y)
    with pytest.raises(BadData, match=r"^The scores of the members have no mean, since a bag held"):
        few.decision_function(X)


def test_members_are_given_columns_as_they_came():
    class Told(LogisticRegression):
        def fit(self, X, y):
            self.told_ = X.format
            return super().fit(X, y)

    for kind in (sparse.csc_array, sparse.csr_matrix):
        model = BaggingClassifier(Told(), 2, max_features=2, random_state=0).fit(kind(X), Y)
        assert {one.told_ for one in model} == {kind(X).format}
        dense = BaggingClassifier(Told.__mro__[1](), 2, max_features=2, random_state=0).fit(X, Y)
        np.testing.assert_allclose(model.predict_proba(kind(X)), dense.predict_proba(X))


def test_all_rows_by_none():
    one = BaggingClassifier(n_estimators=3, max_samples=None, random_state=0).fit(X, Y)
    other = BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    assert (one.predict_proba(X) == other.predict_proba(X)).all()


class Told(ClassifierMixin, BaseEstimator):
    """Keeps what it is told beside rows, for all that are cloned of one."""

    def __init__(self, heard=()):
        self.heard = heard

    def fit(self, X, y, notes=None):
        self.heard.append(("fit", len(X), list(notes)))
        self.classes_ = np.unique(y)
        return "no estimator"

    def predict(self, X, notes=None):
        self.heard.append(("predict", len(X), notes))
        return np.full(len(X), self.classes_[0])

    def __sklearn_clone__(self):
        return Told(self.heard)._asking(self)

    def _asking(self, other):
        self._metadata_request = other._get_metadata_request()
        return self


def test_members_are_handed_what_they_ask_for():
    """What comes with the rows of the sample is that of the rows of each bag."""
    told = Told([])
    with config_context(enable_metadata_routing=True):
        told.set_fit_request(notes=True).set_predict_request(notes=True)
        model = BaggingClassifier(told, 3, random_state=0).fit(X, Y, notes=np.arange(300))
        model.predict(X[:7], notes="aside")
    fits = [one for one in told.heard if one[0] == "fit"]
    counts = [bag(model.seed_, member, 300, 300)[1] for member in range(3)]
    drawn = [np.repeat(np.arange(300), each).tolist() for each in counts]
    assert [notes for _, _, notes in fits] == drawn
    assert told.heard[3:] == [("predict", 7, "aside")] * 3


def test_members_are_handed_nothing_unless_it_is_switched_on():
    with refuses(
        "fit of BaggingClassifier takes notes only to hand them on to its members, which "
        "sklearn.set_config(enable_metadata_routing=True) switches on."
    ):
        BaggingClassifier(Told([]), 3).fit(X, Y, notes=Y)


def test_what_members_do_not_ask_for_is_refused():
    with config_context(enable_metadata_routing=True):
        model = BaggingClassifier(Told([]), 3)
        with pytest.raises(UnsetMetadataPassedError, match="notes"):
            model.fit(X, Y, notes=Y)


def test_weights_reach_a_vote_within_a_search():
    """The vote asks for weights itself, as `set_fit_request` says, whatever its members ask for."""
    with config_context(enable_metadata_routing=True):
        vote = BaggingClassifier(LogisticRegression(), 2, random_state=0)
        vote.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(vote, {"n_estimators": [2]})
        search.fit(X, Y, sample_weight=np.where(Y == 1, 9.0, 1.0))
    plain = BaggingClassifier(LogisticRegression(), 2, random_state=0).fit(X, Y)
    assert search.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


def test_logarithms_do_not_run_out():
    """Far from the sample a share of exp(-5000) is no float, its logarithm is."""
    model = BaggingClassifier(naive_bayes.GaussianNB(), 5, random_state=0).fit(X, Y)
    assert np.allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)), atol=1e-12)
    far = np.full((1, 6), 1e3)
    assert model.predict_proba(far).min() == 0.0
    logs = np.array([member.predict_log_proba(far) for member in model.estimators_])
    assert np.allclose(model.predict_log_proba(far), logs.max(axis=0) - np.log(5), atol=2.0)
    assert np.isfinite(model.predict_log_proba(far)).all()
