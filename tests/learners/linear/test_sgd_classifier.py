import inspect
import itertools
import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import SGDClassifier as Theirs
from sklearn.model_selection import StratifiedShuffleSplit

from assay import Perceptron, SGDClassifier, load, save
from assay.errors import BadData, BadParameter
from tests.naive.losses import SGD_LOSSES
from tests.naive.sgd import optimal_rate, power_rate, sgd
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

CLASSES = [0, 1]
PLAIN = {"penalty": None, "learning_rate": "constant", "shuffle": False}
# Losses whose slopes grow: with longer steps they would magnify every rounding.
STEEP = ("squared_error", "squared_hinge", "modified_huber", "squared_epsilon_insensitive")
FORMS = [np.asarray, sparse.csr_matrix]


def game(seed, n=200, d=5, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(rng.random(n) < noise, -1, 1) * np.where(X @ rng.normal(size=d) >= 0, 1, -1)
    return X, (y + 1) // 2


def whole_numbers(seed, n=60, d=4):
    """Examples on which, with steps of 3/8, every sum is exact and no margin is ever 1."""
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, size=(n, d)).astype(float), rng.integers(0, 2, size=n)


def same(ours, theirs):
    return (ours.coef_ == theirs.coef_).all() and (ours.intercept_ == theirs.intercept_).all()


def objective(X, y, coef, intercept, alpha, weights=None):
    """The mean logistic loss and the penalty."""
    z = np.where(y == 1, 1, -1) * (X @ coef + intercept)
    mean = np.average(np.logaddexp(0, -z), weights=weights)
    return mean + 0.5 * alpha * coef @ coef


# The rule


@pytest.mark.parametrize("loss", SGD_LOSSES)
@pytest.mark.parametrize(
    "schedule", ["optimal", "constant", "adaptive", "invsqrt", "inverse", "invscaling"]
)
def test_one_pass_is_the_twins(loss, schedule):
    X, y = game(1, noise=0.0)
    powers = {"invsqrt": 0.5, "inverse": 1.0, "invscaling": 0.3}
    # Short enough for the exponential loss, too.
    rate = optimal_rate(30) if schedule == "optimal" else power_rate(0.05, powers.get(schedule, 0))
    alpha = 30 if schedule == "optimal" else 0.01
    model = SGDClassifier(loss, alpha=alpha, learning_rate=schedule, eta0=0.05, power_t=0.3)
    model.partial_fit(0.3 * X, y, classes=CLASSES)
    twin = sgd(0.3 * X, 2 * y - 1, loss, rate, alpha)
    np.testing.assert_allclose(model.coef_[0], twin.coef, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, twin.intercept, rtol=1e-10)
    assert model.record_.mistakes == twin.mistakes
    assert model.record_.rounds == 200


@pytest.mark.parametrize("loss", ["perceptron", "hinge", "epsilon_insensitive"])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_weights_equal_scikit_learns_to_the_bit(loss, form):
    X, y = whole_numbers(2)
    setting = {"loss": loss, "eta0": 0.375, "max_iter": 3, "tol": None, "epsilon": 0.25}
    # A hundredth of a step, by which the intercept moves over sparse rows, is no short binary number.
    setting |= PLAIN | {"fit_intercept": form is not sparse.csr_matrix}
    assert same(SGDClassifier(**setting).fit(form(X), y), Theirs(**setting).fit(form(X), y))


def assert_alike(ours, theirs, rtol=1e-10):
    found, wanted = (np.column_stack([m.coef_, m.intercept_]) for m in (ours, theirs))
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * np.abs(wanted).max())


def variants(seed=3):
    """Two and three classes, plain and weighted, dense and sparse."""
    X, y = game(seed, noise=0.2)
    X = np.where(np.abs(X) < 0.3, 0.0, 0.5 * X)
    three = np.where(X[:, 0] > 0.4, 2, y)
    weights = np.random.default_rng(0).uniform(0.1, 2, size=len(y))
    weights[::9] = 0.0
    for form, labels, weighted in itertools.product(FORMS, (y, three), (False, True)):
        by_class = {0: 2.0, 1: 0.5, 2: 1.5} if labels is three else {0: 2.0, 1: 0.5}
        yield form(X), labels, weights if weighted else None, by_class if weighted else None


