"""Which hosts a server may be asked under, which pages may ask, and whether other machines may."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from assay.errors import BadParameter

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to a host.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_keys(host: str, keys: object) -> None:
    """Refuse to listen to other machines without keys."""
    if keys is None and not is_loopback(host):
        raise BadParameter(
            f"--host must be a loopback address unless --keys is given, but is {host!r}: anyone who "
            "reaches it could read, teach and delete learners. Make a key with `assay keys new FILE`, "
            "and start with --keys FILE."
        )


def host_name(header: str) -> str:
    """The name in a Host header, without its port.

    Examples
    --------
    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("Example.org")
    ('localhost', '::1', 'example.org')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower().rstrip(".")


def known_hosts(host: str, names: tuple[str, ...] = ()) -> frozenset[str] | None:
    """The names under which a server may be asked; None for any.

    A server on loopback answers to no other name: a page elsewhere could else have its own name point
    here, and ask as if it were at home. Others are protected by their keys, and may name their hosts.
    """
    named = frozenset(host_name(name) for name in names)
    if is_loopback(host):
        return named | {*_LOOPBACK_NAMES, host_name(host)}
    return named | {host_name(host)} if named else None


def same_origin(origin: str, host: str) -> bool:
    """Whether a page may ask: only those that come from here.

    Examples
    --------
    >>> same_origin("http://localhost:8000", "localhost:8000"), same_origin("null", "localhost:8000")
    (True, False)
    """
    try:
        return urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return False


def client_of(address: str) -> str:
    """The client that an address stands for: in IPv6 a whole network, since each client has one.

    Examples
    --------
    >>> client_of("10.0.0.7"), client_of("2001:db8:1:2:3:4:5:6")
    ('10.0.0.7', '2001:db8:1:2::/64')
    """
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address
