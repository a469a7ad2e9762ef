"""``assay serve``: the service on this machine."""

from __future__ import annotations

import gc
import json
import logging
import os
import platform
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer

from assay import __version__
from assay.cli.output import JsonFlag
from assay.cli.serve_file import limits_of_file, read_serve_file
from assay.errors import BadData, BadParameter

#: Files beside connections: the store's, and what the interpreter opens.
_SPARE = 256


def serve_command(
    context: typer.Context,
    store: Path = typer.Option(
        Path("assay.db"),
        "--store",
        envvar="ASSAY_STORE",
        show_envvar=False,
        help="The file that holds everything.",
    ),
    host: str = typer.Option(
        "127.0.0.1",
        "--host",
        envvar="ASSAY_HOST",
        show_envvar=False,
        help="The address to listen on.",
    ),
    port: int = typer.Option(
        8000,
        "--port",
        min=0,
        max=65535,
        envvar="ASSAY_PORT",
        show_envvar=False,
        help="The port; 0 takes a free one.",
    ),
    keys: Path | None = typer.Option(
        None,
        "--keys",
        envvar="ASSAY_KEYS",
        show_envvar=False,
        help="The file of API keys, as `assay keys new` makes it.",
    ),
    known_as: list[str] = typer.Option(
        [],
        "--known-as",
        envvar="ASSAY_KNOWN_AS",
        show_envvar=False,
        help="A host name under which clients ask; can be given several times.",
    ),
    log_requests: bool = typer.Option(
        True,
        "--log-requests/--log-refusals",
        envvar="ASSAY_LOG_REQUESTS",
        show_envvar=False,
        help="Log every request, or only those refused.",
    ),
    limit: list[str] = typer.Option(
        [], "--limit", help="How much is taken, such as body=32M; can be given several times."
    ),
    certificate: Path | None = typer.Option(
        None,
        "--certificate",
        envvar="ASSAY_CERTIFICATE",
        show_envvar=False,
        help="A certificate chain in PEM, to be asked by TLS.",
    ),
    certificate_key: Path | None = typer.Option(
        None,
        "--certificate-key",
        envvar="ASSAY_CERTIFICATE_KEY",
        show_envvar=False,
        help="Its private key in PEM; left out where it stands in the same file.",
    ),
    config: Path | None = typer.Option(
        None,
        "--config",
        envvar="ASSAY_CONFIG",
        show_envvar=False,
        is_eager=True,
        callback=read_serve_file,
        help="A TOML file with these options, and limits as a table [limits].",
    ),
    personalizer: str | None = typer.Option(
        None,
        "--personalizer",
        envvar="ASSAY_PERSONALIZER",
        show_envvar=False,
        help="The learner that answers at Azure Personalizer's routes; made if it is not there.",
    ),
    check: bool = typer.Option(False, "--check", help="Verify the store, and do not serve."),
    backup: Path | None = typer.Option(
        None, "--backup", help="Copy the store to this new file, also while it is served, and end."
    ),
    shrink: bool = typer.Option(
        False, "--shrink", help="Give the disk back what was let go, while no server runs, and end."
    ),
    head: Path | None = typer.Option(
        None,
        "--head",
        help="With --check: a head that GET /v1/head answered; it must still be in the log.",
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Serve learners over HTTP: predict now, be told later, lose nothing.

    A 2xx survives a crash and is applied exactly once. Ctrl-C or SIGTERM finishes what was accepted, within 30 seconds
    (--limit drain=N).
    An option counts more than a variable such as ASSAY_PORT or ASSAY_LIMIT_BODY, and that more than the file.

    Example: assay serve --store assay.db --port 8000
    """
    if check:
        _check(store, head, as_json)
        return
    if head is not None:
        raise BadParameter("--head is compared by --check. Give both.")
    if backup is not None:
        _back_up(store, backup)
        return
    if shrink:
        _shrink(store)
        return
    import uvicorn

    from assay.server.app import create_app
    from assay.server.drain import Drain
    from assay.server.engine.arithmetic import in_one_thread
    from assay.server.hosts import require_keys
    from assay.server.limits import limits_of_text, limits_of_variables, read_limits
    from assay.server.request_log import QueuedLines, RequestLog
    from assay.server.wire.connection import Connection
    from assay.server.wire.table import descriptors_for

    require_keys(host, keys)
    limits = read_limits(
        limits_of_file(context), limits_of_variables(os.environ), limits_of_text(limit)
    )
    tls = _tls(certificate, certificate_key)
    in_one_thread()
    requests = RequestLog(all=log_requests)
    logging.basicConfig(level=logging.INFO, handlers=[QueuedLines(requests)])
    guard = _guard(keys, host, tuple(known_as), requests, limits)
    app = create_app(
        store, limits=limits, authorise=guard, requests=requests, personalizer=personalizer
    )
    connections = app.state.service.connections
    connections.bound_by_descriptors(descriptors_for(connections.limits.connections + _SPARE))
    gc.freeze()  # what was imported stays, and need not be looked through again and again
    sys.setswitchinterval(0.0005)  # requests wait that much less for threads that count or write

    drain = Drain(app.state.service, limits.drain)
    scheme = "http" if tls is None else "https"

    class Server(uvicorn.Server):
        """Tells event streams to end, which would otherwise keep the server waiting."""

        def handle_exit(self, sig: int, frame: Any) -> None:
            drain.begin()
            # Not raised again when all is done: a server that was told to end has ended well.
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self.should_exit = True

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets=sockets)
            for held in self.servers:
                for socket in held.sockets:
                    place, number = socket.getsockname()[:2]
                    typer.echo(f"assay serves {store} at {scheme}://{_shown(place)}:{number}")

    terms = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,  # what uvicorn has to say goes into the same lines of JSON
        log_level="warning",
        http=partial(Connection, connections, tls),  # type: ignore[arg-type]
        ws="none",
        access_log=False,
        server_header=False,
        # Behind a proxy on this machine the addresses are those it names, but only where keys are needed.
        proxy_headers=keys is not None,
        timeout_graceful_shutdown=drain.for_requests,  # type: ignore[arg-type]  # a wait takes parts of seconds
        backlog=1024,
    )
    try:
        Server(terms).run()
    except SystemExit:
        raise BadParameter(f"{host}:{port} cannot be listened on. Is the port taken?") from None
    finally:
        requests.close()
        drain.finished()


def _shown(place: str) -> str:
    return f"[{place}]" if ":" in place else place


def _tls(certificate: Path | None, key: Path | None) -> Any:
    from assay.server.tls import Tls

    if certificate is None and key is not None:
        raise BadParameter("--certificate-key belongs to --certificate. Give both.")
    return None if certificate is None else Tls(certificate, key)


def _guard(keys: Path | None, host: str, names: tuple[str, ...], requests: Any, limits: Any) -> Any:
    """Who gets in."""
    from assay.server.auth import Guard
    from assay.server.hosts import known_hosts
    from assay.server.keys import KeyFile

    known = None if keys is None else KeyFile(keys, lambda words: requests.say("error", words))
    return Guard(known, known_hosts(host, names), limits)


def _check(path: Path, head: Path | None, as_json: bool) -> None:
    from assay.server.engine.arithmetic import in_one_thread
    from assay.server.engine.check import check_store
    from assay.server.store.head import read_head
    from assay.server.store.store import Store

    if not path.is_file():
        raise BadData(f"{path} cannot be read: No such file or directory.")
    published = () if head is None else read_head(head)
    in_one_thread()  # as it was served
    store = Store(path, exclusive=False)
    try:
        report = check_store(store, head=published)
    finally:
        store.close()
    if as_json:
        answer: dict[str, Any] = {
            "ok": not report.problems,
            "learners": report.learners,
            "events": report.events,
            "begun": dict(report.begun),
        }
        for name in ("problems", "broken", "differs", "earlier"):
            answer[name] = list(getattr(report, name))
        typer.echo(json.dumps(answer, ensure_ascii=False))
    else:
        for line in _said(path, report):
            typer.echo(line)
    if report.problems:
        raise typer.Exit(1)


def _said(path: Path, report: Any) -> Iterator[str]:
    if not report.problems:
        yield f"{path} is sound: {report.events:,} events of {report.learners:,} learners, chained and replayed."
        for name in report.earlier:
            yield f"{name}: written by an earlier version; a replay gives the same within rounding, or counts anew."
        for name, seq in report.begun.items():
            yield f"{name}: events were erased or let go; replayed from the state behind event {seq:,} on."
    if report.broken:
        yield f"{path} is broken:"
    elif report.differs:
        yield (
            f"{path} is whole: {report.events:,} events of {report.learners:,} learners, chained as they were written. "
            f"But a replay on this machine ({platform.machine()}, assay {__version__}) gives something else:"
        )
    yield from report.problems


def _back_up(path: Path, target: Path) -> None:
    from assay.server.store.store import Store

    store = Store(path, exclusive=False)
    try:
        store.backup(target)
    finally:
        store.close()
    typer.echo(f"{path} copied to {target}.")


def _shrink(path: Path) -> None:
    from assay.server.store.store import Store

    if not path.is_file():
        raise BadData(f"{path} cannot be read: No such file or directory.")
    before = path.stat().st_size
    store = Store(path)
    try:
        store.shrink()
    finally:
        store.close()
    typer.echo(f"{path}: {before:,} bytes before, {path.stat().st_size:,} now.")
