from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem


def confirm(theorem, inputs, promised):
    checker = find_theorem(theorem).checker
    return None if checker is None else checker(inputs, promised, True)


COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n)))


def inputs_of(theorem, errors, rows, delta):
    inputs = {"errors": errors, "rows": rows, "delta": delta}
    if theorem == "occam-exact":
        return inputs | {"bits": 18}
    if theorem == "finite-class-exact":
        return inputs | {"class_size": 1000}
    if theorem == "holdout-finite-population":
        return inputs | {"population": 3 * rows}
    if theorem == "large-gap-exact":
        return {"run": rows, "mistakes": errors, "delta": delta}
    return inputs


THEOREMS = [
    "holdout-exact",
    "occam-exact",
    "finite-class-exact",
    "holdout-finite-population",
    "large-gap-exact",
]


@pytest.mark.parametrize("theorem", THEOREMS)
@settings(max_examples=30)
@given(counts=COUNTS, delta=st.sampled_from(["0.05", "0.001", "1e-12"]))
def test_what_the_theorem_gives_is_confirmed_and_anything_smaller_is_not(theorem, counts, delta):
    inputs = inputs_of(theorem, *counts, delta)
    value = Fraction(find_theorem(theorem)(**inputs))
    assert confirm(theorem, inputs, value) == (True, True)
    if value < 1:
        step = Fraction(1, inputs["population"]) if "population" in inputs else value / 10**10
        smaller = confirm(theorem, inputs, value - step)
        assert smaller is not None
        assert not smaller[0] or value == Fraction(counts[0], inputs.get("population", 1))
        if value + step < 1:
            assert confirm(theorem, inputs, value + step) == (True, False)


@settings(max_examples=60)
@given(COUNTS, st.integers(1, 400), st.sampled_from(["0.05", "0.3", "1e-12"]))
def test_the_next_rows_are_confirmed_and_one_fewer_is_not(counts, more, delta):
    inputs = {"errors": counts[0], "rows": counts[1], "next_rows": more, "delta": delta}
    value = Fraction(find_theorem("next-rows-exact")(**inputs))
    assert confirm("next-rows-exact", inputs, value) == (True, True)
    assert not confirm("next-rows-exact", inputs, value - Fraction(1, 2))[0]
    assert not confirm("next-rows-exact", inputs, value - 1)[0]
    if value < more:
        assert confirm("next-rows-exact", inputs, value + 1) == (True, False)


def test_large_counts_are_confirmed_without_huge_integers():
    inputs = {"errors": 5000, "rows": 100_000, "delta": "0.05"}
    value = Fraction(find_theorem("holdout-exact")(**inputs))
    assert confirm("holdout-exact", inputs, value) == (True, True)
    assert confirm("holdout-exact", inputs, value * Fraction(999_999, 10**6)) == (False, True)


def test_a_promise_of_one_is_sound_but_loose_unless_every_row_is_wrong():
    inputs = {"errors": 3, "rows": 10, "delta": "0.05"}
    assert confirm("holdout-exact", inputs, Fraction(1)) == (True, False)
    assert confirm("holdout-exact", inputs | {"errors": 10}, Fraction(1)) == (True, True)


def test_other_theorems_are_left_to_the_first_verifier():
    assert confirm("holdout-kl", {}, Fraction(1, 2)) is None
