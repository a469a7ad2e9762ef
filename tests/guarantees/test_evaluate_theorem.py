import math

from assay.guarantees.assumption import Assumption
from assay.guarantees.evaluate_theorem import at_most, promised, written
from assay.guarantees.regrets import regret_guarantee
from assay.theory.registry import find_theorem

MARGIN = find_theorem("perceptron-margin-mistakes")


def test_a_violated_assumption_leaves_no_number():
    inputs = written({"radius": 1.0, "margin": 0.3})
    assert promised(MARGIN, inputs, (Assumption("it is so", "checked"),)) == "11"
    assert promised(MARGIN, inputs, (Assumption("it is so", "violated"),)) is None
    assert at_most("M", None) == "nothing is promised about M"


def test_a_bound_beyond_all_doubles_is_no_number():
    inputs = {"experts": 2, "rounds": 10**6, "learning_rate": 1e308, "largest_loss": 1e308}
    assert find_theorem("hedge-regret")(**inputs) == math.inf
    guarantee = regret_guarantee("hedge-regret", inputs, 1.0, of="regret")
    assert guarantee.promised is None
    assert guarantee.holds is None
