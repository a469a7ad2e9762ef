"""The page about the inside says what is so: its lists are walked again."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


journeys = script("journeys")


@pytest.mark.parametrize("name", journeys.JOURNEYS)
def test_a_journey_passes_the_files_that_the_page_names(name):
    written = (journeys.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    # Threads may be seen in another order: rooms and files are compared as sets.
    assert set(written.split()) == set(journeys.text(name).split())


def test_the_figure_shows_the_layers_of_the_contract():
    rooms = script("rooms")
    assert (DOCS / "rooms.svg").read_text(encoding="utf-8") == rooms.svg()
    page = (DOCS / "architecture.rst").read_text(encoding="utf-8")
    for room in (name for row in rooms.layers() for name in row):
        assert f"``{room}" in page or f"{room}/``" in page or room == "files", room
