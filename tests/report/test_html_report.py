import base64
import errno
import hashlib
import os
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from assay import Certificate, certify, verify
from assay.errors import BadData, MissingExtra
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.report.html_report import html_report, save_report
from assay.report.story import (
    Candidate,
    ClassErrors,
    Concern,
    Model,
    Panel,
    Prepared,
    Source,
    Story,
)

HOSTILE = "</title></script><script>alert('x')</script>&amp;\"' onload=\"alert(1)"
VOID = {"meta", "link", "br", "hr"}


class Page(HTMLParser):
    """The elements of a page, their text, and whether every one of them is closed."""

    def __init__(self, text):
        super().__init__()
        self.text, self.elements, self.open, self.said, self.inside = text, [], [], [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        place = self.open[-1] if self.open else ""
        self.inside.setdefault(place, []).append(data)
        if place not in ("script", "style"):
            self.said.append(data)

    @property
    def words(self):
        return re.sub(r"\s+", " ", "".join(self.said))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def read(story):
    page = Page(html_report(story))
    assert not page.open
    return page


def figure():
    from assay.report.figures.canvas import Canvas

    made = Canvas("How it went", x="rows", y="errors")
    made.draw(([1, 2, 3], [3, 2, 1]), HOSTILE)
    made.subtitle("the <b>numbers</b> &amp; all")
    return made.figure


@pytest.fixture(scope="module")
def certificate():
    return certify(errors=50, rows=1000, delta=0.05)


@pytest.fixture(scope="module")
def story(certificate):
    seen = Assumption("no row is in both parts", "checked", "0 of 1,000")
    made = Assumption("weights start at zero", "by construction")
    return Story(
        "Spam filter",
        summary=("It tells spam from ham.",),
        sources=(Source("mails.csv", "training", 4000, 58, "sha256:" + "a" * 64),),
        model=Model("Perceptron", {"max_iter": "10"}, ("ham", "spam"), "sha256:" + "b" * 64),
        preparation=(Prepared("size", "number", "itself", "none"),),
        candidates=(
            Candidate("Perceptron", 0.05, "0.0629", 0.5, True, "", 2_000_000),
            Candidate("Winnow", remark="text cannot be learned by it"),
        ),
        tested=("A fifth of the rows was set aside.",),
        certificate=certificate,
        guarantees=(
            mistake_guarantee(
                "perceptron-margin-mistakes",
                {"radius": 1.0, "margin": 0.1},
                37,
                of="mistakes",
                assumptions=(made, seen),
            ),
        ),
        verify=("assay verify cert.json",),
        notes=("That is all.",),
        concerns=(
            Concern("Order", "Nothing was found.", raised=False),
            Concern("Copies", "12 rows are copies."),
        ),
        classes=(ClassErrors("ham", 600, 20, "spam", "0.05"), ClassErrors("spam", 400, 0)),
        baseline="Baseline (always 'ham'): 40 % wrong.",
    )


def test_the_promise_comes_first_and_the_rest_in_order(story):
    page = read(story)
    told = [
        "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.",
        "Seen on 1,000 rows",
        "Promised, at most",
        "It tells spam from ham.",
        "Baseline (always 'ham'): 40 % wrong.",
        "What can go wrong #",
        "12 rows are copies.",
        "Nothing was found.",
        "Notes #",
        "That is all.",
        "Which classes go wrong #",
        "3.33 %",
        "What was learned #",
        "From which data #",
        "How it was tested #",
        "What was tried #",
        "How columns were prepared #",
        "The certificate #",
        "What theorems promise #",
        "How to check this #",
        "Fingerprints #",
    ]
    places = [page.words.index(part) for part in told]
    assert places == sorted(places)


def test_headings_can_be_pointed_to(story):
    page = read(story)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for a in page.all("a") if a["href"].startswith("#")]
    assert set(links) <= set(ids)
    assert {"model", "data", "test", "certificate", "guarantees", "verify"} <= set(links)


def test_tables_are_captioned_and_scoped(story):
    page = read(story)
    assert len(page.all("table")) == len(page.all("caption")) == 9
    assert all(th.get("scope") in ("row", "col") for th in page.all("th"))
    assert page.all("html")[0]["lang"] == "en"


