import re

import pytest

from assay import figures
from assay.errors import BadParameter
from assay.theory.complexity.impurity import impurity, impurity_identities
from tests.report.figures.samples import check_themes

INCOME = {"high": [2, 0], "medium": [3, 2], "low": [0, 3]}
EDUCATION = {"degree": [3, 2], "none": [2, 3]}
BOTH = {"income": INCOME, "education": EDUCATION}


@pytest.mark.parametrize("measure", ["gini", "entropy", "misclassification"])
def test_bars_are_the_counts_and_the_numbers_those_of_the_theory(measure):
    figure = figures.candidate_splits(BOTH, ["no", "yes"], measure=measure)
    assert [list(bar.y) for bar in figure.data] == [
        [5, 2, 3, 0],
        [5, 0, 2, 3],
        [5, 3, 2],
        [5, 2, 3],
    ]
    words = [note.text for note in figure.layout.annotations]
    fall = impurity_identities(list(INCOME.values()), measure)
    assert words[0] == f"income: {measure} falls by {fall:.3g}"
    for counts in ([5, 5], *INCOME.values(), *EDUCATION.values()):
        assert f"{impurity(counts, measure).up():.3f}" in words
    assert figure.layout.title.text == "The better question is income"
    assert len({bar.marker.pattern.shape for bar in figure.data}) == 2


def test_themes_and_refusals():
    check_themes(lambda theme: figures.candidate_splits(BOTH, ["no", "yes"], theme=theme))
    sentence = "candidates must be questions about the same rows, but is [(1.0, 1.0), (5.0, 5.0)]."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.candidate_splits({"income": INCOME, "other": {"yes": [1, 1]}}, ["no", "yes"])
    sentence = (
        "the counts of income must be one for each of 3 classes, but is [[2, 0], [3, 2], [0, 3]]."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.candidate_splits({"income": INCOME}, ["a", "b", "c"])


def test_titles_of_narrow_panels_are_broken_into_lines():
    figure = figures.candidate_splits(
        dict.fromkeys(("a: b", "c, d", "e"), INCOME), ["no", "yes"], measure="gain_ratio"
    )
    titles = [note.text for note in figure.layout.annotations[:3]]
    assert titles == [
        f"{name}<br>gain ratio 0.346<br>SplitInfo 1.49" for name in ("a: b", "c, d", "e")
    ]
