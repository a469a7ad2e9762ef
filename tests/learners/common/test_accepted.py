from __future__ import annotations

import pytest

from assay.errors import BadParameter
from assay.learners.common import ANYTHING, only, require_accepted


class Learner:
    accepted = {  # noqa: RUF012
        "n_jobs": ANYTHING,
        "penalty": only("l2", instead="Use SGDClassifier for the others."),
        "positive": only(False, None, instead="No learner here has it."),
    }

    def __init__(self, n_jobs=None, penalty="l2", positive=False):
        self.n_jobs, self.penalty, self.positive = n_jobs, penalty, positive


def test_values_that_change_nothing_are_taken():
    require_accepted(Learner(n_jobs=-1))
    require_accepted(Learner(n_jobs="whatever", positive=None))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"penalty": "l1"}, "penalty must be 'l2', but is 'l1'. Use SGDClassifier for the others."),
        (
            {"positive": True},
            "positive must be False or None, but is True. No learner here has it.",
        ),
        # Equal to False, but not what was meant.
        ({"positive": 0}, "positive must be False or None, but is 0. No learner here has it."),
    ],
)
def test_others_are_refused_with_the_alternative(given, sentence):
    with pytest.raises(BadParameter) as refused:
        require_accepted(Learner(**given))
    assert str(refused.value) == sentence
