"""The pytest plugin: the fixture ``assay_gate``, its options, and the promises of a run at its end.

pytest loads it at every start where assay is installed, so it imports what it needs when a gate is asked.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.gates.gate import AssayGate, GateRun
    from assay.gates.looks import Look

_RUN = pytest.StashKey["GateRun"]()
_GATE = pytest.StashKey["AssayGate"]()
# What travels with a report from a worker to the terminal.
_TRAVELS = "assay_looks"

_OPTIONS = {
    "ledger": ("FILE", "Charge every gate to this ledger, as a pass/fail look at its holdout."),
    "delta": (
        "P",
        "Probability that the promise of a gate fails; 0.05 when not given, which is 95 % confidence.",
    ),
    "out": ("DIR", "Write the certificates of gates to this folder."),
    "summary": (
        "FILE",
        "Append the promises of the run to this file, as Markdown; such as $GITHUB_STEP_SUMMARY.",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options, each of which may also stand in the configuration file."""
    group = parser.getgroup("assay", "gates by what can be promised of a model")
    for name, (metavar, text) in _OPTIONS.items():
        group.addoption(f"--assay-{name}", metavar=metavar, default=None, help=text)
        parser.addini(f"assay_{name}", text)


def _option(config: pytest.Config, name: str) -> str | None:
    given = config.getoption(f"assay_{name}")
    return given or config.getini(f"assay_{name}") or None


def _place(config: pytest.Config, name: str) -> Path | None:
    """A path as it was typed, or relative to the configuration file that names it."""
    given = config.getoption(f"assay_{name}")
    if given:
        return Path(config.invocation_params.dir, given)
    written = str(config.getini(f"assay_{name}"))
    return Path(config.rootpath, written) if written else None


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options that cannot be used before any test runs, and listen to what gates come to."""
    delta, summary = _option(config, "delta"), _place(config, "summary")
    if delta is not None or summary is not None:
        _require_usable(delta, summary)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Promises(config), "assay-promises")


def _require_usable(delta: str | None, summary: Path | None) -> None:
    from assay.errors import BadParameter
    from assay.report.summary_file import require_summary_file
    from assay.theory.needs import inside_unit

    try:
        if delta is not None:
            inside_unit("--assay-delta", delta)
        if summary is not None:
            require_summary_file(summary, "--assay-summary")
    except BadParameter as refusal:
        raise pytest.UsageError(str(refusal)) from None


def _run(config: pytest.Config) -> GateRun:
    from assay.gates.gate import GateRun

    if _RUN not in config.stash:
        delta = _option(config, "delta") or "0.05"
        config.stash[_RUN] = GateRun(_place(config, "ledger"), delta, _place(config, "out"))
    return config.stash[_RUN]


@pytest.fixture
def assay_gate(request: pytest.FixtureRequest) -> AssayGate:
    """Fail the test unless what is wanted of a model can be promised; see `assay.gates.gate.AssayGate`."""
    from assay.gates.gate import AssayGate

    def fail(sentence: str) -> Any:
        pytest.fail(sentence, pytrace=False)

    gate = AssayGate(_run(request.config), request.node.nodeid, fail)
    request.node.stash[_GATE] = gate
    return gate


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what gates came to along with a report: under xdist it is another process that tells it."""
    report = yield
    gate = item.stash.get(_GATE, None)
    if gate is not None and gate.looks:
        setattr(report, _TRAVELS, [look.to_json() for look in gate.looks])
        gate.looks.clear()
    return report


class _Promises:
    """The gates of a run, in the process that tells of them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._looks: list[Look] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what gates came to from a report."""
        told = getattr(report, _TRAVELS, None)
        if told:
            from assay.gates.looks import Look

            self._looks += [Look(**look) for look in told]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the promises of the run."""
        if not self._looks:
            return
        from assay.gates.looks import look_lines, looks_markdown

        terminalreporter.section("promises")
        for line in look_lines(self._looks):
            terminalreporter.line(line)
        summary = _place(self._config, "summary")
        if summary is not None:
            from assay.report.summary_file import append_markdown

            append_markdown(summary, looks_markdown(self._looks))
