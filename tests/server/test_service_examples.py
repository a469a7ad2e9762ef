"""The files of examples/service fit the service: its options, its limits, and what they wait for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from assay.cli.app import app
from assay.server.limits import Limits

FOLDER = Path(__file__).parents[2] / "examples" / "service"


def text(name):
    return (FOLDER / name).read_text(encoding="utf-8")


#: How each file starts a command of the service.
COMMANDS = {
    "assay.service": r"^ExecStart=(.*)$",
    "assay-backup.service": r"^ExecStart=(.*)$",
    "Dockerfile": r'^CMD \["assay", "serve", (.*)\]$',
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_have_options_that_there_are(name):
    command = re.search(COMMANDS[name], text(name), re.M)[1]
    known = {name for option in get_command(app).commands["serve"].params for name in option.opts}
    used = set(re.findall(r"--[a-z-]+", command.partition("serve ")[2] or command))
    assert "--store" in used
    assert used <= known


def seconds(found):
    return float(found.removesuffix("s"))


def test_nginx_keeps_its_connections_and_closes_them_first():
    conf, limits = text("nginx.conf"), Limits()
    upstream = re.search(r"upstream assay \{(.*?)\n\}", conf, re.S)[1]
    assert int(re.search(r"keepalive (\d+);", upstream)[1]) >= 32
    assert seconds(re.search(r"keepalive_timeout (\w+);", upstream)[1]) < limits.idle
    assert "proxy_http_version 1.1;" in conf
    assert 'proxy_set_header Connection "";' in conf
    # The host with its port: pages of the service belong to the port that the browser asked.
    assert "proxy_set_header Host $http_host;" in conf
    assert "X-Forwarded-For $remote_addr" in conf
    assert int(re.search(r"client_max_body_size (\d+)m;", conf)[1]) * 2**20 == limits.body
    assert seconds(re.search(r"client_header_timeout (\w+);", conf)[1]) == limits.head
    assert seconds(re.search(r"client_body_timeout (\w+);", conf)[1]) == limits.receive
    port = re.search(r"server 127\.0\.0\.1:(\d+);", upstream)[1]
    assert f"--port {port} " in text("assay.service")


def test_who_ends_the_service_waits_for_it():
    assert int(re.search(r"TimeoutStopSec=(\d+)", text("assay.service"))[1]) > Limits().drain
    assert int(re.search(r"--time (\d+)", text("Dockerfile"))[1]) > Limits().drain
    assert "STOPSIGNAL SIGTERM" in text("Dockerfile")


def test_keys_are_in_a_folder_that_is_mounted():
    """Not a file alone: `assay keys` puts another in its place, and a container would keep the old one."""
    docker = text("Dockerfile")
    [mounted] = re.findall(r"-v (\./\S+):(/\S+?):ro", docker)
    assert not mounted[0].endswith(".json")
    assert f'"--keys", "{mounted[1]}/keys.json"' in docker
    assert "BindReadOnlyPaths=/etc/assay/keys.json" not in text("assay.service")
