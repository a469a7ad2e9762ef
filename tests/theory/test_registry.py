from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from typing import get_args

import pytest

import assay
from assay.errors import NoNumber, UnknownName
from assay.theory import registry
from assay.theory.registry import Holds, Kind, find_theorem, theorem, theorems, without_number

ALL = theorems()
COMPUTABLE = [entry for entry in ALL if entry.function is not None]
SILENT = [entry for entry in ALL if entry.function is None]


def named(entries):
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry.id)


# The catalogue as a whole


def test_ids_are_unique_and_spelt_alike():
    ids = [entry.id for entry in ALL]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) for id in ids)


def test_numbers_are_unique():
    numbers = [entry.number for entry in ALL if entry.number]
    assert sorted(set(numbers)) == sorted(numbers)
    assert all(re.fullmatch(r"[TL]\d\d+", number) for number in numbers)


def test_the_first_hundred_and_four_theorems_are_all_there():
    present = {entry.number for entry in ALL}
    missing = [f"T{n:02d}" for n in range(1, 105) if f"T{n:02d}" not in present]
    assert missing == []


def test_numbered_theorems_come_first_and_in_order_potentials_last():
    sections = "".join(entry.number[:1] or "-" for entry in ALL)
    assert re.fullmatch(r"T*-*L*", sections)
    numbers = [int(entry.number[1:]) for entry in ALL if entry.number.startswith("T")]
    assert numbers == sorted(numbers)


def test_potentials_are_those_numbered_with_an_l():
    assert all((entry.kind == "potential") == entry.number.startswith("L") for entry in ALL)


# Each entry


@named(ALL)
def test_every_entry_says_what_it_is(entry):
    assert entry.kind in get_args(Kind)
    assert entry.holds in get_args(Holds)
    for text in (entry.statement, entry.needs, entry.source):
        assert text.strip() == text != ""


@named(ALL)
def test_every_entry_is_plain_data(entry):
    described = json.loads(json.dumps(entry.describe()))
    assert described["id"] == entry.id
    assert described["computable"] == (entry.function is not None)


@named(COMPUTABLE)
def test_every_function_bears_the_name_of_its_id(entry):
    assert entry.function.__name__ == entry.id.replace("-", "_")


@pytest.mark.usefixtures("empty_catalogue")
def test_the_id_is_the_name_of_the_function_unless_another_is_given():
    def twice_it(x):
        """Twice a number.

        Needs    x: finite.
        Source   Folklore.
        """

    theorem(**ENTRY)(twice_it)
    theorem("", "double-it", **ENTRY)(twice_it)
    assert [(entry.id, entry.number) for entry in theorems()] == [
        ("double-it", ""),
        ("twice-it", ""),
    ]


@named(COMPUTABLE)
def test_wrong_input_names_are_refused_with_the_right_ones(entry):
    names = ", ".join(inspect.signature(entry.function).parameters)
    with pytest.raises(UnknownName, match=f"^{entry.id} takes the inputs {names}: .*[.]$"):
        entry(colour="blue")


@named(SILENT)
def test_entries_without_a_number_refuse_to_give_one(entry):
    assert entry.holds in ("order", "limit")
    why = {"order": "an order of growth without constants", "limit": "a statement about the limit"}
    sentence = f"{entry.id} is {why[entry.holds]}: it has no number to promise."
    with pytest.raises(NoNumber, match=f"^{re.escape(sentence)}$"):
        entry(rows=10)


@named([entry for entry in ALL if entry.holds == "order"])
def test_orders_of_growth_have_no_function(entry):
    assert entry.function is None


@named([e for e in ALL if e.inverse is None and e.kind != "sample-size"])
def test_rows_are_refused_where_the_theorem_has_none(entry):
    sentence = f"{entry.id} does not say how many rows are enough."
    with pytest.raises(NoNumber, match=f"^{re.escape(sentence)}$"):
        entry.rows(error=0.1)


# Finding one


