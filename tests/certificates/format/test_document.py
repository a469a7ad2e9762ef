import json
import re
from typing import get_args

import pytest

from assay import Certificate, certify
from assay.certificates.format.document import (
    FORMAT,
    canonical,
    digest_of,
    parse_document,
    read_document,
    schema,
    sealed,
    write_document,
)
from assay.errors import BadData, CertificateRefused
from assay.theory.claim import Quantity


def document():
    return certify(errors=50, rows=1000, delta=0.05).to_json()


def test_canonical_form_does_not_depend_on_the_order_of_entries():
    backwards = dict(reversed(list(document().items())))
    assert canonical(backwards) == canonical(document())
    assert digest_of(backwards) == document()["digest"]


def test_canonical_form_refuses_floats():
    with pytest.raises(TypeError, match=re.escape("a document holds the float 0.05")):
        canonical({"delta": [{"total": 0.05}]})


def test_canonical_form_is_utf8_without_escapes():
    assert canonical({"b": "é", "a": None}) == '{"a":null,"b":"é"}'.encode()


@pytest.mark.parametrize("number", range(1, FORMAT + 1))
def test_the_schema_is_valid_and_closed(number):
    assert schema(number)["properties"]["format"] == {"const": number}
    assert schema(number)["additionalProperties"] is False


def test_the_schema_names_every_quantity():
    claim = schema()["definitions"]["claim"]["properties"]
    assert sorted(claim["quantity"]["enum"]) == sorted(get_args(Quantity))


def test_no_sentence_stands_in_a_document():
    claim = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 50, rates=["class"]).claims[1]
    text = json.dumps(certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 50, rates=["class"]).to_json())
    words = (claim.of, claim.statement, claim.quantifier, claim.certified)
    sentences = (*words, *(a.name for a in claim.assumptions))
    assert [sentence for sentence in sentences if sentence in text] == []


def test_writing_is_atomic_and_leaves_no_other_file(tmp_path):
    path = tmp_path / "a.cert.json"
    write_document(document(), path)
    write_document(document(), path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.cert.json"]
    assert read_document(path) == document()


def test_writing_into_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(BadData, match="cannot be written: No such file or directory"):
        write_document(document(), tmp_path / "missing" / "a.json")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is damaged or not a certificate: Expecting value at line 1, column 1."),
        ("[]", "is not a certificate: it has no format number."),
        ('{"rows": 3}', "is not a certificate: it has no format number."),
        ('{"format": 3}', "has format 3, but this version of assay reads up to format 2."),
        ('{"format": 2}', "does not follow the schema of format 2"),
        ('{"format": 1}', "does not follow the schema of format 1"),
        ('{"format": 0}', "does not follow the schema of format 2"),
        ('{"format": true}', "does not follow the schema of format 2"),
        ('{"format": 1, "format": 1}', "names an entry twice"),
        ("[" * 100_000, "is nested too deeply."),
        (b"\xff\xfe\xfa", "it is not UTF-8 text."),
    ],
)
def test_what_is_not_a_certificate_is_refused_with_the_reason(text, reason):
    with pytest.raises(CertificateRefused, match=re.escape(reason)):
        parse_document(text)


def test_every_truncation_is_refused():
    text = json.dumps(document())
    for end in range(0, len(text), 7):
        with pytest.raises(CertificateRefused):
            parse_document(text[:end])


def test_unknown_entries_are_refused_at_any_depth():
    top = document() | {"note": "trust me"}
    deep = json.loads(json.dumps(document()))
    deep["claims"][0]["note"] = "trust me"
    for changed in (top, deep):
        with pytest.raises(CertificateRefused, match="does not follow the schema"):
            parse_document(json.dumps(sealed(changed)))


def test_loading_checks_the_seal(tmp_path):
    path = tmp_path / "a.cert.json"
    changed = document()
    changed["data"]["drawn"] = "carefully"
    write_document(changed, path)
    with pytest.raises(CertificateRefused, match="was changed after it was issued"):
        Certificate.load(path)
