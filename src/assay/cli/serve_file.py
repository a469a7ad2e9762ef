"""One TOML file with the options of ``assay serve`` and the limits of the service."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer import Context

from assay.errors import BadData, BadParameter

_LIMITS = "limits"
#: What is done once and then ends, or names the file itself, belongs to no file.
_NOT_KEPT = ("config", "check", "backup", "shrink", "head", "as_json", "limit", "help")


def read_serve_file(context: Context, path: Path | None) -> Path | None:
    """Take options from a file; those of the environment and of the command line count more."""
    if path is not None:
        held = _read(path)
        context.meta[_LIMITS] = _table(path, held.pop(_LIMITS, {}))
        known = {str(p.name) for p in context.command.params} - {*_NOT_KEPT}
        given = {name.replace("-", "_"): value for name, value in held.items()}
        for name in given:
            if name not in known:
                listed = ", ".join(sorted(one.replace("_", "-") for one in known))
                raise BadParameter(
                    f"{path} must hold options of `assay serve` ({listed}) and a table [limits], but "
                    f"holds {name.replace('_', '-')!r}."
                )
        context.default_map = dict(context.default_map or {}) | given
    return path


def limits_of_file(context: Context) -> Mapping[str, Any]:
    """The table of limits in the file that was read."""
    limits: Mapping[str, Any] = context.meta.get(_LIMITS, {})
    return limits


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise BadData(f"{path} cannot be read: {problem.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadData(f"{path} is not TOML: {problem}.") from None


def _table(path: Path, held: Any) -> Mapping[str, Any]:
    if not isinstance(held, dict):
        raise BadParameter(f"{path} must hold limits as a table [limits], but holds {held!r}.")
    return held
