from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from assay import errors
from assay.client import ServiceRefused
from assay.errors import (
    AssayError,
    BadData,
    BadInput,
    BadParameter,
    CertificateRefused,
    LedgerBroken,
    NoNumber,
    UnknownName,
    Where,
    Words,
    require,
    setting,
)
from assay.server.engine.definition import refused
from assay.server.refusals import Refusal
from tests.refusals import refuses

ALL = [
    entry
    for _, entry in inspect.getmembers(errors, inspect.isclass)
    if issubclass(entry, Exception)
]


def test_every_refusal_is_an_assay_error_and_explains_itself():
    assert {AssayError, BadData, BadParameter, UnknownName, NoNumber} <= set(ALL)
    for entry in ALL:
        assert issubclass(entry, AssayError)
        assert entry.__doc__


@pytest.mark.parametrize("entry", [BadParameter, BadData, UnknownName])
def test_bad_input_is_a_value_error_too(entry):
    assert issubclass(entry, BadInput)
    with pytest.raises(ValueError, match=r"^the sentence\.$"):
        raise entry("the sentence.")


@pytest.mark.parametrize("entry", [NoNumber, CertificateRefused, LedgerBroken])
def test_other_refusals_are_not_about_values(entry):
    assert not issubclass(entry, ValueError)


def test_an_unknown_name_is_a_key_error_that_reads_as_a_sentence():
    with pytest.raises(KeyError) as caught:
        raise UnknownName("No theorem is called 'x'.")
    assert str(caught.value) == "No theorem is called 'x'."


def test_require_is_silent_when_the_condition_holds():
    require(True, "margin", "above zero", 1)


def test_require_says_what_must_be_what_and_what_it_is():
    with refuses("margin must be above zero, but is 0.0."):
        require(False, "margin", "above zero", 0.0)
    with refuses("margin must be above zero, but is 'wide'. Try 1."):
        require(False, "margin", "above zero", "wide", hint="Try 1.")


def test_require_fills_the_fields():
    with pytest.raises(BadParameter) as caught:
        require(False, "delta", "below 1", 2, hint="Try 0.05.")
    refusal = caught.value
    assert (refusal.subject, refusal.must, refusal.got) == ("delta", "below 1", 2)
    assert refusal.remedy == "Try 0.05."
    assert refusal.where is None
    assert refusal.fields() == {
        "subject": "delta",
        "must": "below 1",
        "got": "2",
        "remedy": "Try 0.05.",
    }


def test_one_refusal_in_the_words_of_python_and_of_a_command():
    refusal = BadParameter(
        subject="delta", must="below 1", got=2, remedy=("Or say ", setting("overlap", "drop"), ".")
    )
    assert str(refusal) == "delta must be below 1, but is 2. Or say overlap='drop'."
    options = {"delta": "--delta", "overlap": "--overlap"}
    assert refusal.sentence(options) == "--delta must be below 1, but is 2. Or say --overlap drop."
    assert refusal.fields(options)["subject"] == "--delta"
    # A command without that option has no use for the remedy.
    assert refusal.sentence({}) == "delta must be below 1, but is 2."


def test_a_remedy_may_be_completed_by_an_option():
    refusal = BadData("No.", remedy=("Leave it out", Words("", " with {}", "drop"), "."))
    assert str(refusal) == refusal.sentence({}) == "No. Leave it out."
    assert refusal.sentence({"drop": "--drop"}) == "No. Leave it out with --drop."


def test_a_row_is_renumbered_by_its_place_and_not_by_the_text():
    refusal = BadData(Where(row=3, column=1), " of X holds 'row 3, column 1'.")
    assert str(refusal) == "Row 3, column 1 of X holds 'row 3, column 1'."
    moved = refusal.but(where=Where(row=103, column="Size", source="a.csv"))
    assert str(moved) == "a.csv: Row 103, column 'Size' of X holds 'row 3, column 1'."
    assert type(moved) is BadData
    assert moved.fields()["where"] == {"row": 103, "column": "Size", "source": "a.csv"}
    assert refusal.where == Where(row=3, column=1)


def refusals():
    return [
        BadData("Row by ", Where(row=3), ".", remedy=("Say ", setting("a", "b"), ".")),
        BadParameter(subject="f", must="a number", got=lambda: None),
        UnknownName("No."),
        Refusal("busy", "Later.", retry_after=1),
        ServiceRefused(422, "refused", "No."),
    ]


@pytest.mark.parametrize("make", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("refusal", refusals(), ids=lambda refusal: type(refusal).__name__)
def test_refusals_can_be_copied_and_travel_between_processes(refusal, make):
    other = make(refusal)
    assert type(other) is type(refusal)
    assert str(other) == str(refusal)
    assert other.fields() == refusal.fields()
    assert vars(other).keys() == vars(refusal).keys()


def test_the_service_answers_with_the_fields():
    refusal = refused(BadParameter(subject="delta", must="below 1", got=2))
    assert refusal.body() == {
        "error": {
            "code": "refused",
            "message": "delta must be below 1, but is 2.",
            "subject": "delta",
            "must": "below 1",
            "got": "2",
        }
    }
    where = refused(BadData("No number in ", Where(row=3), ".")).body()["error"]["where"]
    assert where == {"row": 3}
