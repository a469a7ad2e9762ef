"""Which looks pay for which: holdouts that share rows or labels are one account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.certificates.ledger.entry import Entry


@dataclass
class Account:
    """All looks that pay for each other.

    Attributes
    ----------
    name : str
        The holdout by which it is known: that of its first look.
    names : set of str
        Every name its holdouts were given.
    looks, before : int
        How many looks there were, and in how many ways all their answers could have come out.
    delta : str
        The failure probability they share.
    first : int
        The place of its first look in the ledger.
    data, partitions, sketches : set of str
        Digests by which its holdouts are known again.
    """

    name: str
    first: int
    delta: str
    looks: int = 0
    before: int = 1
    names: set[str] = field(default_factory=set)
    data: set[str] = field(default_factory=set)
    partitions: set[str] = field(default_factory=set)
    sketches: set[str] = field(default_factory=set)


class Accounts:
    """The accounts of a ledger, entry by entry.

    Examples
    --------
    >>> Accounts().all()
    []
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._by_name: dict[str, Account] = {}
        for entry in entries:
            self.add(entry)

    def all(self) -> list[Account]:
        """Every account, oldest first."""
        return sorted({id(a): a for a in self._by_name.values()}.values(), key=lambda a: a.first)

    def named(self, names: Iterable[str]) -> list[Account]:
        """The accounts of these holdouts, oldest first; none for holdouts never looked at."""
        known = {id(a): a for name in names if (a := self._by_name.get(name)) is not None}
        return sorted(known.values(), key=lambda a: a.first)

    def charged(self, names: Iterable[str]) -> tuple[int, int]:
        """How many looks all these holdouts had, and in how many ways their answers could come out."""
        looks, before = 0, 1
        for account in self.named(names):
            looks, before = looks + account.looks, before * account.before
        return looks, before

    def add(self, entry: Entry) -> None:
        """Take the next look: what it touches is one account from now on."""
        touched = self.named(entry.names)
        account = touched[0] if touched else Account(entry.holdout, entry.sequence, entry.delta)
        account.looks, account.before = entry.number, entry.answers_after
        account.delta = entry.delta
        for other in touched[1:]:
            account.names |= other.names
            account.data |= other.data
            account.partitions |= other.partitions
            account.sketches |= other.sketches
        account.names |= set(entry.names)
        for known, digest in (
            (account.data, entry.data),
            (account.partitions, entry.partition),
            (account.sketches, entry.sketch),
        ):
            if digest:
                known.add(digest)
        for name in account.names:
            self._by_name[name] = account
