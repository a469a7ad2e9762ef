"""The certificate: guarantees of one model on one data set, with where they come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.certificates.format.claim import guarantee_in
from assay.certificates.format.document import (
    digest_of,
    inner,
    parse_document,
    read_document,
    sealed,
    write_document,
)
from assay.errors import CertificateRefused
from assay.guarantees.guarantee import Guarantee
from assay.theory.rounding import exact


@dataclass(frozen=True)
class Certificate:
    """What may be promised about a model, and everything needed to check the promise.

    Made by `certify`, read by `Certificate.load`, checked by `verify`. The sealed JSON document is
    the certificate; the attributes are a convenient view of it.

    Examples
    --------
    >>> from assay import certify
    >>> certificate = certify(errors=50, rows=1000, delta=0.05)
    >>> certificate.error, certificate.observed
    (0.06286340351237975, 0.05)
    """

    document: Mapping[str, Any]

    @property
    def claims(self) -> tuple[Guarantee, ...]:
        """Every promise, the overall error first."""
        try:
            document = inner(self.document)
        except CertificateRefused:
            # An older one whose sentences do not fit its numbers: `verify` refuses it, and it can still be read.
            return tuple(map(Guarantee.from_json, self.document["claims"]))
        return tuple(map(guarantee_in, document["claims"]))

    @property
    def error(self) -> float:
        """The error rate (or mean loss) promised; refused when an assumption is violated.

        Of a batch that a judge has gone through, the share of its items that may be wrong.
        """
        claim = self.claims[0]
        if claim.value is None:
            raise CertificateRefused(f"This certificate promises nothing: {claim}.")
        if claim.kind == "difference":
            raise CertificateRefused(
                f"This certificate promises a difference of two models and no error rate: {claim}. Read it from "
                f"claims[0].promised."
            )
        if "next_rows" in claim.inputs:
            raise CertificateRefused(
                f"This certificate promises a count and no error rate: {claim}. Read it from claims[0].promised."
            )
        if claim.kind == "absolute-error":
            raise CertificateRefused(
                f"This certificate promises how far off rows are and no error rate: {claim}. Read it from "
                f"claims[0].promised."
            )
        if claim.items is not None:
            return (exact(claim.value) / claim.items).up()
        return claim.value

    @property
    def observed(self) -> float | None:
        """The error rate (or mean loss) that was seen; None when only pass or fail was told."""
        claim = self.document["claims"][0]
        seen, sizes = claim["observed"], claim["inputs"].get("sizes", (1,))
        return None if seen is None else float(seen) / sum(sizes)

    @property
    def delta(self) -> float:
        """The probability, over the draw of the data, that any of the promises fails."""
        return float(self.document["delta"]["total"])

    @property
    def rows(self) -> int:
        """The number of rows the promises rest on."""
        return int(self.document["data"]["rows"])

    def __str__(self) -> str:
        return "\n".join(str(claim) for claim in self.claims)

    def _repr_html_(self) -> str:
        from assay.certificates.show.html import certificate_html

        return certificate_html(self)

    def to_json(self) -> dict[str, Any]:
        """The sealed document."""
        return dict(self.document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document as JSON; the file appears whole or not at all."""
        write_document(self.to_json(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate; refuses one that is damaged, changed or of an unknown format.

        Loading checks the seal, not the mathematics: `verify` recomputes every number.
        """
        return cls._opened(read_document(path), str(path))

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """The same from JSON text."""
        return cls._opened(parse_document(text), "the document")

    @classmethod
    def _opened(cls, document: dict[str, Any], name: str) -> Certificate:
        if document["digest"] != digest_of(document):
            raise CertificateRefused(
                f"{name} was changed after it was issued: its digest does not match."
            )
        return cls(document)

    @classmethod
    def issued(cls, document: dict[str, Any]) -> Certificate:
        """Seal a document that was just made."""
        return cls(sealed(document))
