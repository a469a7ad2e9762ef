"""Who gets in: the host and the page that ask, the key, and how often."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from assay.server.access import Need, need_of
from assay.server.hosts import client_of, host_name, is_loopback, same_origin
from assay.server.keys import Key, KeyFile, Keys
from assay.server.limits import Limits
from assay.server.personalizer.places import is_personalizers
from assay.server.rates import Buckets
from assay.server.refusals import Refusal

#: Where a connection keeps the key it came with.
KEY = "assay.key"
#: How Personalizer's libraries send a key.
_SUBSCRIPTION = b"ocp-apim-subscription-key"
_THIS_MACHINE = ("127.0.0.1", "::1")


class Guard:
    """Lets requests in; given to the application as `authorise`.

    Parameters
    ----------
    keys : KeyFile, Keys or None
        Without keys everybody may do everything, which is for loopback alone.
    hosts : frozenset of str, or None
        The names under which the server may be asked; None for any.
    limits : Limits
    clock : callable
    """

    def __init__(
        self,
        keys: KeyFile | Keys | None = None,
        hosts: frozenset[str] | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keys, self._hosts, self._limits = keys, hosts, limits or Limits()
        self._rates = Buckets(self._limits.burst, clock=clock)
        self._strangers = Buckets(self._limits.stranger_burst, clock=clock)
        #: Requests without a valid key where one was needed.
        self.failures = 0
        #: When keys were last used, by their ids, until somebody writes it down.
        self.uses: dict[str, float] = {}
        #: Host headers that were found to be fine, so that they are read once.
        self._fine: set[bytes] = set()

    def __call__(self, scope: dict[str, Any], path: str) -> None:
        """Refuse what is not allowed, with a sentence."""
        host = origin = site = given = subscription = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"authorization":
                given = value
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
            elif name == _SUBSCRIPTION:
                subscription = value
        if self._hosts is not None and host not in self._fine:
            self._require_host(host)
        if origin or site:
            _require_own_page(scope["method"], origin, site, host)
        address = scope["client"][0] if scope.get("client") else ""
        if self._keys is None:
            if address not in _THIS_MACHINE and not is_loopback(address):
                self._count(client_of(address), self._limits.rate)
            return
        need = need_of(scope["method"], path)
        theirs = is_personalizers(path)
        if theirs and subscription and not given:
            given = b"bearer " + subscription
        key = self._key_of(given) if given else None
        if key is not None:
            scope[KEY] = key
            self.uses[key.id] = time.time()
            self._count(key.id, key.rate or self._limits.rate)
            _require_allowed(key, need)
        elif need.scope is not None or given:
            self._refuse_stranger(address, bool(given), theirs)

    @property
    def asks_for_keys(self) -> bool:
        """Whether nobody gets in without a key."""
        return self._keys is not None

    def problem(self) -> str | None:
        """Why nobody with a key can be let in, in words."""
        return self._keys.problem() if isinstance(self._keys, KeyFile) else None

    def _require_host(self, host: bytes) -> None:
        assert self._hosts is not None
        if host_name(host.decode("latin-1")) not in self._hosts:
            raise Refusal("forbidden", "The server does not answer to the host that was asked for.")
        if len(self._fine) < 100:
            self._fine.add(host)

    def _key_of(self, given: bytes) -> Key | None:
        kind, _, text = given.decode("latin-1").partition(" ")
        if self._keys is None or kind.lower() != "bearer":
            return None
        return self._keys.find(text.strip())

    def _count(self, who: str, rate: float) -> None:
        wait = self._rates.take(who, rate)
        if wait:
            raise Refusal(
                "too_many",
                f"There may be {rate:,g} requests a second. Send several examples in one request.",
                retry_after=math.ceil(wait),
            )

    def _refuse_stranger(self, address: str, given: bool, theirs: bool) -> None:
        """Only those who fail are counted: nobody can lock out a key by guessing at it."""
        self.failures += 1
        wait = self._strangers.take(client_of(address), self._limits.stranger_rate)
        if wait:
            raise Refusal(
                "too_many", "Too many requests without a valid key.", retry_after=math.ceil(wait)
            )
        what = "The key is not valid." if given else "A key is needed."
        how = "Ocp-Apim-Subscription-Key: KEY" if theirs else "Authorization: Bearer KEY"
        raise Refusal("not_allowed", f"{what} Send it as: {how}")


def _require_own_page(method: str, origin: bytes, site: bytes, host: bytes) -> None:
    """A page of another site may have a browser send requests; none of them is answered."""
    foreign = site in (b"cross-site", b"same-site")
    if foreign and method in ("GET", "HEAD") and not origin:
        return  # a link that is followed; such an answer is not shown to the other page
    if origin and not same_origin(origin.decode("latin-1"), host.decode("latin-1")):
        foreign = True
    if foreign:
        raise Refusal("forbidden", "Pages of other sites may not ask this server.")


def _require_allowed(key: Key, need: Need) -> None:
    if need.scope is None:
        return
    if not key.may(need.scope):
        raise Refusal("forbidden", f"This needs a key with the scope {need.scope!r}.")
    if key.learners is None or need.each:
        return
    if need.learner is None or not key.sees(need.learner):
        raise Refusal("forbidden", "The key is not for this.")


def sees(scope: dict[str, Any], learner: str) -> bool:
    """Whether whoever asks may know of a learner."""
    key: Key | None = scope.get(KEY)
    return key is None or key.sees(learner)
