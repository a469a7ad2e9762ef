import numpy as np
import pytest

from assay import SGDClassifier, SGDRegressor
from assay.compiled import losses
from assay.learners.linear.sgd_player import Passes, Rule, SGDPlayer, row_weights
from assay.learners.rows import Rows


def test_a_rule_is_read_off_the_parameters():
    rule = Rule.of(
        SGDClassifier("log_loss", learning_rate="invscaling", power_t=0.7), numbers=False
    )
    assert rule == Rule(losses.LOGISTIC, 0.1, 1.0, 0.7, 0.0001, 0)
    for named, power in (("constant", 0.0), ("invsqrt", 0.5), ("inverse", 1.0)):
        assert Rule.of(SGDRegressor(learning_rate=named), numbers=True).power == power
    assert Rule.of(SGDRegressor(average=True), numbers=True).average == 1
    assert Rule.of(SGDRegressor(average=7), numbers=True).average == 7


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


@pytest.mark.parametrize("average", [0, 1])
def test_weights_widen_with_the_features(average):
    rule = Rule(losses.HINGE, 0.0, 1.0, 0.5, 0.1, average)
    narrow, wide = SGDPlayer(1, True, rule), SGDPlayer(2, True, rule)
    narrow.play(Rows.of(np.array([[2.0]])), np.ones(1))
    narrow.widen(2)
    wide.play(Rows.of(np.array([[2.0, 0.0]])), np.ones(1))
    more = Rows.of(np.array([[-1.0, 1.0], [0.5, 0.5]]))
    for player in (narrow, wide):
        player.play(more, -np.ones(2))
    assert (narrow.coef == wide.coef).all()
    assert (narrow.intercept == wide.intercept).all()
