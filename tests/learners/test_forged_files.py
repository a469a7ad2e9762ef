"""Forged files that are sealed as if they were whole: refused, or the learner works."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import warnings
import zipfile

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from assay import OnlineGradientDescent, Perceptron, SGDClassifier, Winnow, load, save
from assay.errors import BadData, BadParameter
from assay.learners import files
from assay.learners.registry import find_learner
from tests.learners.model_files import (
    CLASSES,
    POLICIES,
    SAMPLES,
    THREE,
    X,
    Y,
    fresh,
    listed,
    npy,
    played,
    policy_of,
    targets,
)

ODD_VALUES = [
    *(None, True, False, 0, 1, -1, 2**31, 2**61, 2**63, 10**400, 1.5, -0.5, "", "x", "<f4", ","),
    *([], {}, {"array": 0}, {"array": 1}, {"array": 999}, {"scalar": 0}, {"list": []}),
    *({"float": "nan"}, {"float": "inf"}, {"tuple": []}, {"tuple": [1, 2]}, {"dict": []}),
    *(
        {"dict": [[1, 2]]},
        {"csr": [0, 0, 0, 1, 1]},
        {"rows": {"array": 0}},
        {"objects": ["a", None]},
    ),
    *({"part": ["Hindsight", {}]}, {"part": ["Comparator", {}]}, {"log": {"a": {"array": 0}}}),
]


ODD_NUMBERS = {
    "f": [np.nan, np.inf, -1.0, 0.0, 1e308, 5e-324, 0.5],
    "i": [-1, 0, 3, 2**31 - 1, -(2**31)],
    "u": [0, 1, 5, 2**40, 2**63, 2**64 - 1],
    "b": [False, True],
}


BOOLEAN = pd.DataFrame(X[:40], columns=list("abcdef"))


def learners_to_forge():
    sparse_rows = sparse.csr_matrix(X[:60])
    yield Perceptron()
    yield Perceptron(trace=True).fit(X[:60], Y[:60])
    yield Perceptron().fit(BOOLEAN, Y[:40])
    yield Perceptron().fit(sparse_rows, THREE[:60])
    yield Winnow(negations=True).fit(sparse_rows, Y[:60])
    yield OnlineGradientDescent(trace=True).fit(X[:60], Y[:60])
    yield SGDClassifier(average=True, random_state=1, max_iter=5, tol=None).fit(X[:60], Y[:60])
    named = Perceptron()
    for row, label in zip(BOOLEAN.to_dict("records"), Y[:40], strict=True):
        named.learn_one(row, label, classes=CLASSES)
    yield named
    for name in SAMPLES:
        yield fresh(name).fit(X[:40], targets(name)[:40])
    for name in POLICIES:
        yield played(policy_of(name, trace=True), np.random.default_rng(8))


def places_in(document, path=()):
    if path:
        yield path
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from places_in(document[key], (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def forge(path, chance):
    """Change one or two entries or arrays of a file, and seal it."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    for _ in range(chance.choice([1, 1, 2])):
        if parts and chance.random() < 0.4:
            place = chance.randrange(len(parts))
            array = forged_array(np.load(io.BytesIO(parts[f"arrays/{place}.npy"])), chance)
            raw = parts[f"arrays/{place}.npy"] = npy(array)
            listed(manifest, place, raw, dtype=array.dtype.str, shape=list(array.shape))
        else:
            open_places = [
                place
                for place in places_in(manifest)
                if len(place) > 1 and place[0] in ("learned", "parameters")
            ]
            *parent, key = chance.choice(open_places)
            other = at(manifest, chance.choice(open_places))
            if chance.random() < 0.1:
                del at(manifest, parent)[key]
            else:
                value = other if chance.random() < 0.3 else chance.choice(ODD_VALUES)
                at(manifest, parent)[key] = copy.deepcopy(value)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(files._sealed(manifest)))
        for name, raw in parts.items():
            archive.writestr(name, raw)


def forged_array(array, chance):
    flat, way = array.reshape(-1), chance.random()
    if way < 0.2:
        return flat[: chance.randrange(flat.size + 1)]
    if way < 0.35 and array.dtype.kind in "iufb":
        return np.nan_to_num(array).astype(
            chance.choice(["f4", "f8", "i8", "i4", "i1", "u8", "U3"])
        )
    if way < 0.85 and flat.size and array.dtype.kind in ODD_NUMBERS:
        changed = array.copy()
        odd = np.asarray(chance.choice(ODD_NUMBERS[array.dtype.kind])).astype(array.dtype)
        changed.reshape(-1)[chance.randrange(flat.size)] = odd
        return changed
    return np.concatenate([flat, flat])


def every_method(model, folder):
    """All that can be done with a learner, one after the other."""
    yield lambda: repr(model)
    yield lambda: model.guarantees()
    yield lambda: model.record_ if hasattr(type(model), "record_") else None
    yield lambda: save(model, folder / "again.assay")
    if type(model) in map(find_learner, POLICIES):
        yield lambda: played(model, np.random.default_rng(1), 5)
        yield lambda: model.choose() if hasattr(model, "choose") else None
    else:
        known = getattr(model, "classes_", np.array(CLASSES))
        y = X[:8, 0] if hasattr(model, "_learn") else np.resize(known, 8)
        label = y[0].item() if isinstance(y[0], np.generic) else y[0]
        row = dict(zip("abcdef", X[0].tolist(), strict=True))
        yield lambda: model.predict(X[:8])
        if get_tags(model).input_tags.sparse:
            yield lambda: model.predict(sparse.csr_matrix(X[:8]))
        yield lambda: getattr(model, "formula_", None)
        if hasattr(model, "partial_fit"):
            yield lambda: model.predict_one(X[0])
            yield lambda: model.predict_one(row)
            yield lambda: model.partial_fit(X[:8], y)
            yield lambda: model.partial_fit(sparse.csr_matrix(X[:8]), y)
            yield lambda: model.learn_one(X[0], label)
            yield lambda: model.learn_one(row, label)
            yield lambda: model.predict(X[:8]) if model.n_features_in_ == 6 else None
    yield lambda: model.guarantees()
    yield lambda: model.record_ if hasattr(type(model), "record_") else None
    yield lambda: save(model, folder / "again.assay")


def test_a_sealed_forgery_is_refused_or_works(tmp_path):
    chance = random.Random(20)
    path, loaded = tmp_path / "forged.assay", 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in learners_to_forge():
            save(model, tmp_path / "whole.assay")
            whole = (tmp_path / "whole.assay").read_bytes()
            for _ in range(25):
                path.write_bytes(whole)
                forge(path, chance)
                with contextlib.suppress(BadData):
                    forged = load(path)
                    loaded += 1
                    for use in every_method(forged, tmp_path):
                        with contextlib.suppress(BadData, BadParameter, NotFittedError):
                            use()
    assert loaded > 100
