"""Conditions: a sentence for people, an id for files."""

import copy
import json
import pickle
import re

import pytest

from assay.theory.condition import Condition, conditions
from assay.theory.registry import theorem, theorems


def test_it_is_its_sentence():
    drawn = Condition(
        "independent-draws", "the rows are independent draws from the distribution of use"
    )
    assert drawn == "the rows are independent draws from the distribution of use"
    assert json.loads(json.dumps([drawn])) == [str(drawn)]
    for again in (copy.deepcopy(drawn), pickle.loads(pickle.dumps(drawn))):
        assert (again, again.id) == (drawn, "independent-draws")


def test_every_assumption_of_every_theorem_has_an_id():
    listed = [condition for entry in theorems() for condition in entry.assumes]
    assert len(listed) > 200
    assert all(isinstance(condition, Condition) for condition in listed)
    assert {condition.id: str(condition) for condition in listed} == {
        id: str(condition) for id, condition in conditions().items() if condition in listed
    }


def test_ids_are_kebab_and_sentences_are_not_said_twice():
    known = conditions()
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", id) for id in known)
    assert len({str(condition) for condition in known.values()}) == len(known)


def test_one_id_has_one_sentence():
    with pytest.raises(RuntimeError, match="two conditions are called 'independent-draws'"):
        Condition("independent-draws", "the rows are drawn by hand")


def test_a_theorem_for_certificates_needs_ids():
    from assay.theory.claim import BUILT, training_claim

    with pytest.raises(RuntimeError, match="an assumption of 'nameless' has no id: 'all is well'"):

        @theorem(
            "",
            "nameless",
            kind="error",
            holds="probability",
            statement="p",
            assumes=("all is well",),
            claim=training_claim(BUILT),
        )
        def nameless(rows):
            """Nothing.

            Theorem  None.
            Needs    rows.
            Gives    nothing.
            Source   nobody.
            """
