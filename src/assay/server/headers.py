"""What browsers are told with every answer: to guess nothing, keep nothing, and load nothing from elsewhere."""

from __future__ import annotations

from functools import lru_cache

Headers = list[tuple[bytes, bytes]]

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_POLICY = b"content-security-policy"
#: Answers that are no pages have nothing to load.
_DATA_POLICY = b"default-src 'none'; frame-ancestors 'none'"
#: Pages load what this server sends, run no script that stands in them, and are framed by nobody.
PAGE_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DATA = (*_ALWAYS, (_POLICY, _DATA_POLICY))
_PAGE = (
    *_ALWAYS,
    (_POLICY, PAGE_POLICY),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


@lru_cache(maxsize=256)
def _added(headers: tuple[tuple[bytes, bytes], ...]) -> tuple[tuple[bytes, bytes], ...]:
    given = dict(headers)
    page = given.get(b"content-type", b"").startswith(b"text/html")
    return tuple(pair for pair in (_PAGE if page else _DATA) if pair[0] not in given)


def secured(headers: Headers) -> Headers:
    """An answer's headers with those for browsers; what a route has set itself stays.

    Examples
    --------
    >>> headers = dict(secured([(b"content-type", b"text/html"), (b"cache-control", b"max-age=60")]))
    >>> headers[b"cache-control"], headers[b"x-content-type-options"]
    (b'max-age=60', b'nosniff')
    """
    return [*headers, *_added(tuple(headers))]
