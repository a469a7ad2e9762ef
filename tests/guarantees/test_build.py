import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

import assay
from assay.errors import BadParameter, UnknownName
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import LONGEST_WITNESS, at_most, conditions, guarantee, judged, written
from assay.guarantees.regrets import regret_guarantee
from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import IID

MARGIN = "perceptron-margin-mistakes"
EXACT = find_theorem("holdout-exact")


def built(theorem=MARGIN, inputs=None, observed=7, **terms):
    given = {"radius": 2.0, "margin": 0.5} if inputs is None else inputs
    return guarantee(theorem, given, observed, **({"of": "mistakes", "formula": "M"} | terms))


def test_nothing_else_constructs_a_guarantee():
    source = Path(assay.__file__).parent
    places = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"(?<![\w`.])Guarantee\(", path.read_text())
    }
    assert places == {"guarantees/build.py"}


def test_an_always_promise_beside_what_was_seen():
    made = built()
    assert (made.theorem, made.kind, made.of) == (MARGIN, "mistakes", "mistakes")
    assert (made.statement, made.quantifier, made.delta) == ("M <= 16", "always", "0")
    assert made.inputs == {"radius": "2", "margin": "0.5"}
    assert made.value == 16
    assert made.holds


def test_a_probability_stands_around_the_formula():
    inputs = {"errors": 50, "rows": 1000, "delta": "0.05"}
    made = built(EXACT, inputs, (50, 1000), of="error", formula="err", most=1)
    assert made.statement == f"P[err <= {made.to_json()['promised']}] >= 1 - 0.05"
    assert made.delta == "0.05"
    assert made.to_json()["observed"] == "0.05"
    assert made.textbook is not None


def test_a_form_of_its_own():
    made = built(form="{formula} is below {promised}")
    assert made.statement == "M is below 16"


def test_a_violated_assumption_leaves_no_number():
    made = built(known=[Assumption("it is so", "violated")])
    assert made.value is None
    assert made.statement == "nothing is promised about M"
    assert made.assumptions[-1].name == "it is so"


def test_a_bound_beyond_all_doubles_is_no_number():
    inputs = {"experts": 2, "rounds": 10**6, "learning_rate": 1e308, "largest_loss": 1e308}
    assert find_theorem("hedge-regret")(**inputs) == math.inf
    made = regret_guarantee("hedge-regret", inputs, 1.0, of="regret")
    assert made.promised is None
    assert made.holds is None


def test_a_share_is_at_most_one():
    inputs = {"errors": 2, "rows": 2, "delta": "0.05"}
    assert built(EXACT, inputs, None, most=1).value == 1
    hoeffding = find_theorem("validation-hoeffding")
    assert float(hoeffding(**inputs)) > 1
    assert built(hoeffding, inputs, None, most=1).value == 1
    assert built(hoeffding, inputs, None).value > 1


def test_one_number_of_several():
    inputs = {"losses": ["1", "1"], "probabilities": ["1/2", "1/2"]}
    terms = {"number": lambda estimate: 5 * estimate.weighted_square}
    assert built("importance-weighting-unbiased", inputs, **terms).value == 10


def test_no_number_where_the_theorem_gives_none():
    made = built("knn-consistency", {}, None, number=None, form="err -> R*")
    assert made.value is None
    assert made.applies
    assert made.statement == "err -> R*"
    assert made.quantifier == "in the limit of infinitely many examples"


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (None, None),
        (3, "3"),
        (0.1, "0.1"),
        ("0.50", "0.50"),
        ((1, 3), "0.33333333333333333"),
        (Fraction(1, 8), "0.125"),
    ],
)
def test_what_was_seen_as_text(seen, text):
    assert built(observed=seen).to_json()["observed"] == text


def test_inputs_are_written_as_decimals():
    assert written({"rows": 7, "margin": 0.1, "edge": Fraction(1, 4), "code": "x"}) == {
        "rows": 7,
        "margin": "0.1",
        "edge": "0.25",
        "code": "x",
    }


def test_conditions_stand_in_the_order_of_the_theorem_and_further_ones_last():
    usual = conditions(EXACT)
    assert [a.name for a in usual] == list(EXACT.assumes)
    more = Assumption("more", "checked")
    better = Assumption(IID, "declared", "by its maker")
    known = conditions(EXACT, [more, better])
    assert known[-1] is more
    assert better in known
    assert len(known) == len(usual) + 1


def test_usual_statuses_are_those_of_the_claim():
    for claim in EXACT.claims:
        stated = [a.status for a in conditions(EXACT, claim=claim)]
        assert stated == [way.default for way in claim.known]


def test_a_witness_is_text_and_too_long_a_one_is_left_out():
    assert built(witness=[0.5, 1.0]).witness == ("0.5", "1")
    assert len(built(witness=[0.5] * LONGEST_WITNESS).witness) == LONGEST_WITNESS
    assert built(witness=[0.5] * (LONGEST_WITNESS + 1)).witness is None


def test_more_conditions_take_the_number_only_where_one_is_false():
    made = built()
    assert judged(made, Assumption("fine", "checked")).value == 16
    void = judged(made, Assumption("not so", "violated"))
    assert (void.value, void.statement) == (None, at_most("M", None))


def test_what_the_theorem_does_not_cover_is_refused():
    with pytest.raises(BadParameter):
        built(inputs={"radius": 2.0, "margin": 3.0})
    with pytest.raises(UnknownName):
        built("no-such-theorem")
