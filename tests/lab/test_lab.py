import importlib

import pytest

import assay
from assay import lab


def test_experiments_are_functions_whatever_was_imported_before():
    for name in dir(lab):
        if name != "stump_game":
            importlib.import_module(f"assay.lab.{name}")
        assert callable(getattr(lab, name))
        assert getattr(lab, name) is getattr(assay, name)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'ghost'"):
        _ = lab.ghost
