from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron as Peer

from assay import Perceptron
from assay.errors import BadData, BadParameter
from assay.theory.mistake.perceptron import (
    perceptron_margin_mistakes,
    perceptron_norm_potential,
    perceptron_progress_potential,
)
from tests.instances import disjunction, noisy, orthonormal, separable
from tests.naive.perceptron import perceptron, perceptron_until_clean
from tests.naive.widest_margin import widest_margin
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"

OR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 1])


def by_theorem(guarantees):
    return {g.theorem: g for g in guarantees}


# Worst cases and traces


@pytest.mark.parametrize(
    ("zero", "updates", "weights", "passes"),
    [(1, 5, [1, 1, -1], 4), (-1, 4, [1, 1, 0], 4), ("mistake", 9, [2, 2, -1], 6)],
)
def test_the_or_of_two_features_with_a_constant(zero, updates, weights, passes):
    model = Perceptron(zero=zero, shuffle=False).fit(*OR)
    assert (model.record_.updates, model.n_iter_) == (updates, passes)
    assert [*model.coef_[0], model.intercept_[0]] == weights
    assert model.record_.clean
    found = by_theorem(model.guarantees(literals=2))
    assert found["perceptron-disjunction-mistakes"].promised == 27
    assert all(g.holds for g in found.values() if g.observed is not None)
    assert model.predict(OR[0]).tolist() == OR[1].tolist()


