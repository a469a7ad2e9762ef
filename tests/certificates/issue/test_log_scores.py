"""Which metric of a log, and what its scores come to."""

import numpy as np
import pytest

from assay.certificates.issue.log_scores import Scored, metric_of, only_name
from assay.data.logs.samples import less_is_better
from assay.errors import BadData, BadParameter, UnknownName
from tests.refusals import refuses


def scored(scores, metric="acc", reasons=None):
    ids = np.array([f"q{i}" for i in range(len(scores))], dtype=object)
    why = np.array(reasons or [""] * len(scores), dtype=object)
    return Scored("run.eval", metric, np.array(scores), ids, why, less_is_better(metric))


def test_names_are_shown_up_to_ten():
    many = [f"t{i}" for i in range(13)]
    with pytest.raises(BadParameter, match="'t9' and 3 more") as refusal:
        only_name("run.eval", "task", many, None)
    assert refusal.value.sentence({"task": "--task"}).endswith("name one, as with --task t0.")
    with refuses("run.eval has no task 'x'. Its task is 'a'.", UnknownName):
        only_name("run.eval", "task", ["a"], "x")


def test_a_name_with_braces_and_spaces_is_typed_as_a_shell_reads_it():
    with pytest.raises(BadParameter) as refusal:
        only_name("run.eval", "task", ["{a} b", "c"], None)
    assert refusal.value.sentence({"task": "--task"}).endswith("as with --task '{a} b'.")


def test_the_metric_that_judges_comes_first_and_what_is_out_of_range_is_not_offered():
    scores = {"tokens": np.array([4.0]), "acc": np.array([1.0]), "f1": np.array([0.5])}
    assert metric_of("run.eval", scores, ["tokens", "acc"], None, None) == "acc"
    assert metric_of("run.eval", scores, list(scores), "f1", None) == "f1"
    assert metric_of("run.eval", scores, list(scores), "f1", "tokens") == "tokens"
    with refuses(
        "run.eval holds several metrics ('acc', 'f1'): name one, as with metric='acc'.",
        BadParameter,
    ):
        metric_of("run.eval", scores, list(scores), "gone", None)


@pytest.mark.parametrize("metric", ["wer", "error_rate", "Is-Wrong", "judge/toxicity", "wer,none"])
def test_of_some_metrics_less_is_better(metric):
    losses, notes = scored([1.0, 0.25], metric).losses("refuse")
    assert (losses.tolist(), notes) == (
        [1.0, 0.25],
        (f"The loss of a sample is the score by {metric!r}.",),
    )


def test_losses_and_what_is_missing():
    nan = float("nan")
    losses, notes = scored([1.0, 0.25]).losses("refuse")
    assert (losses.tolist(), notes) == (
        [0.0, 0.75],
        ("The loss of a sample is 1 minus the score by 'acc'.",),
    )
    some = scored([1.0, nan, nan], "wer", ["", "errored", ""])
    with refuses(
        "run.eval has no score by 'wer' for 2 of 3 samples (1 without a number, 1 errored); to count them as wrong, "
        "say unscored='wrong'.",
        BadData,
    ):
        some.losses("refuse")
    losses, notes = some.losses("wrong")
    assert losses.tolist() == [1.0, 1.0, 1.0]
    assert notes[1].startswith("2 samples without a score count as wrong")
    with pytest.raises(BadData, match=r"a score of -0\.5 by 'acc'"):
        scored([0.5, -0.5]).losses("wrong")
