"""Whether a column is to be predicted as classes or as a quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from assay.errors import BadData, BadParameter, require, setting
from assay.learners.registry import find_learner
from assay.types import Array

Task = Literal["classes", "quantity"]
AskedTask = Literal["auto", "classes", "quantity"]

#: A target with more different numbers than this is a quantity, unless it is declared to hold classes.
MOST_NUMBERS = 100
# In fewer rows, numbers may all differ by chance.
_FEW_ROWS = 20


def task_of(y: Array, asked: AskedTask, where: str, name: str) -> Task:
    """What a target is: a quantity if it holds more than 100 different numbers, or numbers that hardly repeat.

    Hardly repeating means that there are more than half as many different numbers as rows, on more than 20 rows.
    Anything else holds classes; what is `asked` goes before.

    Examples
    --------
    >>> task_of(np.arange(500) / 2, "auto", "'y'", "t.csv"), task_of(np.arange(500) % 7, "auto", "'y'", "t.csv")
    ('quantity', 'classes')
    """
    numbers = y.dtype.kind in "iuf"
    if asked == "quantity" and not numbers:
        raise BadData(
            f"{name} must hold numbers in {where} for a quantity to be learned, but holds "
            f"{'truth values' if y.dtype.kind == 'b' else 'words'}. Learn classes, by a classifier, or make numbers of "
            f"them."
        )
    if asked != "auto":
        return asked
    if not numbers:
        return "classes"
    different = len(np.unique(y))
    scarce = 2 * different > len(y) > _FEW_ROWS
    return "quantity" if different > MOST_NUMBERS or scarce else "classes"


def asked_task(task: AskedTask, learners: Sequence[str]) -> AskedTask:
    """The task that was asked for, by name or by naming learners that all predict numbers.

    Examples
    --------
    >>> asked_task("auto", ["ridge"]), asked_task("auto", ["svc"]), asked_task("auto", [])
    ('quantity', 'auto', 'auto')
    """
    must = "'auto', 'classes' or 'quantity'"
    require(task in ("auto", "classes", "quantity"), "task", must, task)
    kinds = [kind_of(name) for name in learners]
    if "classifier" in kinds and "regressor" in kinds:
        one, other = (learners[kinds.index(kind)] for kind in ("classifier", "regressor"))
        raise BadParameter(
            f"{one} predicts classes, but {other} predicts numbers. Name learners of one kind."
        )
    if "regressor" not in kinds:
        return task
    if task == "classes":
        raise BadParameter(f"{learners[0]} predicts numbers, not classes. Name a classifier.")
    return "quantity"


def kind_of(learner: str) -> str:
    """What a learner predicts; refuses one that predicts neither classes nor numbers."""
    kind: Any = find_learner(learner)().__sklearn_tags__().estimator_type
    if kind not in ("classifier", "regressor"):
        raise BadParameter(
            f"{learner} predicts neither classes nor numbers, so there is nothing to certify. Name a classifier or a "
            f"regressor."
        )
    return str(kind)


def require_suited(learners: Sequence[str], task: Task, where: str) -> None:
    """Refuse classifiers where a quantity is to be predicted."""
    wrong = [name for name in learners if task == "quantity" and kind_of(name) == "classifier"]
    if wrong:
        raise BadParameter(
            f"{wrong[0]} predicts classes, but {where} is a quantity. Name a regressor, such as ridge or "
            f"random-forest-regressor; or say that the numbers are classes, with ",
            setting("task", "classes"),
            ".",
        )
