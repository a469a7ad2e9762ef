"""Learners that compare all cells: from sparse rows they learn what they learn from the same rows written out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import get_tags

from assay import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    MajorityBoostClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from assay.errors import BadData
from tests.refusals import refuses

CLASSIFIERS = [
    DecisionTreeClassifier(min_samples_leaf=3),
    DecisionTreeClassifier(ccp_alpha="cv", max_features="sqrt", random_state=0),
    RandomForestClassifier(7, oob_score=True, random_state=0),
    RandomForestClassifier(5, max_bins=None, class_weight="balanced", random_state=0),
    BaggingClassifier(None, 5, max_features=0.5, oob_score=True, random_state=0),
    AdaBoostClassifier(n_estimators=9),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4),
    ForwardStagewiseClassifier(n_estimators=6),
    ForwardStagewiseClassifier(loss="square", n_estimators=6),
    MajorityBoostClassifier(edge=0.01, n_estimators=5),
    DecisionStump(),
    HistGradientBoostingClassifier(max_iter=6),
]
REGRESSORS = [
    DecisionTreeRegressor(max_leaf_nodes=9),
    RandomForestRegressor(6, oob_score=True, random_state=0),
    ForwardStagewiseRegressor(n_estimators=7),
    HistGradientBoostingRegressor(max_iter=6),
    HistGradientBoostingRegressor(loss="absolute_error", max_iter=6),
]
FORMATS = [sparse.csr_matrix, sparse.csc_array, sparse.coo_array]


def cells(rows=260, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    X[rng.random(X.shape) < 0.6] = 0.0
    X[:, 2] = np.round(X[:, 2], 1)
    X[:, 5] = 0.0  # a column that stores nothing
    return X


def named(model):
    return repr(model)[:60]


def same(ours, dense, rows):
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        if hasattr(dense, method):
            want = getattr(dense, method)(rows)
            for kind in FORMATS:
                assert getattr(ours, method)(kind(rows)).tobytes() == want.tobytes(), method


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_classes(model, kind):
    X = cells()
    y = np.where(X[:, 0] + np.abs(X[:, 1]) > 0.3, "yes", "no")
    dense = type(model)(**model.get_params(deep=False)).fit(X, y)
    same(type(model)(**model.get_params(deep=False)).fit(kind(X), y), dense, cells(90, seed=1))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("model", REGRESSORS, ids=named)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_quantities(model, kind):
    X = cells()
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2])
    dense = type(model)(**model.get_params(deep=False)).fit(X, y)
    same(type(model)(**model.get_params(deep=False)).fit(kind(X), y), dense, cells(90, seed=1))


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), RandomForestClassifier(5, random_state=0),
              AdaBoostClassifier(n_estimators=5), DecisionStump(),
              HistGradientBoostingClassifier(max_iter=3)], ids=named)  # fmt: skip
class TestWhatIsStored:
    def test_weights_and_what_rows_left_out_say(self, model):
        X, rng = cells(), np.random.default_rng(3)
        y, weights = X[:, 0] > X[:, 1], rng.integers(0, 3, len(X)).astype(float)
        dense = type(model)(**model.get_params()).fit(X, y, sample_weight=weights)
        ours = type(model)(**model.get_params()).fit(sparse.csr_array(X), y, sample_weight=weights)
        same(ours, dense, cells(50, seed=1))

    def test_a_cell_stored_twice_counts_as_its_sum_in_double_precision(self, model):
        # 1 + 2**-30 is 1 in single precision, and the parts are not added there.
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 120, 3)) * np.array([[[1.0]], [[2.0**-22]]])
        y = a[:, 0] + b[:, 0] > 0.1
        place = np.tile([0, 0, 1, 1, 2, 2], 120)
        data = np.stack([a, b], axis=2).ravel()
        twice = sparse.csr_array((data, place, np.arange(121) * 6), shape=(120, 3))
        stored = twice.data.copy()
        ours = type(model)(**model.get_params()).fit(twice, y)
        assert twice.data.tobytes() == stored.tobytes()
        assert not twice.has_canonical_format
        same(ours, type(model)(**model.get_params()).fit(twice.toarray(), y), twice.toarray())
        assert ours.predict(twice).tobytes() == ours.predict(twice.toarray()).tobytes()

    def test_zeros_that_are_stored_are_zeros(self, model):
        X = cells()
        y = X[:, 0] > 0
        full = sparse.csr_array((np.where(X == 0, -0.0, X).ravel(),
                                 np.tile(np.arange(6), len(X)), 6 * np.arange(len(X) + 1)), shape=X.shape)  # fmt: skip
        dense = type(model)(**model.get_params()).fit(X, y)
        assert type(model)(**model.get_params()).fit(full, y).predict(full).tobytes() == (
            dense.predict(X).tobytes()
        )

    def test_infinity_is_refused(self, model):
        X = sparse.csr_array(np.array([[1.0, 0], [np.inf, 1], [0, 1]]))
        with pytest.raises(ValueError, match="infinity"):
            type(model)(**model.get_params()).fit(X, [0, 1, 1])

    def test_what_does_not_fit_into_memory_is_refused_in_a_sentence(self, model):
        X = sparse.csr_array(([1.0], [0], np.minimum(np.arange(2_000_001), 1)), (2_000_000, 2**24))
        y = np.arange(2_000_000) % 2
        with pytest.raises(
            BadData, match="compares all cells, and those of 2,000,000 rows"
        ) as refused:
            type(model)(**model.get_params()).fit(X, y)
        assert "GB are free" in str(refused.value)
        assert "LogisticRegression" in str(refused.value.remedy)


@pytest.mark.parametrize(
    "make", [DecisionTreeClassifier, RandomForestClassifier, HistGradientBoostingClassifier]
)
def test_missing_cells_may_be_stored(make):
    X = cells()
    y = X[:, 0] > 0
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    dense = make(random_state=0).fit(X, y)
    same(make(random_state=0).fit(sparse.csc_matrix(X), y), dense, X)


def test_more_rows_than_are_written_out_at_a_time():
    X = sparse.random_array((3000, 4000), density=0.001, rng=np.random.default_rng(0), format="csr")
    y = np.asarray(X.sum(axis=1)).ravel() > 2.0
    model = DecisionTreeClassifier(max_depth=2).fit(X[:300], y[:300])
    assert model.apply(X).tolist() == model.apply(X.toarray()).tolist()


def test_categories_are_not_read_off_sparse_rows():
    X = cells()
    with refuses("categorical_features must be None where the table is sparse, but is [0]."):
        DecisionTreeClassifier(categorical_features=[0]).fit(sparse.csr_array(X), X[:, 0] > 0)


@pytest.mark.parametrize("make", [DecisionTreeClassifier, HistGradientBoostingClassifier])
def test_a_model_that_knows_categories_reads_them_from_sparse_rows(make):
    """Their numbers are names there, not places."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([0, 5, 7, 9], 300), rng.normal(size=300)])
    model = make(categorical_features=[0]).fit(X, np.isin(X[:, 0], [5, 9]))
    assert model.predict(sparse.csr_array(X)).tolist() == model.predict(X).tolist()


def test_training_promises_from_sparse_rows():
    X = cells()
    y = X[:, 0] > 0
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    dense, ours = (model.training_promises(rows, y) for rows in (X, sparse.csr_array(X)))
    assert [str(one) for one in dense.guarantees] == [str(one) for one in ours.guarantees]


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=named)
def test_tags_say_so(model):
    assert get_tags(model).input_tags.sparse