@pytest.mark.parametrize("average", [False, True, 250])
@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("schedule", ["optimal", "invscaling", "constant", "adaptive"])
@pytest.mark.parametrize("loss", Theirs.loss_functions)
def test_weights_are_scikit_learns_with_everything_at_once(loss, schedule, penalty, average):
    setting = {"loss": loss, "learning_rate": schedule, "penalty": penalty, "average": average}
    late = loss in STEEP and schedule == "optimal"
    setting |= {"alpha": 4.0 if late else 0.01, "shuffle": False}
    setting |= {"max_iter": 3, "tol": None}
    for X, y, weights, by_class in variants():
        setting["class_weight"] = by_class
        ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
        theirs = Theirs(**setting).fit(X, y, sample_weight=weights)
        assert_alike(ours, theirs)
        assert (ours.predict(X) == theirs.predict(X)).all()
        if loss in ("log_loss", "modified_huber"):
            sure = theirs.predict_proba(X)
            np.testing.assert_allclose(ours.predict_proba(X), sure, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
@pytest.mark.parametrize("schedule", ["optimal", "invscaling"])
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "huber"])
def test_weights_that_a_penalty_sets_to_zero_are_scikit_learns(loss, schedule, penalty):
    setting = {"loss": loss, "learning_rate": schedule, "penalty": penalty, "alpha": 0.05}
    # When fit stops may differ: scikit-learn 1.9 takes the penalty of the weights before they are pulled.
    setting |= {"l1_ratio": 0.4, "eta0": 0.1, "shuffle": False, "tol": None, "max_iter": 5}
    zeros = 0
    for X, y, weights, by_class in variants():
        setting["class_weight"] = by_class
        ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
        theirs = Theirs(**setting).fit(X, y, sample_weight=weights)
        assert_alike(ours, theirs)
        assert ((ours.coef_ == 0) == (theirs.coef_ == 0)).all()
        zeros += int((ours.coef_ == 0).sum())
    assert zeros > 0


@pytest.mark.parametrize("schedule", ["pa1", "pa2"])
@pytest.mark.parametrize("penalty", [None, "l2", "l1"])
def test_aggressive_steps_are_scikit_learns(schedule, penalty):
    setting = {"learning_rate": schedule, "eta0": 0.7, "penalty": penalty, "alpha": 0.01}
    setting |= {"shuffle": False, "tol": None, "max_iter": 3}
    for X, y, weights, by_class in variants():
        setting["class_weight"] = by_class
        ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
        assert_alike(ours, Theirs(**setting).fit(X, y, sample_weight=weights))


@pytest.mark.parametrize("average", [False, True])
def test_passes_are_judged_by_the_rows_that_scikit_learn_sets_aside(average):
    setting = {"early_stopping": True, "random_state": 0, "shuffle": False, "average": average}
    setting |= {"validation_fraction": 0.2, "tol": 1e-4, "loss": "log_loss", "alpha": 0.01}
    setting |= {"learning_rate": "constant", "penalty": None}
    for X, y, weights, _ in variants():
        ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
        theirs = Theirs(**setting).fit(X, y, sample_weight=weights)
        assert 5 < ours.n_iter_ == theirs.n_iter_ < 1000
        assert_alike(ours, theirs)
        # Rows that nobody learned from are no rounds.
        assert ours.t_ - 1 == ours.n_iter_ * 160 if len(ours.classes_) == 2 else ours.t_ > 1


@pytest.mark.parametrize("stopping", [False, True])
def test_one_seed_gives_scikit_learns_orders(stopping):
    for seed in (0, 7):
        setting = {"random_state": seed, "early_stopping": stopping, "loss": "log_loss"}
        setting |= {"tol": None, "max_iter": 3, "alpha": 0.01}
        for X, y, weights, by_class in variants():
            setting["class_weight"] = by_class
            ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
            assert_alike(ours, Theirs(**setting).fit(X, y, sample_weight=weights))


