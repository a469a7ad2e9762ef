from __future__ import annotations

import numpy as np
import pytest

from assay import KTermDNF, MonomialWinnow
from assay.guarantees import boolean
from assay.guarantees.small_dnf import Witness, explained
from assay.learners.boolean.mistaken import MistakenPlayer


def test_room_doubles_and_what_is_held_stays():
    player = MistakenPlayer(3, negations=True)
    support, signs = player.store()
    assert support.shape == (16, 1)
    support[0], signs[0], player.held = 5, -1, 1
    player.double()
    assert player.store()[0].shape == (32, 1)
    X, y = player.examples()
    assert X.tolist() == [[True, False, True]]
    assert y.tolist() == [-1]
    assert player.most_ones == 2


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
    player = MistakenPlayer(3, negations=False)
    player.store()
    break_it(player)
    with pytest.raises(ValueError, match="do not fit this learner"):
        player.store()


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
