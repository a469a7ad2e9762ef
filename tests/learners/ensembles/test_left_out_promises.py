"""Records of rows left out, as attributes and in model files."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from assay import BaggingClassifier, RandomForestClassifier
from assay import GaussianNB as OwnNB
from assay.errors import BadParameter
from tests.learners.model_files import reopened

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] > 0).astype(int)
MODELS = (
    RandomForestClassifier(30, random_state=0, oob_score=True).fit(X, Y),
    BaggingClassifier(GaussianNB(), 30, random_state=0, oob_score=True).fit(X, Y),
)


@pytest.mark.parametrize("model", MODELS)
def test_a_record_of_whole_and_other_numbers(model):
    record = model.record_
    assert type(record.rows) is int
    assert type(record.loss) is float
    assert (record.members, record.rows, record.counted) == (30, 200, 200)
    member, vote, _ = model.guarantees(delta=0.1)
    assert (member.delta, vote.delta) == ("0.05", "0.1")
    assert member.value <= model.guarantees(delta=0.01)[0].value


@pytest.mark.parametrize(
    "model",
    [MODELS[0], BaggingClassifier(OwnNB(), 30, random_state=0, oob_score=True).fit(X, Y)],
    ids=["forest", "bag"],
)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("members", 31),
        ("rows", 199),
        ("counted", 201),
        ("voted", 999),
        ("left_out", 201),
        ("left_out_by_both", 190),
        ("loss", -0.1),
        ("tandem", 1.5),
    ],
)
def test_a_record_that_does_not_fit_is_refused(model, name, value):
    kept = model.records_
    reopened(model)
    try:
        model.records_ = [replace(kept[0], **{name: value})]
        with pytest.raises(ValueError, match=r"records_|its record does not fit its members"):
            reopened(model)
        model.records_ = [astuple(kept[0])]
        with pytest.raises(ValueError, match="records_ is of another kind or size"):
            reopened(model)
    finally:
        model.records_ = kept


def test_before_a_fit_and_without_rows_left_out():
    with pytest.raises(NotFittedError):
        RandomForestClassifier().guarantees()
    tiny = RandomForestClassifier(40, random_state=0, oob_score=True).fit(X[:6], [0, 1, 0, 1, 0, 1])
    assert tiny.record_.left_out == 0 or tiny.guarantees()[1].value is not None
    with pytest.raises(BadParameter, match=r"^oob_certificate needs rows that every bag left out"):
        BaggingClassifier(GaussianNB(), 2).fit(X, Y).oob_certificate()
