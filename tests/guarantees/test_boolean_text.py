from __future__ import annotations

from assay.guarantees.boolean_text import conjunction_text, disjunction_text, dnf_text, literal_text

NAMES = ["odor=foul", "cap=flat", "spore_print=green"]


def test_literals_by_name_and_by_number():
    assert literal_text((0, True), NAMES) == "odor=foul"
    assert literal_text((1, False), NAMES) == "NOT cap=flat"
    assert literal_text((12, True), None) == "x12"


def test_disjunctions():
    assert disjunction_text([(0, True), (2, True)], NAMES) == "odor=foul OR spore_print=green"
    assert disjunction_text([], NAMES) == "FALSE"


def test_conjunctions():
    assert conjunction_text([(0, True), (2, False)], NAMES) == "odor=foul AND NOT spore_print=green"
    assert conjunction_text([], NAMES) == "TRUE"


def test_brackets_only_where_they_are_needed():
    assert dnf_text([((0, True), (1, True))], NAMES) == "odor=foul AND cap=flat"
    assert dnf_text([((0, True), (1, True)), ((2, True),)], None) == "(x0 AND x1) OR x2"
    assert dnf_text([], None) == "FALSE"
    assert dnf_text([()], None) == "TRUE"
