"""Names of files for certificates, made of what they are about."""

from __future__ import annotations

import re
from hashlib import blake2b

_LONGEST = 120


def certificate_name(about: str, place: int = 0) -> str:
    """The file of a certificate, which nothing else of the run has, whatever it is called.

    Examples
    --------
    >>> certificate_name("tests/test_spam.py::test_error[new model]")
    'tests-test_spam.py-test_error-new-model-5fb9bee8.cert.json'
    """
    told = f"{about}\0{place}".encode("utf-8", "surrogatepass")
    digest = blake2b(told, digest_size=4).hexdigest()
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", about).strip("-.")[:_LONGEST]
    return f"{name}-{digest}.cert.json"
