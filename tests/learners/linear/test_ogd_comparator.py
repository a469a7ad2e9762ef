import numpy as np
import pytest
from scipy import sparse

from assay import OnlineGradientDescent


def hindsight(X, y, norm, constant=1.0):
    """What a learner keeps whose steps are so short that every example brings one."""
    model = OnlineGradientDescent(max_norm=norm, eta0=1e-12, fit_intercept=bool(constant))
    model.partial_fit(X, y, classes=[-1.0, 1.0])
    assert model.record_.updates == len(y)
    return model.players_[0].hindsight


def hinge(u, X, y):
    return float(np.maximum(0, 1 - y * (X @ u)).sum())


def game(seed, n=40, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + rng.normal(size=n) >= 0, 1.0, -1.0)


@pytest.mark.parametrize("norm", [0.1, 0.7, 2.0, 30.0])
@pytest.mark.parametrize("seed", range(2))
def test_the_rival_is_the_best_of_its_ball(seed, norm):
    X, y = game(seed)
    rival = hindsight(X, y, norm, constant=0.0).rival(1.0)
    assert np.linalg.norm(rival.vector) <= rival.norm <= norm
    u = rival.vector[:2]
    assert hinge(u, X, y) <= rival.loss <= hinge(u, X, y) * (1 + 1e-9)
    turns, lengths = np.linspace(0, 2 * np.pi, 361), np.linspace(0, min(norm, 8.0), 81)
    grid = [r * np.array([np.cos(a), np.sin(a)]) for a in turns for r in lengths]
    assert rival.loss <= min(hinge(v, X, y) for v in grid) * 1.01 + 1e-6


@pytest.mark.parametrize("rate", [0.01, 1.0])
def test_without_a_ball_length_is_traded_for_loss(rate):
    X, y = game(7)
    rival = hindsight(X, y, None, constant=0.0).rival(rate)
    u = rival.vector[:2]

    def price(v):
        return v @ v / (2 * rate) + hinge(v, X, y)

    for other in u + np.random.default_rng(0).normal(size=(200, 2)) * 0.3:
        assert price(u) <= price(other) * (1 + 1e-3)


def test_separable_examples_have_a_rival_without_loss():
    X = np.array([[1.0, 0], [0, 1], [-1, 0]])
    y = np.array([1.0, 1, -1])
    assert hindsight(X, y, 10.0, constant=0.0).rival(1.0).loss == 0
    assert hindsight(X, y, 0.5, constant=0.0).rival(1.0).loss > 0


def test_sparse_examples_have_the_same_rival():
    X, y = game(8, n=60, d=5)
    X[X < 0] = 0
    dense, thin = (
        hindsight(form(X), y, 1.0).rival(1.0) for form in (np.asarray, sparse.csr_matrix)
    )
    assert thin.loss == pytest.approx(dense.loss, rel=1e-3)


def test_a_fixed_rival_grows_with_the_features_and_its_loss_is_counted_on():
    X, y = game(9)
    kept = hindsight(X, y, 1.0)
    assert kept.vector(2).size == 0
    best = kept.rival(1.0).loss
    kept.fix(1.0)
    before = kept.rival(1.0)
    assert best <= before.loss <= 1.05 * best
    assert (kept.kept, kept.room(2)) == (0, 0)
    assert kept.vector(2).tolist() == before.vector.tolist()
    grown = kept.vector(4)
    assert grown[:2].tolist() == before.vector[:2].tolist()
    assert grown[2:].tolist() == [0.0, 0.0, before.vector[-1]]
    assert kept.rival(1.0, 2.5).loss == pytest.approx(before.loss + 2.5)


def test_wide_rows_are_kept_up_to_a_number_of_cells():
    fresh = hindsight(np.ones((1, 1)), np.ones(1), 1.0)
    assert fresh.room(10) == 1999
    assert fresh.room(10**6) == 10
    assert fresh.room(10**9) == 1