def test_the_round_that_comes_next_is_scikit_learns():
    X, y = game(4)
    for passes in (1, 3):
        setting = {"max_iter": passes, "tol": None}
        assert SGDClassifier(**setting).fit(X, y).t_ == Theirs(**setting).fit(X, y).t_
    ours, theirs = SGDClassifier(), Theirs()
    for model in (ours, theirs):
        model.partial_fit(X[:7], y[:7], classes=CLASSES).partial_fit(X[7:20], y[7:20])
    assert ours.t_ == theirs.t_ == 21


def test_what_every_pass_comes_to_is_told_on_request(capsys):
    X, y = game(4)
    SGDClassifier(verbose=1, max_iter=2, tol=None, shuffle=False).fit(X, y)
    told = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in told] == ["Pass 1", "Pass 2"]
    SGDClassifier(verbose=1, early_stopping=True, random_state=0).fit(X, y)
    assert "score on rows set aside 0." in capsys.readouterr().out


def test_pulled_weights_go_on_from_a_file_with_the_same_bits(tmp_path):
    X, y = game(4)
    model = SGDClassifier("log_loss", penalty="l1", alpha=0.01, average=50)
    model.partial_fit(X[:100], y[:100], classes=CLASSES)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    for each in (model, again):
        each.partial_fit(X[100:], y[100:])
    assert same(model, again)


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_shown_as_a_sparse_matrix_on_request(form, tmp_path):
    X, y = game(4)
    plain = SGDClassifier(penalty="l1", random_state=0, warm_start=True).fit(form(X), y)
    model = SGDClassifier(penalty="l1", random_state=0, warm_start=True).fit(form(X), y)
    assert model.sparsify() is model
    save(model, tmp_path / "model")
    for each in (model, load(tmp_path / "model")):
        assert sparse.issparse(each.coef_)
        assert (each.coef_.toarray() == plain.coef_).all()
        assert (each.decision_function(form(X)) == plain.decision_function(form(X))).all()
        each.fit(form(X), y)
        assert sparse.issparse(each.coef_)
        assert isinstance(each.densify().coef_, np.ndarray)
    assert isinstance(model.sparsify().set_params(warm_start=False).fit(X, y).coef_, np.ndarray)


def test_a_feature_that_comes_late_owes_nothing_for_the_time_before():
    setting = {"penalty": "l1", "alpha": 0.05, "learning_rate": "constant", "eta0": 0.1}
    late, alone = SGDClassifier(**setting), SGDClassifier(**setting)
    for _ in range(50):
        late.learn_one({"a": 1.0}, True)
    for model in (late, alone):
        model.learn_one({"b": 1.0, "a": -60.0}, True)
    # Both saw b once, in a step of 0.1 that is pulled back by 0.005.
    assert late.coef_[0, late.feature_index_["b"]] == pytest.approx(0.095)
    assert alone.coef_[0, alone.feature_index_["b"]] == pytest.approx(0.095)


@pytest.mark.parametrize("schedule", ["optimal", "invscaling", "constant", "adaptive"])
@pytest.mark.parametrize("loss", Theirs.loss_functions)
def test_fit_stops_in_the_pass_in_which_scikit_learn_stops(loss, schedule):
    setting = {"loss": loss, "learning_rate": schedule, "eta0": 0.05, "shuffle": False}
    setting["alpha"] = 0.3 if loss in STEEP else 0.01
    for X, y, weights, by_class in variants():
        if sparse.issparse(X):
            continue  # there scikit-learn 1.9 takes the penalty of the last row's features for that of all
        setting["class_weight"] = by_class
        ours = SGDClassifier(**setting).fit(X, y, sample_weight=weights)
        theirs = Theirs(**setting).fit(X, y, sample_weight=weights)
        assert 5 < ours.n_iter_ == theirs.n_iter_ < 1000
        assert_alike(ours, theirs)


@pytest.mark.parametrize("form", FORMS)
def test_chunks_are_scikit_learns_chunks(form):
    X, y = game(4)
    ours, theirs = SGDClassifier(), Theirs(shuffle=False)
    for part in range(0, 200, 20):
        for model in (ours, theirs):
            model.partial_fit(form(X[part : part + 20]), y[part : part + 20], classes=CLASSES)
    assert_alike(ours, theirs)


