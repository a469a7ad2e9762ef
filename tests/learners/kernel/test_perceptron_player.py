"""The player of the kernel perceptron, against the rule written out: dense, sparse, with a budget, from a file."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay.kernels import FromFunction, Gaussian, Linear, Polynomial
from assay.learners.common.rows import Rows
from assay.learners.kernel import perceptron_player
from assay.learners.kernel.perceptron_player import KernelPlayer
from tests.naive.kernel_perceptron import kernel_perceptron

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 4))
X[np.abs(X) < 0.3] = 0.0
Y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
FORMS = [np.asarray, sparse.csr_matrix]


def played(kernel, form=np.asarray, zero=1, budget=None, rows=X, y=Y):
    player = KernelPlayer(rows.shape[1], kernel, zero, budget)
    player.play(Rows.of(form(rows)), y)
    return player


def gaussian(x, z):
    return float(np.exp(-0.5 * ((x - z) ** 2).sum()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_the_rule_written_out(form, zero):
    run = kernel_perceptron(gaussian, X, Y, zero)
    player = played(Gaussian(0.5), form, zero)
    examples = player.examples
    examples = examples.toarray() if sparse.issparse(examples) else examples
    np.testing.assert_array_equal(examples, [x for x, _ in run.support])
    assert player.labels.tolist() == [label for _, label in run.support]
    assert (player.mistakes, player.rounds) == (run.mistakes, 90)
    K = Gaussian(0.5)(examples)
    assert player.squared_length == pytest.approx(player.labels @ K @ player.labels, rel=1e-9)
    assert (
        abs(player.squared_length - player.labels @ K @ player.labels)
        <= player.record(trace=False).error
    )
    assert player.largest_square == 1.0


@pytest.mark.parametrize("form", FORMS)
def test_a_kernel_without_a_formula_plays_the_same(form):
    plain = played(Polynomial(2), form)
    function = FromFunction(lambda A, B: (A @ B.T + 1.0) ** 2)
    own = played(function, lambda rows: rows)
    np.testing.assert_array_equal(own.labels, plain.labels)
    assert own.squared_length == pytest.approx(plain.squared_length, rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("budget", [1, 6])
def test_a_budget_keeps_the_newest(form, budget):
    support, mistakes = [], 0
    for x, label in zip(X, Y, strict=True):
        score = sum(yq * gaussian(xq, x) for xq, yq in support)
        if not (label * score > 0 or (score == 0 and label == 1)):
            support, mistakes = [*support, (x, label)][-budget:], mistakes + 1
    player = played(Gaussian(0.5), form, budget=budget)
    assert player.mistakes == mistakes
    assert player.record(trace=False).forgotten == mistakes - budget
    assert player.labels.tolist() == [label for _, label in support]


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_the_sums(form):
    player = played(Gaussian(0.5), form)
    fresh = RNG.normal(size=(7, 4))
    examples = player.examples
    want = Gaussian(0.5)(fresh, examples) @ player.labels
    np.testing.assert_allclose(player.scores(Rows.of(form(fresh))), want, atol=1e-12)
    for row, value in zip(fresh, want, strict=True):
        before = (player.first, player.last, player.squared_length, player.mistakes)
        assert player.score(row) == pytest.approx(value, abs=1e-12)
        assert before == (player.first, player.last, player.squared_length, player.mistakes)
    assert np.isnan(player.score(np.array([np.nan, 0, 0, 0])))


def test_room_grows_as_mistakes_come(monkeypatch):
    plain = played(Gaussian(0.5))
    for first in (1, 2, 1000):
        monkeypatch.setattr(perceptron_player, "_FIRST_ROOM", first)
        for form in FORMS:
            np.testing.assert_array_equal(played(Gaussian(0.5), form).labels, plain.labels)


def test_new_features_are_zero_in_old_examples():
    player = played(Linear(), rows=X[:, :2])
    player.widen(4)
    assert player.examples.shape[1] == 4
    assert not player.examples[:, 2:].any()
    player.play(Rows.of(X), Y)
    assert player.examples.shape[1] == 4


def test_what_is_kept_of_rows_changes_nothing():
    rows = Rows.of(X)
    kept, plain = (KernelPlayer(4, Gaussian(0.5), 1, None) for _ in range(2))
    kept.keep(rows)
    for _ in range(4):
        assert kept.play(rows, Y) == plain.play(rows, Y)
    assert kept._known is not None
    kept.let_go()
    assert kept._known is None
    np.testing.assert_array_equal(kept.labels, plain.labels)
    assert kept.squared_length == plain.squared_length


def test_nothing_played_is_nothing_known():
    player = KernelPlayer(3, Gaussian(0.5), 1, None)
    assert player.labels.shape == (0,)
    assert player.examples.shape == (0, 3)
    assert player.score(np.zeros(3)) == 0.0
    assert player.record(trace=False).radius == 0.0
    player._require_state()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: setattr(p, "last", p.last + 10**6),
        lambda p: setattr(p, "first", p.last + 1),
        lambda p: setattr(p, "updates", 0),
        lambda p: setattr(p, "squared_length", -1.0),
        lambda p: setattr(p, "largest_square", -1.0),
        lambda p: setattr(p, "support_labels", None),
        lambda p: setattr(p, "support_labels", 0.5 * p.support_labels),
    ],
)
def test_parts_that_do_not_fit_are_refused(form, spoil):
    player = played(Gaussian(0.5), form)
    player._require_state()
    spoil(player)
    with pytest.raises(ValueError, match="the mistaken examples do not fit this learner"):
        player._require_state()
