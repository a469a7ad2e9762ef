"""Occam bounds: failure probabilities worked out for languages of independent hypotheses."""

import math
import re
from fractions import Fraction
from itertools import takewhile

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.generalization.occam import (
    occam_bits,
    occam_bits_rows,
    occam_float64,
    occam_prefix_free,
    occam_prefix_free_rows,
    regularized_occam,
    regularized_occam_rows,
)

bits = st.integers(1, 10**5)
rows = st.integers(1, 10**7)
deltas = st.floats(1e-12, 0.999)
codes = st.sampled_from(["prefix-free", "any"])
forms = st.sampled_from(["sharp", "textbook"])


# Golden numbers.


def test_fifty_bits_in_five_hundred_rows():
    assert occam_bits(bits=50, rows=500, delta=0.05) == pytest.approx(0.0753062, rel=1e-6)


def test_a_bit_for_ten_rows_costs_seven_percent():
    nearly_surely_nothing = 1 - 1e-12
    bound = occam_bits(bits=10**6, rows=10**7, delta=nearly_surely_nothing)
    assert bound == pytest.approx(0.0693147, rel=1e-6)


def test_the_loan_tree_of_sixteen_bits_says_nothing_yet():
    assert occam_prefix_free(bits=16, rows=10, delta=0.05) == pytest.approx(1.408609, rel=1e-6)


def test_two_stored_weights():
    assert occam_float64(weights=2, error=0.1, delta=0.05) == 918
    assert occam_float64(weights=2, error=0.1, delta=0.05, case="agnostic") == 4621


def test_twenty_bits_with_errors():
    slack = regularized_occam(0, 1000, bits=20, delta=0.05, form="textbook")
    assert slack == pytest.approx(0.125329, rel=3e-6)
    slack = regularized_occam(0, 1000, 20, 0.05, code="prefix-free", form="textbook")
    assert slack == pytest.approx(0.0936798, rel=1e-6)


def test_thirty_errors_of_eighteen_bits():
    bound = regularized_occam(30, 400, bits=18, delta=0.05, code="prefix-free")
    assert bound == pytest.approx(0.214070043160061, rel=1e-12)


# Rounded outward, monotone, inverse.


@settings(max_examples=50)
@given(bits, rows, deltas, codes, forms)
def test_never_below_the_formula(b, m, delta, code, form):
    with mpmath.workdps(50):
        loose = 1 + mpmath.mpf("1e-12")
        sure = -mpmath.log(mpmath.mpf(repr(delta)))
        plain = (b * mpmath.log(2) + sure) / m
        assert plain <= occam_bits(b, m, delta) <= plain * loose
        nats = b * mpmath.log(2 if code == "prefix-free" else 4)
        free = (nats + sure) / m
        assert free <= occam_prefix_free(b, m, delta, code) <= free * loose
        more = mpmath.log(2) if form == "textbook" else 0
        slack = mpmath.sqrt((nats + sure + more) / (2 * m))
        exact = mpmath.mpf(1) / 2 + slack
        ours = regularized_occam(Fraction(m, 2), m, b, delta, code, form)
        assert exact <= ours <= exact * loose


@settings(max_examples=50)
@given(bits, st.integers(1, 10**6), st.floats(0.01, 0.5), st.floats(0.01, 0.4), codes)
def test_monotone(b, m, delta, step, code):
    for bound in (
        lambda b, m, d: occam_bits(b, m, d),
        lambda b, m, d: occam_prefix_free(b, m, d, code),
        lambda b, m, d: regularized_occam(0, m, b, d, code),
    ):
        assert bound(b, m, delta) <= bound(b + 1, m, delta)
        assert bound(b, m + 1, delta) <= bound(b, m, delta)
        assert bound(b, m, delta + step) <= bound(b, m, delta)
    for case in ("consistent", "agnostic"):
        asked = occam_float64(b, step, delta, case)
        assert asked <= occam_float64(b + 1, step, delta, case)
        assert occam_float64(b, step + 0.1, delta, case) <= asked
        assert occam_float64(b, step, delta + step, case) <= asked
    assert regularized_occam(0, m, b, delta) <= regularized_occam(m, m, b, delta)
    assert regularized_occam(0, m, b, delta) <= regularized_occam(0, m, b, delta, form="textbook")


