import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.losses import LOSSES, hinge_loss, loss_functions
from assay.theory.margin.losses import convexity_rules
from tests.report.figures.samples import check_themes, named


@pytest.mark.parametrize("name", ["hinge", "square", "exponential", "logistic", "0-1"])
def test_losses_are_those_of_the_theorems(name):
    """The chord over a loss lies as far above it as the theory says, everywhere."""
    of = LOSSES[name]
    for a, b in ((-2.0, 1.5), (-0.5, 0.75), (0.25, 3.0)):
        low, middle, high = of(np.array([a, 0.25 * a + 0.75 * b, b]))
        known = convexity_rules("zero-one" if name == "0-1" else name, a, b, 0.25)
        assert 0.25 * low + 0.75 * high - middle == pytest.approx(known, abs=1e-12)


def test_all_but_the_perceptrons_loss_bound_the_mistake():
    figure = loss_functions()
    [wrong] = named(figure, "0-1")
    for trace in figure.data:
        above = (np.asarray(trace.y) >= np.asarray(wrong.y) - 1e-12).all()
        assert above == (trace.name != "perceptron")


def test_the_hinge_pays_up_to_its_margin():
    [hinge] = named(hinge_loss(margin=0.5), "hinge")
    x, y = np.asarray(hinge.x), np.asarray(hinge.y)
    assert np.allclose(y, np.maximum(0, 1 - 2 * x))
    assert (y[(x > 0) & (x < 0.5)] > 0).all()


def test_both_themes():
    check_themes(lambda theme: figures.loss_functions(["hinge"], theme=theme))
    check_themes(lambda theme: figures.hinge_loss(theme=theme))


def test_refusals():
    known = "'0-1', 'hinge', 'square', 'exponential', 'logistic', 'perceptron'"
    with pytest.raises(
        BadParameter, match=re.escape(f"names must be some of {known}, but is 'huber'.")
    ):
        loss_functions(["huber"])
    with pytest.raises(
        BadParameter, match=re.escape(f"names must hold some of {known}, but is empty.")
    ):
        loss_functions([])
    with pytest.raises(
        BadParameter, match=re.escape("margin must be finite and above zero, but is 0.")
    ):
        hinge_loss(margin=0)
