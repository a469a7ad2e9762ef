"""Any plain value survives the way through JSON and arrays, and nothing else gets on it."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from assay import Perceptron, load, save
from assay.learners.model_file import Decoder, Encoder
from assay.record.online import Comparator

plain = st.none() | st.booleans() | st.integers() | st.text() | st.floats()
keys = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner),
    max_leaves=20,
)


def through_json(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value), allow_nan=False)
    return Decoder(encoder.arrays).decode(json.loads(text), records=(Comparator,))


def same(one, other):
    """Equal, of the same type, and to the bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    return one == other


@settings(max_examples=100)
@given(values)
def test_plain_values(value):
    assert same(through_json(value), value)


@given(
    arrays.arrays(
        st.sampled_from(["f8", "f4", "i8", "u1", "?", ">f8", "U5"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_arrays(array):
    found = through_json(array)
    assert found.shape == array.shape
    assert found.dtype == array.dtype.newbyteorder("<")
    assert found.tobytes() == array.astype(found.dtype).tobytes()
    assert found.flags.writeable


def test_views_scalars_text_and_logs():
    grid = np.arange(12.0).reshape(3, 4)
    assert through_json(grid.T[::2]).tolist() == grid.T[::2].tolist()
    scalar = through_json(np.float32(0.1))
    assert type(scalar) is np.float32
    assert scalar == np.float32(0.1)
    words = np.array(["größe", None, 3, True], dtype=object)
    assert through_json(words).tolist() == words.tolist()
    log = [{"round": 1.0, "norm": 0.5}, {"round": 2.0, "norm": math.inf}]
    assert through_json(log) == log
    assert list(Encoder().encode(log)) == ["log"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_rows(form, tmp_path):
    """Those that a learner keeps, from which the best comparator in hindsight is found."""
    X = np.random.default_rng(0).normal(size=(30, 4)) * (np.arange(4) > 0)
    model = Perceptron().fit(form(X), X[:, 1] + X[:, 2] > 0)
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    kept, held = (m.players_[0].hindsight.examples()[0].whole for m in (model, again))
    assert type(held) is type(kept)
    assert held.shape == kept.shape
    assert (held != kept).sum() == 0
    assert again.guarantees() == model.guarantees()


def test_comparators():
    best = through_json(Comparator(np.arange(3.0), 1.0, 0.0, None))
    assert type(best) is Comparator
    assert best.vector.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "value",
    [print, object(), {1, 2}, b"bytes", 1j, np.array([print]), {(1, 2): 3}, np.zeros(2, complex)],
)
def test_nothing_else_is_taken(value):
    with pytest.raises(TypeError, match="it holds a"):
        Encoder().encode(value)


@pytest.mark.parametrize(
    "text",
    [
        [1],
        {"array": 0, "list": []},
        {},
        {"array": 5},
        {"array": True},
        {"float": "1.5"},
        {"part": ["Perceptron", {}]},
        {"part": ["Comparator", {"vector": 1}]},
        {"rows": 3},
        {"csr": [0, 0, 0, 1, 1]},
        {"objects": [[1]]},
        {"code": "print()"},
        {"dict": [[{"list": []}, 1]]},
    ],
)
def test_what_nobody_encoded_is_refused(text):
    with pytest.raises((ValueError, KeyError, IndexError, TypeError)):
        Decoder([np.zeros(3)]).decode(text)
