"""What the gallery's scripts on trees and words say, run as they stand."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("plotly")
GALLERY = Path(__file__).parents[2] / "examples" / "gallery"


def run(name):
    return runpy.run_path(str(GALLERY / f"plot_{name}.py"))


def test_a_number_for_every_customer(capsys):
    made = run("many_valued")
    out = capsys.readouterr().out
    assert "customer: gain 1.000, gain ratio 0.301" in out
    assert "income: gain 0.515, gain ratio 0.346" in out
    assert "ID3 asks for customer" in out
    assert made["by_heart"].get_n_leaves() == 10
    assert made["asked"].record_.bits < made["by_heart"].record_.bits


def test_is_it_the_flu(capsys):
    made = run("flu_tree")
    out = capsys.readouterr().out
    assert "IF fever is true AND cough is false AND age is above 50 THEN flu is yes" in out
    assert made["tree"].get_n_leaves() == 4 < made["grown"].get_n_leaves()
    assert made["tree"].guarantees()[0].value < made["grown"].guarantees()[0].value


def test_mails_as_bags_of_words(capsys):
    made = run("bag_of_words")
    out = capsys.readouterr().out
    assert "['spam' 'ham']" in out
    assert "48 words" in out
    assert made["run"].mistakes < 0.2 * len(made["y"])
    few, many = (int(line.split()[-2]) for line in out.splitlines()[-2:])
    assert few < many


def test_from_a_truth_table_to_a_network(capsys):
    made = run("truth_table")
    out = capsys.readouterr().out
    assert "as short as it gets: button or (not left and right) or (left and not right)" in out
    assert "same function: True" in out
    assert "smallest: 4 leaves, 17 bits\ngreedy: 8 leaves, 37 bits" in out
    assert made["figure"].layout.title.text == "Greed asks the witness first"
