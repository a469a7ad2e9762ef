from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from assay import SGDClassifier, SGDRegressor
from assay.compiled.linear import losses
from assay.errors import BadData
from assay.learners.common.linear_losses import FOR_CLASSES, FOR_NUMBERS
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.linear.sgd_player import Passes, Rule, SGDPlayer, starting_weights
from tests.refusals import refuses


def test_a_rule_is_read_off_the_parameters():
    model = SGDClassifier("log_loss", learning_rate="invscaling", power_t=0.7)
    rule = Rule.of(model, FOR_CLASSES)
    assert rule == Rule(losses.LOGISTIC, 0.1, 0.01, 1.0, 0.7, False, 0.0001, 0)
    schedules = {"constant": 0.0, "adaptive": 0.0, "invsqrt": 0.5, "inverse": 1.0}
    for named, power in schedules.items():
        found = Rule.of(SGDRegressor(learning_rate=named), FOR_NUMBERS)
        assert (found.first, found.power, found.adaptive) == (1, power, named == "adaptive")
    assert Rule.of(SGDRegressor(average=True), FOR_NUMBERS).average == 1
    assert Rule.of(SGDRegressor(average=7), FOR_NUMBERS).average == 7


@pytest.mark.parametrize("alpha", [1e-6, 1e-4, 0.5, 30.0])
def test_the_optimal_schedule_begins_with_the_length_of_a_typical_weight(alpha):
    for penalty in ("l2", None):
        rule = Rule.of(SGDClassifier(alpha=alpha, penalty=penalty), FOR_CLASSES)
        assert rule.eta0 / rule.first**rule.power == pytest.approx(alpha**-0.25)
        assert rule.eta0 == 1 / alpha
        assert rule.alpha == (alpha if penalty else 0.0)


def test_passes_are_read_off_the_parameters():
    random = np.random.RandomState(0)
    assert Passes.of(SGDClassifier(shuffle=False), random) == Passes(1000, 1e-3, 5, None)
    assert Passes.of(SGDClassifier(tol=None), random).tol is None
    assert Passes.of(SGDClassifier(), random).random is random


def test_weights_of_rows():
    rows = Rows.of(np.zeros((3, 1)))
    assert row_weights(None, rows).tolist() == [1, 1, 1]
    assert row_weights(2, rows).tolist() == [2, 2, 2]
    assert row_weights([0, 1, 0.5], rows).tolist() == [0, 1, 0.5]


def test_starting_weights():
    assert starting_weights("coef_init", None, (3, 2)) == [None, None, None]
    rows = starting_weights("coef_init", [1, 2], (1, 2))
    assert [row.tolist() for row in rows] == [[1, 2]]
    with refuses("coef_init must be of shape (1, 2), but is (3,)."):
        starting_weights("coef_init", [1, 2, 3], (1, 2))
    with pytest.raises(BadData, match=r"^intercept_init must hold finite numbers\.$"):
        starting_weights("intercept_init", [np.nan], (1, 1))


def test_a_restart_counts_the_rounds_anew_and_keeps_the_record():
    rule = Rule(losses.HINGE, 0.0, 1.0, 1.0, 0.5, False, 0.1, 1)
    player = SGDPlayer(2, True, rule)
    player.play(Rows.of(np.eye(2)), np.array([1.0, -1.0]))
    coef, intercept = player.coef.copy(), player.intercept.copy()
    player.restart(replace(rule, average=0))
    assert (player.coef == coef).all()
    assert (player.intercept == intercept).all()
    assert player.counts.tolist() == [0, 0, 0]
    assert (player.rounds, len(player.lag)) == (2, 0)
    player.restart(rule, [3.0, 4.0], [5.0])
    assert [*player.coef, *player.intercept] == [3, 4, 5]


def test_over_sparse_rows_the_intercept_moves_a_hundred_times_more_slowly():
    rule = Rule(losses.PERCEPTRON, 0.0, 1.0, 1.0, 0.0, False, 0.0, 0)
    dense, thin = SGDPlayer(2, True, rule), SGDPlayer(2, True, rule)
    dense.play(Rows.of(np.eye(2)[:1]), -np.ones(1))
    thin.play(Rows.of(sparse.csr_matrix(np.eye(2)[:1])), -np.ones(1))
    assert dense.coef.tolist() == thin.coef.tolist() == [-1, 0]
    assert (dense.intercept[0], thin.intercept[0]) == (-1, -0.01)


@pytest.mark.parametrize("average", [0, 1])
def test_weights_widen_with_the_features(average):
    rule = Rule(losses.HINGE, 0.0, 1.0, 1.0, 0.5, False, 0.1, average)
    narrow, wide = SGDPlayer(1, True, rule), SGDPlayer(2, True, rule)
    narrow.play(Rows.of(np.array([[2.0]])), np.ones(1))
    narrow.widen(2)
    wide.play(Rows.of(np.array([[2.0, 0.0]])), np.ones(1))
    more = Rows.of(np.array([[-1.0, 1.0], [0.5, 0.5]]))
    for player in (narrow, wide):
        player.play(more, -np.ones(2))
    assert (narrow.coef == wide.coef).all()
    assert (narrow.intercept == wide.intercept).all()
