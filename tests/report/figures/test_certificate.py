import dataclasses
import re

import numpy as np
import pytest

from assay import Perceptron, certify, figures
from assay.certificates.issue.stream import certify_stream
from assay.errors import BadParameter
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.report.figures.certificate import error_certificate, on_unit_axis, promised_and_observed
from tests.report.figures.samples import check_themes, named, two_clouds


@pytest.fixture(scope="module")
def certificate():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    return certify(y_true=truth, y_pred=truth ^ (rng.random(300) < 0.1), rates=["class"])


@pytest.fixture(scope="module")
def perceptron():
    return Perceptron(trace=True).fit(*two_clouds())


def test_bars_end_at_the_promise_and_points_at_what_was_seen(certificate):
    figure = promised_and_observed(certificate)
    [bars], [points] = named(figure, "promised"), named(figure, "observed")
    assert list(bars.x) == [claim.value for claim in certificate.claims]
    assert list(points.x) == [float(claim.observed) for claim in certificate.claims]
    assert (np.asarray(points.x) <= np.asarray(bars.x)).all()


def test_counts_and_rates_have_axes_of_their_own(certificate, perceptron):
    counts = [g for g in perceptron.guarantees() if g.kind == "mistakes"]
    figure = promised_and_observed([*certificate.claims, *counts])
    bars = named(figure, "promised")
    assert [bar.xaxis for bar in bars] == ["x", "x2"]
    assert [len(bar.x) for bar in bars] == [3, len(counts)]
    assert not any(on_unit_axis(g) for g in counts)
    assert figure.layout.xaxis.title.text == "rate"
    assert figure.layout.xaxis2.title.text.startswith("count, loss or regret")


def test_a_vacuous_bound_is_hatched_and_says_so(certificate):
    vacuous = certify(errors=3, rows=3).claims[0]
    assert vacuous.vacuous
    figure = promised_and_observed([*certificate.claims, vacuous])
    assert list(figure.data[0].marker.pattern.shape) == ["", "", "", "/"]
    assert [a.text for a in figure.layout.annotations][-1] == "vacuous: says nothing"
    assert figure.layout.xaxis.range[1] >= 1


def test_where_nothing_is_promised_the_row_tells_why(certificate):
    broken = dataclasses.replace(
        certificate.claims[0],
        promised_text=None,
        assumptions=(Assumption("rows are alike", "violated"),),
    )
    figure = promised_and_observed([broken])
    assert figure.layout.annotations[0].text == "no promise: it is not true that rows are alike"


def test_a_broken_promise_is_called_broken():
    false = Guarantee("novikoff", "mistakes", "mistakes", "4", "5", "0", {})
    figure = promised_and_observed([false])
    assert figure.layout.annotations[0].text.endswith("BROKEN")


def test_numbers_that_are_far_apart_share_a_logarithmic_axis():
    rows = [
        Guarantee("a", "mistakes", "mistakes", number, seen, "0", {})
        for number, seen in (("10000", "0"), ("4", "2"))
    ]
    figure = promised_and_observed(rows)
    assert figure.layout.xaxis.type == "log"
    # A zero stands at the left end, not at minus infinity.
    assert np.log10(figure.data[1].x[0]) == pytest.approx(figure.layout.xaxis.range[0])


def test_the_interval_of_a_certificate_is_the_one_it_proves(certificate):
    figure = error_certificate(certificate)
    for claim, proved, classic, seen in zip(
        certificate.claims,
        named(figure, "proved"),
        named(figure, "textbook"),
        named(figure, "observed"),
        strict=True,
    ):
        assert list(proved.x) == [0.0, claim.value]
        assert list(classic.x) == [0.0, float(claim.textbook[1])]
        assert list(seen.x) == [float(claim.observed)]
        assert seen.x[0] <= proved.x[1] <= classic.x[1]
    assert "of 300 rows are wrong" in figure.layout.title.subtitle.text


def test_what_is_promised_from_below_ends_at_one():
    made = certify(
        y_true=[0, 1] * 100, y_pred=[0, 1] * 95 + [1, 1] * 5, rates=["precision"], two_sided=True
    )
    figure = error_certificate(made)
    for claim, line in zip(made.claims, named(figure, "proved"), strict=True):
        assert list(line.x) == (
            [claim.value, 1.0] if claim.direction == "at least" else [0.0, claim.value]
        )
        assert line.hovertemplate.startswith(f"proved: {claim.direction} ")
    texts = [note.text for note in figure.layout.annotations]
    assert texts[2:4] == ["at least 0.681 % (error-at-least)", "at least 88.2 % (rate-at-least)"]
    assert made.claims[2].promised_text.startswith("0.88286")
    rows = promised_and_observed(made).layout.annotations
    assert [note.text for note in rows if "at least" in note.text] == [
        "2.5 % seen, at least 0.681 %",
        "95.2 % seen, at least 88.2 %",
    ]


def test_a_certificate_that_promises_nothing_says_so():
    figure = error_certificate(certify(errors=3, rows=3))
    assert figure.layout.title.text == "Nothing is promised: the bound is 1"


def test_both_themes(certificate, perceptron):
    mixed = [*certificate.claims, *perceptron.guarantees()]
    check_themes(lambda theme: figures.promised_and_observed(mixed, theme=theme))
    check_themes(lambda theme: figures.error_certificate(certificate, theme=theme))


def test_refusals(perceptron):
    with pytest.raises(BadParameter, match=re.escape("There are no guarantees to draw.")):
        promised_and_observed([])
    sentence = "This certificate makes no claim about an error rate."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        error_certificate([g for g in perceptron.guarantees() if g.kind == "mistakes"])


@pytest.mark.parametrize(
    ("certificate", "title"),
    [
        (certify(errors=50, rows=1000), "The chance that a new row is wrong is at most 6.29 %"),
        (certify(loss=[0.1, 0.2, 0.15, 0.1] * 50), "The expected loss of a new row is at most"),
        (
            certify_stream(rows=1000, errors=50),
            "Mean error of the hypotheses as they were played: at most 7.61 %",
        ),
        (certify(errors=5, rows=200, population=1000), "of the whole batch are wrong"),
    ],
)
def test_the_title_says_what_is_promised(certificate, title):
    assert title in error_certificate(certificate).layout.title.text
