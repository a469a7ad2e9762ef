"""The ways out that refusals name, as options of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, BadParameter

# By their names in Python, and as options.
_WAYS_OUT = {
    "name the target in categories.": "name the target with --category.",
    "name it in categories.": "name it with --category.",
    "Leave the column out, or name its categories.": "Leave the column out with --drop.",
    "Leave the column out.": "Leave the column out with --drop.",
    "or leave it out.": "or leave it out with --drop.",
    "or say format=...": "or say --format.",
    "or say format='tsv'.": "or say --format tsv.",
    "with overlap='refuse'": "with --overlap refuse",
    "say overlap='drop'": "say --overlap drop",
    "say overlap='keep'": "say --overlap keep",
}


@contextmanager
def in_options() -> Iterator[None]:
    """A refusal in here names options, where it would name what they are called in Python."""
    try:
        yield
    except AssayError as refusal:
        sentence = str(refusal)
        for named, option in _WAYS_OUT.items():
            sentence = sentence.replace(named, option)
        refusal.args = (sentence,)
        raise


def require_apart(read: Path, **written: Path | None) -> None:
    """Refuse to write over what is read, or over one another."""
    taken = {os.path.realpath(read): "the table"}
    for option, path in written.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise BadParameter(
                f"--{option} names {path}, which is {taken[place]}. Give it a name of its own."
            )
        taken[place] = f"what --{option} names"