@pytest.mark.parametrize("form", FORMS)
def test_starting_weights_and_warm_starts_are_scikit_learns(form):
    X, y = game(4)
    start = {"coef_init": np.arange(5.0).reshape(1, 5), "intercept_init": [2.0]}
    setting = {"shuffle": False, "tol": None, "max_iter": 2, "warm_start": True}
    ours = SGDClassifier(**setting).fit(form(X), y, **start)
    theirs = Theirs(**setting).fit(form(X), y, **start)
    assert_alike(ours, theirs)
    assert_alike(ours.fit(form(X), y), theirs.fit(form(X), y))
    # Parameters may have changed in between.
    for model in (ours, theirs):
        model.set_params(loss="log_loss", average=True).fit(form(X), y)
    assert_alike(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_shuffled_the_quality_is_scikit_learns(form):
    X, y = game(5, n=2000, d=20)
    right = [
        np.mean([kind(random_state=seed).fit(form(X), y).score(X, y) for seed in range(10)])
        for kind in (SGDClassifier, Theirs)
    ]
    assert right[1] - 0.01 < right[0] < right[1] + 0.03


def test_balanced_classes_are_scikit_learns():
    X, y = game(4)
    y[:120] = 0
    setting = {
        "eta0": 0.1,
        "class_weight": "balanced",
        "max_iter": 3,
        "tol": None,
        "shuffle": False,
    }
    ours = SGDClassifier(learning_rate="constant", **setting).fit(X, y)
    theirs = Theirs(learning_rate="constant", **setting).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


def test_the_perceptron_loss_is_the_perceptron_that_counts_zero_as_wrong():
    X, y = whole_numbers(5)
    ours = SGDClassifier("perceptron", eta0=1.0, **PLAIN).partial_fit(X, y, classes=CLASSES)
    other = Perceptron(zero="mistake").partial_fit(X, y, classes=CLASSES)
    assert same(ours, other)
    assert ours.record_.updates == other.record_.updates


def test_the_logistic_minimum_is_logistic_regressions():
    X, y = game(6, n=400)
    alpha = 0.01
    setting = {"average": 20_000, "max_iter": 300, "tol": None, "random_state": 0}
    ours = SGDClassifier("log_loss", alpha=alpha, **setting).fit(X, y)
    theirs = LogisticRegression(C=1 / (alpha * len(y)), tol=1e-10).fit(X, y)
    least = objective(X, y, theirs.coef_[0], theirs.intercept_[0], alpha)
    found = objective(X, y, ours.coef_[0], ours.intercept_[0], alpha)
    assert least <= found <= least * (1 + 1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.02)


# The same bits however the examples come


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("schedule", ["optimal", "invsqrt"])
def test_whole_chunks_and_single_examples_give_the_same_bits(precision, average, schedule):
    X, y = game(7, n=400, d=9)
    X = X.astype(precision)
    setting = {"loss": "log_loss", "alpha": 0.2, "average": average, "class_weight": {1: 3.0}}
    setting["learning_rate"] = schedule
    whole = SGDClassifier(**setting).partial_fit(X, y, classes=CLASSES)
    chunked, one = SGDClassifier(**setting), SGDClassifier(**setting)
    for part in range(0, 400, 30):
        chunked.partial_fit(X[part : part + 30], y[part : part + 30], classes=CLASSES)
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label, classes=CLASSES)
    once = SGDClassifier(max_iter=1, tol=None, shuffle=False, **setting).fit(X, y)
    for other in (chunked, one, once):
        assert same(whole, other)
        assert other.record_.mistakes == whole.record_.mistakes


def test_sparse_rows_give_the_dense_weights_and_the_same_bits_in_chunks():
    X, y = game(8, n=300)
    X[X < 0.5] = 0
    # With an intercept they would not: it moves more slowly over sparse rows.
    setting = {"alpha": 0.5, "average": True, "fit_intercept": False}
    dense = SGDClassifier(**setting).partial_fit(X, y, classes=CLASSES)
    whole = SGDClassifier(**setting).partial_fit(sparse.csr_matrix(X), y, classes=CLASSES)
    chunked = SGDClassifier(**setting)
    for part in range(0, 300, 40):
        rows = sparse.csr_matrix(X[part : part + 40])
        chunked.partial_fit(rows, y[part : part + 40], classes=CLASSES)
    assert same(whole, chunked)
    np.testing.assert_allclose(whole.coef_, dense.coef_, rtol=1e-9)


