from __future__ import annotations

from assay import ridge_crossover
from assay.lab.ridge_crossover import BothForms, RidgeCrossover


def test_both_forms_agree_and_cost_the_same_where_features_are_as_many_as_rows():
    both = ridge_crossover(20, [40, 5, 20], repeats=1, random_state=0)
    assert [step.features for step in both.steps] == [5, 20, 40]
    assert all(step.apart < 1e-9 for step in both.steps)
    assert both.steps[1].primal_work == both.steps[1].dual_work == 2 * 20**3
    assert both.by_work == 40
    assert str(both).startswith("20 rows:")


def test_the_clock_decides_from_the_last_place_where_it_is_quicker():
    steps = [
        BothForms(d, 1, 1, primal, dual, 0.0)
        for d, primal, dual in ((1, 2, 1), (2, 1, 2), (3, 2, 1))
    ]
    assert RidgeCrossover(9, tuple(steps)).by_clock == 3
    assert RidgeCrossover(9, tuple(steps[:2])).by_clock is None
    assert RidgeCrossover(9, tuple(steps[:1])).by_work is None
