import re

import pytest

from assay import certify, figures
from assay.errors import BadParameter
from assay.report.figures.comparison import comparison_figure
from tests.report.figures.samples import check_themes, named


def row(learner, errors, seconds, **more):
    certificate = certify(errors=errors, rows=400, delta=0.01)
    return {
        "learner": learner,
        "error": certificate.observed,
        "bound": certificate.error,
        "seconds": seconds,
        **more,
    }


ROWS = [
    row("Perceptron", 40, 0.01),
    row("SVC", 20, 1.5),
    {"learner": "Halving", "error": 0.02, "bound": None, "seconds": 200.0},
    row("commonest class", 150, 0.0, baseline=True),
]


def test_learners_are_sorted_by_what_is_certified():
    figure = comparison_figure(ROWS)
    names = ["SVC", "Perceptron", "commonest class (baseline)", "Halving"]
    rows = [text.split("<br>") for text in figure.layout.yaxis.ticktext]
    assert [name for name, _ in rows] == names
    [seen], [certified], [time] = (
        named(figure, name) for name in ("observed", "certified", "seconds to fit")
    )
    assert list(seen.x) == [0.05, 0.1, 0.375, 0.02]
    assert list(certified.x)[:2] == [ROWS[1]["bound"], ROWS[0]["bound"]]
    assert all(a <= b for a, b in zip(seen.x[:3], certified.x[:3], strict=True))
    assert list(time.x) == [1.5, 0.01, 1e-6, 200.0]
    assert "2.00% seen, no promise" in rows[-1][1]
    assert "200 s" in [a.text for a in figure.layout.annotations]


def test_what_is_certified_never_reads_lower_than_it_is():
    rows = [{"learner": "a", "error": 0.1, "bound": 0.12341, "seconds": 1.0}]
    assert "10.00% seen, at most 12.35%" in comparison_figure(rows).layout.yaxis.ticktext[0]


def test_both_themes():
    check_themes(lambda theme: figures.comparison_figure(ROWS, theme=theme))
    check_themes(lambda theme: figures.comparison_figure(ROWS[:1], theme=theme))


def test_refusals():
    with pytest.raises(
        BadParameter, match=re.escape("rows must hold at least one learner, but is empty.")
    ):
        comparison_figure([])
    sentence = (
        "Row 0 of the comparison must hold learner, error, bound, seconds, but bound is missing."
    )
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        comparison_figure([{"learner": "a", "error": 0.1}])


def test_times_with_no_power_of_ten_among_them():
    rows = [
        {"learner": name, "error": 0.1, "bound": 0.2, "seconds": seconds}
        for name, seconds in (("a", 0.0031), ("b", 0.0032))
    ]
    [tick] = comparison_figure(rows).layout.xaxis2.tickvals
    assert 0.0031 < tick < 0.0032
