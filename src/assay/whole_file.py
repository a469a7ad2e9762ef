"""Writing a file so that a crash leaves either the old one or the new one, never half of it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from assay.errors import BadData

# Windows gives no name to a file while anybody has the one open that bore it; virus scanners do for a moment.
_IN_USE = (5, 32)
_PATIENCE_S = 2.0


@contextmanager
def whole_file(path: str | os.PathLike[str], mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A file to write bytes to, which takes its name only once everything is on disk.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "note")) as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "note").read_bytes()
    b'all of it'
    """
    target = Path(path)
    handle, name = _beside(target)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        take_name(name, target)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _unwritable(target, error.strerror or error) from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def whole_files(paths: Iterable[Path]) -> Iterator[dict[Path, Path]]:
    """Places to write several files to, which take their names together, once all of them are written.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_files([Path(folder, "a"), Path(folder, "b")]) as places:
    ...         for place in places.values():
    ...             _ = place.write_bytes(b"all of it")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a', 'b']
    """
    places: dict[Path, Path] = {}
    try:
        for path in paths:
            handle, name = _beside(path)
            places[path] = Path(name)
            os.close(handle)
        yield places
        for path, place in places.items():
            take_name(place, path)
    except OSError as problem:
        raise BadData(f"The files cannot be written: {problem.strerror or problem}.") from None
    except BadData as problem:
        asked = {str(place): str(path) for path, place in places.items()}
        raise problem.but(subject=asked.get(problem.subject or "", problem.subject)) from None
    finally:
        for place in places.values():
            place.unlink(missing_ok=True)


def take_name(name: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file the name of another one, whose place it takes; where that one is in use, within two seconds."""
    last = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return os.replace(name, target)
        except PermissionError as problem:
            if getattr(problem, "winerror", None) not in _IN_USE or time.monotonic() > last:
                raise
        time.sleep(0.02)


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse a path to which nothing can be written, before the work that should end there."""
    handle, name = _beside(Path(path))
    os.close(handle)
    os.unlink(name)


def _beside(target: Path) -> tuple[int, str]:
    """A new file in the folder of the target, which can be renamed to it in one step."""
    if target.is_dir():
        raise _unwritable(target, "it is a directory")
    try:
        return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise _unwritable(target, error.strerror or error) from None


def _unwritable(target: Path, why: object) -> BadData:
    return BadData(f" cannot be written: {why}.", subject=str(target))
