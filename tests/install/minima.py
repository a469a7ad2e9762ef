"""The oldest release of every package that pyproject.toml allows, as pip's constraints: `make test-minimum`.

What a tool for developers alone says (lint, types, documentation, measurements) is no promise to a user: it stays as
new as pip finds it.
"""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
#: What users install; of the extra `dev` the packages whose objects a user hands over.
EXTRAS = ("tables", "learn", "excel", "plots", "server")
HANDED_OVER = {"pandas", "polars", "duckdb", "pytest"}


def requirements():
    """Everything a user may have beside assay, as pyproject.toml says it."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    told = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    read = [Requirement(line) for line in [*told, *extras["dev"]]]
    handed = {Requirement(line).name for line in told} | HANDED_OVER
    return [one for one in read if one.name in handed and one.name != "assay-ml"]


def oldest(requirement):
    """The release that a requirement begins with."""
    [least] = [one.version for one in requirement.specifier if one.operator == ">="]
    return f"{requirement.name}=={least}"


if __name__ == "__main__":
    print("\n".join(sorted({oldest(one) for one in requirements()})))
