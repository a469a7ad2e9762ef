from __future__ import annotations

import numpy as np
import pytest

from assay import KTermDNF, MonomialWinnow
from assay.guarantees import boolean
from assay.guarantees.small_dnf import Witness, explained


def test_room_doubles_and_what_is_held_stays():
    X = np.random.default_rng(0).integers(0, 2, (400, 8)).astype(float)
    y = X.sum(axis=1) % 2 == 1
    model = KTermDNF(negations=True)
    wrong = []
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        before = model.record_.mistakes if t else 0
        model.learn_one(x, label, classes=[False, True])
        if model.record_.mistakes > before:
            wrong.append(t)
    [player] = model.players_
    assert len(wrong) > 32  # the room begins with 16
    rows, signs = player.examples()
    assert rows.tolist() == X[wrong].astype(bool).tolist()
    assert signs.tolist() == np.where(y[wrong], 1, -1).tolist()
    assert player.most_ones == 8


@pytest.mark.parametrize(
    "break_it",
    [
        lambda p: setattr(p, "held", 17),
        lambda p: setattr(p, "held", -1),
        lambda p: setattr(p, "support", np.zeros((16, 2), np.uint64)),
        lambda p: setattr(p, "support", np.zeros((16, 1))),
        lambda p: setattr(p, "signs", np.zeros(15, np.int64)),
        lambda p: setattr(p, "signs", np.full(16, 2)),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_a_loop_follows_them(break_it):
    X, y = np.eye(3), [True, False, False]
    model = KTermDNF().partial_fit(X, y, classes=[False, True])
    break_it(model.players_[0])
    with pytest.raises(ValueError, match="do not fit this learner"):
        model.partial_fit(X, y)


@pytest.mark.parametrize("learner", [KTermDNF, MonomialWinnow])
def test_beyond_the_cap_nothing_is_searched(learner, monkeypatch):
    monkeypatch.setattr(boolean, "MOST", 2)
    X = np.random.default_rng(0).integers(0, 2, (200, 6)).astype(float)
    model = learner().partial_fit(X, X[:, 0] * X[:, 1] + X[:, 2] > 0, classes=[False, True])
    assert model.record_.mistakes > 2
    assert model.guarantees() == []
    [said] = model.guarantees(terms=2)
    assert said.assumptions[0].status == "declared"
    assert said.assumptions[0].evidence == "2 terms"


def test_how_a_number_of_terms_is_known():
    two = Witness(True, [((0, True),), ((1, True),)], 5)
    none = Witness(False, [], 5)

    def status(*how):
        return explained(*how, "name", None).status

    assert status(two, None, None, 3) == "checked"
    assert status(none, None, None, 3) == "violated"
    assert status(none, 2, 9, 3) == "violated"
    assert status(two, 2, 9, 3) == "checked"
    assert status(two, 1, 9, 3) == "declared"
    assert status(two, 1, 2, 3) == "violated"
    assert status(None, 1, 9, 3) == "declared"
