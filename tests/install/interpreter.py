"""Where another Python is on this machine: `make test-python VERSION=3.12`. Where there is none, the reason is said.

Looked for are a command ``python3.12`` that starts, the versions of pyenv, and what uv has or can fetch.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def candidates(version):
    """Commands that may start it, those that cost least first."""
    yield [f"python{version}"]
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for found in sorted(home.glob(f"versions/{version}.*/bin/python{version}"), reverse=True):
        yield [str(found)]
    uv = shutil.which("uv")
    if uv:
        yield [uv, "run", "--no-project", "--quiet", "--python", version, "python"]


def interpreter(version):
    """The path of a Python of this version that starts; None if there is none."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable, end='')"
    for command in candidates(version):
        try:
            done = subprocess.run(
                [*command, "-c", ask], capture_output=True, text=True, check=True, timeout=600
            )
        except (OSError, subprocess.SubprocessError):
            continue
        found, _, path = done.stdout.partition(" ")
        if found == version:
            return path
    return None


if __name__ == "__main__":
    [version] = sys.argv[1:]
    path = interpreter(version)
    if path is None:
        print(
            f"Skipped: no command python{version} starts here, pyenv has none, and uv is not installed or cannot fetch "
            "it. Nothing was tested.",
            file=sys.stderr,
        )
    else:
        print(path)
