"""Markdown that strangers cannot write: whatever a label is, the page has the shape of any other page."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay import Certificate, certify, verify
from assay.certificates.issue.gate import error_gate
from assay.errors import CertificateRefused
from assay.guarantees.printable import printable
from assay.report.markdown import (
    certificate_markdown,
    comparison_markdown,
    escaped,
    refusal_markdown,
    verification_markdown,
)
from assay.report.story import Candidate, Story

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
JOINER = "\u2060"


class Page(HTMLParser):
    """The elements of a page in order, and its text."""

    def __init__(self, markdown):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(RENDERER.render(markdown))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(attrs)))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


INJECTIONS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a | b | c",
    "a\n\n# Passed\n",
    "[click](javascript:alert(1))",
    "![x](https://example.com/x.png)",
    "https://example.com www.example.com a@example.com",
    "`code` **bold** _so_ ~~gone~~",
    "&lt;b&gt; &#60;b&#62;",
    "- one",
    "1. one",
    "12) one",
    "    indented",
    "---",
    "===",
    "+ plus",
    "$x^2$ :tada: @someone #123",
    "\\| \\",
    "<!-- hidden",
    "\u202eslaps\x1b[2J",
    "|" * 40,
    "> quoted",
    "{#id}",
    "```",
]


def labelled(label):
    truth = ["ham"] * 30 + [label] * 20
    guess = ["ham"] * 29 + [label] * 21
    return certify(y_true=truth, y_pred=guess, rates=["class"], drawn=label)


PLAIN = Page(certificate_markdown(labelled("spam"), "a.csv"))


@pytest.mark.parametrize("label", INJECTIONS)
def test_a_label_shows_as_it_is_and_does_nothing(label):
    page = Page(certificate_markdown(labelled(label), label))
    assert page.elements == PLAIN.elements
    shown = repr(label)
    assert printable(shown) in page.text.replace(JOINER, "")


@pytest.mark.parametrize("label", INJECTIONS)
def test_what_comes_first_in_a_line_begins_nothing(label):
    page = Page(comparison_markdown(Story("Compared", summary=(label,), notes=(label,))))
    assert [tag for tag, _ in page.elements] == ["h3", "p", "p", "strong"]


@given(st.text(max_size=60))
@example("a@b.example")
def test_any_text_is_one_text(text):
    tokens = RENDERER.parseInline(escaped("x" + text))[0].children or []
    assert {token.type for token in tokens} <= {"text", "text_special"}
    shown = "".join(token.content for token in tokens).replace(JOINER, "")
    assert shown == ("x" + printable(text, 999)).replace(JOINER, "").rstrip()


@given(st.text(min_size=1, max_size=30))
def test_any_text_begins_no_block(text):
    tokens = RENDERER.parse(escaped(text))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


def test_a_renderer_that_is_handed_the_label_as_it_is_would_be_caught():
    """The broken twin: without escaping, the same test fails."""
    made = certificate_markdown(labelled("spam"), "a.csv")
    for label in ("<b>x</b>", "a | b", "**x**"):
        page = Page(made.replace("spam", label))
        assert page.elements != PLAIN.elements or label not in page.text


def test_addresses_people_and_pictures_do_not_become_links():
    for text in ("https://example.com", "www.example.com", "@someone", ":tada:", "a@b.example"):
        assert "&#8288;" in escaped(text), text
    assert "&#8288;" not in escaped("at 12:30, see run.csv: 5 %")


def test_a_certificate_says_promise_observed_conditions_and_verdict():
    certificate = certify(errors=50, rows=1000, fixed_before=True)
    text = certificate_markdown(certificate, "guesses.csv", error_gate(certificate, "0.05"))
    assert text.splitlines()[:8] == [
        "### Certificate for guesses.csv",
        "",
        "❌ **FAIL**: an error of at most 0.05 cannot be promised.",
        "",
        "**Promised:** The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.",
        "",
        "**Observed:** 50 of 1,000 rows are wrong (5 %).",
        "",
    ]
    assert "| the model was fixed before these rows were seen | ✎ declared |" in text.splitlines()
    assert "✅ **PASS**" in certificate_markdown(certificate, "", error_gate(certificate, "0.07"))


def test_several_claims_are_a_table():
    text = certificate_markdown(labelled("spam"))
    assert "| Quantity | Promised | Observed | Verdict | By |" in text
    assert "| Error of class 'spam' | at most " in text
    assert "All 3 promises hold at once, with 95 % confidence." in text


def test_what_does_not_add_up_is_not_told(tmp_path):
    path = tmp_path / "a.cert.json"
    certify(errors=50, rows=1000).save(path)
    honest = verification_markdown(verify(path), Certificate.load(path), "a.cert.json")
    assert "✅ **PASS**: The certificate holds." in honest
    assert "at most 6.29 %" in honest
    path.write_text(path.read_text().replace("0.0628", "0.0028"))
    forged = Certificate(json.loads(path.read_text()))
    text = verification_markdown(verify(path), forged, "a.cert.json")
    assert "❌ **FAIL**: The certificate does NOT add up." in text
    assert "Promised" not in text
    assert "0.28" not in text


def test_candidates_and_refusals():
    story = Story(
        "Two compared",
        candidates=(Candidate("a|b", 0.1, "0.2", chosen=True), Candidate("c", remark="too slow")),
        certificate=certify(errors=10, rows=100),
    )
    text = comparison_markdown(story)
    assert "| Candidate | Promised | Observed | Remark |" in text
    assert "| a&#124;b (smallest promise) | 20 % | 10 % |  |" in text
    assert "| Condition | How it is known |" in text
    assert "❌ **FAIL**: Fail: no." in refusal_markdown("x", CertificateRefused("Fail: no."))


def test_long_tables_are_cut():
    labels = [f"c{i:03}" for i in range(70)]
    text = certificate_markdown(certify(y_true=labels * 2, y_pred=labels * 2, rates=["class"]))
    assert "| and 21 more |" in text
