"""The random forest for classes: scikit-learn's accuracy, threads, rows left out, promises, files, refusals."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn import ensemble
from sklearn.datasets import load_iris, make_classification

from assay import RandomForestClassifier, load, save, verify
from assay.errors import BadData, BadParameter
from tests.naive import forest as naive
from tests.scikit_checks import assert_checks_pass_but_those_named
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[3] / "examples" / "data"
X, Y = make_classification(400, 8, n_informative=4, flip_y=0.1, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True)


def real(name, seed=0):
    table = pq.read_table(DATA / f"{name}.parquet")
    y = np.asarray(table["target"].to_pylist())
    rows = np.column_stack([c.to_numpy() for c in table.drop(["target"]).columns]).astype(float)
    order = np.random.default_rng(seed).permutation(len(y))
    half = len(y) // 2
    return rows[order[:half]], y[order[:half]], rows[order[half:]], y[order[half:]]


@pytest.mark.parametrize("name", ["spambase", "satellite"])
@pytest.mark.parametrize("told", [{}, {"max_bins": 256}])
def test_as_accurate_as_scikit_learn(name, told):
    train, labels, held, truth = real(name)
    ours = RandomForestClassifier(60, random_state=0, n_jobs=2, **told).fit(train, labels)
    theirs = ensemble.RandomForestClassifier(60, random_state=0, n_jobs=2).fit(train, labels)
    wrong, other = ours.predict(held) != truth, theirs.predict(held) != truth
    # Of the rows that only one of them gets wrong, each has about half: a sign test.
    only = int((wrong & ~other).sum()), int((other & ~wrong).sum())
    assert abs(only[0] - only[1]) < 4 * np.sqrt(sum(only) + 1)
    assert ours.score(held, truth) > 0.89


def test_trees_of_the_size_that_scikit_learn_grows():
    ours = RandomForestClassifier(60, random_state=0).fit(X, Y)
    theirs = ensemble.RandomForestClassifier(60, random_state=0).fit(X, Y)
    sizes = [len(tree) for tree in ours.trees_], [t.tree_.node_count for t in theirs.estimators_]
    spread = np.sqrt(sum(np.var(s) / 60 for s in sizes))
    assert abs(np.mean(sizes[0]) - np.mean(sizes[1])) < 5 * spread
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.03)


def test_one_tree_on_all_rows_and_features_is_scikit_learns():
    # Targets of a forest without chance: cells without ties, so that every cut is the only best one.
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(150, 1))
    labels = (np.sin(3 * cells[:, 0]) + 0.5 * rng.normal(size=150) > 0).astype(int)
    for told in ({}, {"max_depth": 3}, {"min_samples_leaf": 7}, {"criterion": "entropy"}):
        ours = RandomForestClassifier(1, bootstrap=False, max_features=None, **told)
        theirs = ensemble.RandomForestClassifier(1, bootstrap=False, max_features=None, **told)
        ours.fit(cells, labels)
        theirs.fit(cells, labels)
        asked = rng.normal(size=(500, 1))
        np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked))
        if not told:
            tree = theirs.estimators_[0].tree_
            np.testing.assert_array_equal(np.isnan(ours.trees_[0].threshold), tree.feature < 0)
            inner = tree.feature >= 0
            np.testing.assert_allclose(ours.trees_[0].threshold[inner], tree.threshold[inner])
            np.testing.assert_allclose(ours.trees_[0].impurity, tree.impurity, atol=1e-12)


def same(one, other):
    assert all(a.same_as(b) for a, b in zip(one.trees_, other.trees_, strict=True))


@pytest.mark.parametrize("told", [{}, {"max_bins": 16}, {"class_weight": "balanced_subsample"}])
def test_the_same_bits_for_any_number_of_threads(told):
    runs = [
        RandomForestClassifier(30, random_state=3, oob_score=True, n_jobs=jobs, **told).fit(X, Y)
        for jobs in (None, 2, 7)
    ]
    for run in runs[1:]:
        same(runs[0], run)
        assert run.predict_proba(X).tobytes() == runs[0].predict_proba(X).tobytes()
        first = runs[0].oob_decision_function_
        assert run.oob_decision_function_.tobytes() == first.tobytes()
        assert run.record_ == runs[0].record_


def test_growing_on_is_growing_at_once():
    at_once = RandomForestClassifier(25, random_state=5, oob_score=True).fit(X, Y)
    model = RandomForestClassifier(4, random_state=5, warm_start=True).fit(X, Y)
    model.set_params(n_estimators=25, oob_score=True).fit(X, Y)
    same(at_once, model)
    assert model.record_ == at_once.record_
    again = RandomForestClassifier(25, random_state=5).fit(X, Y)
    same(at_once, again)
    assert not hasattr(again, "oob_score_")
    with pytest.raises(BadParameter, match=r"^n_estimators must be at least the 25 that are"):
        model.set_params(n_estimators=3).fit(X, Y)
    with pytest.raises(BadData, match=r"^warm_start goes on with 2 classes, but y holds 3\.$"):
        model.set_params(n_estimators=30).fit(IRIS, KINDS)


@pytest.mark.parametrize("sample", [(X[:90], Y[:90]), (IRIS[::2], KINDS[::2])])
@pytest.mark.parametrize("depth", [None, 2])
def test_rows_left_out_are_judged_as_by_hand(sample, depth):
    rows, labels = sample
    model = RandomForestClassifier(20, max_depth=depth, random_state=2, oob_score=True)
    model.fit(rows, labels)
    bags = [naive.bag(model.seed_, t, len(rows), len(rows))[1] for t in range(20)]
    cells = rows.astype(np.float32)
    votes, single, pairs = naive.out_of_bag(model.trees_, bags, cells, labels)
    np.testing.assert_allclose(model.oob_decision_function_, votes, rtol=1e-12)
    record = model.record_
    wrong = int((np.argmax(votes, axis=1) != labels).sum())
    assert (record.errors, record.voted, record.counted) == (wrong, len(rows), len(rows))
    assert model.oob_score_ == pytest.approx(1 - wrong / len(rows))
    assert record.loss == pytest.approx(np.mean(single))
    assert record.tandem == pytest.approx(np.mean([np.mean(p) for p in pairs.values()]))
    assert record.left_out == min(bag.count(0) for bag in bags)
    assert record.left_out_by_both == min(map(len, pairs.values()))
    assert [
        np.bincount(rows_, minlength=len(rows)).tolist() for rows_ in model.estimators_samples_
    ] == bags


@pytest.mark.parametrize(
    "told", [{}, {"class_weight": "balanced_subsample"}, {"features_per": "tree"}]
)
def test_a_tree_depends_on_nothing_but_its_bag(told):
    model = RandomForestClassifier(3, random_state=1, **told).fit(X, Y)
    rng = np.random.default_rng(0)
    for t, taken in enumerate(model.estimators_samples_):
        left = np.setdiff1d(np.arange(len(X)), taken)
        cells, labels = X.copy(), Y.copy()
        cells[left] = rng.normal(size=(len(left), X.shape[1]))
        labels[left] = rng.integers(0, 2, len(left))
        cells[left[0], 2] = np.nan
        other = RandomForestClassifier(3, random_state=1, **told).fit(cells, labels)
        assert model.trees_[t].same_as(other.trees_[t])


def test_with_bins_a_tree_depends_on_its_bag_and_the_rows_that_made_the_bins():
    cells, labels = make_classification(2500, 5, random_state=3)
    model = RandomForestClassifier(2, random_state=1, max_bins=32, oob_score=True)
    with pytest.warns(UserWarning, match=r"rows are in the bag of every tree"):
        model.fit(cells, labels)
    made = model._bin_rows(2500)
    assert (len(made), model.record_.counted) == (2048, 452)
    left = np.setdiff1d(np.arange(2500), np.r_[made, model.estimators_samples_[0]])
    assert len(left) > 50
    changed = cells.copy()
    changed[left] += 9
    with pytest.warns(UserWarning, match=r"rows are in the bag of every tree"):
        other = RandomForestClassifier(2, random_state=1, max_bins=32, oob_score=True).fit(
            changed, labels
        )
    assert model.trees_[0].same_as(other.trees_[0])


def test_promises_and_their_certificate():
    cells, labels = make_classification(3000, 8, n_informative=5, class_sep=2.0, random_state=1)
    model = RandomForestClassifier(40, random_state=0, oob_score=True, n_jobs=2)
    model.fit(cells[:2000], labels[:2000])
    member, vote, share = model.guarantees(delta=0.05)
    assert (member.theorem, vote.theorem) == ("out-of-bag-member", "out-of-bag-vote")
    assert (member.delta, vote.delta) == ("0.025", "0.05")
    assert vote.observed is None
    assert member.value > model.record_.loss
    error = 1 - model.score(cells[2000:], labels[2000:])
    assert error < vote.value < 0.5
    certificate = model.oob_certificate(delta=0.05)
    assert certificate.error == pytest.approx(vote.value)
    assert verify(certificate).ok
    assert model.certificate(cells[2000:], labels[2000:]).error > error
    assert (share.theorem, share.quantifier) == ("bootstrap-out-of-bag", "expectation")
    assert share.value == pytest.approx(np.exp(-1), abs=1e-3)
    [alone] = RandomForestClassifier(5, max_samples=0.5).fit(X, Y).guarantees()
    assert alone.value == pytest.approx(np.exp(-0.5), abs=1e-2)
    assert RandomForestClassifier(5, bootstrap=False).fit(X, Y).guarantees() == []
    with pytest.raises(BadParameter, match=r"^oob_certificate needs rows that every bag left out"):
        RandomForestClassifier(5).fit(X, Y).oob_certificate()


def test_no_promise_where_trees_saw_more_than_their_bags():
    for told, why in (
        ({"class_weight": "balanced"}, "counts the classes of all rows"),
        ({"max_bins": 8}, "all 400 rows say where bins end"),
    ):
        model = RandomForestClassifier(30, random_state=0, oob_score=True, **told).fit(X, Y)
        promises = model.guarantees()[:-1]
        assert len(promises) == 2
        for promise in promises:
            assert (promise.applies, promise.promised) == (False, None)
            assert why in next(a.evidence for a in promise.assumptions if a.status == "violated")


def test_weights_of_rows_and_classes():
    whole = RandomForestClassifier(10, random_state=0).fit(X, Y)
    even = RandomForestClassifier(10, random_state=0).fit(X, Y, sample_weight=np.full(len(Y), 2.0))
    assert (whole.predict(X) == even.predict(X)).mean() > 0.97
    heavy = RandomForestClassifier(10, random_state=0, max_depth=2, class_weight={0: 1, 1: 50})
    assert (heavy.fit(X, Y).predict(X) == 1).mean() > 0.8
    rare = (X[:, 0] + X[:, 1] > 2.5).astype(int)
    how = {"random_state": 0, "max_depth": 3, "class_weight": "balanced_subsample"}
    theirs = ensemble.RandomForestClassifier(60, **how).fit(X, rare).predict_proba(X)[:, 1]
    for told in ("balanced", "balanced_subsample"):
        model = RandomForestClassifier(60, **how | {"class_weight": told}).fit(X, rare)
        shares = model.predict_proba(X)[:, 1]
        assert abs(shares.mean() - theirs.mean()) < 0.03
        np.testing.assert_allclose(shares, theirs, atol=0.2)
    none = RandomForestClassifier(10, random_state=0, bootstrap=False, max_features=None)
    only = none.fit(X, Y, sample_weight=np.arange(len(Y)) < 50)
    assert only.trees_[0].rows[0] == 50


def test_features_of_a_tree_and_of_a_cut():
    per_tree = RandomForestClassifier(20, features_per="tree", max_features=2, random_state=0)
    used = [set(t.feature[t.feature >= 0].tolist()) for t in per_tree.fit(X, Y).trees_]
    assert all(len(u) <= 2 for u in used)
    assert len(set().union(*used)) == X.shape[1]
    per_cut = RandomForestClassifier(5, max_features=1, random_state=0).fit(X, Y)
    assert all(len(set(t.feature.tolist())) > 3 for t in per_cut.trees_)


@pytest.mark.guarantees  # the loops are compiled once more, for this alone
def test_more_distinct_values_than_sixteen_bits_hold():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(70_000, 1))
    labels = (cells[:, 0] > 0.25) ^ (rng.random(70_000) < 0.01)
    model = RandomForestClassifier(1, max_depth=1, random_state=0).fit(cells, labels)
    assert model.trees_[0].threshold[0] == pytest.approx(0.25, abs=0.01)
    binned = RandomForestClassifier(1, max_depth=1, random_state=0, max_bins=255)
    assert binned.fit(cells, labels).trees_[0].threshold[0] == pytest.approx(0.25, abs=0.03)


def test_missing_cells():
    rng = np.random.default_rng(0)
    cells = X.copy()
    cells[rng.random(X.shape) < 0.2] = np.nan
    theirs = ensemble.RandomForestClassifier(60, random_state=0).fit(cells[:300], Y[:300])
    for told in ({}, {"max_bins": 32}):
        model = RandomForestClassifier(60, random_state=0, **told).fit(cells[:300], Y[:300])
        shares = model.predict_proba(cells[300:]), theirs.predict_proba(cells[300:])
        assert np.corrcoef(shares[0][:, 1], shares[1][:, 1])[0, 1] > 0.85
    gone = np.where(Y[:, None] == 1, np.nan, 1.0)
    assert RandomForestClassifier(3, random_state=0).fit(gone, Y).score(gone, Y) == 1.0


def test_leaves_probabilities_and_progress(capsys):
    model = RandomForestClassifier(20, random_state=0, verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert re.fullmatch(r"RandomForestClassifier: 20 of 20 trees, \d+\.\d s", lines[-1])
    found = model.apply(X)
    assert found.shape == (len(X), 20)
    assert all((model.trees_[t].feature[found[:, t]] < 0).all() for t in range(20))
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares, naive.vote(model.trees_, X.astype(np.float32)), rtol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict_log_proba(X) == -np.inf, shares == 0)


def test_a_score_of_ones_own():
    told = {"random_state": 0, "oob_score": lambda truth, said: float((truth == said).sum())}
    model = RandomForestClassifier(30, **told).fit(X, Y)
    assert model.oob_score_ == len(Y) - model.record_.errors


def test_files(tmp_path):
    names = np.array(["no", "maybe", "yes"])[KINDS]
    for model in (
        RandomForestClassifier(30, random_state=0, oob_score=True),
        RandomForestClassifier(
            8, random_state=0, max_bins=16, max_leaf_nodes=5, class_weight={"no": 2}
        ),
    ):
        model.fit(IRIS, names)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        same(model, again)
        assert again.predict_proba(IRIS).tobytes() == model.predict_proba(IRIS).tobytes()
        assert again.record_ == model.record_
        again.set_params(warm_start=True, n_estimators=32).fit(IRIS, names)
        assert again.trees_[0].same_as(model.trees_[0])


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators must be a count of at least 1, but is 0."),
        ({"criterion": "mse"}, "criterion must be 'gini', 'entropy' or 'log_loss', but is 'mse'."),
        ({"n_jobs": 0}, "n_jobs must be None, a count, or -1 for all processors, but is 0."),
        ({"features_per": "leaf"}, "features_per must be 'split' or 'tree', but is 'leaf'."),
        ({"max_bins": 1}, "max_bins must be None, or a count from 2 to 65535, but is 1."),
        (
            {"oob_score": True, "bootstrap": False},
            "oob_score must be False if bootstrap is False, but is True. Only a bag leaves rows out.",
        ),
    ],
)
def test_refused_parameters(told, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        RandomForestClassifier(**told).fit(X, Y)


def test_refused_samples():
    alone = RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, np.ones(len(X), int))
    assert (alone.record_.errors, alone.record_.loss, alone.record_.tandem) == (0, 0, 0)
    with pytest.raises(BadData, match=r"^sample_weight must not be negative\.$"):
        RandomForestClassifier().fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(ValueError, match="infinity"):
        RandomForestClassifier().fit(np.where(X > 2, np.inf, X), Y)


@pytest.mark.guarantees
def test_promises_of_forests_are_kept():
    """Noisy disjunctions whose errors are known: the promise breaks rarely, the mean without its slack often."""
    rng = np.random.default_rng(0)
    trials, delta, kept, vote, twin = 300, 0.2, 0, 0, 0
    for seed in range(trials):
        cells = rng.integers(0, 2, (220, 4)).astype(float)
        labels = (cells[:, :2].max(axis=1) > 0) ^ (rng.random(220) < 0.2)
        model = RandomForestClassifier(9, random_state=seed, oob_score=True, max_features=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(cells, labels)
        every = np.array(list(np.ndindex(2, 2, 2, 2)), float)
        truth = every[:, :2].max(axis=1) > 0
        shares = np.array([vote_of(tree, every) for tree in model.trees_])
        single = np.where(truth, 0.8 - 0.6 * shares, 0.2 + 0.6 * shares).mean()
        error = np.where((shares.mean(axis=0) > 0.5) == truth, 0.2, 0.8).mean()
        first, second, _ = model.guarantees(delta=delta)
        kept += first.value < single
        vote += second.value < error
        twin += model.record_.loss < single
    assert_sound(kept, trials, delta)
    assert_sound(vote, trials, delta)
    assert_unsound(twin, trials, delta)


def vote_of(tree, cells):
    return naive.vote([tree], cells.astype(np.float32))[:, 1]


def test_checks():
    assert_checks_pass_but_those_named(RandomForestClassifier(10))
