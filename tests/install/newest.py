"""Which releases `make test-newest` leaves out: those that pyproject.toml forbids, and those that are not final."""

import json
import re
import subprocess
import sys

from tests.install.minima import requirements

_FINAL = re.compile(r"[0-9.]+(\.?post[0-9]+)?")


def left_out():
    """A line for each package of which there is a later release than the one that is installed."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    listed = subprocess.run(
        [*pip, "list", "--outdated", "--pre", "--format", "json"],
        stdout=subprocess.PIPE,
        check=True,
    )
    ours = {normal(name) for name, _, _ in requirements()}
    for package in json.loads(listed.stdout):
        if normal(package["name"]) in ours:
            latest, held = package["latest_version"], package["version"]
            why = (
                "is not allowed beside the others"
                if _FINAL.fullmatch(latest)
                else "is no final release"
            )
            yield f"Skipped: {package['name']} {latest} {why}; tested with {held}."


def normal(name):
    """The name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print("\n".join(left_out()) or "Nothing is left out.")
