"""Evidence that is merged: as if all rows had been counted at once, or refused."""

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import AssayError, BadParameter
from assay.evidence.evidence import Evidence, from_losses, from_pairs, from_truth, from_units
from assay.guarantees.assumption import Assumption


def labels(seed, rows=40):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["ham", "spam", "eggs"], rows)
    said = np.where(rng.random(rows) < 0.3, rng.choice(["ham", "spam", "tofu"], rows), truth)
    return truth, said


def losses(seed, rows=50):
    return np.random.default_rng(seed).random(rows)


def plain(evidence):
    """Without what names the rows, which a part of them cannot tell."""
    tally = evidence.tally and replace(evidence.tally, truth_digest=None, prediction_digest=None)
    graded = evidence.losses and replace(evidence.losses, digest=None)
    return replace(evidence, tally=tally, losses=graded, data=None, predictions=None, holdout=None)


def of_units(seed):
    truth, said = labels(seed)
    return truth, said, [f"{seed}-{row // 4}" for row in range(len(truth))]


KINDS = {
    "labels": (labels, lambda chunks: from_pairs(chunks)),
    "units": (of_units, lambda chunks: from_units(chunks)),
    "losses": (losses, lambda chunks: from_losses(chunks)),
    "errors": (lambda seed: (losses(seed) < 0.3).astype(int), lambda chunks: from_losses(chunks)),
    "truth": (lambda seed: labels(seed)[0], lambda chunks: from_truth(chunks)),
}


@pytest.mark.parametrize(("draw", "gather"), KINDS.values(), ids=KINDS)
def test_merging_equals_counting_all_rows_in_any_grouping(draw, gather):
    chunks = [draw(seed) for seed in range(4)]
    a, b, c, d = (gather([chunk]) for chunk in chunks)
    merged = Evidence.merge(a, b, c, d)
    assert plain(merged) == plain(gather(chunks))
    assert Evidence.merge(Evidence.merge(a, b), Evidence.merge(c, d)) == merged
    assert Evidence.merge(a, Evidence.merge(b, Evidence.merge(c, d))) == merged


def test_losses_are_summed_exactly_and_kept_in_order():
    parts = [losses(seed) / 3 for seed in range(3)]
    merged = Evidence.merge(*(from_losses([part]) for part in parts)).losses
    at_once = from_losses(parts).losses
    assert (merged.total, merged.variance) == (at_once.total, at_once.variance)
    assert merged.values.tolist() == at_once.values.tolist()


def test_a_label_that_another_part_holds_is_no_longer_unseen():
    one = from_pairs([(["a", "a"], ["a", "b"])])
    two = from_pairs([(["b", "a"], ["b", "a"])])
    assert one.notes
    merged = Evidence.merge(one, two)
    assert merged.tally.unseen == ()
    assert merged.notes == ()
    assert "'b'" in Evidence.merge(one, one).notes[0]


def test_what_named_the_rows_is_gone_and_one_part_is_itself():
    part = from_pairs([labels(0)])
    assert Evidence.merge(part) is part
    merged = Evidence.merge(part, from_pairs([labels(1)]))
    assert (merged.data, merged.predictions, merged.holdout) == (None, None, None)


def test_what_cannot_be_merged_is_refused():
    counted, graded = Evidence(rows=10, errors=3), from_losses([losses(0)])
    with pytest.raises(BadParameter, match=r"evidence of one kind, but is .*errors and losses"):
        Evidence.merge(counted, graded)
    with pytest.raises(BadParameter, match="of one kind"):
        Evidence.merge(counted, from_pairs([labels(0)]))
    with pytest.raises(BadParameter, match="of one model"):
        Evidence.merge(replace(counted, model="sha256:1"), counted)
    with pytest.raises(BadParameter, match="known alike"):
        Evidence.merge(replace(counted, checked=(Assumption("so", "checked"),)), counted)
    with pytest.raises(BadParameter, match="at least 1"):
        Evidence.merge()
    with pytest.raises(AssayError, match="labels of one type, but theirs are int, str"):
        Evidence.merge(from_pairs([labels(0)]), from_pairs([([1, 0], [1, 1])]))