@pytest.mark.parametrize("d", [1, 4, 9, 25, 100])
def test_the_orthonormal_sequence_reaches_the_bound(d):
    X, y = orthonormal(d)
    model = Perceptron(fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    assert model.record_.mistakes == d
    found = by_theorem(model.guarantees(radius=1, margin=1 / math.sqrt(d) * (1 - 1e-12)))
    assert found["perceptron-margin-mistakes"].promised == d
    hindsight = [g for g in model.guarantees() if g.theorem == "perceptron-margin-mistakes"]
    assert [g.promised for g in hindsight] == [d]
    if d > 1:  # half the radius would promise too little
        assert perceptron_margin_mistakes(0.5, 1 / math.sqrt(d)) < d


@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_the_sign_of_zero(zero):
    X = np.zeros((1, 2))
    for label in (-1, 1):
        model = Perceptron(zero=zero, fit_intercept=False)
        model.partial_fit(X, [label], classes=[-1, 1])
        assert model.record_.mistakes == (zero != label)
        assert model.predict(X)[0] == model.predict_one(X[0]) == (-1 if zero == -1 else 1)


@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_cycling_until_clean_is_the_twin(zero):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(-4, 5, size=(12, 3))
        y = np.where(X @ [1, -2, 1] >= 1, 1, -1)
        if len(set(y.tolist())) < 2:
            continue
        rows = np.column_stack([X, np.ones(12, dtype=int)]).tolist()
        updates, w, sweeps = perceptron_until_clean(rows, y.tolist(), zero)
        model = Perceptron(zero=zero, n_iter_no_change=10_000, shuffle=False).fit(X, y)
        assert (model.record_.updates, model.n_iter_) == (updates, sweeps)
        assert [*model.coef_[0], model.intercept_[0]] == w


# The peer


@pytest.mark.parametrize("passes", [1, 4])
def test_scikit_learns_perceptron_where_zero_counts_as_wrong(passes):
    X, y, _ = noisy(3, rows=200, d=8)
    for rows, intercept in ((X, True), (X, False), (sparse.csr_matrix(X), False)):
        ours = Perceptron(zero="mistake", fit_intercept=intercept, n_iter_no_change=99)
        ours.set_params(max_iter=passes, shuffle=False).fit(rows, y)
        peer = Peer(fit_intercept=intercept, shuffle=False, tol=None, max_iter=passes).fit(rows, y)
        assert np.allclose(ours.coef_, peer.coef_, rtol=0, atol=1e-10)
        assert np.allclose(ours.intercept_, peer.intercept_, rtol=0, atol=1e-10)
        assert np.array_equal(ours.predict(X), peer.predict(X))


@pytest.mark.parametrize("zero", [1, pytest.param(-1, marks=pytest.mark.guarantees), "mistake"])
def test_all_of_scikit_learns_checks_pass(zero):
    assert_checks_pass_but_those_named(Perceptron(zero=zero))


# Guarantees


@pytest.mark.parametrize("margin", [0.05, 0.2])
def test_cycling_over_separable_data_ends_in_time(margin):
    for seed in range(20):
        X, y, _ = separable(seed, rows=60, margin=margin)
        model = Perceptron(fit_intercept=False, n_iter_no_change=10_000).fit(X, y)
        found = by_theorem(model.guarantees())
        assert found["perceptron-passes"].observed == model.n_iter_
        assert found["perceptron-passes"].holds
        assert found["perceptron-passes"].of == "passes"
        assert int(found["perceptron-passes"].promised) == (
            int(found["perceptron-margin-mistakes"].promised) + 1
        )


def statuses(guarantee):
    return [a.status for a in guarantee.assumptions]


def test_a_declared_margin_is_declared_and_one_in_hindsight_checked_with_its_witness():
    X, y, _ = separable(0, margin=0.1)
    model = Perceptron(fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    said, _, seen = model.guarantees(radius=1, margin=0.1)
    assert (said.promised, statuses(said)) == (100, ["declared", "by construction"])
    assert statuses(seen) == ["checked", "by construction"]
    kept = model.record_.updates
    assert seen.assumptions[0].evidence == (
        f"a witness separates all {kept} mistaken examples; the others changed nothing"
    )
    assert float(seen.inputs["margin"]) <= model.record_.radius


def test_the_radius_is_that_of_the_mistakes_unless_declared():
    X, y, _ = separable(0, margin=0.1)
    model = Perceptron(fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    said = model.guarantees(margin=0.1)[0]
    assert float(said.inputs["radius"]) == model.record_.radius


@pytest.mark.parametrize(
    ("declared", "evidence"),
    [
        ({"radius": 0.01, "margin": 0.001}, r"an example has length \S+"),
        ({"radius": 2, "margin": 2}, "such examples allow at most 1 mistakes"),
    ],
)
def test_what_the_run_shows_to_be_false_promises_nothing(declared, evidence):
    X, y, _ = noisy(0)
    model = Perceptron().partial_fit(X, y, classes=[-1, 1])
    said = model.guarantees(**declared)[0]
    assert (said.promised, said.applies) == (None, False)
    assert statuses(said)[0] == "violated"
    assert re.fullmatch(evidence, said.assumptions[0].evidence)


def test_a_margin_wider_than_any_separators_is_refuted():
    X = np.array([[3.0, 0.5], [0.5, 3.0], [3.0, -0.2], [-3.0, -1.0]])
    model = Perceptron(fit_intercept=False, zero="mistake")
    model.partial_fit(X, [1, 1, -1, -1], classes=[-1, 1])
    X, _, y = model.players_[0].hindsight.examples()
    widest = widest_margin(y[:, None] * X.whole)
    for margin in (0.2 * widest, 0.99 * widest):
        said = model.guarantees(radius=10.0, margin=margin)[0]
        assert statuses(said)[0] == "declared"
        assert said.holds
    for margin in (1.01 * widest, 2.0):
        allowed = perceptron_margin_mistakes(10.0, margin)
        assert model.record_.mistakes <= allowed  # the count alone refutes nothing
        said = model.guarantees(radius=10.0, margin=margin)[0]
        assert (said.promised, statuses(said)[0]) == (None, "violated")
        assert re.fullmatch(
            r"no vector has a margin above \S+ on the mistaken examples",
            said.assumptions[0].evidence,
        )
        assert widest <= float(said.assumptions[0].evidence.split()[6]) * (1 + 1e-5) < margin


def test_rounding_in_single_precision_breaks_no_promise():
    # Rotated unit vectors: every score is nothing but rounding, and the bound is met up to that.
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 30))
        X = np.linalg.qr(rng.normal(size=(d, d)))[0].astype(np.float32)
        model = Perceptron(fit_intercept=False, zero=-1)
        model.partial_fit(X, np.ones(d, dtype=int), classes=[-1, 1])
        assert all(g.holds for g in model.guarantees()), seed


def test_a_disjunction_of_literals():
    X, y, _ = disjunction(0, rows=300, d=20, k=3)
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    said = by_theorem(model.guarantees(literals=3))["perceptron-disjunction-mistakes"]
    assert (said.promised, said.holds) == (273, True)
    assert statuses(said) == ["declared", "by construction", "by construction"]
    assert said.assumptions[0].evidence == "3 of 20 features"
    none = by_theorem(model.guarantees(literals=0))["perceptron-disjunction-mistakes"]
    assert none.assumptions[0].evidence == "such labels allow at most 21 mistakes"
    assert none.promised is None
    one = by_theorem(model.guarantees(literals=1))["perceptron-disjunction-mistakes"]
    assert (one.promised, statuses(one)[0]) == (None, "violated")
    assert one.assumptions[0].evidence == (
        f"no disjunction of so few features agrees with the {model.record_.mistakes} mistaken examples"
    )
    bare = Perceptron(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    assert statuses(bare.guarantees(literals=3)[0])[1] == "violated"
    real = Perceptron().partial_fit(X / 2, y, classes=[0, 1]).guarantees(literals=3)[0]
    assert real.assumptions[0].evidence == "a mistaken example has a feature that is not 0 or 1"
    with pytest.raises(
        BadParameter, match=r"^literals must be at most the number of features 20, "
    ):
        model.guarantees(literals=21)


def test_beyond_the_cap_the_weights_are_the_comparator():
    for seed in range(8):
        X, y, _ = noisy(seed, rows=300, rate=0.3)
        for rows in (X, X.astype(np.float32), sparse.csr_matrix(X)):
            model = Perceptron().partial_fit(rows[:1], y[:1], classes=[-1, 1])
            model.players_[0].hindsight.cap = 20
            record = model.partial_fit(rows[1:], y[1:]).record_
            assert (record.kept, record.mistakes > 20) == (20, True)
            [hinge] = model.guarantees()
            assert hinge.holds
            assert int(hinge.promised) <= record.mistakes + math.sqrt(record.mistakes) + 1
            for x, label in zip(X[:50], y[:50], strict=True):
                model.learn_one(x, label)
            assert model.guarantees()[0].holds


def test_a_length_that_overflows_is_no_radius():
    model = Perceptron().partial_fit(*OR, classes=[0, 1])
    model.players_[0].hindsight.largest = math.inf
    sentence = (
        "No theorem can be applied to this run: the square of an example's length overflows. "
        "Scale the features."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.guarantees()


def test_nothing_is_promised_about_a_run_without_mistakes():
    model = Perceptron().partial_fit(np.ones((3, 2)), [1, 1, 1], classes=[0, 1])
    assert model.guarantees() == []
    assert model.guarantees(radius=2, margin=1)[0].promised == 4


def test_rows_of_zeros_have_guarantees_too():
    model = Perceptron(fit_intercept=False, zero="mistake")
    model.partial_fit(np.zeros((4, 2)), [0, 1, 0, 1], classes=[0, 1])
    [hinge] = model.guarantees()
    assert (hinge.observed, hinge.holds) == (4, True)


# Potentials


@pytest.mark.parametrize("zero", [1, "mistake"])
def test_the_trace_stays_within_the_potentials(zero):
    for seed in range(20):
        X, y, _ = separable(seed, rows=60, margin=0.1)
        model = Perceptron(fit_intercept=False, zero=zero, trace=True, shuffle=False).fit(X, y)
        trace = model.record_.trace
        best = model.players_[0].hindsight.best()
        for place in range(model.record_.updates):
            done = place + 1
            grown = perceptron_norm_potential(done, model.record_.radius)
            assert trace["squared_norm"][place] <= grown
            assert trace["progress"][place] >= perceptron_progress_potential(done, best.margin)
        twin = perceptron(X.tolist(), y.tolist(), zero)
        assert np.allclose(trace["squared_norm"][: twin.updates], twin.norms)
        assert (np.diff(trace["round"]) > 0).all()


def test_a_broken_twin_leaves_the_potential():
    # Moving on every row, mistaken or not, the weights grow faster than mistakes allow.
    w = np.zeros(2)
    for _ in range(10):
        w += [1.0, 0.0]
    assert w @ w > perceptron_norm_potential(10, 1.0)


def test_no_progress_is_logged_where_nothing_separates():
    X, y, _ = noisy(0, rate=0.4)
    trace = Perceptron(trace=True).partial_fit(X, y, classes=[-1, 1]).record_.trace
    assert set(trace) == {"round", "squared_norm"}


# Refusals


@pytest.mark.parametrize("zero", [0, "plus", None])
def test_the_sign_of_zero_is_one_of_three(zero):
    with pytest.raises(
        BadParameter, match=rf"^zero must be 1, -1 or 'mistake', but is {zero!r}\.$"
    ):
        Perceptron(zero=zero, shuffle=False).fit(*OR)


# Real data


def table(name):
    frame = pq.read_table(DATA / name).to_pandas()
    return frame.drop(columns="target").to_numpy(dtype=float), frame["target"].to_numpy()


def standardized_so_far(X):
    """Every row less the mean and over the deviation of all rows up to it."""
    seen = np.arange(1, len(X) + 1)[:, None]
    mean = np.cumsum(X, axis=0) / seen
    variance = np.cumsum(X**2, axis=0) / seen - mean**2
    return (X - mean) / np.sqrt(np.maximum(variance, 1e-12))


def test_elec2_as_a_stream():
    X, y = table("elec2.parquet")
    model = Perceptron().partial_fit(standardized_so_far(X), y, classes=[0, 1])
    assert model.record_.mistakes / len(y) == pytest.approx(0.0973, abs=0.0005)
    raw = Perceptron().partial_fit(X, y, classes=[0, 1])
    assert raw.record_.mistakes / len(y) == pytest.approx(0.143, abs=0.001)
    for guarantees in (model.guarantees(), raw.guarantees()):
        [hinge] = guarantees  # nothing separates this stream
        assert hinge.theorem == "perceptron-hinge-mistakes"
        assert hinge.holds
        assert float(hinge.promised) < 1.5 * float(hinge.observed)


def test_spambase():
    X, y = table("spambase.parquet")
    order = np.random.default_rng(0).permutation(len(y))
    X, y = np.log1p(X[order]), y[order]
    model = Perceptron(n_iter_no_change=5).fit(X[:3000], y[:3000])
    assert model.score(X[3000:], y[3000:]) > 0.88
    thin = Perceptron().fit(sparse.csr_matrix(X), y)
    for guarantee in model.guarantees() + thin.guarantees():
        # Nothing is observed of the error on new rows.
        assert guarantee.holds or guarantee.observed is None
    narrow = Perceptron(n_iter_no_change=5).fit(X[:3000].astype(np.float32), y[:3000])
    assert narrow.score(X[3000:], y[3000:]) > 0.88


OF_SCIKIT_LEARN = {
    "penalty": ("l1", "None"),
    "eta0": (0.1, "1.0 or 1"),
    "class_weight": ("balanced", "None"),
    "early_stopping": (True, "False"),
}


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
def test_what_the_theorem_does_not_know_is_refused_with_who_has_it(name):
    value, must = OF_SCIKIT_LEARN[name]
    with refuses(
        f"{name} must be {must}, but is {value!r}. "
        "SGDClassifier(loss='perceptron', learning_rate='constant', eta0=1.0) has it."
    ):
        Perceptron(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("tol", [-1.0, np.inf, np.nan, True, "0.1"])
def test_tol_is_a_number_of_mistakes(tol):
    with refuses(f"tol must be None or a finite number, not negative, but is {tol!r}."):
        Perceptron(tol=tol).fit([[0.0], [1.0]], [0, 1])


def test_passes_without_tol_go_on_until_one_is_clean_or_there_are_enough():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    assert Perceptron(n_iter_no_change=2).fit(X, y).n_iter_ < 30
    assert Perceptron(n_iter_no_change=2, tol=None, max_iter=30).fit(X, y).n_iter_ == 30
    assert Perceptron(n_iter_no_change=2, tol=41).fit(X, y).n_iter_ == 2
    clean = Perceptron(tol=None).fit([[0.0], [1.0]], [0, 1])
    assert clean.record_.mistakes < clean.n_iter_ * 2


@pytest.mark.parametrize("passes", [1, 3])
def test_with_a_score_of_zero_counted_as_wrong_it_takes_scikit_learns_steps(passes):
    rng = np.random.default_rng(passes)
    X = rng.integers(-3, 4, size=(60, 3)).astype(float)
    y = (X.sum(axis=1) + rng.normal(size=60) > 0).astype(int)
    told = {"shuffle": False, "tol": None, "max_iter": passes}
    theirs = Peer(**told).fit(X, y)
    ours = Perceptron(zero="mistake", **told).fit(X, y)
    assert ours.coef_.tolist() == theirs.coef_.tolist()
    assert ours.intercept_.tolist() == theirs.intercept_.tolist()
    assert (ours.t_, ours.n_iter_) == (theirs.t_, theirs.n_iter_) == (60.0 * passes + 1, passes)
