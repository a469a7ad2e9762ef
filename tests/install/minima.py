"""The oldest release of every package that pyproject.toml allows, as pip's constraints: `make test-minimum`.

What a tool for developers alone says (lint, types, documentation, measurements) is no promise to a user: it stays as
new as pip finds it. Nothing is imported that Python does not bring, since this runs before anything is installed.
"""

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
#: What users install; of the extra `dev` the packages whose objects a user hands over, and the plugin's host.
EXTRAS = ("tables", "learn", "excel", "plots", "server")
HANDED_OVER = {"pandas", "polars", "duckdb", "pytest"}
_LEAST = re.compile(
    r"(?P<name>[\w.-]+)\s*>=\s*(?P<least>[\w.]+)(?P<most>,<[\w.]+)?\s*(;\s*(?P<where>.+))?"
)


def requirements():
    """Everything a user may have beside assay, as pyproject.toml says it: name, oldest release, and where."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    told = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    handed = [line for line in extras["dev"] if re.match(r"[\w.-]+", line)[0] in HANDED_OVER]
    for line in [*told, *handed]:
        if not line.startswith("assay-ml["):
            read = _LEAST.fullmatch(line)
            assert read is not None, f"{line!r} names no oldest release."
            yield read["name"], read["least"], read["where"]


def constraints():
    """A line for each."""
    for name, least, where in requirements():
        yield f"{name}=={least}" + (f"; {where}" if where else "")


if __name__ == "__main__":
    print("\n".join(sorted(set(constraints()))))