@settings(max_examples=50)
@given(bits, st.floats(0.02, 0.9), deltas, codes, forms)
def test_rows_are_enough_and_one_less_is_not(b, error, delta, code, form):
    seen = Fraction(1, 100)
    for bound, m in (
        (lambda m: occam_bits(b, m, delta), occam_bits_rows(b, error, delta)),
        (
            lambda m: occam_prefix_free(b, m, delta, code),
            occam_prefix_free_rows(b, error, delta, code),
        ),
        (
            lambda m: regularized_occam(seen * m, m, b, delta, code, form),
            regularized_occam_rows(b, error, delta, seen, code, form),
        ),
    ):
        assert bound(m) <= error * (1 + 1e-12)
        assert m == 1 or bound(m - 1) > error * (1 - 1e-12)


# Refusals.

INSIDE = "a number strictly between 0 and 1"
AT_LEAST = "a whole number of at least"


@pytest.mark.parametrize("delta", [0, 1, -0.1, math.nan, math.inf, True, "half", None])
def test_delta_is_inside_the_unit_interval(delta):
    sentence = f"delta must be {INSIDE}, but is {delta!r}."
    for function, inputs in (
        (occam_bits, (5, 10)),
        (occam_bits_rows, (5, 0.1)),
        (occam_prefix_free, (5, 10)),
        (occam_prefix_free_rows, (5, 0.1)),
        (occam_float64, (5, 0.1)),
        (regularized_occam, (1, 10, 5)),
        (regularized_occam_rows, (5, 0.1)),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(*inputs, delta)


@pytest.mark.parametrize(
    ("function", "inputs", "sentence"),
    [
        (occam_bits, (0, 9, 0.05), f"bits must be {AT_LEAST} 1, but is 0."),
        (occam_bits, (True, 9, 0.05), f"bits must be {AT_LEAST} 1, but is True."),
        (occam_bits, (5, 0, 0.05), f"rows must be {AT_LEAST} 1, but is 0."),
        (occam_bits_rows, (5, 1, 0.05), f"error must be {INSIDE}, but is 1."),
        (occam_prefix_free, (-1, 9, 0.05), f"bits must be {AT_LEAST} 0, but is -1."),
        (occam_prefix_free, (0, 9, 0.05, "any"), f"bits must be {AT_LEAST} 1, but is 0."),
        (
            occam_prefix_free,
            (5, 9, 0.05, "morse"),
            "code must be 'prefix-free' or 'any', but is 'morse'.",
        ),
        (occam_prefix_free, (5, math.inf, 0.05), f"rows must be {AT_LEAST} 1, but is inf."),
        (occam_prefix_free_rows, (5, math.nan, 0.05), f"error must be {INSIDE}, but is nan."),
        (occam_float64, (0, 0.1, 0.05), f"weights must be {AT_LEAST} 1, but is 0."),
        (
            occam_float64,
            (2, 0.1, 0.05, "lucky"),
            "case must be 'consistent' or 'agnostic', but is 'lucky'.",
        ),
        (regularized_occam, (0, 9, 0, 0.05), f"bits must be {AT_LEAST} 1, but is 0."),
        (
            regularized_occam,
            (10, 9, 5, 0.05),
            "errors must be at most the number of rows 9, but is 10.",
        ),
        (
            regularized_occam,
            (1, 9, 5, 0.05, "any", "best"),
            "form must be 'sharp' or 'textbook', but is 'best'.",
        ),
        (
            regularized_occam_rows,
            (5, 0.1, 0.05, 0.2),
            "error must be above the observed rate 0.2, but is 0.1.",
        ),
    ],
)
def test_refusals(function, inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        function(*inputs)


# The promise is never broken. A language is a list of (size, number of words of that size); its
# hypotheses err independently of each other, which makes the union bound nearly tight.

PREFIX_FREE = [(size, 1) for size in range(1, 13)] + [(12, 1)]  # 0, 10, 110, ..., 1...10, 1...1
ALL_WORDS = [(size, 2**size) for size in range(1, 13)]


def some_bad_one_survives(language, bound, m: int) -> mpmath.mpf:
    """How likely a hypothesis whose error is the bound for its size is consistent."""
    with mpmath.workdps(40):
        logs = mpmath.mpf(0)
        for size, words in language:
            error = mpmath.mpf(bound(size))
            if error < 1:
                logs += words * mpmath.log1p(-((1 - error) ** m))
        return -mpmath.expm1(logs)


@pytest.mark.parametrize("m", [100, 10**6])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
class TestConsistent:
    def test_bits_fixed_in_advance(self, m, delta):
        for b in (1, 5, 12):
            shorter = [(size, 2**size) for size in range(b)]
            fixed = occam_bits(b, m, delta)
            assert some_bad_one_survives(shorter, lambda size, e=fixed: e, m) <= delta
        # Without the bits the same check fails.
        dropped = -math.log(delta) / m
        assert some_bad_one_survives(ALL_WORDS, lambda size: dropped, m) > delta

    def test_prefix_free_sizes_read_off_the_hypothesis(self, m, delta):
        failure = some_bad_one_survives(PREFIX_FREE, lambda s: occam_prefix_free(s, m, delta), m)
        assert failure <= delta

    def test_any_sizes_read_off_the_hypothesis(self, m, delta):
        failure = some_bad_one_survives(
            ALL_WORDS, lambda s: occam_prefix_free(s, m, delta, code="any"), m
        )
        assert failure <= delta


def test_fixed_bits_read_off_the_hypothesis_are_no_theorem():
    # The word has `size` bits, fewer than size + 1; but size was chosen by the learner.
    m, delta = 10**6, 0.05
    failure = some_bad_one_survives(ALL_WORDS, lambda size: occam_bits(size + 1, m, delta), m)
    assert failure > delta


def test_prefix_free_rates_for_a_language_that_is_not():
    m, delta = 10**6, 0.05
    failure = some_bad_one_survives(ALL_WORDS, lambda s: occam_prefix_free(s, m, delta), m)
    assert failure > delta


def test_float64_is_a_class_of_that_size():
    m = occam_float64(weights=1, error=0.1, delta=0.05)
    assert some_bad_one_survives([(64, 2**64)], lambda size: 0.1, m) <= 0.05
    assert some_bad_one_survives([(64, 2**64)], lambda size: 0.1, m - 60) > 0.05


def some_promise_too_low(language, bound, m: int) -> float:
    """How likely a hypothesis of error 1/2 is promised less, exactly for each."""
    log = 0.0
    for size, words in language:
        low = takewhile(lambda k, size=size: bound(k, size) < 0.5, range(m + 1))
        one = Fraction(sum(math.comb(m, k) for k in low), 2**m)
        log += words * math.log1p(-float(one))
    return -math.expm1(log)


@pytest.mark.parametrize("form", ["sharp", "textbook"])
@pytest.mark.parametrize(("code", "language"), [("prefix-free", PREFIX_FREE), ("any", ALL_WORDS)])
def test_regularized_fails_with_probability_at_most_delta(code, language, form):
    m = 200
    for delta in (0.05, 0.3):
        failure = some_promise_too_low(
            language, lambda k, size, d=delta: regularized_occam(k, m, size, d, code, form), m
        )
        assert failure <= delta


def test_regularized_without_the_size_fails_more_often():
    m, delta = 200, 0.05
    failure = some_promise_too_low(
        ALL_WORDS, lambda k, size: regularized_occam(k, m, 0, delta, "prefix-free"), m
    )
    assert failure > delta
