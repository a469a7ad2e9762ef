"""The tree for classes: the loan table, scikit-learn on real data, categories and missing cells, certificates."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as Peer

from assay import DecisionTreeClassifier, verify
from tests.learners.trees.samples import LOAN_X, LOAN_Y, labels, real, table
from tests.scikit_checks import assert_checks_pass_but_those_named


def numbers(name):
    X, y = real(name)
    return X.to_numpy(np.float32), y


# The loan table


def falls(model):
    """By how much each question lowers the mean impurity of its node."""
    tree, found = model.nodes_, {}
    for node in np.flatnonzero(tree.feature >= 0):
        below = tree.children_of(int(node))
        mean = (tree.weight[below] * tree.impurity[below]).sum() / tree.weight[node]
        found[int(node)] = tree.impurity[node] - mean
    return found


@pytest.mark.parametrize(
    ("criterion", "falls_of"),
    [
        ("gini", {"income": 0.26, "education": 1 / 12, "marital": 0.02, "sex": 0.0}),
        ("entropy", {"income": 0.514525, "education": 0.124511, "marital": 0.029049, "sex": 0.0}),
        ("misclassification", {"income": 0.3, "education": 0.2, "marital": 0.1, "sex": 0.0}),
    ],
)
def test_loan_table_falls_of_each_feature(criterion, falls_of):
    for name, expected in falls_of.items():
        model = DecisionTreeClassifier(criterion=criterion, splits="multiway", max_depth=1)
        model.fit(LOAN_X[[name]], LOAN_Y)
        assert falls(model)[0] == pytest.approx(expected, abs=1e-6)


def test_loan_table_gain_ratios():
    ratios = {"income": 0.346370, "education": 0.079259, "marital": 0.029049, "sex": 0.0}
    for name, expected in ratios.items():
        model = DecisionTreeClassifier(algorithm="c4.5", max_depth=1).fit(LOAN_X[[name]], LOAN_Y)
        shares = LOAN_X[name].value_counts(normalize=True)
        information = -(shares * np.log2(shares)).sum()
        assert falls(model)[0] / information == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "misclassification"])
def test_loan_table_every_criterion_asks_for_income_first(criterion):
    model = DecisionTreeClassifier(criterion=criterion, splits="multiway").fit(LOAN_X, LOAN_Y)
    assert model.feature_names_in_[model.nodes_.feature[0]] == "income"
    assert model.nodes_.value[model.nodes_.children_of(0)].tolist() == [[3, 0], [0, 2], [2, 3]]


def test_loan_table_by_id3():
    model = DecisionTreeClassifier(algorithm="id3").fit(LOAN_X, LOAN_Y)
    assert list(map(str, model.rules("default"))) == [
        "IF income is high THEN default is no (3 of 3)",
        "IF income is low THEN default is yes (2 of 2)",
        "IF income is medium AND education is bachelor THEN default is yes (1 of 1)",
        "IF income is medium AND education is graduate THEN default is yes (2 of 2)",
        "IF income is medium AND education is highschool THEN default is no (2 of 2)",
    ]
    record = model.record_
    assert (record.nodes, record.leaves, record.errors, record.bits) == (7, 5, 0, 16)
    impurities = model.nodes_.impurity[[0, 1, 2, 3]]
    assert impurities == pytest.approx([1, 0, 0, 0.970951], abs=1e-6)
    exact, prefix_free, _, _ = model.guarantees()
    assert prefix_free.theorem == "occam-prefix-free"
    assert prefix_free.vacuous
    assert exact.value < 1


def test_loan_table_by_cart():
    model = DecisionTreeClassifier().fit(LOAN_X, LOAN_Y)
    assert list(map(str, model.rules("default"))) == [
        "IF income is high THEN default is no (3 of 3)",
        "IF income is medium AND education is highschool THEN default is no (2 of 2)",
        "IF income is low AND education is highschool THEN default is yes (1 of 1)",
        "IF income is low or medium AND education is bachelor or graduate THEN default is yes (4 of 4)",
    ]
    assert falls(model) == pytest.approx({0: 0.214286, 2: 0.217687, 3: 0.444444}, abs=1e-6)
    assert model.score(LOAN_X, LOAN_Y) == 1.0


def test_loan_table_two_groups_of_each_feature():
    """The best of two groups; with three categories one of them stands alone."""
    best = {"income": 0.214286, "education": 0.083333, "marital": 0.02, "sex": 0.0}
    for name, expected in best.items():
        model = DecisionTreeClassifier(max_depth=1).fit(LOAN_X[[name]], LOAN_Y)
        assert falls(model)[0] == pytest.approx(expected, abs=1e-6)


# Scikit-learn


def assert_same_questions(model, peer):
    """Both trees ask the same, down to nodes where two questions are equally good."""
    ours, theirs = model.nodes_, peer.tree_
    waiting, same = [(0, 0)], 0
    while waiting:
        a, b = waiting.pop()
        assert ours.weight[a] == pytest.approx(theirs.weighted_n_node_samples[b])
        assert ours.impurity[a] == pytest.approx(theirs.impurity[b], abs=1e-9)
        if ours.feature[a] < 0:
            # A pure node that rounding does not let the peer see as one.
            assert theirs.children_left[b] < 0 or theirs.impurity[b] < 1e-9
            continue
        left, right = ours.children_of(a)
        below = (theirs.children_left[b], theirs.children_right[b])
        parts = sum(theirs.weighted_n_node_samples[c] * theirs.impurity[c] for c in below)
        mine = sum(ours.weight[c] * ours.impurity[c] for c in (left, right))
        assert mine == pytest.approx(parts, abs=1e-9 * max(1, ours.weight[0]))
        if (ours.feature[a], ours.threshold[a]) == (theirs.feature[b], theirs.threshold[b]):
            same += 1
            waiting += [(left, below[0]), (right, below[1])]
    return same


@pytest.mark.parametrize("name", ["spambase", "satellite", "vehicle", "pima"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_same_questions_as_scikit_learn(name, criterion):
    X, y = numbers(name)
    more = {"criterion": criterion, "min_samples_leaf": 5}
    model, peer = (
        kind(**more, random_state=0).fit(X, y) for kind in (DecisionTreeClassifier, Peer)
    )
    same = assert_same_questions(model, peer)
    assert same > 0.3 * (model.nodes_.feature >= 0).sum()
    assert len(model.nodes_) == pytest.approx(peer.tree_.node_count, rel=0.1)


def test_same_questions_with_weights_and_missing_cells():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = table(rng, 400, missing=0.1 * (seed % 2))
        y, w = labels(rng, X, 2 + seed % 3), rng.random(400) + 0.1
        more = {"min_samples_leaf": 9, "class_weight": {0: 2.0} if seed > 3 else None}
        model = DecisionTreeClassifier(**more).fit(X, y, w)
        assert assert_same_questions(model, Peer(**more, random_state=0).fit(X, y, w)) >= 1


@pytest.mark.parametrize("name", ["spambase", "satellite", "vehicle", "pima", "zoo"])
def test_same_accuracy_as_scikit_learn(name):
    X, y = numbers(name)
    order = np.random.default_rng(0).permutation(len(y))[:1500]
    X, y = X[order], y[order]
    ours, theirs = (
        cross_val_score(kind(random_state=0), X, y, cv=3).mean()
        for kind in (DecisionTreeClassifier, Peer)
    )
    assert ours == pytest.approx(theirs, abs=0.03)


@pytest.mark.parametrize("name", ["vehicle", "pima", "zoo"])
def test_same_pruning_path_as_scikit_learn(name):
    X, y = numbers(name)
    more = {"max_depth": 3, "min_samples_leaf": 3, "random_state": 0}
    model, peer = DecisionTreeClassifier(**more).fit(X, y), Peer(**more).fit(X, y)
    inner = (model.nodes_.feature >= 0).sum()
    assert assert_same_questions(model, peer) == inner  # else the paths are of two trees
    ours, theirs = (m.cost_complexity_pruning_path(X, y) for m in (model, peer))
    # Equal prices are one step here, and several there.
    last = np.append(np.diff(theirs.ccp_alphas) > 1e-12, True)
    shown, impurities = theirs.ccp_alphas[last], theirs.impurities[last]
    keep = shown > 1e-12
    assert ours.ccp_alphas[1:] == pytest.approx(shown[keep], rel=1e-9)
    assert ours.impurities[1:] == pytest.approx(impurities[keep], rel=1e-9)
    for alpha in (0.002, 0.01, 0.05):
        one = DecisionTreeClassifier(**more, ccp_alpha=alpha).fit(X, y)
        other = Peer(**more, ccp_alpha=alpha).fit(X, y)
        assert (one.predict(X) == other.predict(X)).all()
        assert one.get_n_leaves() == other.get_n_leaves()
        assert one.get_depth() == other.get_depth()


def test_what_is_told_is_what_scikit_learn_tells():
    X, y = numbers("vehicle")
    more = {"max_depth": 3, "random_state": 0}
    model, peer = DecisionTreeClassifier(**more).fit(X, y), Peer(**more).fit(X, y)
    np.testing.assert_allclose(model.feature_importances_, peer.feature_importances_, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X))
    np.testing.assert_array_equal(model.apply(X), peer.apply(X))
    assert (model.decision_path(X) != peer.decision_path(X)).nnz == 0
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(peer.predict_proba(X)))
    few = DecisionTreeClassifier(max_leaf_nodes=9).fit(X, y)
    other = Peer(max_leaf_nodes=9, random_state=0).fit(X, y)
    assert few.get_n_leaves() == other.get_n_leaves() == 9
    assert few.score(X, y) == pytest.approx(other.score(X, y), abs=0.01)


def test_scikit_learn_checks():
    assert_checks_pass_but_those_named(DecisionTreeClassifier())


# Certificates


def test_guarantees_and_certificate(tmp_path):
    X, y = real("house_votes_84")
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert model.record_.bits == 1 + 4 + 2 + 2 + 2
    exact, consistent, regular, price = model.guarantees(delta=0.05)
    assert exact.value < regular.value < 0.2
    assert exact.observed == regular.observed
    assert not consistent.applies  # it errs on 19 rows
    assert price.holds
    certificate = model.training_certificate(X, y, delta=0.05)
    assert certificate.error == exact.value
    certificate.save(tmp_path / "tree.json")
    assert verify(tmp_path / "tree.json").ok
    limited = model.guarantees(bits=12)[3]
    assert limited.theorem == "occam-bits"
    assert not limited.applies  # it is for trees without errors on the examples
    broken = model.guarantees(bits=11)[3]
    assert any(a.status == "violated" and "11 bits" in a.evidence for a in broken.assumptions)


def test_a_forged_training_certificate_is_refused(tmp_path):
    X, y = real("house_votes_84")
    path = tmp_path / "tree.json"
    DecisionTreeClassifier(max_depth=1).fit(X, y).training_certificate(X, y).save(path)
    text = path.read_text()
    path.write_text(text.replace('"bits": 11', '"bits": 3'))
    assert path.read_text() != text
    assert not verify(path).ok
