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
import pytest
from sklearn.exceptions import NotFittedError

from assay import load, save
from assay.errors import BadData, BadParameter
from assay.learners import files
from tests.learners.forgeries import (
    ODD_NUMBERS,
    ODD_VALUES,
    at,
    every_method,
    learners_to_forge,
    places_in,
)
from tests.learners.model_files import listed, npy

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


@pytest.mark.parametrize(
    ("changes", "many"),
    [
        (by_chance, 9),
        (by_kind, 1),
        pytest.param(by_chance, 25, marks=pytest.mark.guarantees),
        pytest.param(by_kind, 10, marks=pytest.mark.guarantees),
    ],
)
def test_a_sealed_forgery_is_refused_or_works(changes, many, tmp_path):
    chance = random.Random(20)
    path, tried, loaded = tmp_path / "forged.assay", 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in learners_to_forge():
            save(model, tmp_path / "whole.assay")
            whole = (tmp_path / "whole.assay").read_bytes()
            for kinds in changes(chance, many):
                forge(whole, path, kinds, chance)
                tried += 1
                with contextlib.suppress(BadData):
                    forged = load(path)
                    loaded += 1
                    for use in every_method(forged, tmp_path):
                        with contextlib.suppress(BadData, BadParameter, NotFittedError):
                            use()
    assert 0.1 < loaded / tried < 0.5
