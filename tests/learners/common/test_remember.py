"""That every learner knows again the rows it learned from, and what it costs to leave that out."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier as PeerTree

from assay import (
    BaggingClassifier,
    DecisionTreeClassifier,
    GaussianNB,
    KernelPerceptron,
    KNeighborsClassifier,
    LogisticRegression,
    MLPClassifier,
    Perceptron,
    RandomForestClassifier,
    Ridge,
    SGDClassifier,
    SGDRegressor,
    config_context,
    get_config,
    load,
    save,
    set_config,
)
from assay.errors import BadData
from assay.evidence.fitted_rows import FittedRows, heads, places, with_labels
from assay.learners.common import digested, rows_seen
from assay.learners.registry import find_learner, learner_names
from tests.learners.model_files import reopened
from tests.refusals import refuses

WITHOUT_ROWS = {
    name for family in ("bandits", "contextual", "experts") for name in learner_names(family)
}
NEEDS_MORE = {"consistent", "finite-class-erm", "halving"}  # classes of concepts
X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
BOOLEAN = (X > 0).astype(float)
AND = (BOOLEAN[:, 0] * BOOLEAN[:, 1]).astype(int)


def sample_for(name):
    boolean = name in learner_names("boolean") or name == "winnow"
    return (BOOLEAN, AND) if boolean else (X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", sorted(set(learner_names()) - WITHOUT_ROWS - NEEDS_MORE))
def test_every_learner_knows_its_rows_again(name, tmp_path):
    cells, labels = sample_for(name)
    model = find_learner(name)().fit(cells, labels)
    kept = model.fitted_rows_
    assert (kept.rows, kept.whole) == (60, True)
    assert sorted(kept.digests.tolist()) == sorted(heads(cells, labels).tolist())
    assert rows_seen(model, cells[::-1].astype(np.float32)).all()
    assert not rows_seen(model, cells + 7).any()
    assert not hasattr(clone(model), "fitted_rows_")
    assert pickle.loads(pickle.dumps(model)).fitted_rows_.rows == 60
    save(model, tmp_path / "whole.assay")
    assert rows_seen(load(tmp_path / "whole.assay"), cells, labels).all()
    save(model, tmp_path / "without.assay", rows=False)
    assert rows_seen(load(tmp_path / "without.assay"), cells) is None
    with config_context(remember_rows=False):
        assert not hasattr(model.fit(cells, labels), "fitted_rows_")


@pytest.mark.parametrize("name", sorted(WITHOUT_ROWS))
def test_learners_of_losses_keep_nothing(name):
    assert not hasattr(getattr(find_learner(name), "partial_fit", None), "remembers")


ONLINE = [
    Perceptron(),
    SGDClassifier(),
    GaussianNB(),
    MLPClassifier((3,)),
    KernelPerceptron(gamma=0.5),
]


@pytest.mark.parametrize("model", ONLINE, ids=lambda model: type(model).__name__)
def test_the_same_in_chunks_and_one_by_one(model):
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(700, 3)), rng.integers(0, 2, 700)
    whole = clone(model).partial_fit(rows, labels, classes=[0, 1]).fitted_rows_
    assert 60 < len(whole.digests) < 120
    for size in (1, 7, 300):
        part = clone(model)
        for start in range(0, 700, size):
            stop = start + size
            part.partial_fit(rows[start:stop], labels[start:stop], classes=[0, 1])
        assert part.fitted_rows_ == whole
    singles, dicts = clone(model), clone(model)
    for row, label in zip(rows, labels.tolist(), strict=True):
        singles.learn_one(row, label, classes=[0, 1])
    assert singles.fitted_rows_.digests.tolist() == whole.digests.tolist()
    for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
        dicts.predict_one(dict(enumerate(row)))
        dicts.learn_one(dict(enumerate(row)), label, classes=[0, 1])
    assert dicts.fitted_rows_.digests.tolist() == whole.digests.tolist()


def test_one_by_one_with_numbers():
    model = SGDRegressor()
    for row, target in zip(X, X[:, 0], strict=True):
        model.learn_one(row, target)
    assert model.fitted_rows_.rows == 60
    chunk = SGDRegressor().partial_fit(X, X[:, 0])
    assert chunk.fitted_rows_.digests.tolist() == model.fitted_rows_.digests.tolist()


def test_going_on():
    other, labels = X + 100, 1 - Y
    fitted = Perceptron(max_iter=1).fit(X, Y)
    assert fitted.partial_fit(other, labels).fitted_rows_.rows == 120
    assert rows_seen(fitted, X).all()
    assert rows_seen(fitted, other).any()
    warm = SGDClassifier(warm_start=True, max_iter=2, tol=None).fit(X, Y).fit(other, labels)
    assert (warm.fitted_rows_.rows, warm.fitted_rows_.whole) == (120, True)
    assert rows_seen(warm, X).all()
    assert rows_seen(warm, other).all()
    fresh = Perceptron(max_iter=1).fit(X, Y).fit(other, labels)
    assert not rows_seen(fresh, X).any()
    grown = RandomForestClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, Y)
    assert grown.set_params(n_estimators=4).fit(X, Y).fitted_rows_.rows == 60


def test_what_was_not_remembered_from_the_start_is_not_known():
    with config_context(remember_rows=False):
        models = [Perceptron(warm_start=True).fit(X, Y), SGDClassifier().partial_fit(X, Y, [0, 1])]
        single = Perceptron()
        single.learn_one(X[0], 1, classes=[0, 1])
    for model in (*models, single):
        model.partial_fit(X, Y)
        model.learn_one(X[0], 1)
        assert not hasattr(model, "fitted_rows_")
    assert not hasattr(models[0].fit(X, Y), "fitted_rows_")


def test_refusals_leave_everything_as_it_was():
    model = Perceptron().fit(X, Y)
    before = model.fitted_rows_
    with pytest.raises(BadData):
        model.fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)
    assert model.fitted_rows_ is before
    with pytest.raises(BadData, match="Everything before this row was learned"):
        model.partial_fit(np.vstack([X[:5], [[np.nan] * 4], X]), np.r_[Y[:5], 0, Y])
    assert model.fitted_rows_.rows == 65


def test_parts_keep_nothing():
    for estimator in (None, Perceptron(), PeerTree()):
        for jobs in (1, 2):
            model = BaggingClassifier(estimator, n_estimators=3, n_jobs=jobs).fit(X, Y)
            assert model.fitted_rows_.rows == 60
            assert not any(hasattr(member, "fitted_rows_") for member in model.learners_)
    # Which ends with the fit.
    assert Perceptron().fit(X, Y).fitted_rows_.rows == 60


def test_rows_of_weight_zero_are_none():
    weights = np.r_[np.zeros(10), np.ones(50)]
    for model in (
        LogisticRegression().fit(X, Y, weights),
        Ridge().fit(X, Y, sample_weight=weights),
    ):
        assert model.fitted_rows_.rows == 50
        assert rows_seen(model, X).tolist() == [False] * 10 + [True] * 50


def test_any_container():
    frame = pd.DataFrame(X, columns=list("abcd"))
    words = pd.DataFrame({"a": X[:, 0], "b": np.where(Y, "yes", "no")})
    tree = find_learner("decision-tree-classifier")()
    large = (X * 1e18).astype(int)
    for cells in (frame, X.tolist(), np.asfortranarray(X), (X * 100).astype(int), large, words):
        assert rows_seen(tree.fit(cells, Y), cells, Y).all()
    for cells in (sparse.csr_matrix(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        assert rows_seen(Perceptron().fit(cells, Y), X, Y).all()
    texts = ["ab", "bc", "aab", "cb"] * 5
    model = KernelPerceptron(kernel="precomputed").fit(X @ X.T, Y)
    assert rows_seen(model, X @ X.T).all()
    from assay.kernels import Substring

    model = KernelPerceptron(kernel=Substring(2)).fit(texts, [0, 1] * 10)
    assert rows_seen(model, texts).all()
    labels = np.where(Y, "spam", "ham")
    assert rows_seen(Perceptron().fit(X, labels), X, labels.astype(object)).all()


def test_rows_whose_columns_are_out_of_order():
    cells = sparse.csr_matrix(
        (np.array([1.0, 2, 3, 4]), np.array([1, 0, 2, 2]), np.array([0, 2, 4])), shape=(2, 3)
    )
    model = Perceptron().fit(cells, [0, 1])
    assert rows_seen(model, [[2.0, 1, 0], [0, 0, 7]]).all()


def test_how_many_rows_are_kept():
    """All of few; of more, so many as cost little beside learning, and fewer where rows are wide."""
    rows = np.random.default_rng(2).normal(size=(9000, 2))
    labels = (rows[:, 0] > 0).astype(int)
    model = KNeighborsClassifier().fit(rows, labels)
    wanted = places(9000, 4096)
    assert len(model.fitted_rows_.digests) == len(wanted) == 4096
    assert rows_seen(model, rows).sum() == 4096
    assert rows_seen(model, rows[wanted]).all()
    tree = DecisionTreeClassifier(max_depth=1).fit(rows[:8000], labels[:8000])
    assert rows_seen(tree, rows[:8000]).all()
    wide = np.random.default_rng(3).normal(size=(400, 900))
    assert rows_seen(Perceptron(max_iter=1).fit(wide, labels[:400]), wide).sum() == 2**18 // 900


def test_settings():
    assert get_config() == {"remember_rows": True}
    set_config(remember_rows=False)
    try:
        assert get_config() == {"remember_rows": False}
        set_config()
        assert get_config() == {"remember_rows": False}
    finally:
        set_config(remember_rows=True)
    with refuses("remember_rows must be True or False, but is 1."):
        set_config(remember_rows=1)
    with pytest.raises(ZeroDivisionError), config_context(remember_rows=False):
        raise ZeroDivisionError
    assert get_config() == {"remember_rows": True}


def test_a_changed_file_is_refused():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    reopened(model)
    good = np.zeros((2, 2), np.uint64)
    for bad in (
        FittedRows(1, 2, good),
        FittedRows(3, 2, good),
        FittedRows(2, 2, good[:, :1].copy()),
        FittedRows(2, 2, good.astype(np.int64)),
        FittedRows(2.0, 2, good),
        None,
    ):
        model.fitted_rows_ = bad
        with pytest.raises(ValueError, match="fitted_rows_"):
            reopened(model)


def test_what_is_no_learner_of_ours_is_not_known():
    assert rows_seen(PeerTree().fit(X, Y), X) is None


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32, bool])
def test_the_compiled_loop_gives_the_digests_of_numpy(kind):
    rows = np.array([[0.0, 1.5, -2.0], [1e9, 0.1, -0.0], [3.0, 2.0**23, 7.0]]).astype(kind)
    many = np.repeat(rows, 30_000, axis=0)  # so many cells are left to the loop
    labels = np.repeat([1.0, 0.0, 2.0], 30_000)
    compiled = digested(many, labels, np.arange(len(many)))[::30_000]
    assert (compiled == with_labels(heads(rows)[:, 0], labels[::30_000])).all()
