"""The player of strings and of given matrices: blocks, what it keeps, and parts that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from assay.kernels import Normalized, Precomputed, Substring
from assay.learners.common.player import NotANumber
from assay.learners.common.rows import Rows
from assay.learners.kernel import gram_player
from assay.learners.kernel.examples import as_strings
from assay.learners.kernel.gram_player import GramPlayer, Texts

RNG = np.random.default_rng(1)
TEXTS = as_strings(["".join(RNG.choice(list("abc"), RNG.integers(2, 12))) for _ in range(80)])
Y = np.where([("ab" in text) for text in TEXTS], 1.0, -1.0)
KERNEL = Normalized(Substring(2))


def player(kernel=KERNEL, budget=None):
    return GramPlayer(80 if isinstance(kernel, Precomputed) else 1, kernel, 1, budget)


@pytest.mark.parametrize("budget", [None, 5])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_blocks_of_any_size_give_the_same_bits(size, budget, monkeypatch):
    whole = player(budget=budget)
    whole.play(Texts(TEXTS), Y)
    monkeypatch.setattr(gram_player, "_BLOCK", size)
    other = player(budget=budget)
    other.play(Texts(TEXTS), Y)
    assert other.examples.tolist() == whole.examples.tolist()
    assert other.squared_length == whole.squared_length
    assert np.array_equal(other.scores(Texts(TEXTS)), whole.scores(Texts(TEXTS)))


def test_what_is_kept_of_strings_changes_nothing(monkeypatch):
    texts = Texts(TEXTS)
    kept, plain = player(), player()
    kept.keep(texts)
    for _ in range(5):
        assert kept.play(texts, Y) == plain.play(texts, Y)
    assert kept._known is not None
    kept.let_go()
    assert not {"_known", "_keeping"} & set(vars(kept))
    assert kept.squared_length == plain.squared_length
    monkeypatch.setattr(gram_player, "_KEPT", 10)
    many = player()
    many.keep(texts)
    assert many._keeping is None


def test_a_given_matrix_leaves_the_values_of_the_mistakes():
    K = KERNEL(TEXTS)
    rows = Rows.of(K)
    given, texts = player(Precomputed()), player()
    given.keep(rows)
    for _ in range(3):
        assert given.play(rows, Y) == texts.play(Texts(TEXTS), Y)
    places = given.examples
    np.testing.assert_array_equal(given.values(), K[np.ix_(places, places)])
    given.let_go()
    np.testing.assert_array_equal(given.values(), K[np.ix_(places, places)])
    assert TEXTS[places].tolist() == texts.examples.tolist()
    np.testing.assert_allclose(texts.values(), given.values(), atol=1e-15)


def test_a_value_that_is_no_number_stops_the_pass():
    K = KERNEL(TEXTS)
    K[20] = np.nan
    given = player(Precomputed())
    with pytest.raises(NotANumber) as stopped:
        given.play(Rows.of(K), Y)
    assert stopped.value.place <= 20
    assert given.rounds == stopped.value.place


def test_texts_are_rows_of_one_feature():
    texts = Texts(TEXTS)
    assert (len(texts), texts.width, len(texts.part(3, 9))) == (80, 1, 6)
    assert texts.part(3, 9).whole.tolist() == TEXTS[3:9].tolist()
    assert np.isfinite(texts.row(0)).all()


def test_nothing_played_is_nothing_known():
    for kernel in (KERNEL, Precomputed()):
        fresh = player(kernel)
        fresh._require_state()
        assert len(fresh.labels) == len(fresh.examples) == 0
    assert player().scores(Texts(TEXTS[:3])).tolist() == [0.0, 0.0, 0.0]
    assert player().scores(Texts(TEXTS[:0])).tolist() == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: setattr(p, "support_labels", p.labels[1:]),
        lambda p: setattr(p, "support_texts", TEXTS[:3]),
        lambda p: setattr(p, "support_places", p.examples + 80),
        lambda p: setattr(p, "support_values", p.support_values[:2]),
        lambda p: setattr(p, "support_labels", 2 * p.labels),
        lambda p: setattr(p, "squared_length", -1.0),
    ],
)
def test_parts_that_do_not_fit_are_refused(spoil):
    given, rows = player(Precomputed()), Rows.of(KERNEL(TEXTS))
    given.keep(rows)
    given.play(rows, Y)
    given.let_go()
    given._require_state()
    spoil(given)
    with pytest.raises(ValueError, match="the mistaken examples do not fit this learner"):
        given._require_state()


def test_strings_have_no_places_and_no_values():
    one = player()
    one.play(Texts(TEXTS), Y)
    one._require_state()
    one.support_values = np.eye(len(one.labels))
    with pytest.raises(ValueError, match="the mistaken examples do not fit this learner"):
        one._require_state()
