"""What the tests of forged model files share: learners, changes, and all that can be done with a learner."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import zipfile

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from assay import OnlineGradientDescent, Perceptron, SGDClassifier, Winnow, save
from assay.errors import BadData, BadParameter
from assay.learners.model_file import files
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


# How an array may be changed, and how an entry of the manifest may; and how often each happens by chance.
OF_ARRAYS = {"shorter": 8, "retyped": 6, "odd number": 20, "doubled": 6}
OF_ENTRIES = {"removed": 6, "another's": 16, "odd value": 38}
KINDS = OF_ARRAYS | OF_ENTRIES


def forge(whole, path, kinds, chance):
    """Write a file with changes of these kinds, sealed as if it were whole."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    for kind in kinds:
        if parts and kind in OF_ARRAYS:
            place = chance.randrange(len(parts))
            before = np.load(io.BytesIO(parts[f"arrays/{place}.npy"]))
            array = forged_array(before, kind, chance)
            raw = parts[f"arrays/{place}.npy"] = npy(array)
            listed(manifest, place, raw, dtype=array.dtype.str, shape=list(array.shape))
        else:
            forge_entry(manifest, kind, chance)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(files._sealed(manifest)))
        for name, raw in parts.items():
            archive.writestr(name, raw)


def forge_entry(manifest, kind, chance):
    open_places = [
        place
        for place in places_in(manifest)
        if len(place) > 1 and place[0] in ("learned", "parameters")
    ]
    *parent, key = chance.choice(open_places)
    if kind == "removed":
        del at(manifest, parent)[key]
        return
    other = at(manifest, chance.choice(open_places))
    value = other if kind == "another's" else chance.choice(ODD_VALUES)
    at(manifest, parent)[key] = copy.deepcopy(value)


def forged_array(array, kind, chance):
    flat = array.reshape(-1)
    if kind == "shorter":
        return flat[: chance.randrange(flat.size + 1)]
    if kind == "retyped" and array.dtype.kind in "iufb":
        return np.nan_to_num(array).astype(
            chance.choice(["f4", "f8", "i8", "i4", "i1", "u8", "U3"])
        )
    if kind == "odd number" and flat.size and array.dtype.kind in ODD_NUMBERS:
        changed = array.copy()
        odd = np.asarray(chance.choice(ODD_NUMBERS[array.dtype.kind])).astype(array.dtype)
        changed.reshape(-1)[chance.randrange(flat.size)] = odd
        return changed
    return np.concatenate([flat, flat])


def by_chance(chance, forgeries):
    """One change or two, the likelier ones more often."""
    for _ in range(forgeries):
        yield chance.choices(list(KINDS), list(KINDS.values()), k=chance.choice([1, 1, 2]))


def by_kind(chance, rounds):
    """Every kind of change, and at times a second one with it."""
    for kind in [*KINDS, "odd value"] * rounds:
        yield [kind, *chance.choices(list(KINDS), k=chance.choice([0, 0, 1]))]


@contextlib.contextmanager
def refusals_are_fine():
    """Nothing but a refusal may come out of a learner: a file may say that it knows fewer features."""
    try:
        yield
    except (BadData, BadParameter, NotFittedError):
        pass
    except ValueError as refusal:
        if not str(refusal).startswith("X has 6 features, but "):
            raise


def every_method(model, folder):
    """All that can be done with a learner, one after the other."""
    yield lambda: repr(model)
    yield lambda: model.guarantees()
    yield lambda: getattr(model, "record_", None)
    yield lambda: save(model, folder / "again.assay")
    if type(model) in map(find_learner, POLICIES):
        yield lambda: played(model, np.random.default_rng(1), 5)
        if "contextual" in type(model).__module__:
            yield lambda: model.choose(X[0, :3])
            yield lambda: model.choose([0, 1, 1])
        else:
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
    yield lambda: getattr(model, "record_", None)
    yield lambda: save(model, folder / "again.assay")
