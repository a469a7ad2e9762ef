"""As accurate as scikit-learn's class of the same name, on real sets, and a twin that is not is seen."""

import importlib.util
import sys
from pathlib import Path

import pytest

SPLITS = 12


@pytest.fixture(scope="module")
def parity():
    path = Path(__file__).parents[2] / "bench" / "parity.py"
    spec = importlib.util.spec_from_file_location("parity", path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "parity", module)  # dataclasses look there
        spec.loader.exec_module(module)
    return module


@pytest.mark.guarantees
@pytest.mark.filterwarnings("ignore")
def test_differences_are_no_more_than_chance(parity):
    sets = {"iris", "wine", "sonar", "heart scale", "vehicle", "diabetes"}
    some = {"Perceptron", "SGDClassifier", "SVC", "DecisionTreeClassifier", "BaggingClassifier"}
    cells = list(parity.table(SPLITS, sets, some | {"SGDRegressor", "DecisionTreeRegressor"}))
    assert len(cells) == 9 * 5 + 2
    assert sum(cell.drawn for cell in cells) > 25
    assert sum(cell.beyond for cell in cells) <= parity.allowed(cells, SPLITS)


@pytest.mark.guarantees
@pytest.mark.filterwarnings("ignore")
def test_a_kept_order_and_another_parameter_are_seen(parity):
    assert all(cell.beyond for cell in parity.twins(SPLITS))


@pytest.mark.guarantees
def test_the_table_has_14_sets_and_26_configurations(parity):
    assert len(parity.LABELS) + len(parity.NUMBERS) == 14
    assert len(parity.CLASSIFIERS) + len(parity.REGRESSORS) == 26
    assert all(len(parity.rows_of(name)[1]) > 100 for name in parity.LABELS + parity.NUMBERS)