def test_the_seed_decides_the_order():
    X, y = game(9)
    setting = {"max_iter": 3, "tol": None}
    first, second, other, state = (
        SGDClassifier(random_state=seed, **setting).fit(X, y)
        for seed in (1, 1, 2, np.random.RandomState(1))
    )
    assert same(first, second)
    assert not same(first, other)
    assert same(first, state)


def test_loading_a_saved_learner_goes_on_with_the_same_bits(tmp_path):
    X, y = game(10)
    model = SGDClassifier("log_loss", average=True, alpha=0.3, class_weight={0: 2.0})
    model.partial_fit(X[:150], y[:150], classes=CLASSES)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    for learner in (model, again):
        learner.partial_fit(X[150:], y[150:])
    assert same(model, again)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_dicts_of_features_may_grow_while_averaging():
    setting = {"penalty": None, "learning_rate": "invsqrt", "eta0": 1.0}
    model = SGDClassifier(average=True, fit_intercept=False, **setting)
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"b": 1.0}, False)
    # After the first step a weighs 1; after the second b weighs -1 / sqrt(2).
    np.testing.assert_allclose(model.coef_, [[1.0, -np.sqrt(0.5) / 2]], rtol=1e-12)
    assert model.predict_one({"a": 1.0}) is True


# Weights


def test_an_example_of_weight_zero_is_a_round_in_which_the_weights_only_shrink():
    X, y = game(11)
    there = np.random.default_rng(0).random(200) < 0.5
    setting = {**PLAIN, "average": 200}
    weighted = SGDClassifier(**setting).partial_fit(X, y, CLASSES, sample_weight=there)
    assert same(weighted, SGDClassifier(**PLAIN).partial_fit(X[there], y[there], classes=CLASSES))
    assert weighted.record_.rounds == 200
    setting |= {"penalty": "l2", "alpha": 0.5, "eta0": 0.1}
    weighted = SGDClassifier(**setting).partial_fit(X, y, CLASSES, sample_weight=there)
    twin = sgd(X, 2 * y - 1, "hinge", power_rate(0.1, 0), 0.5, weights=there)
    np.testing.assert_allclose(weighted.coef_[0], twin.coef, rtol=1e-10)


def test_a_weight_is_repetition_as_long_as_the_slope_stays_the_same():
    """Short hinge steps, all within the margin: a weight of k is the example k times."""
    X, y = whole_numbers(12)
    times = np.random.default_rng(0).integers(1, 4, size=60)
    setting = {**PLAIN, "eta0": 2.0**-20}
    weighted = SGDClassifier(**setting).partial_fit(X, y, CLASSES, sample_weight=times)
    repeated = SGDClassifier(**setting)
    repeated.partial_fit(X.repeat(times, axis=0), y.repeat(times), classes=CLASSES)
    assert same(weighted, repeated)
    twice = SGDClassifier(**setting | {"eta0": 2.0**-19}).partial_fit(X, y, classes=CLASSES)
    assert same(
        twice,
        SGDClassifier(**setting).partial_fit(X, y, sample_weight=np.full(60, 2.0), classes=CLASSES),
    )


def test_the_weighted_minimum_is_logistic_regressions():
    """The weights multiply the losses, and leave the penalty alone."""
    X, y = game(13, n=150)
    times = np.random.default_rng(0).integers(0, 4, size=150)
    setting = {"alpha": 0.05, "average": 30_000, "max_iter": 600, "tol": None, "random_state": 0}
    weighted = SGDClassifier("log_loss", **setting).fit(X, y, sample_weight=times)
    batch = LogisticRegression(C=1 / (0.05 * 150), tol=1e-10).fit(X, y, sample_weight=times)
    np.testing.assert_allclose(weighted.coef_, batch.coef_, rtol=0.02, atol=0.01)
    ignored = SGDClassifier("log_loss", **setting).fit(X, y)
    assert np.abs(ignored.coef_ - weighted.coef_).max() > 0.03


