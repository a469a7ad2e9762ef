"""A table whose order tells something, and a certificate that says otherwise."""

from __future__ import annotations

import copy
import json

import numpy as np
import pyarrow as pa
import pytest

from assay import fit_table, verify
from assay.certificates.format.document import sealed
from assay.errors import BadParameter, CertificateRefused


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
    [claim] = fitted.certificate.claims
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
    [claim] = made["claims"]
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
