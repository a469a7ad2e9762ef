from __future__ import annotations

from functools import cache
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from assay.theory.mistake.conservative import conservative_wrapper_mistakes
from assay.theory.mistake.version_space import con_mistakes, halving_mistakes
from tests.refusals import COUNT, NOT_COUNTS, assert_refuses_all

CUBE = list(product((0, 1), repeat=3))
DISJUNCTIONS = [
    tuple(1 if any(x[i] for i in range(3) if mask >> i & 1) else -1 for x in CUBE)
    for mask in range(8)
]


def majority(seen):
    """Halving: it learns from every example, mistaken or not."""
    left = [h for h in DISJUNCTIONS if all(h[x] == label for x, label in seen)]
    return lambda x: 1 if sum(h[x] for h in left) >= 0 else -1


def last_left(seen):
    """The last consistent hypothesis."""
    left = [h for h in DISJUNCTIONS if all(h[x] == label for x, label in seen)]
    return lambda x: left[-1][x]


LEARNERS = [(majority, halving_mistakes(8)), (last_left, con_mistakes(8))]


def conservative_run(learner, X, y):
    """The wrapper: what the learner has seen grows by its mistakes only."""
    seen, mistakes = (), 0
    for x, label in zip(X, y, strict=True):
        if learner(seen)(x) != label:
            seen, mistakes = (*seen, (x, label)), mistakes + 1
    return mistakes


def worst_case(learner):
    """Over all sequences; the wrapped learner changes on mistakes only."""

    @cache
    def most(seen):
        best, predict = 0, learner(seen)
        for x in range(8):
            label = -predict(x)
            if any(all(h[z] == s for z, s in (*seen, (x, label))) for h in DISJUNCTIONS):
                best = max(best, 1 + most((*seen, (x, label))))
        return best

    return most(())


def test_no_sequence_breaks_the_bound_of_the_learner_inside():
    for learner, bound in LEARNERS:
        assert worst_case(learner) <= conservative_wrapper_mistakes(bound)


def test_half_the_bound_is_rejected():
    assert worst_case(majority) == 3 > conservative_wrapper_mistakes(halving_mistakes(8)) // 2


@given(st.sampled_from(DISJUNCTIONS), st.lists(st.integers(0, 7), max_size=30))
def test_random_sequences_never_break_the_bound(target, X):
    for learner, bound in LEARNERS:
        mistakes = conservative_run(learner, X, [target[x] for x in X])
        assert mistakes <= conservative_wrapper_mistakes(bound)


def test_a_learner_without_a_mistake_bound_gains_none():
    # Always saying +1 errs on every negative: its own bound is what the wrapper inherits.
    mistakes = conservative_run(lambda seen: lambda x: 1, [0] * 9, [-1] * 9)
    assert mistakes == 9 == conservative_wrapper_mistakes(9)


@given(st.integers(0, 10**30))
def test_the_bound_is_handed_on_unchanged(mistakes):
    assert conservative_wrapper_mistakes(mistakes) == mistakes


def test_bad_inputs_are_refused():
    inputs = {"mistakes": 3}
    assert_refuses_all(conservative_wrapper_mistakes, inputs, "mistakes", COUNT, NOT_COUNTS)
