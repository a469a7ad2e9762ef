from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.boolean.concept_majority import majority_rounds, majority_votes
from tests.naive.weighted_majority import weighted_majority


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 0.25]))
def test_random_advice_gives_the_twin(seed, beta):
    rng = np.random.default_rng(seed)
    rows, experts = int(rng.integers(1, 65)), int(rng.integers(1, 12))
    says, labels = rng.random((rows, experts)) < 0.5, rng.random(rows) < 0.5
    words = np.array([sum(int(b) << t for t, b in enumerate(c)) for c in says.T], dtype=np.uint64)
    label = np.uint64(sum(int(b) << t for t, b in enumerate(labels)))
    errors, missed = np.zeros(experts, np.int64), np.empty(rows, np.int64)
    powers = beta ** np.arange(100.0)
    mistakes = majority_rounds(words, errors, powers, label, rows, missed)
    signs = np.where(says, 1, -1).tolist(), np.where(labels, 1, -1).tolist()
    twin = weighted_majority(*signs, beta)
    assert mistakes == twin.mistakes
    assert errors.tolist() == (says != labels[:, None]).sum(axis=0).tolist()


def test_a_hopeless_expert_counts_for_nothing():
    words = np.array([1, 0], dtype=np.uint64)
    errors = np.array([10**12, 3])
    yes, no = majority_votes(words, errors, 0.5 ** np.arange(1080.0), np.uint64(0))
    assert (yes, no) == (0.0, 1.0)
