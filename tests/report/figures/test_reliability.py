import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.reliability import (
    broken_against_delta,
    certificate_reliability,
    reliability_diagram,
)
from assay.theory.tail.binomial import holdout_exact_two_sided
from assay.theory.tail.binomial_many import holdout_exact_many
from tests.report.figures.samples import check_themes, named


def simulated(delta, runs=400):
    rng = np.random.default_rng(0)
    true = rng.uniform(0.02, 0.3, runs)
    return holdout_exact_many(rng.binomial(100, true), np.full(runs, 100), delta), true


def test_points_are_the_runs_and_broken_ones_are_marked():
    promised, true = simulated(0.1)
    figure = certificate_reliability(promised, true, delta=0.1)
    [kept], [broken] = named(figure, "kept"), named(figure, "broken")
    assert len(kept.x) + len(broken.x) == 400
    assert (np.asarray(broken.y) > np.asarray(broken.x)).all()
    assert (np.asarray(kept.y) <= np.asarray(kept.x)).all()
    assert kept.marker.symbol != broken.marker.symbol
    assert figure.layout.title.text == f"{len(broken.x)} of 400 certificates broken, 10.0% allowed"
    assert len(broken.x) / 400 < 0.1


def test_all_broken_runs_are_drawn_of_very_many():
    promised = np.full(50_000, 0.1)
    true = np.where(np.arange(50_000) % 1000 == 0, 0.2, 0.05)
    figure = certificate_reliability(promised, true, delta=0.05)
    assert len(named(figure, "broken")[0].x) == 50
    assert len(named(figure, "kept")[0].x) < 3000


def test_shares_and_their_intervals_are_exact():
    figure = broken_against_delta([0.05, 0.1], [10, 30], 400)
    bars = figure.data[0]
    assert bars.y.tolist() == [0.025, 0.075]
    for k, y, up, down in zip(
        (10, 30), bars.y, bars.error_y.array, bars.error_y.arrayminus, strict=True
    ):
        assert (y - down, y + up) == pytest.approx(holdout_exact_two_sided(k, 400, 0.05))
    assert "stay below" in figure.layout.title.text
    assert "stay below" not in broken_against_delta([0.05], [30], 400).layout.title.text


def test_probabilities_are_sorted_into_parts():
    rng = np.random.default_rng(0)
    said = rng.random(500)
    came = (rng.random(500) < said).astype(int)
    figure = reliability_diagram(said, came, bins=5)
    points = figure.data[0]
    inside = (said >= 0.2) & (said < 0.4)
    assert points.x[1] == pytest.approx(said[inside].mean())
    assert points.y[1] == pytest.approx(came[inside].mean())
    assert points.text[1] == f"{inside.sum()} rows"
    assert len(reliability_diagram([0.1, 1.0], [0, 1], bins=10).data[0].x) == 2


def test_both_themes():
    promised, true = simulated(0.1, 50)
    check_themes(lambda t: figures.certificate_reliability(promised, true, delta=0.1, theme=t))
    check_themes(lambda t: figures.broken_against_delta([0.1], [3], 50, theme=t))
    check_themes(lambda t: figures.reliability_diagram([0.2, 0.9], [0, 1], theme=t))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (
            lambda: certificate_reliability([0.1], [0.1, 0.2], delta=0.1),
            "promised and true must be equally long, but hold 1 and 2 numbers.",
        ),
        (
            lambda: certificate_reliability([0.1], [0.1], delta=1.0),
            "delta must be strictly between 0 and 1, but is 1.0.",
        ),
        (lambda: reliability_diagram([1.5], [1]), "probabilities must lie between 0 and 1."),
        (
            lambda: reliability_diagram([0.5], [2]),
            "outcomes must be a sequence of 0 and 1, but is [2].",
        ),
        (lambda: reliability_diagram([0.5], [1], bins=0), "bins must be at least 1, but is 0."),
    ],
)
def test_refusals(draw, sentence):
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        draw()
