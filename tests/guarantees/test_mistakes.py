from __future__ import annotations

import pytest

from assay.errors import BadParameter, UnknownName
from assay.guarantees.assumption import Assumption
from assay.guarantees.mistakes import mistake_guarantee

HELD = (Assumption("it is so", "checked", "seen"),)
BROKEN = (Assumption("it is so", "violated", "it is not"),)


def made(assumptions=HELD, **changes):
    terms = {
        "theorem": "perceptron-margin-mistakes",
        "inputs": {"radius": 2.0, "margin": 0.5},
        "observed": 7,
        "of": "mistakes",
        "assumptions": assumptions,
    } | changes
    return mistake_guarantee(
        terms.pop("theorem"), terms.pop("inputs"), terms.pop("observed"), **terms
    )


def test_promised_stands_beside_observed():
    guarantee = made()
    assert (guarantee.promised, guarantee.observed, guarantee.delta) == (16, 7, "0")
    assert (guarantee.statement, guarantee.quantifier) == ("M <= 16", "always")
    assert guarantee.kind == "mistakes"
    assert guarantee.certified == "this run"
    assert guarantee.holds
    assert guarantee.applies


def test_inputs_are_decimals_and_give_the_number_again():
    guarantee = made(inputs={"radius": 0.1, "margin": 0.03})
    assert guarantee.inputs == {"radius": "0.1", "margin": "0.03"}
    assert guarantee.promised == 11  # (10 / 3)^2 in decimals


def test_a_broken_promise_is_seen():
    assert made(observed=17).holds is False


def test_nothing_is_promised_where_an_assumption_is_violated():
    guarantee = made(BROKEN)
    assert (guarantee.promised, guarantee.holds, guarantee.applies) == (None, None, False)
    assert guarantee.statement == "nothing is promised about M"
    assert str(guarantee) == (
        "mistakes: no promise by perceptron-margin-mistakes, because it is not true that it is so"
    )


def test_a_letter_of_its_own_and_a_number_that_is_not_whole():
    inputs = {"expert_loss": 0.0, "experts": 2, "epsilon": 1.0}
    guarantee = made(theorem="sleeping-experts-mistakes", inputs=inputs, letter="E")
    assert float(guarantee.promised) == pytest.approx(2.0)
    assert guarantee.statement == f"E <= {guarantee.promised_text}"


def test_what_the_theorem_does_not_cover_is_refused():
    with pytest.raises(
        BadParameter, match=r"^margin must be at most the radius '2', but is '3'\.$"
    ):
        made(inputs={"radius": 2.0, "margin": 3.0})
    with pytest.raises(UnknownName):
        made(theorem="no-such-theorem")
