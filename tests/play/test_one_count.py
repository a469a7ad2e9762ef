"""`play`, a stream, delayed feedback and the service count the same errors and learn the same, for every learner.

So do they with a learner that is told its mistakes only, which no service hosts.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from assay import conservative, delayed, play
from assay.data.examples import Examples
from assay.learners.registry import learner_names, make_learner, name_of
from assay.play.stream import Stream
from assay.server.engine.definition import kind_of
from tests.server.engines import ask, engine_at, make, tell

ROWS = 150
ONLINE = [name for name in learner_names() if kind_of(name) == "classifier"]
#: What is varied for each learner; those that draw are given a seed, so that they draw alike.
GRID = {
    "bernoulli-nb": {"alpha": [1.0, 0.1], "fit_prior": [True, False]},
    "consistent": {"concepts": ["disjunctions", "conjunctions"]},
    "disjunction-majority": {"literals": [1, 2], "beta": [None, 0.5]},
    "gaussian-nb": {"var_smoothing": [1e-9, 1e-3]},
    "gradient-descent": {"loss": ["hinge", "log_loss"], "max_norm": [1.0, 10.0]},
    "halving": {"concepts": ["disjunctions", "conjunctions"]},
    "k-term-dnf": {"negations": [False, True]},
    "kernel-perceptron": {"kernel": ["rbf", "poly"], "zero": [1, -1], "budget": [10, 1000]},
    "margin-perceptron": {"margin": [0.1, 0.5], "fit_intercept": [True, False]},
    "mlp-classifier": {"hidden_layer_sizes": [[5]], "random_state": [3], "batch_size": [1]},
    "online-disjunction": {"negations": [False, True]},
    "perceptron": {"zero": [1, -1, "mistake"], "fit_intercept": [True, False]},
    "sgd-classifier": {
        "loss": ["hinge", "log_loss", "perceptron"],
        "average": [False, True, 40],
        "class_weight": [None, {"a": 1.0, "b": 3.0}, {"a": 0.0, "b": 1.0}],
        "learning_rate": ["optimal", "constant"],
    },
    "winnow": {"negations": [False, True]},
}


BOOLEAN = ("consistent", "disjunction-majority", "halving", "k-term-dnf", "monomial-winnow")
BOOLEAN += ("online-disjunction", "winnow")


def test_every_grid_is_that_of_an_online_learner():
    assert set(GRID) <= set(ONLINE)


def grids():
    for name in ONLINE:
        choices = GRID.get(name, {})
        for values in itertools.product(*choices.values()):
            yield name, dict(zip(choices, values, strict=True))


CASES = list(grids())


def sample(name, classes):
    """Boolean rows that one of the concepts labels, or numbers with noise: what the learner can be told."""
    rng = np.random.default_rng(7)
    X = (rng.random((ROWS, 4)) < 0.5).astype(float)
    if name in ("consistent", "halving"):
        return X, np.zeros(ROWS, dtype=int)  # set below, by the concept
    if name in (
        "gaussian-nb",
        "sgd-classifier",
        "perceptron",
        "kernel-perceptron",
        "margin-perceptron",
    ):
        X = rng.normal(size=(ROWS, 4))
    score = X[:, 0] + X[:, 1] - 0.4 * X[:, 2] + rng.normal(scale=0.4, size=ROWS)
    return X, np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)


def learner_of(name, params):
    given = dict(params)
    if "hidden_layer_sizes" in given:
        given["hidden_layer_sizes"] = tuple(given["hidden_layer_sizes"])
    return make_learner(name, given)


def case(name, params, classes=2):
    X, y = sample(name, classes)
    if "concepts" in params:
        y = X[:, :2].any(axis=1) if params["concepts"] == "disjunctions" else X[:, :2].all(axis=1)
        y = y.astype(int)
    if params.get("class_weight"):  # the keys of a JSON object are text
        y = np.array(["a", "b", "c"], dtype=object)[y]
    return X, y


def learned(model):
    """The answers of the last hypothesis to rows that nobody learned, with its weights where it has some."""
    rows = sample(name_of(model), 2)[0] + 0.25 * (name_of(model) not in BOOLEAN)
    numbers = ("coef_", "intercept_", "theta_", "var_", "feature_log_prob_", "dual_coef_")
    weights = [np.asarray(getattr(model, name, 0.0)).tobytes() for name in numbers]
    return np.asarray(model.predict(rows)).tolist(), weights


def naively(name, params, X, y):
    """Ask, then teach, one by one; nobody counts but this loop."""
    learner, said = learner_of(name, params), []
    first = delayed(learner_of(name, params), classes=np.unique(y)).predict(X[0]).prediction
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        said.append(learner.predict_one(x) if i else first)
        known = {} if i else {"classes": np.unique(y)}
        learner.learn_one(x, label, **known)
    return said


def streamed(learner, X, y, size):
    stream = Stream(learner, labels=[str(c) for c in np.unique(y)])
    names = [f"f{j}" for j in range(X.shape[1])]
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        stream.learn(Examples(X[part], y[part], names, "target", None, start + 1))
    stream.close()
    return stream


def by_turns(learner, X, y):
    game = delayed(learner, classes=np.unique(y))
    said = []
    for x, label in zip(X, y.tolist(), strict=True):
        trial = game.predict(x)
        said.append(trial.prediction)
        game.feedback(trial.id, label)
    return game, said


def served(engine, name, params, X, y):
    classes = np.unique(y).tolist()
    make(engine, algorithm=name, classes=classes, features=X.shape[1], params=params)
    said = []
    for x, label in zip(X, y.tolist(), strict=True):
        answer = ask(engine, "it", x=x.tolist())
        said.append(answer["prediction"])
        tell(engine, "it", answer["trial"], label=label)
    return engine.hosted("it").game, said


@pytest.mark.parametrize(("name", "params"), CASES, ids=str)
def test_one_count(tmp_path, name, params):
    require_one_count(tmp_path, name, params, *case(name, params))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("perceptron", {}),
        ("sgd-classifier", {"average": True}),
        ("sgd-classifier", {"class_weight": {"a": 0.0, "b": 1.0, "c": 2.0}}),
        ("gaussian-nb", {}),
    ],
    ids=str,
)
def test_one_count_of_three_classes(tmp_path, name, params):
    require_one_count(tmp_path, name, params, *case(name, params, classes=3))


def require_one_count(tmp_path, name, params, X, y):
    said = naively(name, params, X, y)
    errors = sum(a != b for a, b in zip(said, y.tolist(), strict=True))

    quiet, traced = learner_of(name, params), learner_of(name, params)
    assert play(quiet, X, y).mistakes == errors
    result = play(traced, X, y, trace=True)
    assert result.predictions.tolist() == said
    assert result.mistakes == errors

    assert learned(traced) == learned(quiet)

    for size in (ROWS, 7):
        stream = streamed(learner_of(name, params), X, y, size)
        assert (stream.rows, stream.errors) == (ROWS, errors)
        assert learned(stream.learner) == learned(quiet)

    game, answers = by_turns(learner_of(name, params), X, y)
    assert answers == said
    assert game.mistakes == errors
    assert learned(game.learner) == learned(quiet)

    with engine_at(tmp_path / "a.db") as engine:
        hosted, answers = served(engine, name, params, X, y)
        assert answers == said
        assert (hosted.rows, hosted.errors) == (ROWS, errors)
        assert engine.hosted("it").mistakes == errors
        assert learned(hosted.model) == learned(quiet)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("name", "params"), [next(c for c in CASES if c[0] == name) for name in GRID], ids=str
)
def test_one_count_of_a_learner_that_is_told_its_mistakes_only(name, params, classes):
    if classes == 3 and ("concepts" in params or name in BOOLEAN):
        pytest.skip("concepts have two classes")
    X, y = case(name, params, classes)
    inner, errors, known = learner_of(name, params), 0, np.unique(y)
    new = delayed(learner_of(name, params), classes=known)
    for x, label in zip(X, y.tolist(), strict=True):
        answer = inner.predict_one(x) if errors else new.predict(x).prediction
        if answer != label:
            inner.learn_one(x, label, **({} if errors else {"classes": known}))
            errors += 1

    quiet, traced = (conservative(learner_of(name, params)) for _ in range(2))
    assert play(quiet, X, y).mistakes == quiet.record_.mistakes == errors
    assert play(traced, X, y, trace=True).mistakes == errors
    assert learned(quiet.learner_) == learned(traced.learner_) == learned(inner)
    for size in (ROWS, 7):
        stream = streamed(conservative(learner_of(name, params)), X, y, size)
        assert (stream.rows, stream.errors) == (ROWS, errors)
        assert learned(stream.learner.learner_) == learned(inner)
    game, _ = by_turns(conservative(learner_of(name, params)), X, y)
    assert game.mistakes == errors
    assert learned(game.learner.learner_) == learned(inner)
