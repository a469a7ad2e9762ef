import copy
import pickle

import pytest

from assay.errors import BadParameter
from assay.guarantees.subject import Subject, another_quantity, subject_of, when_learned


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (Subject("batch-error"), "error"),
        (Subject("class-error", "spam"), "error of class 'spam'"),
        (Subject("class-error", 0, 1, "positive"), "false-positive rate: 0 taken for 1"),
        (Subject("next-rows-errors", next_rows=9), "errors among the next 9 rows"),
        (Subject("updates", "a", delayed=True), "updates of 'a' against the rest, at the time of learning"),
    ],
)  # fmt: skip
def test_words(subject, words):
    assert subject == words
    for again in (copy.deepcopy(subject), pickle.loads(pickle.dumps(subject))):
        assert again == words
        assert again.__getnewargs__() == subject.__getnewargs__()


def test_only_known_quantities():
    with pytest.raises(BadParameter, match="quantity must be one of error, "):
        Subject("luck")


def test_ids_that_need_no_field_stand_for_themselves():
    assert subject_of("error").quantity == "error"
    assert subject_of("mean loss") is None
    assert subject_of("mean-loss") is None
    assert subject_of("error of class 'spam'") is None


def test_what_no_certificate_speaks_of():
    passes = another_quantity(Subject("mistakes", "a"), "passes")
    assert (passes, passes.quantity) == ("passes of 'a' against the rest", "passes")
    assert subject_of(passes) is None
    assert subject_of("passes") is None
    assert when_learned(passes) == "passes of 'a' against the rest, at the time of learning"


def test_other_subjects_of_the_same_run():
    run = Subject("mistakes", "a")
    assert another_quantity(run, "regret") == "regret of 'a' against the rest"
    assert when_learned(run).delayed
    assert when_learned("price of a leaf") == "price of a leaf, at the time of learning"
