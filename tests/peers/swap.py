"""A plugin for pytest that runs scikit-learn's own tests with assay's classes in the place of scikit-learn's.

Every class of assay that shares the name of one of scikit-learn's takes its place in scikit-learn's modules before
the tests are imported. A test counts if it made an object of such a class. Failures that are expected stand in
``expected/*.txt``, one by one with a reason each. Any other failure fails the run; so does one of these that passes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.utils import all_estimators

HERE = Path(__file__).parent
ROOT = Path(sklearn.__file__).parent.parent
PACKAGES = (
    "ensemble",
    "kernel_ridge",
    "linear_model",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "svm",
    "tree",
)
# Where scikit-learn makes estimators of its own accord, or asks of which class one is: they are assay's there, too.
# Boosting by single trees is left out: it writes into the arrays of scikit-learn's own.
MAKERS = (
    "calibration",
    "compose._target",
    "ensemble._bagging",
    "ensemble._stacking",
    "ensemble._weight_boosting",
    "linear_model._ransac",
)
_MADE: set[str] = set()


def pytest_addoption(parser):
    group = parser.getgroup("peers")
    group.addoption("--write-expected", help="Write failures that are not listed to this file.")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Summary(config), "peers-summary")
    config.stash[_EXPECTED] = expected_failures()
    _import_all()
    swapped = {name for package in PACKAGES for name in _swap(package)}
    assert swapped == _shared_names(), (
        "a class that shares a name of scikit-learn's was not swapped"
    )
    _list_each_name_once()


def expected_failures():
    """From the name of a test to the reason why it fails."""
    reasons = {}
    for path in sorted((HERE / "expected").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.partition(" | ")
                if not reason.strip():
                    raise pytest.UsageError(f"{path.name}: no reason is given for {name!r}")
                reasons[name.strip()] = reason.strip()
    return reasons


_EXPECTED = pytest.StashKey()


def _import_all():
    """Import scikit-learn whole, so that its own modules keep its own classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(sklearn.__path__, "sklearn.", onerror=lambda _: None):
            if not re.search(r"\.tests|conftest|_build_utils|externals", module.name):
                try:
                    importlib.import_module(module.name)
                except ImportError:
                    continue


def _swap(package):
    """Put assay's classes in the place of those of a package that have the same names."""
    import assay

    module = importlib.import_module(f"sklearn.{package}")
    for name in dir(module):
        theirs, ours = getattr(module, name), getattr(assay, name, None)
        if not isinstance(theirs, type) or not isinstance(ours, type) or ours is theirs:
            continue
        ours.__init__ = _noted(ours.__init__, name)
        home = sys.modules[theirs.__module__]
        # Pickles look a class up by its name: where scikit-learn still makes its own, it must be found under another.
        theirs.__qualname__ = f"_Own{name}"
        setattr(home, theirs.__qualname__, theirs)
        for place in (module, home, *(sys.modules[f"sklearn.{maker}"] for maker in MAKERS)):
            if getattr(place, name, None) is theirs:
                setattr(place, name, ours)
        yield name


def _shared_names():
    """The estimators of scikit-learn's that assay has one of the same name of."""
    import assay

    return {name for name, _ in all_estimators() if hasattr(assay, name)}


def _list_each_name_once():
    """Let what lists scikit-learn's estimators list the swapped ones in place of those that they replace."""

    @functools.wraps(all_estimators)
    def listed(*args, **kwargs):
        pairs = all_estimators(*args, **kwargs)
        return [(name, one) for name, one in pairs if one.__qualname__ != f"_Own{name}"]

    for module in [*sys.modules.values()]:
        if (
            getattr(module, "all_estimators", None) is all_estimators
            and module.__name__ != __name__
        ):
            module.all_estimators = listed


def _noted(init, name):
    """The same, noting that an object was made."""

    @functools.wraps(init)
    def made(self, *args, **kwargs):
        _MADE.add(name)
        return init(self, *args, **kwargs)

    return made


def _name_of(item):
    return f"{item.path.relative_to(ROOT).as_posix()}::{item.nodeid.split('::', 1)[1]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _MADE.clear()
    np.random.seed(0)  # noqa: NPY002 - tests that give no seed shall end in the same way every time
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "setup" and report.passed:
        return report
    name = _name_of(item)
    reason = item.config.stash[_EXPECTED].get(name)
    if report.when == "call":
        report.user_properties.append(("peers", (name, sorted(_MADE))))
        if reason and report.passed and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = f"{name} is listed as failing ({reason}), but passes."
    if report.failed and reason and call.excinfo is not None:
        report.outcome, report.wasxfail = "skipped", reason
        report.user_properties.append(("listed", True))
    elif report.failed and call.excinfo is not None:
        text = str(call.excinfo.value).strip().replace("\n", " ")
        report.user_properties.append(("why", f"{call.excinfo.typename}: {text}"[:200]))
    return report


class _Summary:
    """Counts, where all reports come together."""

    def __init__(self, config):
        self.path = config.getoption("--write-expected")
        self.counted, self.classes, self.failures = Counter(), Counter(), {}

    def pytest_runtest_logreport(self, report):
        told = dict(report.user_properties)
        if report.when != "call" or "peers" not in told:
            return
        name, made = told["peers"]
        if not made:
            return
        outcome = "failed as expected" if told.get("listed") else report.outcome
        if outcome == "skipped" and hasattr(report, "wasxfail"):
            outcome = "failed there too"
        self.counted[outcome] += 1
        self.classes.update((one, outcome) for one in made)
        if report.failed:
            self.failures[name] = told.get("why", "listed as failing, but passes")

    def pytest_terminal_summary(self, terminalreporter):
        tests = sum(self.counted[k] for k in ("passed", "failed", "failed as expected"))
        if not tests:
            return
        share = self.counted["passed"] / tests
        terminalreporter.write_line(
            f"{tests} tests made an object of a swapped class: {self.counted['passed']} pass ({share:.1%}), "
            f"{self.counted['failed as expected']} fail as expected, {self.counted['failed']} fail. "
            f"{self.counted['failed there too']} more fail in scikit-learn, too, by its own marks."
        )
        for name in sorted({one for one, _ in self.classes}):
            each = {o: self.classes[name, o] for o in ("passed", "failed as expected", "failed")}
            terminalreporter.write_line(
                f"  {name}: " + ", ".join(f"{n} {o}" for o, n in each.items())
            )
        if self.path:
            lines = [f"{name} | {why}\n" for name, why in sorted(self.failures.items())]
            Path(self.path).write_text("".join(lines), encoding="utf-8")