def test_class_weights_are_sample_weights():
    X, y = game(14)
    setting = {"max_iter": 3, "tol": None, "random_state": 0}
    by_class = SGDClassifier(class_weight={0: 0.25, 1: 3.0}, **setting).fit(X, y)
    by_row = SGDClassifier(**setting).fit(X, y, sample_weight=np.where(y == 1, 3.0, 0.25))
    assert same(by_class, by_row)


# Learning


def test_fit_stops_when_the_objective_no_longer_falls():
    X, y = game(15)
    stopped = SGDClassifier(random_state=0).fit(X, y)
    assert 5 < stopped.n_iter_ < 1000
    assert stopped.record_.passes == stopped.n_iter_
    assert SGDClassifier(random_state=0, tol=None, max_iter=7).fit(X, y).n_iter_ == 7
    patient = SGDClassifier(random_state=0, n_iter_no_change=20).fit(X, y)
    assert patient.n_iter_ > stopped.n_iter_


def test_a_fit_that_may_not_pass_often_enough_says_so():
    X, y = game(15)
    sentence = (
        r"^fit made all of its max_iter=3 passes, and the objective may still fall\. "
        r"Raise max_iter, or set tol=None to make just these passes\.$"
    )
    with pytest.warns(ConvergenceWarning, match=sentence):
        SGDClassifier(max_iter=3).fit(X, y)


def test_an_adaptive_step_shortens_where_a_constant_one_gives_up():
    X, y = game(16)
    setting = {"loss": "log_loss", "random_state": 0, "eta0": 0.5}
    constant = SGDClassifier(learning_rate="constant", **setting).fit(X, y)
    adaptive = SGDClassifier(learning_rate="adaptive", **setting).fit(X, y)
    assert adaptive.n_iter_ > constant.n_iter_
    values = [objective(X, y, m.coef_[0], m.intercept_[0], 0.0001) for m in (adaptive, constant)]
    assert values[0] < values[1]


def test_warm_start_keeps_the_weights_and_the_record():
    X, y = game(16)
    setting = {"shuffle": False, "tol": None, "learning_rate": "constant"}
    going_on = SGDClassifier(warm_start=True, max_iter=2, **setting).fit(X, y).fit(X, y)
    assert_alike(going_on, SGDClassifier(max_iter=4, **setting).fit(X, y))
    assert going_on.record_.rounds == 800
    assert same(
        SGDClassifier(max_iter=2, **setting).fit(X, y).fit(X, y),
        SGDClassifier(max_iter=2, **setting).fit(X, y),
    )


def test_averaging_is_the_mean_of_all_weights():
    X, y = game(17, n=30)
    seen = []
    plain = SGDClassifier(alpha=0.1)
    for x, label in zip(X, y, strict=True):
        plain.learn_one(x, label, classes=CLASSES)
        seen.append(np.append(plain.coef_[0], plain.intercept_))
    for start in (1, 10, 30):
        model = SGDClassifier(alpha=0.1, average=start).partial_fit(X, y, classes=CLASSES)
        mean = np.mean(seen[start - 1 :], axis=0)
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), mean, rtol=1e-10)
    late = SGDClassifier(alpha=0.1, average=31).partial_fit(X, y, classes=CLASSES)
    assert same(late, plain)


