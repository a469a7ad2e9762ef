"""A table whose order tells something, and a certificate that says otherwise."""

from __future__ import annotations

import copy
import json

import numpy as np
import pyarrow as pa
import pytest

from assay import Perceptron, fit_table, verify
from assay.certificates.format.document import sealed
from assay.data.examples import Examples
from assay.errors import BadParameter, CertificateRefused
from assay.play.stream import Stream


@pytest.fixture(scope="module")
def sorted_table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    return pa.table({"a": rng.normal(size=300) + y, "b": rng.normal(size=300), "y": y})


@pytest.fixture(scope="module")
def fitted(sorted_table):
    return fit_table(sorted_table, "y", learner="gaussian-nb")


def resealed(document, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(sealed({k: v for k, v in document.items() if k != "digest"})))
    return path


def test_nothing_is_promised_and_the_way_out_is_told(fitted, sorted_table):
    claim = fitted.certificate.claims[0]
    assert claim.promised is None
    assert claim.assumptions[0].status == "violated"
    assert fitted.notes[0].endswith("say --order none.")
    with pytest.raises(CertificateRefused):
        _ = fitted.certificate.error
    declared = fit_table(sorted_table, "y", learner="gaussian-nb", order="none").certificate
    assert declared.claims[0].assumptions[0].status == "declared"
    assert declared.error < 1


def forged(document, change):
    made = copy.deepcopy(document)
    claim = made["claims"][0]
    drawn = next(a for a in claim["assumptions"] if a["id"] == "independent-draws")
    claim["promised"] = "0.9"
    change(drawn)
    return made


def said(status):
    return lambda drawn: drawn.update(status=status)


def one_test_only(drawn):
    drawn.update(status="assumed")
    drawn["order"]["p_values"] = {"column-trend": "1"}


def smaller_rate(drawn):
    drawn.update(status="assumed")
    drawn["order"]["alpha"] = "0.000000000001"


def passed_though_sorted(drawn):
    drawn.update(status="assumed")
    drawn["order"]["p_values"] = dict.fromkeys(drawn["order"]["p_values"], "1")


@pytest.mark.parametrize(
    "change",
    [
        *map(said, ("assumed", "declared", "not asked", "checked", "violated")),
        one_test_only,
        smaller_rate,
        passed_though_sorted,
    ],
)
def test_a_promise_put_back_is_refused(fitted, tmp_path, change):
    path = resealed(forged(fitted.certificate.to_json(), change), tmp_path)
    assert not verify(path).ok


def test_order_none_contradicts_what_comes_last(sorted_table):
    with pytest.raises(BadParameter, match="but not both"):
        fit_table(sorted_table, "y", order="none", holdout="last")
    with pytest.raises(BadParameter, match="order must be 'none', or left out, but is 'any'"):
        fit_table(sorted_table, "y", order="any")


# Streams


def streamed(drift, **terms):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 3)) + drift * np.arange(2000)[:, None] / 1000
    y = X[:, 0] + rng.normal(size=2000) / 5 > 1
    stream = Stream(Perceptron(), **terms)
    for start in range(0, 2000, 250):
        part = slice(start, start + 250)
        stream.learn(Examples(X[part], y[part], ["a", "b", "c"], "y", None, start + 1))
    stream.close()
    return stream.certificate()


def test_a_stream_that_drifts_promises_nothing_of_new_rows_and_all_the_rest():
    plain, drifted = streamed(1.0), streamed(1.0, independent=True)
    assert [c.promised for c in drifted.claims if c.promised is not None] == [
        c.promised for c in plain.claims
    ]
    refuted = drifted.claims[1]
    assert (refuted.promised, refuted.assumptions[0].status) == (None, "violated")
    assert verify(drifted).ok
    assert (
        streamed(1.0, independent=True, order="none").claims[0].assumptions[0].status == "declared"
    )
    still = streamed(0.0, independent=True).claims[0].assumptions[0]
    assert (still.status, still.evidence.alarms) == ("assumed", False)
    with pytest.raises(BadParameter, match="nothing is promised about new rows"):
        Stream(Perceptron(), order="none")


def drawn_in(claim):
    return next(a for a in claim["assumptions"] if a["id"] == "independent-draws")


@pytest.mark.parametrize(
    "change",
    [
        lambda first, second: second.update(promised=first["promised"]),
        lambda first, second: drawn_in(second).update(status="assumed"),
        lambda first, second: drawn_in(second).update(status="not asked"),
        lambda first, second: drawn_in(first).update(status="declared"),
        lambda first, second: second["inputs"].update(errors=0),
        lambda first, second: (
            drawn_in(second).update(status="assumed"),
            second.update(promised=first["promised"]),
        ),
    ],
)
def test_a_stream_that_hides_its_drift_is_refused(tmp_path, change):
    document = copy.deepcopy(streamed(1.0, independent=True).to_json())
    change(*document["claims"][:2])
    assert not verify(resealed(document, tmp_path)).ok
