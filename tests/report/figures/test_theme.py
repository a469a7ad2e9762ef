import sys

import pytest

from assay.errors import BadParameter, MissingExtra
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import DASHES, INKS, MARKERS


def test_the_first_six_series_differ_in_colour_dash_and_marker():
    for ink in INKS.values():
        for parts in zip(*((ink.line(k), ink.marker(k)) for k in range(6)), strict=True):
            for key in set(parts[0]) & {"color", "dash", "symbol"}:
                assert len({part[key] for part in parts}) == 6
    assert len(set(DASHES)) == len(set(MARKERS)) == 6


def _luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_series_stand_out_from_the_paper(theme):
    """The contrasts that the web's accessibility guidelines ask for: 4.5 for words, 3 for lines."""
    colours = INKS[theme]

    def contrast(colour):
        light, dark = sorted([_luminance(colour), _luminance(colours.paper)], reverse=True)
        return (light + 0.05) / (dark + 0.05)

    assert contrast(colours.text) >= 7
    assert contrast(colours.faint) >= 4.5
    assert min(contrast(colour) for colour in colours.series) >= 3


def test_an_unknown_theme_is_refused():
    with pytest.raises(BadParameter, match=r"^theme must be 'light' or 'dark', but is 'blue'\.$"):
        Canvas("Title", theme="blue")


def test_panels_name_their_parts():
    parts = {"rows": 1, "cols": 2, "subplot_titles": ["left", "right"]}
    figure = Canvas("Whole", theme="dark", panels=parts).figure
    assert figure.layout.title.text == "Whole"
    assert [note.text for note in figure.layout.annotations] == ["left", "right"]
    assert figure.layout.xaxis2.gridcolor == INKS["dark"].grid


def test_without_plotly_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    must = r"^A figure needs plotly, which is not installed\. Run: pip install 'assay-ml\[plots\]'$"
    with pytest.raises(MissingExtra, match=must):
        Canvas("Title")