def test_several_classes():
    rng = np.random.default_rng(0)
    centres = np.array([[4.0, 0], [-4, 0], [0, 4]])
    y = rng.integers(0, 3, 300)
    X = centres[y] + rng.normal(size=(300, 2))
    model = SGDClassifier("log_loss", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    sure = model.predict_proba(X)
    assert (sure.argmax(axis=1) == model.predict(X)).all()
    np.testing.assert_allclose(sure.sum(axis=1), 1)
    assert len(model.record_) == 3
    assert {g.theorem for g in model.guarantees()} >= {"occam-float64", "surrogate-upper-bounds"}


def test_probabilities_only_from_the_logistic_loss():
    assert hasattr(SGDClassifier("logistic"), "predict_proba")
    assert not hasattr(SGDClassifier(), "predict_proba")
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'") as refused:
        SGDClassifier("hinge").fit([[0.0], [1]], [0, 1]).predict_proba([[0.0]])
    sentence = "needs loss='log_loss' or 'modified_huber', but loss is 'hinge'"
    assert sentence in str(refused.value.__cause__)


def test_logarithms_of_probabilities():
    X, y = game(17)
    model = SGDClassifier("log_loss", random_state=0).fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    sure = SGDClassifier("modified_huber", random_state=0).fit(X, y).predict_log_proba(9 * X)
    assert np.isneginf(sure).any()


def test_probabilities_where_every_class_is_refused():
    model = SGDClassifier("log_loss", max_iter=1, tol=None).fit([[0.0], [1], [2]], [0, 1, 2])
    for player in model.players_:
        player.bias[:] = -1e4
    np.testing.assert_allclose(model.predict_proba([[0.0]]), 1 / 3)


# Contracts


def test_scikit_learns_checks():
    # One check weighs a class a thousandfold, and passes more often than fit may.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert_checks_pass_but_those_named(SGDClassifier())


def test_parameters_and_defaults_are_scikit_learns():
    for method in ("__init__", "fit", "partial_fit"):
        ours, theirs = (
            inspect.signature(getattr(kind, method)).parameters.values()
            for kind in (SGDClassifier, Theirs)
        )
        assert [(p.name, p.default, p.kind) for p in ours] == [
            (p.name, p.default, p.kind) for p in theirs
        ]


def test_parameters_that_change_nothing_are_taken():
    X, y = game(19)
    plain = SGDClassifier(random_state=0).fit(X, y)
    more = {"n_jobs": -1, "l1_ratio": None, "validation_fraction": 0.3, "verbose": 0}
    assert same(plain, SGDClassifier(random_state=0, **more).fit(X, y))


ONE = ([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"alpha": -1}, "alpha must be a finite number, zero or more, but is -1."),
        ({"eta0": 0}, "eta0 must be a finite number above zero, but is 0."),
        ({"epsilon": -0.5}, "epsilon must be a finite number, zero or more, but is -0.5."),
        ({"power_t": -1}, "power_t must be a finite number, zero or more, but is -1."),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, but is 0."),
        ({"tol": -1e-3}, "tol must be a finite number, zero or more, but is -0.001."),
        (
            {"n_iter_no_change": 0},
            "n_iter_no_change must be a whole number of at least 1, but is 0.",
        ),
        ({"average": -1}, "average must be a whole number of at least 0, but is -1."),
        (
            {"learning_rate": "pa3"},
            "learning_rate must be one of optimal, invscaling, constant, adaptive, invsqrt, inverse, pa1, pa2, "
            "but is 'pa3'.",
        ),
        (
            {"learning_rate": "pa1", "loss": "log_loss"},
            "loss must be 'hinge' or 'epsilon_insensitive' where learning_rate is 'pa1', but is 'log_loss'.",
        ),
        (
            {"alpha": 0},
            "alpha must be above zero where learning_rate is 'optimal', but is 0.0. "
            "The penalty sets this schedule; for a step of your own choose another learning_rate.",
        ),
        ({"penalty": "l0"}, "penalty must be 'l2', 'l1', 'elasticnet' or None, but is 'l0'."),
        (
            {"penalty": "elasticnet", "l1_ratio": None},
            "l1_ratio must be a number between 0 and 1, but is None.",
        ),
        ({"early_stopping": 2}, "early_stopping must be True or False, but is 2."),
        (
            {"early_stopping": True, "validation_fraction": 1},
            "validation_fraction must be above 0 and below 1, but is 1.",
        ),
        ({"verbose": -1}, "verbose must be a whole number, zero or more, but is -1."),
        (
            {"class_weight": "even"},
            "class_weight must be a dict, 'balanced' or None, but is 'even'.",
        ),
        (
            {"class_weight": {0: -1.0}},
            "class_weight[0] must be a number, zero or more, but is -1.0.",
        ),
    ],
)
def test_refusals(setting, sentence):
    with refuses(sentence):
        SGDClassifier(**setting).fit(*ONE)


