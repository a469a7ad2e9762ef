"""One look at a holdout as it stands in a ledger, and what it is charged for."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction

from assay.certificates.format.document import canonical

START = "sha256:" + "0" * 64
"""The digest before the first entry."""

# Fields that entries of the first schema do not have; an empty one is not part of what is sealed.
_LATER = ("partition", "sketch", "joins")


@dataclass(frozen=True)
class Entry:
    """One look at a holdout, as it stands in the ledger.

    Attributes
    ----------
    sequence : int
        Place in the file, from 1.
    holdout : str
        Which holdout: a name, or a salted digest.
    data : str
        The salted digest of its truth; empty when it is not known.
    number : int
        The how-manieth look at this holdout.
    at : str
        When, in UTC.
    query : str
        What was asked.
    answer : str
        ``"exact"`` or ``"pass-fail"``: what kind of answer was given.
    answers : str
        In how many ways the answer could have come out, in hexadecimal (it grows very large).
    answers_before : str
        The product of these numbers over all earlier looks at this holdout.
    delta : str
        The failure probability that all looks at this holdout share.
    previous, digest : str
        The chain.
    partition : str
        The salted digest of which rows share a label; empty when it is not known.
    sketch : str
        The digest of the keys of its rows that are kept; empty when the rows are not known.
    joins : str
        Other holdouts, as a JSON list, that this look touches too: from here on they are one account.
    """

    sequence: int
    holdout: str
    data: str
    number: int
    at: str
    query: str
    answer: str
    answers: str
    answers_before: str
    delta: str
    previous: str
    digest: str
    partition: str = ""
    sketch: str = ""
    joins: str = ""

    @property
    def share(self) -> Fraction:
        """The failure probability this look may spend."""
        looks = self.number * (self.number + 1)
        return Fraction(self.delta) / (looks * int(self.answers_before, 16))

    @property
    def bits_before(self) -> float:
        """How many bits about the holdout were released before this look."""
        return math.log2(int(self.answers_before, 16))

    @property
    def answers_after(self) -> int:
        """The product of possible answers over all looks up to this one."""
        return int(self.answers_before, 16) * int(self.answers, 16)

    @property
    def names(self) -> list[str]:
        """Every holdout this look touches, its own first."""
        return [self.holdout, *(json.loads(self.joins) if self.joins else [])]

    def follows(self, place: int, previous: str, number: int, before: int) -> bool:
        """Whether the entry is what must come after those before it."""
        try:
            return (
                self.sequence == place
                and self.previous == previous
                and self.digest == self.sealed_by()
                and self.number == number + 1
                and self.answers_before == hex(before)
            )
        except (TypeError, ValueError, AttributeError):
            return False  # a cell was changed into something that is no text or number

    def sealed_by(self) -> str:
        """The digest this entry should have."""
        body = {
            key: value
            for key, value in asdict(self).items()
            if key != "digest" and not (key in _LATER and value == "")
        }
        return "sha256:" + hashlib.sha256(canonical(body)).hexdigest()


def compared_query(digests: Iterable[str | None]) -> str:
    """What the ledger notes as asked of several models: whose predictions were compared."""
    named = dict.fromkeys(digest for digest in digests if digest is not None)
    return f"compare {' '.join(named) or 'predictions not given'}"


def query_of(predictions: str | None) -> str:
    """What the ledger notes as asked: which predictions were certified."""
    return f"certify {predictions or 'predictions not given'}"
