"""Nearest neighbours: limits in closed form, boxes full of points, volumes by the gamma function."""

import itertools
import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter, NoNumber
from assay.theory.generalization.neighbors import cover_hart, curse_of_dimension, kd_tree_pruning
from assay.theory.registry import find_theorem

# Cover and Hart. At a point with class probabilities p, infinitely many examples put neighbours
# at the point itself, whose labels are independent draws from p.


def one_neighbor(p) -> Fraction:
    return sum(q * (1 - q) for q in p)


def odd_neighbors(p: Fraction, k: int) -> Fraction:
    """The majority of k labels is 1 or not, the true label is 1 with probability p."""
    ones = sum(math.comb(k, j) * p**j * (1 - p) ** (k - j) for j in range((k + 1) // 2, k + 1))
    return p * (1 - ones) + (1 - p) * ones


def mixture(points, rate) -> tuple[Fraction, Fraction]:
    """Bayes error and limit error of a distribution over points of (weight, class weights)."""
    total = sum(weight for weight, _ in points)
    bayes = limit = Fraction(0)
    for weight, classes in points:
        p = [Fraction(c, sum(classes)) for c in classes]
        bayes += Fraction(weight, total) * (1 - max(p))
        limit += Fraction(weight, total) * rate(p)
    return bayes, limit


def worlds(classes: int):
    p = st.tuples(*[st.integers(0, 20)] * classes).filter(any)
    return st.lists(st.tuples(st.integers(1, 9), p), min_size=1, max_size=4)


def test_seven_against_three():
    bayes, limit = mixture([(1, (7, 3))], one_neighbor)
    assert (bayes, limit) == (Fraction(3, 10), Fraction(42, 100))
    assert cover_hart(bayes) == pytest.approx(0.42, rel=1e-15)
    assert cover_hart(bayes, form="textbook") == pytest.approx(0.6, rel=1e-15)
    assert Fraction(cover_hart(bayes)) >= limit


@settings(max_examples=100)
@given(st.integers(2, 4).flatmap(lambda c: st.tuples(st.just(c), worlds(c))))
def test_one_neighbor_is_never_worse(world):
    classes, points = world
    bayes, limit = mixture(points, one_neighbor)
    sharp = cover_hart(bayes, classes)
    assert limit <= Fraction(sharp)
    assert sharp <= cover_hart(bayes, classes, form="textbook")


@settings(max_examples=100)
@given(worlds(2), st.sampled_from([1, 3, 5, 9]))
def test_an_odd_number_of_neighbors_is_never_worse(points, k):
    bayes, limit = mixture(points, lambda p: odd_neighbors(p[0], k))
    assert limit <= Fraction(cover_hart(bayes, neighbors=k))


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_met_when_all_classes_but_one_are_alike(classes):
    p = [Fraction(1, 2)] + [Fraction(1, 2 * (classes - 1))] * (classes - 1)
    limit, bayes = one_neighbor(p), 1 - p[0]
    assert limit == bayes * (2 - bayes * classes / (classes - 1))
    assert float(limit) == pytest.approx(cover_hart(bayes, classes), rel=1e-15)


def test_the_constant_of_two_classes_is_broken_by_three():
    bayes, limit = mixture([(1, (1, 1, 1))], one_neighbor)
    assert limit > bayes * (2 - 2 * bayes)
    assert limit <= Fraction(cover_hart(bayes, classes=3))


def test_two_neighbors_break_twice_the_bayes_error():
    # Two labels must agree on 1, a tie says 0; the label is 1 with probability 0.99.
    p = Fraction(99, 100)
    limit = p * (1 - p**2) + (1 - p) * p**2
    assert float(limit) == pytest.approx(0.029502, rel=1e-12)
    assert limit > Fraction(cover_hart(1 - p, form="textbook"))


@given(st.fractions(0, Fraction(1, 2), max_denominator=500), st.integers(2, 30))
def test_grows_with_the_bayes_error_and_the_classes(r, classes):
    assert cover_hart(r, classes) <= cover_hart(r, classes + 1)
    assert cover_hart(r / 2, classes) <= cover_hart(r, classes)
    assert Fraction(cover_hart(r, classes)) >= r * (2 - r * Fraction(classes, classes - 1))
    assert Fraction(cover_hart(r, classes)) >= r


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ((-0.1,), "bayes_error must be a number between 0 and 1, but is -0.1."),
        ((math.nan,), "bayes_error must be a number between 0 and 1, but is nan."),
        ((0.6,), "bayes_error must be at most 1/2 with 2 classes, but is 0.6."),
        ((0.1, 1), "classes must be a whole number of at least 2, but is 1."),
        ((0.1, True), "classes must be a whole number of at least 2, but is True."),
        ((0.1, 2, 2), "neighbors must be an odd number, but is 2."),
        ((0.1, 2, 0), "neighbors must be a whole number of at least 1, but is 0."),
        ((0.1, 3, 3), "neighbors must be 1 with 3 classes, but is 3."),
        ((0.1, 2, 1, "x"), "form must be 'sharp' or 'textbook', but is 'x'."),
    ],
)
def test_refusals_of_cover_hart(inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        cover_hart(*inputs)


def test_consistency_has_no_number():
    with pytest.raises(NoNumber):
        find_theorem("knn-consistency")(neighbors=5)


# Boxes.

METRICS = ["euclidean", "manhattan"]
coordinates = st.integers(-9, 9).map(lambda i: Fraction(i, 4))


def boxes(dimension: int):
    side = st.tuples(coordinates, coordinates, coordinates, st.fractions(0, 1, max_denominator=7))
    return st.lists(side, min_size=dimension, max_size=dimension)


def read(sides):
    """Query, low corner, high corner, and a point of the box."""
    query = [q for q, *_ in sides]
    low = [min(a, b) for _, a, b, _ in sides]
    high = [max(a, b) for _, a, b, _ in sides]
    inside = [a + (b - a) * s[3] for a, b, s in zip(low, high, sides, strict=True)]
    return query, low, high, inside


def at_least_as_far(gaps, metric: str, bound: float) -> bool:
    """Whether a vector is at least that long, decided exactly."""
    if metric == "manhattan":
        return sum(map(abs, gaps), Fraction(0)) >= Fraction(bound)
    return sum((g * g for g in gaps), Fraction(0)) >= Fraction(bound) ** 2


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=100)
@given(st.integers(1, 4).flatmap(boxes))
def test_no_point_of_the_box_is_nearer(metric, sides):
    query, low, high, inside = read(sides)
    bound = kd_tree_pruning(query, low, high, metric)
    gaps = [p - q for p, q in zip(inside, query, strict=True)]
    assert at_least_as_far(gaps, metric, bound)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=50)
