"""Everything of the lecture notes lives somewhere and is run by a test; the script would notice where it is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from tests.docs.test_lecture_notes import script

DOCS = Path(__file__).parents[2] / "docs"


# Under another name: numba asks for a package `coverage`.
coverage = script(DOCS / "coverage.py", "notes_coverage")


def test_nothing_is_missing(capsys):
    code = coverage.main()
    printed = capsys.readouterr()
    assert printed.err == ""
    assert code == 0
    assert "159 algorithms and notions, 107 theorems of the notes" in printed.out


def test_entries_are_those_of_the_inventory():
    groups = Counter(entry.group for entry in coverage.entries())
    assert list(groups.values()) == [16, 11, 14, 12, 11, 21, 18, 14, 20, 11, 11]


WRONG = [
    ({"lives": ()}, "it lives nowhere"),
    ({"lives": ("assay.Winow",)}, "assay.Winow cannot be imported"),
    ({"lives": ("assay.Winnow.fitt",)}, "assay.Winnow.fitt cannot be imported"),
    ({"lives": ("assay.nowhere.Winnow",)}, "assay.nowhere.Winnow cannot be imported"),
    (
        {"lives": ("assay.Winnow(eta=1)",)},
        "assay.Winnow(eta=1): got an unexpected keyword argument 'eta'",
    ),
    (
        {"test": "tests/learners/linear/test_winnow.py"},
        "there is no test tests/learners/linear/test_winnow.py",
    ),
    (
        {"test": "tests/learners/linear/test_winnow.py::test_nothing"},
        "there is no test tests/learners/linear/test_winnow.py::test_nothing",
    ),
    (
        {"test": "tests/learners/linear/test_nowhere.py::test_it"},
        "there is no test tests/learners/linear/test_nowhere.py::test_it",
    ),
    (
        {"test": "tests/theory/tail/test_chernoff.py::test_ends"},
        "tests/theory/tail/test_chernoff.py names none of Winnow, winnow",
    ),
    ({"citations": {}}, "no notes are cited"),
    ({"citations": {"offline": "Section 4.6"}}, "there are no notes 'offline'"),
    ({"citations": {"online": "Theorem 4.9"}}, "no section of online holds Theorem 4.9"),
]


@pytest.mark.parametrize(("changes", "complaint"), WRONG)
def test_an_entry_that_is_wrong_is_complained_of(changes, complaint):
    [winnow] = [entry for entry in coverage.entries() if entry.name == "Winnow"]
    assert list(coverage.complaints(winnow)) == []
    assert complaint in list(coverage.complaints(replace(winnow, **changes)))


def test_a_theorem_that_no_test_evaluates_is_noticed():
    known = assay.theorem("perceptron-passes")
    assert coverage.test_of(known).startswith("tests/theory/mistake/test_perceptron.py::test_")
    assert coverage.test_of(replace(known, id="never-tested", function=None)) == ""
