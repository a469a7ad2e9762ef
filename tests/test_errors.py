from __future__ import annotations

import inspect

import pytest

from assay import errors
from assay.errors import (
    AssayError,
    BadData,
    BadInput,
    BadParameter,
    CertificateRefused,
    LedgerBroken,
    NoNumber,
    UnknownName,
    require,
)
from tests.refusals import refuses

ALL = [entry for _, entry in inspect.getmembers(errors, inspect.isclass)]


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
