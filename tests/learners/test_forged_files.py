"""Forged files that are sealed as if they were whole: refused, or the learner works."""

from __future__ import annotations

import contextlib
import io
import json
import random
import warnings
import zipfile

import pytest

from assay import load, save
from assay.errors import BadData
from tests.learners.forgeries import (
    by_chance,
    by_kind,
    every_method,
    forge,
    learners_to_forge,
    refusals_are_fine,
)
from tests.learners.model_files import rewritten


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The model file of every learner, fitted once."""
    path, contents = tmp_path_factory.mktemp("forged") / "whole.assay", []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in learners_to_forge():
            save(model, path)
            contents.append(path.read_bytes())
    return contents


@pytest.mark.parametrize(
    ("changes", "many"),
    [
        (by_chance, 3),
        (by_kind, 1),
        pytest.param(by_chance, 25, marks=pytest.mark.guarantees),
        pytest.param(by_kind, 10, marks=pytest.mark.guarantees),
    ],
)
def test_a_sealed_forgery_is_refused_or_works(changes, many, saved, tmp_path):
    chance = random.Random(20)
    path, tried, loaded = tmp_path / "forged.assay", 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for whole in saved:
            for kinds in changes(chance, many):
                forge(whole, path, kinds, chance)
                tried += 1
                with contextlib.suppress(BadData):
                    forged = load(path)
                    loaded += 1
                    for use in every_method(forged, tmp_path):
                        with refusals_are_fine():
                            use()
    assert 0.1 < loaded / tried < 0.5


def test_a_part_that_is_missing_is_noticed_or_not_needed(saved, tmp_path):
    """Whatever a fit has left, taken away one by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for whole in saved:
            with zipfile.ZipFile(io.BytesIO(whole)) as archive:
                parts = list(json.loads(archive.read("manifest.json"))["learned"])
            for part in parts:
                (tmp_path / "less.assay").write_bytes(whole)
                rewritten(tmp_path / "less.assay", lambda m, part=part: m["learned"].pop(part))
                with contextlib.suppress(BadData):
                    less = load(tmp_path / "less.assay")
                    for use in every_method(less, tmp_path):
                        with refusals_are_fine():
                            use()
