"""TLS of the service itself: a certificate that is read again when its files change."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from assay.errors import BadData, BadParameter

log = logging.getLogger("assay.server")
_LOOK_S = 30.0


class Tls:
    """What connections are encrypted with.

    Parameters
    ----------
    certificate : path
        The chain of the server, in PEM.
    key : path, optional
        Its private key, where it stands in another file.
    clock : callable
    """

    def __init__(
        self, certificate: Path, key: Path | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._certificate, self._key, self._clock = certificate, key, clock
        self._changed, self._looked = self._changes(), clock()
        try:
            self._context = self._read()
        except OSError as problem:
            raise BadData(
                f"{_which(problem, certificate)} cannot be read: {_why(problem)}."
            ) from None

    @property
    def context(self) -> ssl.SSLContext:
        """The context of the next connection; a renewed certificate is taken within half a minute."""
        if self._clock() - self._looked >= _LOOK_S:
            self._looked = self._clock()
            changes = self._changes()
            if changes != self._changed:
                try:
                    self._context = self._read()
                except (
                    OSError,
                    BadParameter,
                ) as problem:  # it may be half-written: looked at again
                    log.error("The renewed certificate cannot be read: %s", _why(problem))
                else:
                    self._changed = changes
        return self._context

    def _read(self) -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        made.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
        made.set_alpn_protocols(["http/1.1"])

        def no_password() -> str:
            raise BadParameter(
                "certificate-key must be a key without a password: nobody is there to type it."
            )

        made.load_cert_chain(self._certificate, self._key, no_password)
        return made

    def _changes(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(map(_change, (self._certificate, self._key or self._certificate)))


def _change(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def _which(problem: OSError, certificate: Path) -> str:
    return str(problem.filename or certificate)


def _why(problem: Exception) -> str:
    if isinstance(problem, ssl.SSLError):
        return f"it holds no certificate with its key in PEM ({problem.reason or 'unknown'})"
    return str(getattr(problem, "strerror", None) or problem)