@pytest.mark.parametrize("door", ["partial_fit", "learn_one"])
def test_only_fit_knows_which_rows_to_set_aside(door):
    model, x = SGDClassifier(early_stopping=True), [[0.0]] if door == "partial_fit" else [0.0]
    with refuses(
        "early_stopping must be False for partial_fit, but is True. "
        "Which rows to set aside only fit knows: it has the whole sample."
    ):
        getattr(model, door)(x, [0] if door == "partial_fit" else 0, classes=CLASSES)


def test_rows_set_aside_must_count():
    X, y = game(4)
    weights = np.ones(200)
    setting = {"early_stopping": True, "random_state": 0}
    split = StratifiedShuffleSplit(1, test_size=0.1, random_state=0)
    weights[next(split.split(X, y))[1]] = 0.0
    with pytest.raises(BadData, match=r"^sample_weight must leave a row of those set aside for"):
        SGDClassifier(**setting).fit(X, y, sample_weight=weights)


def test_refused_starting_weights():
    for name, start, sentence in (
        ("coef_init", [1, 2, 3], "coef_init must be of shape (1, 2), but is (3,)."),
        ("intercept_init", [np.nan], "intercept_init must hold finite numbers."),
    ):
        with pytest.raises((BadData, BadParameter), match=f"^{re.escape(sentence)}$"):
            SGDClassifier().fit([[0.0, 1], [1, 0]], [0, 1], **{name: start})


def test_over_sparse_rows_the_intercept_moves_a_hundred_times_more_slowly():
    told = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "alpha": 0.0}
    for form, moved in ((np.asarray, -1.0), (sparse.csr_matrix, -0.01)):
        model = SGDClassifier(**told).partial_fit(form([[1.0, 0.0]]), [0], classes=[0, 1])
        assert [*model.coef_[0], model.intercept_[0]] == [-1, 0, moved]


def test_balanced_weights_need_the_whole_sample():
    sentence = (
        "class_weight must be a dict or None, but is 'balanced'. "
        "How frequent the classes are is known only to fit."
    )
    with refuses(sentence):
        SGDClassifier(class_weight="balanced").partial_fit(*ONE, classes=CLASSES)
    with refuses(sentence):
        SGDClassifier(class_weight="balanced").learn_one([1.0], True)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0], r"sample_weight must be one number per row, of shape \(2,\), but is \(1,\)\."),
        (
            [1.0, -2.0],
            r"sample_weight must hold finite numbers, zero or more, but holds -2\.0 in row 1\.",
        ),
        (
            [np.nan, 1.0],
            r"sample_weight must hold finite numbers, zero or more, but holds nan in row 0\.",
        ),
        ([0.0, 0.0], r"sample_weight must leave at least one row, but is zero for all of them\."),
        (
            [0.0, 1.0],
            r"sample_weight must leave rows of at least two classes, but leaves one class\.",
        ),
    ],
)
def test_refused_sample_weights(weights, sentence):
    with pytest.raises((BadData, ValueError), match=f"^{sentence}$"):
        SGDClassifier().fit(*ONE, sample_weight=weights)


def test_a_bad_cell_is_named_and_what_came_before_is_learned():
    X, y = game(18, n=20)
    X[11, 3] = np.inf
    model = SGDClassifier()
    with pytest.raises(BadData, match="row 11, column 3 holds infinity"):
        model.partial_fit(X, y, classes=CLASSES)
    assert same(model, SGDClassifier().partial_fit(X[:11], y[:11], classes=CLASSES))


def test_weights_that_run_away_are_said_to():
    X, y = game(18)
    setting = {"learning_rate": "invsqrt", "eta0": 5.0}
    far = SGDClassifier("exponential", penalty=None, tol=None, max_iter=9, **setting)
    with pytest.warns(ConvergenceWarning, match=r"steps of eta0=5\.0 are too long"):
        far.fit(10 * X, y)
    with pytest.warns(ConvergenceWarning, match="Scale the features, or lower eta0"):
        SGDClassifier("exponential", **setting).partial_fit(10 * X, y, classes=CLASSES)
    sentence = (
        r"^The weights ran away: the first steps are too long for such examples\. "
        r"Scale the features, or raise alpha\.$"
    )
    with pytest.warns(ConvergenceWarning, match=sentence):
        SGDClassifier("exponential").partial_fit(10 * X, y, classes=CLASSES)
