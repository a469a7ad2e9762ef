import re

import numpy as np
import pytest

from assay import DecisionTreeClassifier, figures
from assay.errors import BadParameter
from tests.report.figures.samples import ball, check_themes, named


def _path():
    X, y = ball(120)
    y = np.where(np.arange(120) % 9 == 0, "inside", y)
    model = DecisionTreeClassifier(ccp_alpha="cv", random_state=0).fit(X, y)
    return model, model.cost_complexity_pruning_path(X, y)


def test_the_steps_are_those_of_the_path():
    model, path = _path()
    figure = figures.pruning_path(
        path,
        errors={"zero": np.zeros(len(path.leaves))},
        tried=(model.cv_alphas_, model.cv_losses_),
        chosen=model.ccp_alpha_,
    )
    [leaves], [impurity] = named(figure, "leaves"), named(figure, "impurity of the leaves")
    assert leaves.y[:-1].tolist() == path.leaves.tolist()
    assert impurity.y[:-1].tolist() == path.impurities.tolist()
    assert leaves.customdata[:-1].tolist() == path.ccp_alphas.tolist()
    above = path.ccp_alphas > 0
    assert leaves.x[:-1][above].tolist() == path.ccp_alphas[above].tolist()
    [tried] = named(figure, "error by validation")
    assert tried.y.tolist() == model.cv_losses_.tolist()
    assert [note.text for note in figure.layout.annotations] == [
        f"chosen: α = {model.ccp_alpha_:.3g}"
    ]


def test_zero_has_a_place_on_a_logarithmic_axis():
    class Path:
        ccp_alphas = np.array([0.0, 1e-4, 1e-1])
        impurities = np.array([0.0, 0.1, 0.5])
        leaves = np.array([40, 8, 1])

    figure = figures.pruning_path(Path())
    assert figure.layout.xaxis.type == "log"
    assert 0 < figure.data[0].x[0] < 1e-4
    assert figure.layout.xaxis.ticktext[0] == "0"


def test_themes():
    _, path = _path()
    check_themes(lambda theme: figures.pruning_path(path, theme=theme))


def test_refusals():
    _, path = _path()
    sentence = f"errors of new must be one for each of {len(path.leaves)} subtrees, but is (1,)."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.pruning_path(path, errors={"new": [0.5]})
