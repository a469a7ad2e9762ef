"""The network classifier: scikit-learn's weights and losses, real data, chunks, promises, files, refusals."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn import neural_network
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from assay import MLPClassifier, load, read_table, save
from assay.errors import BadData, BadParameter
from assay.guarantees.stored_numbers import stored_guarantees
from assay.theory.generalization.occam import occam_float64
from assay.theory.tail.binomial import holdout_exact
from tests.scikit_checks import assert_checks_pass_but_those_named

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DATA = Path(__file__).parents[3] / "examples" / "data"
IRIS, KINDS = load_iris(return_X_y=True)
X, Y = make_classification(200, 8, n_informative=5, random_state=0)
SMALL = {"hidden_layer_sizes": (9,), "random_state": 3, "max_iter": 12}


def weights_of(model):
    return np.concatenate([part.ravel() for part in (*model.coefs_, *model.intercepts_)])


def assert_same(ours, theirs, rows):
    np.testing.assert_allclose(weights_of(ours), weights_of(theirs), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        ours.predict_proba(rows), theirs.predict_proba(rows), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    for name in ("n_iter_", "n_layers_", "n_outputs_", "out_activation_"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.loss_ == pytest.approx(theirs.loss_, rel=1e-10)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"solver": "sgd", "momentum": 0.0},
        {"solver": "sgd", "nesterovs_momentum": False, "learning_rate": "invscaling"},
        {
            "solver": "sgd",
            "learning_rate": "adaptive",
            "learning_rate_init": 0.5,
            "n_iter_no_change": 2,
            "max_iter": 60,
        },
        {"activation": "logistic"},
        {"activation": "tanh", "hidden_layer_sizes": [7, 5]},
        {"activation": "identity", "hidden_layer_sizes": ()},
        {"early_stopping": True, "max_iter": 50, "n_iter_no_change": 3},
        {"solver": "lbfgs"},
        {"alpha": 1.0, "batch_size": 32},
        {"shuffle": False, "hidden_layer_sizes": 4},
    ],
    ids=str,
)
def test_same_as_scikit_learn(parameters):
    for rows, labels in ((X, Y), (IRIS, KINDS)):
        models = [
            kind(**SMALL | parameters).fit(rows, labels)
            for kind in (MLPClassifier, neural_network.MLPClassifier)
        ]
        assert_same(*models, rows)
        if parameters.get("solver") != "lbfgs":
            ours, theirs = models
            np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_, rtol=1e-10)
            assert ours.validation_scores_ == theirs.validation_scores_
            assert ours.best_validation_score_ == theirs.best_validation_score_
            assert ours.t_ == theirs.t_


def test_same_as_scikit_learn_in_chunks_and_by_weight():
    weights = np.random.default_rng(0).random(200)
    models = [kind(**SMALL) for kind in (MLPClassifier, neural_network.MLPClassifier)]
    for model in models:
        model.fit(X, Y, sample_weight=weights)
    assert_same(*models, X)
    for solver in ("adam", "sgd"):
        models = [
            kind(**SMALL | {"solver": solver})
            for kind in (MLPClassifier, neural_network.MLPClassifier)
        ]
        for model in models:
            for start in range(0, 200, 50):
                part = slice(start, start + 50)
                model.partial_fit(X[part], Y[part], classes=[0, 1], sample_weight=weights[part])
        np.testing.assert_allclose(*map(weights_of, models), rtol=1e-9, atol=1e-12)
        assert models[0].n_iter_ == 4


def test_same_as_scikit_learn_on_real_data():
    mails = read_table(DATA / "spambase.parquet", target="target")
    zoo = read_table(DATA / "zoo.parquet", target="target")
    for data in (mails, zoo):
        rows = np.log1p(data.X)
        told = {"hidden_layer_sizes": (10,), "random_state": 1, "max_iter": 3}
        models = [
            kind(**told).fit(rows, data.y) for kind in (MLPClassifier, neural_network.MLPClassifier)
        ]
        assert_same(*models, rows)


def test_warm_start_goes_on_as_in_scikit_learn():
    models = [
        kind(warm_start=True, **SMALL) for kind in (MLPClassifier, neural_network.MLPClassifier)
    ]
    for model in models:
        model.fit(X, Y).fit(X, Y)
    assert_same(*models, X)
    assert len(models[0].loss_curve_) == 24


def test_exclusive_or():
    rows, labels = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = MLPClassifier(8, "tanh", solver="lbfgs", random_state=1).fit(rows, labels)
    assert model.predict(rows).tolist() == labels
    assert model.loss_ < 0.01


def test_sparse_rows_are_the_same_network():
    thin = X * (np.random.default_rng(1).random(X.shape) < 0.4)
    one, other = (MLPClassifier(**SMALL).fit(rows, Y) for rows in (thin, sparse.csr_matrix(thin)))
    np.testing.assert_allclose(weights_of(one), weights_of(other), atol=1e-12)


def test_a_batch_of_no_weight_teaches_nothing():
    weights = np.repeat([1.0, 0.0], 100)
    told = SMALL | {"shuffle": False, "batch_size": 100, "max_iter": 5}
    whole = MLPClassifier(**told).fit(X, Y, sample_weight=weights)
    half = MLPClassifier(**told).fit(X[:100], Y[:100])
    np.testing.assert_allclose(weights_of(whole), weights_of(half), atol=1e-12)


def test_probabilities_and_their_logarithms():
    for rows, labels in ((X, Y), (IRIS, KINDS)):
        model = MLPClassifier(**SMALL).fit(rows, labels)
        chances = model.predict_proba(rows)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), chances)
        np.testing.assert_array_equal(chances.argmax(axis=1), model.predict(rows))
        far = model.predict_log_proba(rows * 1e4)
        assert np.isfinite(
            far
        ).all()  # the logarithm of a probability that is zero in floating point


def test_learning_one_at_a_time_is_learning_in_chunks_of_one():
    one, other = MLPClassifier(**SMALL), MLPClassifier(**SMALL)
    for row, label in zip(IRIS[:20], KINDS[:20], strict=True):
        one.learn_one(row, label, classes=[0, 1, 2])
        other.partial_fit(row[None], [label], classes=[0, 1, 2])
    assert weights_of(one).tobytes() == weights_of(other).tobytes()
    assert one.predict_one(IRIS[0]) == other.predict(IRIS[:1])[0]


def test_promises():
    model = MLPClassifier(**SMALL).fit(X, Y)
    error, near, coin, training = model.guarantees()
    q = 8 * 9 + 9 + 9 + 1
    assert model.parameters_.size == q
    assert error.inputs["bits"] == 64 * q
    assert error.assumptions[1].evidence == (
        f"{64 * q} bits: {q} weights of 64 bits each, layers, gates and labels being known"
    )
    assert near.promised == occam_float64(q, "0.05", "0.05", "agnostic")
    assert coin.of == "rows for a bound on the error below one half"
    assert int(coin.promised) > 200
    assert training.theorem == "surrogate-upper-bounds"
    assert training.holds
    assert float(training.observed) == (model.predict(X) != Y).mean()
    single = MLPClassifier(**SMALL).fit(X.astype(np.float32), Y)
    assert single.guarantees()[0].inputs["bits"] == 32 * q
    chunk = MLPClassifier(**SMALL).partial_fit(X, Y, classes=[0, 1])
    assert [promise.theorem for promise in chunk.guarantees()] == ["occam-float64"]
    assert MLPClassifier().guarantees() == []
    assert model.certificate(X, Y).claims[0].theorem == "holdout-exact"


def test_passes_over_the_same_rows_bring_no_new_ones():
    """Coins learned by heart: a promise from all rows that ever came would be broken."""
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(8, 5)), np.arange(8) % 2
    model = MLPClassifier(2, "tanh", learning_rate_init=0.1, batch_size=8, random_state=0)
    for _ in range(20):
        model.partial_fit(np.tile(rows, (20, 1)), np.tile(labels, 20), classes=[0, 1])
    share = (model.predict(rows) != labels).mean()
    assert not any(promise.of.startswith("error") for promise in model.guarantees())
    # Every rule errs on half of all coins.
    twice = stored_guarantees(model.parameters_.size, model.rows_, None)[0]
    assert share + twice.value < 0.5


def test_the_golden_numbers_of_two_weights():
    assert occam_float64(2, 0.1, 0.05) == 918
    assert occam_float64(2, 0.1, 0.05, "agnostic") == 4621


def test_the_promise_is_kept_and_one_without_the_description_is_not():
    """Labels that are coins: every network errs half the time, however well it fits."""
    rng = np.random.default_rng(2)
    rows, labels = rng.normal(size=(12, 4)), np.arange(12) % 2
    fooled = 0
    for seed in range(5):
        model = MLPClassifier(16, "tanh", solver="lbfgs", random_state=seed)
        model.fit(rows, rng.permutation(labels))
        assert model.guarantees()[0].value >= 0.5
        fooled += holdout_exact(model.training_errors_, 12, 0.05) < 0.5
    assert fooled == 5


def test_the_loss_bounds_the_training_errors_and_without_its_factor_it_would_not():
    """Rows that say nothing, nine in ten of them called wrongly, each at a loss little above ln 2."""
    rows, labels = np.zeros((100, 50)), np.repeat([1, 0], [90, 10])
    tried = []
    for seed in range(20):
        model = MLPClassifier((), random_state=seed, learning_rate_init=1e-12, max_iter=1)
        promise = model.fit(rows, labels).guarantees()[-1]
        assert promise.holds
        tried.append(model.training_loss_ / 100 < float(promise.observed))
    assert any(tried)


def test_files(tmp_path):
    for model, rows, labels in (
        (MLPClassifier(**SMALL), X, Y),
        (MLPClassifier(**SMALL | {"early_stopping": True, "max_iter": 30}), IRIS, KINDS),
        (MLPClassifier(**SMALL | {"solver": "lbfgs"}), X.astype(np.float32), Y),
        (MLPClassifier(**SMALL | {"solver": "sgd", "hidden_layer_sizes": (5, 3)}), IRIS, KINDS),
    ):
        save(model.fit(rows, labels), tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
        assert again.loss_curve_ == model.loss_curve_
        assert again.guarantees() == model.guarantees()
        if not model.early_stopping and model.solver != "lbfgs":
            for one in (model, again):
                one.partial_fit(rows, labels)
            assert again.parameters_.tobytes() == model.parameters_.tobytes()


def test_progress_is_printed_on_request(capsys):
    told = {"verbose": True, "learning_rate_init": 0.1, "tol": 0.5, "n_iter_no_change": 1}
    MLPClassifier(**SMALL | told).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"Iteration 1, loss = \d\.\d{8}", lines[0])
    assert lines[-1] == (
        "Training loss did not improve more than tol=0.500000 for 1 consecutive epochs. Stopping."
    )


def test_it_says_when_it_has_not_come_to_an_end():
    sentence = "After 2 passes the loss may still fall. Raise max_iter."
    with (
        warnings.catch_warnings(),
        pytest.warns(ConvergenceWarning, match=f"^{re.escape(sentence)}$"),
    ):
        MLPClassifier(**SMALL | {"max_iter": 2}).fit(X, Y)


class Interrupting(io.StringIO):
    """A terminal at which somebody stops the training when its third pass is told."""

    def write(self, text):
        if text.startswith("Iteration 3"):
            raise KeyboardInterrupt
        return super().write(text)


def test_an_interruption_leaves_what_was_learned(monkeypatch):
    monkeypatch.setattr("sys.stdout", Interrupting())
    with pytest.warns(UserWarning, match="^Training was interrupted; the weights are those so far"):
        model = MLPClassifier(**SMALL, verbose=True).fit(X, Y)
    assert model.n_iter_ == 3


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"hidden_layer_sizes": (5, 0)},
            "hidden_layer_sizes must be whole numbers of at least 1, one for each layer, but is (5, 0).",
        ),
        (
            {"activation": "step"},
            "activation must be 'identity', 'logistic', 'tanh' or 'relu', but is 'step'.",
        ),
        ({"solver": None}, "solver must be 'adam', 'sgd' or 'lbfgs', but is None."),
        ({"alpha": -1}, "alpha must be a finite number, zero or more, but is -1."),
        (
            {"batch_size": 0},
            "batch_size must be a whole number of at least 1, or 'auto', but is 0.",
        ),
        (
            {"learning_rate": "fast"},
            "learning_rate must be 'constant', 'invscaling' or 'adaptive', but is 'fast'.",
        ),
        (
            {"learning_rate_init": 0},
            "learning_rate_init must be a finite number above zero, but is 0.",
        ),
        ({"max_iter": 2.5}, "max_iter must be a whole number of at least 1, but is 2.5."),
        ({"momentum": 1.5}, "momentum must be a number of at least 0 and at most 1, but is 1.5."),
        ({"beta_1": 1.0}, "beta_1 must be a number of at least 0 and below 1, but is 1.0."),
        (
            {"validation_fraction": 1},
            "validation_fraction must be a number strictly between 0 and 1, but is 1.",
        ),
        (
            {"n_iter_no_change": 0},
            "n_iter_no_change must be a whole number of at least 1, or infinity, but is 0.",
        ),
        (
            {"early_stopping": True, "validation_fraction": 0.004},
            "validation_fraction must set aside at least 2 rows, but 0.004 of 150 rows is 1.",
        ),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        MLPClassifier(**parameters).fit(IRIS, KINDS)


def test_refused_samples():
    def refuses(sentence, kind=BadData):
        return pytest.raises(kind, match=f"^{re.escape(sentence)}$")

    model = MLPClassifier(**SMALL | {"warm_start": True}).fit(X, Y)
    before = model.parameters_.copy()
    with refuses("With warm_start, y must hold the same classes as in the fit before."):
        model.fit(X, Y + 1)
    with refuses("y holds the label 2 in row 0, which is none of the classes 0, 1."):
        model.partial_fit(X[:1], [2])
    hint = "Scale the features, or lower learning_rate_init."
    with refuses(f"The weights of the network overflowed in pass 2. {hint}"):
        model.set_params(solver="sgd", learning_rate_init=1e300, warm_start=False).fit(X, Y)
    with refuses("Input X cannot be predicted: row 1 is so large that its score overflows."):
        large = MLPClassifier(**SMALL).fit(X, Y)
        large.parameters_ *= 1e10
        large.predict([X[0], np.full(8, 1e300)])
    assert model.parameters_.tobytes() == before.tobytes()
    sentence = (
        "early_stopping must be False for partial_fit, but is True. "
        "What comes in parts has none to set aside."
    )
    with refuses(sentence, BadParameter):
        MLPClassifier(early_stopping=True).partial_fit(X, Y, classes=[0, 1])
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")
    named = MLPClassifier(**SMALL)
    named.learn_one({"a": 1.0, "b": 2.0}, True)
    sentence = "A network cannot take in features that it did not begin with: x has 3 of them with the 2 it knows."
    with refuses(sentence):
        named.learn_one({"c": 1.0}, False)


def test_scikit_checks():
    assert_checks_pass_but_those_named(MLPClassifier(8, learning_rate_init=0.1, max_iter=20))
