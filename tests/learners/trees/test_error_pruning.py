"""Pruning by estimated errors: Quinlan's numbers, every subtree tried, and what C5.0 adds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from assay import AdaBoostClassifier, DecisionTreeClassifier, load, save
from assay.errors import BadParameter
from assay.learners.trees import error_pruned, globally_pruned, leaf_costs, pessimistic_rate
from tests.learners.trees.samples import LOAN_X, LOAN_Y, labels, real, table
from tests.naive.pruning import best, prunings


def nested(tree, cost, node=0):
    return float(cost[node]), [nested(tree, cost, child) for child in tree.children_of(node)]


def noisy(seed, rows=60):
    rng = np.random.default_rng(seed)
    X = table(rng, rows, features=2, digits=1)
    return X, labels(rng, X, 2)


def test_the_rates_of_quinlans_book():
    """C4.5: Programs for Machine Learning, section 4.2: three leaves count 3.273 errors, one leaf 2.512.

    The book has 0.157 for one error in sixteen, by an approximation; the binomial distribution says 0.1596.
    """
    errors, rows = np.array([0.0, 0, 0, 1]), np.array([6.0, 9, 1, 16])
    rates = pessimistic_rate(errors, rows, 0.25)
    assert rates[:3] == pytest.approx([0.206, 0.143, 0.750], abs=5e-4)
    assert rates[3] == pytest.approx(0.157, abs=3e-3)
    assert binom.cdf(errors, rows, rates) == pytest.approx(0.25)
    assert (rows * rates)[:3].sum() == pytest.approx(3.273, abs=5e-3)
    assert (rows * rates)[3] < 3.273


@pytest.mark.parametrize("factor", [0.05, 0.25, 0.75])
def test_no_subtree_has_fewer_estimated_errors(factor):
    for seed in range(4):
        X, y = noisy(seed)
        tree = DecisionTreeClassifier(max_depth=4).fit(X, y).nodes_
        missed = leaf_costs(tree, errors=True) * tree.weight[0]
        guess = tree.weight * pessimistic_rate(missed, tree.weight, factor)
        cut = error_pruned(tree, factor)
        ends = cut.feature < 0
        wrong = (cut.weight - cut.value.max(axis=1))[ends]
        kept = (cut.weight[ends] * pessimistic_rate(wrong, cut.weight[ends], factor)).sum()
        every = nested(tree, guess)
        assert kept == pytest.approx(min(risk for risk, _, _ in prunings(every)))
        # The tree as it was grown is worse: a pruning that does nothing would be caught.
        grown = guess[tree.feature < 0].sum()
        assert kept < grown


def test_pruning_by_errors_is_the_best_of_all_prunings_and_by_gini_is_not():
    worse = 0
    for seed in range(12):
        X, y = noisy(seed)
        grown = DecisionTreeClassifier(max_depth=4).fit(X, y)
        costs = leaf_costs(grown.nodes_, errors=True)
        for alpha in (0.0, 0.011, 0.023):
            model = DecisionTreeClassifier(
                max_depth=4, ccp_alpha=alpha, ccp_criterion="misclassification"
            ).fit(X, y)
            least, which = best(nested(grown.nodes_, costs), alpha)
            tree = model.nodes_
            assert model.record_.errors / len(y) + alpha * tree.leaves == pytest.approx(least)
            if alpha == 0.0:
                assert tree.leaves == min(leaves for _, leaves, _ in which)
                assert model.record_.errors == grown.record_.errors
            by_gini = DecisionTreeClassifier(max_depth=4, ccp_alpha=alpha).fit(X, y)
            worse += by_gini.record_.errors / len(y) + alpha * by_gini.nodes_.leaves > least + 1e-9
            for promise in model.guarantees()[3:]:
                assert promise.holds
                assert "weighted training error" in promise.statement
                # Up to the promised price it is the best of its own subtrees, and just above it no longer.
                own = nested(tree, leaf_costs(tree, errors=True))
                for price, fine in ((promise.value, True), (promise.value * 1.01 + 1e-9, False)):
                    least_own, _ = best(own, price)
                    whole = model.record_.errors / len(y) + price * tree.leaves
                    assert (whole <= least_own + 1e-9) == fine
    assert worse > 5


def test_c5_is_c45_pruned():
    X, y = real("pima")
    c45 = DecisionTreeClassifier(algorithm="c4.5").fit(X, y)
    pruned = DecisionTreeClassifier(algorithm="c4.5", pruning="error-based").fit(X, y)
    c50 = DecisionTreeClassifier(algorithm="c5.0").fit(X, y)
    assert pruned.nodes_.same_as(error_pruned(c45.nodes_, 0.25))
    assert c50.nodes_.same_as(globally_pruned(pruned.nodes_))
    assert c45.get_n_leaves() > pruned.get_n_leaves() >= c50.get_n_leaves()
    unpruned = DecisionTreeClassifier(algorithm="c5.0", pruning="cost-complexity").fit(X, y)
    assert unpruned.nodes_.same_as(c45.nodes_)
    rough = DecisionTreeClassifier(algorithm="c5.0", confidence_factor=0.01).fit(X, y)
    assert rough.get_n_leaves() < c50.get_n_leaves()


def test_global_pruning_stays_within_a_standard_error():
    shrunk = 0
    for seed in range(8):
        X, y = noisy(seed, 200)
        tree = DecisionTreeClassifier(min_samples_leaf=3).fit(X, y).nodes_
        cut = globally_pruned(tree)
        rate, after = (leaf_costs(t, errors=True)[t.feature < 0].sum() for t in (tree, cut))
        assert after <= rate + np.sqrt(rate * (1 - rate) / 200) + 1e-9
        shrunk += cut.leaves < tree.leaves
    assert shrunk >= 6


def test_c5_is_boosted_by_weights_of_any_sum():
    X, y = noisy(3, 150)
    one = DecisionTreeClassifier(algorithm="c5.0").fit(X, y, np.full(150, 1e-4))
    assert one.get_n_leaves() == DecisionTreeClassifier(algorithm="c5.0").fit(X, y).get_n_leaves()
    boosted = AdaBoostClassifier(DecisionTreeClassifier(algorithm="c5.0"), n_estimators=5)
    boosted.fit(np.nan_to_num(X), y)
    assert len(boosted.estimators_) == 5
    assert boosted.guarantees()[0].holds


def test_the_loan_table_and_a_file(tmp_path):
    model = DecisionTreeClassifier(algorithm="c5.0", ccp_criterion="misclassification")
    model.fit(LOAN_X, LOAN_Y)
    save(model, tmp_path / "tree.assay")
    again = load(tmp_path / "tree.assay").set_params(ccp_criterion="impurity")
    assert [str(g) for g in again.guarantees()] == [str(g) for g in model.guarantees()]
    assert str(model.rules("default")).splitlines() == [str(r) for r in model.rules("default")]


def test_refusals():
    X, y = pd.DataFrame({"a": [0.0, 1]}), [0, 1]
    for wrong, sentence in (
        (
            {"ccp_criterion": "gini"},
            "ccp_criterion must be one of 'impurity', 'misclassification', but is 'gini'.",
        ),
        (
            {"pruning": "reduced-error"},
            "pruning must be None, 'cost-complexity' or 'error-based', but is 'reduced-error'.",
        ),
        (
            {"confidence_factor": 1},
            "confidence_factor must be a number strictly between 0 and 1, but is 1.",
        ),
        (
            {"algorithm": "c5.0", "ccp_alpha": "cv"},
            "ccp_alpha must be 0 where pruning is error-based; set pruning='cost-complexity' to prune by a price, "
            "but is 'cv'.",
        ),
    ):
        with pytest.raises(BadParameter) as refused:
            DecisionTreeClassifier(**wrong).fit(X, y)
        assert str(refused.value) == sentence
