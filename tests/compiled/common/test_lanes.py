import numpy as np
import pytest
from numba import njit

from assay.compiled.common.lanes import LANES, lane_dot, over_lanes, rows_over_lanes, where
from assay.compiled.common.rows import dot, wide_dot, wide_square
from assay.compiled.experts.exponential_weights import weigh

LENGTHS = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100]


def in_lanes(terms, kind=np.float64):
    """The slow obvious twin: so many sums side by side, then the upper half added to the lower."""
    count = LANES if kind == np.float64 else 2 * LANES
    sums = [kind(0)] * count
    for i, term in enumerate(terms):
        sums[i % count] = kind(sums[i % count] + kind(term))
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [kind(sums[i] + sums[i + half]) for i in range(half)]
    return sums[0]


@pytest.mark.parametrize("n", LENGTHS)
def test_the_shape_is_the_one_written_down(n):
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=n), rng.normal(size=n)
    assert dot(x, w) == in_lanes(x * w)
    small = x.astype(np.float32), w.astype(np.float32)
    assert dot(*small) == in_lanes(small[0] * small[1], np.float32)
    assert wide_dot(small[0], w) == in_lanes(small[0].astype(float) * w)
    assert wide_square(small[0]) == in_lanes(small[0].astype(float) ** 2)


def test_another_shape_would_be_noticed():
    rng = np.random.default_rng(0)
    differ = 0
    for _ in range(50):
        x, w = rng.normal(size=33), rng.normal(size=33)
        differ += dot(x, w) != float(np.cumsum(x * w)[-1])
    assert differ > 10


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("kind", [bool, np.uint8, np.int32, np.int64, np.float32])
def test_other_numbers_and_gaps_between_them(n, kind):
    rng = np.random.default_rng(n)
    table, w = (4 * rng.normal(size=(n, 3))).astype(kind), rng.normal(size=n)
    expected = in_lanes(table[:, 1].astype(float) * w)
    assert wide_dot(table[:, 1], w) == wide_dot(table[:, 1].copy(), w) == expected
    assert wide_dot(table[::-1, 1], w) == in_lanes(table[::-1, 1].astype(float) * w)


_all_dots = rows_over_lanes(lambda x, t: x * t)


@njit
def all_dots(X, r, T, start, stop, found):
    _all_dots(X, r, T, start, stop, found, 1, 2)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_row_with_many_others_gives_what_each_pair_gives(n, kind, order):
    rng = np.random.default_rng(n)
    X = np.asarray(rng.normal(size=(3, n)).astype(kind), order=order)
    T = np.asarray(rng.normal(size=(9, n)), order=order)
    found = np.zeros((2, 3, 14))
    all_dots(X, 2, T, 1, 8, found[:, :, ::2])
    assert found[1, 2, ::2].tolist() == [in_lanes(X[2].astype(float) * T[q]) for q in range(1, 8)]
    found[1, 2, ::2] = 0.0
    assert not found.any()  # and nothing else is written


_changed = over_lanes(lambda x, w, step: (w, w * x, w + step * x), sums=2, writes=(1,))


@njit
def changed(x, w, step):
    return _changed(x, w, step)


@pytest.mark.parametrize("n", LENGTHS)
def test_what_is_written_is_written_to_its_places_alone(n):
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=n), rng.normal(size=n)
    room = np.full(n + 20, 7.0)
    room[10 : 10 + n] = w
    sums = changed(x, room[10 : 10 + n], 0.5)
    assert sums == (in_lanes(w), in_lanes(w * x))
    assert room[10 : 10 + n].tolist() == (w + 0.5 * x).tolist()
    assert (room[:10] == 7).all()
    assert (room[10 + n :] == 7).all()


_both = over_lanes(lambda x, t: where((x >= 0.0) & (abs(x) <= t), x, 1.0))
_product = over_lanes(lambda x: 2.0 - x, product=True)


@njit
def both(x, t):
    return _both(x, t)


@njit
def product(x):
    return _product(x)


@pytest.mark.parametrize("n", LENGTHS)
def test_choices_and_products(n):
    x = np.random.default_rng(n).normal(size=n)
    assert both(x, 0.8) == in_lanes(np.where((x >= 0) & (np.abs(x) <= 0.8), x, 1.0))
    assert product(x / 100) == pytest.approx(np.prod(2 - x / 100), rel=1e-12)


@pytest.mark.parametrize("n", [1, 7, 8, 9])
def test_nan_and_infinity_are_seen_and_nothing_else_is(n):
    x, w = np.ones(n), np.ones(n)
    x[-1] = np.nan
    assert np.isnan(dot(x, w))
    x[-1] = np.inf
    assert dot(x, w) == np.inf
    # Beyond the end lies an infinity, which must not be multiplied by the zero of an empty lane.
    room = np.full(n + 8, np.inf)
    room[:n] = 1.0
    assert dot(room[:n], w) == n
    assert weigh(np.full(n, np.inf), 0.0, 1.0, np.empty(n)) == 0.0


def test_a_sum_of_no_array_is_refused():
    @njit
    def wrong(x):
        return lane_dot(x, x)

    with pytest.raises(Exception, match=r"Invalid use|No implementation"):
        wrong(1.0)
