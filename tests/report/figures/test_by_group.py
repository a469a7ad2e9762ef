import pytest

from assay import certify, figures
from assay.errors import BadParameter
from assay.report.figures.by_group import group_bounds
from tests.report.figures.samples import check_themes, named

SEEN = {"y_true": [1] * 600, "y_pred": [0] * 12 + [1] * 588, "labels": [0, 1]}
MADE = certify(**SEEN, groups={"place": ["<b>a</b>"] * 100 + ["b"] * 300 + ["c"] * 200})


def test_each_group_is_a_row_the_worst_first():
    figure = group_bounds(MADE, max_error=0.1)
    [seen], [promised] = named(figure, "observed"), named(figure, "promised")
    assert list(promised.x) == sorted(promised.x, reverse=True)
    assert list(seen.x) == [0.12, 0.0, 0.0]
    names = [text.split("<br>")[0] for text in figure.layout.yaxis.ticktext]
    assert names[0] == "place = '&lt;b&gt;a&lt;/b&gt;'"
    assert "12 of 100 wrong, at most 23 %" in figure.layout.yaxis.ticktext[0]
    notes = [note.text for note in figure.layout.annotations]
    assert "at most 10 % allowed" in notes
    lines = [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1]
    assert 0.1 in lines
    assert figure.layout.title.text.startswith("In every group, the chance that a new row is wrong")
    assert "all 3 at once, 95 % confidence" in figure.layout.title.subtitle.text


def test_of_many_groups_the_largest_bounds():
    many = certify(**SEEN, groups=[f"{i % 100:02}" for i in range(600)])
    figure = group_bounds(many)
    assert len(figure.layout.yaxis.ticktext) == 60
    assert figure.layout.title.subtitle.text.endswith("; 40 of smaller bounds are left out")


def test_both_themes():
    check_themes(lambda theme: figures.group_bounds(MADE, theme=theme))
    units = certify(**SEEN, groups=["a", "b"] * 300, unit=[i // 4 for i in range(600)])
    check_themes(lambda theme: figures.group_bounds(units, theme=theme, max_error="0.05"))


def test_a_certificate_without_groups_is_refused():
    for made in (
        certify(errors=1, rows=9),
        certify(**SEEN, groups=["a", "b"] * 300, every_group=True),
    ):
        with pytest.raises(BadParameter, match="This certificate bounds no group by itself"):
            group_bounds(made)
