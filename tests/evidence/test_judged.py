"""Verdicts and labels with gaps: counted in any chunks, digests by content, and a look at where labels stand."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData, BadParameter
from assay.evidence import columns
from assay.evidence import labels as coded
from assay.evidence.digest import digest_gapped
from assay.evidence.gapped_labels import not_at_random
from assay.evidence.judged import from_verdict_chunks, from_verdicts
from tests.soundness import assert_sound

rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([None, "good", "bad"])),
    min_size=1,
    max_size=60,
).filter(lambda drawn: any(label for _, label in drawn))


@settings(max_examples=60)
@given(rows, st.lists(st.integers(0, 60), max_size=4))
def test_counts_and_digests_do_not_depend_on_chunks(drawn, cuts):
    judge, labels = zip(*drawn, strict=True)
    whole = from_verdicts(list(judge), list(labels), wrong="bad")
    ends = [0, *sorted(cuts), len(drawn)]
    chunks = [(list(judge[a:b]), list(labels[a:b]), None) for a, b in itertools.pairwise(ends)]
    assert from_verdict_chunks(chunks, wrong="bad") == whole
    for place, verdict in enumerate(whole.strata):
        of = [label for one, label in drawn if one == verdict]
        assert whole.sizes[place] == len(of)
        assert whole.labelled[place] == sum(label is not None for label in of)
        assert whole.wrong[place] == of.count("bad")


@settings(max_examples=40)
@given(rows)
def test_without_arrow_all_is_the_same(drawn):
    judge, labels = (list(column) for column in zip(*drawn, strict=True))
    numbers = [None if label is None else float(label == "bad") for label in labels]
    kinds = [(labels, "bad"), (numbers, 1), (np.array(numbers, dtype=float), 1)]
    by_arrow = [from_verdicts(judge, column, wrong=wrong) for column, wrong in kinds]
    with patch.object(columns, "pa", None), patch.object(coded, "pa", None):
        plain = [from_verdicts(judge, column, wrong=wrong) for column, wrong in kinds]
    assert plain == by_arrow


def test_the_digest_of_labels_with_gaps_is_the_documented_one():
    import hashlib

    from assay.evidence.digest import digest_labels

    said = hashlib.sha256(b"assay-gapped-labels-1\n")
    for number in (5, 1, 3):
        said.update(number.to_bytes(8, "little"))
    said.update(digest_labels(["x", "y"]).encode())
    assert digest_gapped(5, [1, 3], ["x", "y"]) == f"sha256:{said.hexdigest()}"
    assert digest_gapped(6, [1, 3], ["x", "y"]) != digest_gapped(5, [1, 3], ["x", "y"])


@pytest.mark.parametrize(
    ("labels", "wrong", "typed"),
    [
        ([True, False, None], "true", True),
        ([False, None, None], "TRUE", True),
        ([0, 1, None], "1", 1),
        ([0, None, None], "1", 1),
        (["bad", "good", None], "bad", "bad"),
    ],
)
def test_what_was_typed_gets_the_type_of_the_labels(labels, wrong, typed):
    seen = from_verdicts(["a", "a", "b"], labels, wrong=wrong)
    assert seen.wrong_label is typed or seen.wrong_label == typed
    assert type(seen.wrong_label) is type(typed)


def test_verdicts_keep_their_type():
    assert from_verdicts([True, False], [1, None], wrong=1).strata == (False, True)
    assert from_verdicts([2.0, 1.0], [1, None], wrong=1).strata == (1, 2)


def test_other_labels_than_two_are_refused():
    with pytest.raises(BadData, match="must hold two values, of which 'bad' means wrong"):
        from_verdicts(["a"] * 3, ["bad", "good", "unsure"], wrong="bad")
    with pytest.raises(BadParameter, match="wrong must be a label such as labels holds"):
        from_verdicts(["a"] * 3, [False, False, None], wrong="bad")


# Labels that are drawn at random are seldom called odd; those at one end of any stratum are.


def flagged(places_of, runs, seed):
    rng = np.random.default_rng(seed)
    codes = (rng.random(2000) < 0.2).astype(int)
    return sum(bool(not_at_random(codes, np.sort(places_of(rng, codes)))) for _ in range(runs))


def uniform(rng, codes):
    return rng.choice(len(codes), 60, replace=False)


def per_stratum(rng, codes):
    return np.concatenate(
        [
            rng.choice(np.flatnonzero(codes == h), many, replace=False)
            for h, many in ((0, 20), (1, 90))
        ]
    )


def first_of_a_stratum(rng, codes):
    return np.concatenate([np.flatnonzero(codes == 0)[:30], np.flatnonzero(codes == 1)[:30]])


def last(rng, codes):
    return np.arange(len(codes) - 40, len(codes))


def test_random_labels_are_not_odd():
    assert_sound(flagged(uniform, 400, 1), 400, 1e-6)
    assert_sound(flagged(per_stratum, 400, 2), 400, 1e-6)


def test_labels_at_one_end_are_odd():
    assert flagged(first_of_a_stratum, 20, 3) == 20
    assert flagged(last, 20, 3) == 20
    assert "end of the batch" in not_at_random(np.zeros(500, dtype=int), np.arange(450, 500))


def test_a_dozen_labels_or_all_of_them_tell_nothing():
    assert not_at_random(np.zeros(10**6, dtype=int), np.arange(11)) == ""
    assert not_at_random(np.zeros(100, dtype=int), np.arange(100)) == ""
