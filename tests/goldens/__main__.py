"""Write down again what learners and commands say: `python -m tests.goldens`, or only some of them, by name."""

import json
import sys
import tempfile
from pathlib import Path

from assay.learners.registry import learner_names
from tests.goldens.scenes import FOLDER, commands, learner


def write(name, said):
    text = json.dumps(said, indent=1, ensure_ascii=False, default=str)
    (FOLDER / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for name in learner_names():
            if not wanted or name in wanted:
                write(name, learner(name, Path(folder)))
        if not wanted or any(name.startswith("command-") for name in wanted):
            for name, said in commands(Path(folder)).items():
                if not wanted or f"command-{name}" in wanted:
                    write(f"command-{name}", said)
