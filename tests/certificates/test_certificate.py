from pathlib import Path

import pytest

from assay import Certificate, certify, verify
from assay.errors import CertificateRefused

GOLDEN = Path(__file__).parent / "format" / "golden" / "format-1.json"


def test_saving_and_loading_give_the_same_certificate(tmp_path):
    certificate = certify(y_true=["a", "b", "b"], y_pred=["a", "b", "a"], rates=["class"])
    certificate.save(tmp_path / "a.cert.json")
    assert Certificate.load(tmp_path / "a.cert.json") == certificate
    assert Certificate.from_json((tmp_path / "a.cert.json").read_bytes()) == certificate


def test_the_view_agrees_with_the_document():
    certificate = certify(errors=50, rows=1000, delta=0.05)
    assert (certificate.observed, certificate.delta, certificate.rows) == (0.05, 0.05, 1000)
    assert certificate.error == float(certificate.document["claims"][0]["promised"])


def test_a_void_certificate_has_no_error():
    class Model:
        def predict(self, X):
            return [0] * len(X)

    void = certify(Model(), [[1.0], [2.0]], [0, 1], train=[[1.0], [3.0]])
    with pytest.raises(CertificateRefused, match="This certificate promises nothing"):
        _ = void.error


def test_a_file_of_format_1_is_read_for_ever():
    certificate = Certificate.load(GOLDEN)
    assert certificate.error == 0.06286340351237975
    assert verify(GOLDEN).ok
