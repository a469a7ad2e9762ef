import numpy as np
import pytest

from assay.compiled.bandits.bandit_book import first_outside, opened, refused


def test_the_first_loss_outside():
    losses = np.random.default_rng(0).random((50, 7))
    assert first_outside(losses) == (-1, -1)
    for value in (np.nan, -1e-300, np.nextafter(1, 2), np.inf):
        bad = losses.copy()
        bad[30, 2] = bad[30, 5] = bad[41, 0] = value
        assert first_outside(bad) == (30, 2)
    assert first_outside(np.zeros((0, 3))) == (-1, -1)


def test_a_memory_is_opened_only_if_its_sizes_fit():
    state = np.zeros(5 + 3 + 2 + 3 + 4, dtype=np.uint64)
    state[4] = 2
    arms, generator, tally, book = opened(state, 0, 0)
    assert (arms, len(generator), len(tally), len(book)) == (2, 4, 5, 7)
    book[6] = 1.5
    assert state[-1].view(np.float64) == 1.5
    for counts, numbers in ((1, 0), (0, 1), (0, -1)):
        with pytest.raises(ValueError, match="does not fit"):
            opened(state, counts, numbers)


def test_what_is_refused():
    tally = np.array([1, 0, 0, 0, 0])
    assert refused(tally, 1, 0.5) == 0
    assert refused(tally, 0, 0.5) == refused(tally, -1, 0.5) == -1
    assert refused(tally, 1, np.nan) == refused(tally, 1, 1.1) == refused(tally, 1, -0.1) == -2
    tally[0] = -1
    assert refused(tally, -1, 0.5) == -1
