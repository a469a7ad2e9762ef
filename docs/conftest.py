"""A page that is handed to pytest by its name runs in an empty folder: what its examples save stays out of this one.

`tests/docs/test_docs.py` runs all pages, commands included.
"""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(Path(__file__).parents[1] / "examples")
    monkeypatch.chdir(tmp_path)