@given(st.integers(1, 4).flatmap(boxes))
def test_the_nearest_point_is_the_query_moved_into_the_box(metric, sides):
    query, low, high, _ = read(sides)
    nearest = [min(max(q, a), b) for q, a, b in zip(query, low, high, strict=True)]
    gaps = [float(p - q) for p, q in zip(nearest, query, strict=True)]
    length = math.fsum(map(abs, gaps)) if metric == "manhattan" else math.hypot(*gaps)
    assert kd_tree_pruning(query, low, high, metric) == pytest.approx(length, rel=1e-15)


def test_the_manhattan_distance_would_prune_too_much_in_the_plane():
    far = kd_tree_pruning([0, 0], [3, 4], [5, 5], "manhattan")
    assert not at_least_as_far([Fraction(3), Fraction(4)], "euclidean", far)


def test_a_query_inside_is_at_distance_zero():
    assert kd_tree_pruning([1, 1], [0, 0], [2, 2]) == 0.0


def nearest_by_pruning(points: np.ndarray, query: np.ndarray, bound) -> tuple[float, int]:
    """Halve the points at the median of each axis in turn; skip boxes that are too far."""
    best, seen = math.inf, 0

    def visit(part: np.ndarray, axis: int) -> None:
        nonlocal best, seen
        if bound(query, part.min(axis=0), part.max(axis=0)) > best:
            return
        if len(part) <= 4:
            seen += len(part)
            best = min(best, *np.linalg.norm(part - query, axis=1))
            return
        part = part[part[:, axis].argsort()]
        halves = sorted(
            (part[: len(part) // 2], part[len(part) // 2 :]),
            key=lambda half: abs(half[:, axis].mean() - query[axis]),
        )
        for half in halves:
            visit(half, (axis + 1) % part.shape[1])

    visit(points, 0)
    return best, seen


def test_searching_with_pruning_finds_the_nearest():
    rng = np.random.default_rng(89)
    visited = broken = 0
    for _ in range(20):
        points, query = rng.normal(size=(64, 2)), rng.normal(size=2)
        true = np.linalg.norm(points - query, axis=1).min()
        found, seen = nearest_by_pruning(points, query, kd_tree_pruning)
        assert found == true
        visited += seen
        # Three times the distance to the box prunes more, and loses neighbours.
        greedy = nearest_by_pruning(points, query, lambda *box: 3 * kd_tree_pruning(*box))
        broken += greedy[0] > true
    assert visited < 20 * 64 / 2
    assert broken > 0


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (([], [], []), "query must be a point with at least one coordinate, but is []."),
        (([0], [0, 1], [1]), "low must be as long as the query, 1 numbers, but is [0, 1]."),
        (([0], [0], []), "high must be as long as the query, 1 numbers, but is []."),
        (([0], [2], [1]), "high must be at least low [2] in every coordinate, but is [1]."),
        (([math.nan], [0], [1]), "query[0] must be a finite number, but is nan."),
        (([0], [-math.inf], [1]), "low[0] must be a finite number, but is -inf."),
        (([0], [0], [True]), "high[0] must be a finite number, but is True."),
        ((0, [0], [1]), "query must be a sequence of numbers, but is 0."),
        (([0], [0], [1], "cosine"), "metric must be 'euclidean' or 'manhattan', but is 'cosine'."),
    ],
)
def test_refusals_of_a_box(inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kd_tree_pruning(*inputs)


def test_cosine_similarity_has_no_such_box():
    """The corner nearest in the plane is not the one nearest in angle: hence the refusal."""
    query, corners = (1.0, 1.0), list(itertools.product((2.0, 3.0), (0.0, 3.0)))

    def angle(p):
        return math.acos(min(1.0, sum(p) / math.hypot(*query) / math.hypot(*p)))

    assert min(corners, key=lambda p: math.dist(p, query)) != min(corners, key=angle)


# Volume.


def test_half_the_radius():
    assert [curse_of_dimension(d) for d in (1, 2, 10)] == [0.5, 0.25, 9.765625e-4]
    assert curse_of_dimension(10**9) == 5e-324


@pytest.mark.parametrize("d", [1, 3, 8, 100])
def test_by_the_volumes_of_balls(d):
    with mpmath.workdps(50):
        unit = mpmath.pi ** (mpmath.mpf(d) / 2) / mpmath.gamma(mpmath.mpf(d) / 2 + 1)
        half = unit * mpmath.mpf(1) / 2**d
        assert mpmath.almosteq(half / unit, curse_of_dimension(d), rel_eps=mpmath.mpf("1e-45"))


def test_by_counting_points_of_a_ball():
    """A fine grid: the part of the disc within half the radius is a quarter, not a half."""
    axis = (np.arange(400) + 0.5) / 200 - 1
    squares = axis[:, None] ** 2 + axis[None, :] ** 2
    part = (squares <= 0.25).sum() / (squares <= 1).sum()
    assert part == pytest.approx(curse_of_dimension(2), abs=1e-3)
    assert part != pytest.approx(curse_of_dimension(1), abs=1e-3)


@given(st.integers(1, 2000))
def test_shrinks_with_the_dimension(d):
    assert curse_of_dimension(d + 1) <= curse_of_dimension(d)


@pytest.mark.parametrize("d", [0, -1, 1.5, math.nan, math.inf, True])
def test_the_dimension_is_a_count(d):
    sentence = f"dimension must be a whole number of at least 1, but is {d!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        curse_of_dimension(d)