def test_a_theorem_is_found_by_id_and_by_number():
    assert find_theorem("perceptron-margin-mistakes") is find_theorem("T01")
    assert assay.theorem("T01")(radius=1, margin=0.1) == 100
    assert assay.theorems()[0] is find_theorem("T01")


def test_an_unknown_name_suggests_a_near_one():
    sentence = (
        "No theorem is called 'perceptron-margin-mistake'. "
        "Did you mean 'perceptron-margin-mistakes'?"
    )
    with pytest.raises(UnknownName, match=f"^{re.escape(sentence)}$"):
        find_theorem("perceptron-margin-mistake")


@pytest.mark.parametrize("name", ["", "zzzzzz", "T999"])
def test_an_unknown_name_without_neighbours_points_to_the_list(name):
    sentence = f"No theorem is called {name!r}. assay.theorems() lists them all."
    with pytest.raises(UnknownName, match=f"^{re.escape(sentence)}$"):
        find_theorem(name)


def test_missing_inputs_are_named():
    sentence = (
        "perceptron-margin-mistakes takes the inputs radius, margin: "
        "missing a required argument: 'margin'."
    )
    with pytest.raises(UnknownName, match=f"^{re.escape(sentence)}$"):
        find_theorem("T01")(radius=1)


# Putting one in


@pytest.fixture
def empty_catalogue(monkeypatch):
    monkeypatch.setattr(registry, "_CATALOGUE", {})
    monkeypatch.setattr(registry, "_IMPORTED", {registry._EVERY})


ENTRY = {"kind": "error", "holds": "always", "statement": "x"}


@pytest.mark.usefixtures("empty_catalogue")
def test_needs_and_source_are_read_from_the_docstring_unfolded():
    @theorem("T01", "double-it", **ENTRY, assumes=("it exists",), rows=lambda error: 2 * error)
    def double_it(x):
        """Twice a number.

        Theorem  2 x = x + x.
        Needs    x: finite,
                 and whole.
        Gives    a number.
        Source   Folklore.

        More text.
        """
        return 2 * x

    entry = find_theorem("double-it")
    assert theorems() == [entry]
    assert (entry.needs, entry.source) == ("x: finite, and whole.", "Folklore.")
    assert entry.describe()["assumes"] == ["it exists"]
    assert (entry(x=4), entry.rows(error=3)) == (8, 6)
    assert double_it(3) == 6


@pytest.mark.usefixtures("empty_catalogue")
def test_two_theorems_cannot_share_a_name():
    def add():
        without_number("T01", "order-only", kind="error", holds="order", statement="x", source="y")

    add()
    with pytest.raises(RuntimeError, match="two theorems are called 'order-only'"):
        add()


@pytest.mark.usefixtures("empty_catalogue")
def test_a_docstring_without_its_four_lines_is_refused():
    def half_done(x):
        """Needs    x: finite."""

    with pytest.raises(RuntimeError, match="the docstring of half_done has no 'Source' line"):
        theorem("T01", "half-done", **ENTRY)(half_done)


# What listing them costs


def test_listing_the_theorems_imports_no_numpy_and_no_scipy():
    code = (
        "import sys, assay; assay.theorems(); "
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_one_theorem_is_found_without_loading_the_others():
    code = (
        "import sys; from assay.theory.registry import find_theorem; find_theorem('reverse-markov');"
        "print(*sorted(m for m in sys.modules if m.count('.') == 3 and m.startswith('assay.theory')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["assay.theory.tail.integers", "assay.theory.tail.markov"]


def test_without_sources_every_module_is_imported(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(registry, "_FOLDER", tmp_path)
    monkeypatch.setattr(registry, "_IMPORTED", set())
    monkeypatch.setattr(registry.importlib, "import_module", asked.append)
    (tmp_path / "tail").mkdir()
    (tmp_path / "alone.pyc").touch()
    registry._load()
    assert asked == ["assay.theory.alone"]


def test_a_theorem_about_rows_gives_them_either_way():
    entry = find_theorem("disjunction-pac")
    inputs = {"features": 10, "error": 0.1, "delta": 0.05}
    assert entry.rows(**inputs) == entry(**inputs) == 100