@pytest.mark.parametrize("panels", [False, True])
def test_a_hostile_name_stays_text(story, panels):
    bad = Story(
        HOSTILE,
        summary=(HOSTILE,),
        sources=(Source(HOSTILE, HOSTILE, 1, 2, HOSTILE),),
        model=Model(HOSTILE, {HOSTILE: HOSTILE}, (HOSTILE,), HOSTILE),
        preparation=(Prepared(HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
        candidates=(Candidate(HOSTILE, remark=HOSTILE, chosen=True),),
        tested=(HOSTILE,),
        certificate=certify(
            y_true=[HOSTILE, "b"] * 20, y_pred=[HOSTILE, "b"] * 20, rates=["class"], drawn=HOSTILE
        ),
        guarantees=(replace(story.guarantees[0], theorem=HOSTILE, of=HOSTILE, certified=HOSTILE),),
        panels=(Panel(HOSTILE, figure(), HOSTILE, HOSTILE),) * panels,
        verify=(HOSTILE,),
        notes=(HOSTILE,),
    )
    page, plain = read(bad), read(replace(story, panels=(Panel("t", figure()),) * panels))
    assert len(page.all("script")) == len(plain.all("script"))
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert page.inside["title"] == [HOSTILE]
    # Only plotly's own figure of speech may hold it otherwise, and there it is written as \u003c.
    assert page.text.count("<script>alert") == 0
    assert page.words.count("<script>alert('x')</script>") >= 18
    if panels:
        assert HOSTILE in [div.get("aria-label") for div in page.all("div")]


def test_nothing_is_loaded_and_only_our_scripts_run(story):
    page = read(replace(story, panels=(Panel("One", figure()), Panel("Two", figure()))))
    for _, attrs in page.elements:
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            if attrs.get(name):
                assert attrs[name].startswith(("#", "data:")), attrs
    style = "".join(page.inside["style"])
    assert "url(" not in style
    assert "@import" not in style
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none';")
    assert "connect-src" not in policy
    assert "http" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    assert len(scripts) == 2
    prints = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == prints
    assert page.text.count("Plotly.newPlot=") <= 1
    # plotly.js itself would upload a chart on demand.
    assert "sendChartToCloud" in scripts[1]


def test_figures_have_words_and_their_titles_become_headings():
    page = read(Story("s", panels=(Panel("", figure(), "It falls.", "A falling line."),)))
    assert "How it went" in "".join(page.inside["h3"])
    assert "the numbers & all" in re.sub(" +", " ", page.words)
    assert "It falls." in page.inside["figcaption"]
    (plot,) = [div for div in page.all("div") if "data-figure" in div]
    assert (plot["role"], plot["aria-label"]) == ("img", "A falling line.")
    blocks = [s for s in page.all("script") if s.get("type") == "application/json"]
    assert [block["id"] for block in blocks] == ["inks", "figure-0"]
    data = next(text for text in page.inside["script"] if '"data"' in text[:20])
    assert "How it went" not in data


def test_without_figures_plotly_is_not_needed(story, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "plotly"] + ["plotly"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert "6.29 %" in html_report(story)
    with pytest.raises(MissingExtra, match=r"pip install 'assay-ml\[plots\]'"):
        html_report(replace(story, panels=(Panel("p", None),)))


def test_every_assumption_stands_there_with_its_status(story):
    page = read(story)
    for claim in [*story.certificate.claims, *story.guarantees]:
        for assumption in claim.assumptions:
            assert assumption.name.lower() in page.words.lower()
            assert assumption.evidence in page.words
    for word in ("by construction", "checked", "declared", "assumed", "violated"):
        assert f"\N{NO-BREAK SPACE}{word}" in "".join(page.said)
    assert "It cannot be known from the data at all." in page.words


def test_a_violated_certificate_promises_nothing(story):
    void = certify(y_true=[0, 1] * 9, y_pred=[0, 1] * 9, delta=0.05).to_json()
    claim = void["claims"][0]
    claim["promised"] = None
    claim["assumptions"][1] = {
        "name": "the model was fixed before these rows were seen",
        "status": "violated",
        "evidence": "it was not",
    }
    page = read(replace(story, certificate=Certificate(void), guarantees=()))
    assert "Nothing is promised about new rows." in page.words
    said = "It is not true that the model was fixed before these rows were seen"
    assert said in page.words
    assert "it was not" in page.words
    assert "headline nothing" in page.text
    assert "will be wrong" not in page.words


def test_vacuous_promises_say_so_and_what_would_help(story):
    vacuous = certify(errors=1, rows=2, delta=0.05, method="hoeffding")
    page = read(replace(story, certificate=vacuous, guarantees=vacuous.claims))
    assert "Nothing is promised about new rows." in page.words
    help = "From about 6 rows on, this rate of errors would say something."
    assert page.words.count(help) >= 2
    assert "says nothing" in page.words


def test_guarantees_that_cannot_be_compared_are_told_apart(story):
    first = story.guarantees[0]
    bounds = (
        replace(first, promised_text="12", observed_text="37"),
        replace(first, quantifier="expectation"),
        replace(first, observed_text=None),
        replace(first, promised_text=None),
        Guarantee("occam-exact", "error", "error", "1", "0.1", "0.05", {"errors": 1, "rows": 9}),
    )
    page = read(replace(story, guarantees=bounds))
    for word in ("exceeded", "on average", "not observed", "no number", "says nothing"):
        assert f"\N{NO-BREAK SPACE}{word}" in "".join(page.said)


def test_several_claims_share_one_confidence(story):
    many = certify(
        y_true=["ham", "spam"] * 50, y_pred=["ham", "spam"] * 49 + ["spam", "ham"], rates=["class"]
    )
    page = read(replace(story, certificate=many))
    assert "All 3 promises hold at once, with 95 % confidence." in page.words
    assert "Error of class 'spam'" in page.words
    assert "Delta 0.05 is shared" in page.words


def test_without_a_certificate_none_is_claimed(story):
    page = read(replace(story, certificate=None, candidates=()))
    assert "There is none: nothing is promised about new rows." in page.words
    assert "will be wrong" not in page.words
    assert "It tells spam from ham." in page.inside["p"]
    compared = read(replace(story, certificate=None))
    assert "There is none" not in compared.words


def test_an_empty_story_is_a_page():
    page = read(Story("Nothing yet"))
    assert page.inside["h1"] == ["Nothing yet"]
    assert not page.all("nav")


def test_the_certificate_in_the_page_verifies(story, tmp_path):
    page = read(story)
    (link,) = [a["href"] for a in page.all("a") if "download" in a]
    text = base64.b64decode(link.removeprefix("data:application/json;base64,"))
    (tmp_path / "certificate.json").write_bytes(text)
    assert verify(tmp_path / "certificate.json").ok
    assert Certificate.from_json("".join(page.inside["pre"])).error == story.certificate.error


def test_what_was_tried(story):
    page = read(story)
    for text in ("5 %", "6.29 %", "500 ms", "0.5 s", "2 MB", "text cannot be learned by it"):
        assert (text in page.words) == (text != "500 ms")
    assert "✓\N{NO-BREAK SPACE}chosen" in "".join(page.said)


def test_many_columns_treated_alike_are_told_together(story):
    columns = [Prepared(f"f{i}", "number", "itself") for i in range(57)]
    page = read(replace(story, preparation=(*columns, Prepared("kind", "category", "the label"))))
    assert "and 45 more" in page.words
    assert "57" in page.inside["td"]
    few = read(replace(story, preparation=tuple(columns[:3])))
    assert "f0" in few.inside["th"]
    assert "How many" not in few.words
    apart = [Prepared(f"f{i}", "number", f"feature {i}") for i in range(250)]
    assert "And 50 more." in read(replace(story, preparation=tuple(apart))).words


def test_the_file_appears_whole_or_not_at_all(story, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    save_report(story, path)
    assert path.read_text(encoding="utf-8") == html_report(story)

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadData, match=r"other\.html cannot be written: No space left on device\."):
        save_report(story, tmp_path / "other.html")
    assert os.listdir(tmp_path) == ["report.html"]


def test_the_same_story_gives_the_same_bytes(story):
    assert html_report(story) == html_report(story)
