from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np
import pyarrow as pa

from assay.evidence import column_digest, labels
from assay.evidence.column_digest import LabelDigest, LossDigest
from tests.naive.label_digest import label_digest, loss_digest


def test_a_pool_changes_nothing_but_who_hashes():
    column = np.random.default_rng(0).integers(0, 5, 1000)
    with (
        mock.patch.object(labels, "BLOCK", 10),
        mock.patch.object(column_digest, "BLOCK", 10),
        ThreadPoolExecutor(2) as pool,
    ):
        digest = LabelDigest("truth", pool)
        for piece in labels.coded_pieces(pa.array(column), "truth", 0):
            digest.update(piece)
        assert digest.finish() == label_digest(column.tolist(), block=10)
        assert digest.rows == 1000


def test_the_family_widens_from_truth_values_to_numbers():
    digest = LabelDigest()
    assert digest.family is None
    digest.update(labels.encode(pa.array([True]), "truth"))
    assert digest.family == "truth values"
    digest.update(labels.encode(pa.array([1]), "truth"))
    assert digest.family == "whole numbers"
    assert digest.finish() == label_digest([1, 1])


def test_nothing_has_a_digest_too():
    assert LabelDigest().finish() == "sha256:" + hashlib.sha256(b"assay-labels-1\n").hexdigest()
    assert LossDigest().finish() == loss_digest([])


def test_a_digest_so_far_changes_nothing_that_follows():
    column = np.random.default_rng(1).integers(0, 3, 95)
    with mock.patch.object(labels, "BLOCK", 10), mock.patch.object(column_digest, "BLOCK", 10):
        digest = LabelDigest()
        for start in range(0, 95, 5):
            part = column[start : start + 5]
            for piece in labels.coded_pieces(pa.array(part), "labels", digest.rows):
                digest.update(piece)
            assert digest.finish() == label_digest(column[: start + 5].tolist(), block=10)
