import html

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.certificates.show.markup import Markup, joined, tag


@settings(max_examples=50)
@given(st.text())
def test_text_is_escaped_and_reads_back(text):
    inside = tag("p", text).removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inside
    assert html.unescape(inside) == html.unescape(html.escape(text))
    attribute = tag("p", title=text).removeprefix('<p title="').removesuffix('"></p>')
    assert '"' not in attribute


def test_markup_is_not_escaped_twice():
    assert tag("p", tag("b", "a & b")) == "<p><b>a &amp; b</b></p>"
    assert tag("ul", [tag("li", "x"), tag("li", "y")]) == "<ul><li>x</li><li>y</li></ul>"
    assert joined(["<", Markup("<br>"), None]) == "&lt;<br>"


def test_attributes():
    assert tag("td", class_="a", data_label="b", hidden=True, id=None, lang=False) == (
        '<td class="a" data-label="b" hidden></td>'
    )
    assert tag("br") == "<br>"
    assert tag("meta", name="x") == '<meta name="x">'
