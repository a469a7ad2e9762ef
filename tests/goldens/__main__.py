"""Write down again what every learner and command says: `python -m tests.goldens`."""

import json
import tempfile
from pathlib import Path

from assay.learners.registry import learner_names
from tests.goldens.scenes import FOLDER, commands, learner


def write(name, said):
    text = json.dumps(said, indent=1, ensure_ascii=False, default=str)
    (FOLDER / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in learner_names():
            write(name, learner(name, Path(folder)))
        for name, said in commands(Path(folder)).items():
            write(f"command-{name}", said)
