"""What a model of any library says of rows beside a label: probabilities, or a number that ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.certificates.issue.score_claims import PROBABILITIES
from assay.errors import BadData, BadParameter
from assay.evidence.scores import positive_of
from assay.types import Floats


def model_scores(
    model: Any, X: Any, names: Sequence[str], positive: Any = None
) -> tuple[Floats, tuple[Any, ...], Any]:
    """Scores of rows, the labels they are of, and the label of which a single column speaks.

    Probabilities where they are needed; where rows are only ranked, what ``decision_function`` says of the positive
    label, or else its probability.
    """
    import numpy as np

    labels = np.asarray(getattr(model, "classes_", ()))
    if labels.ndim != 1 or not labels.size:
        raise BadParameter(
            f"model must name its labels in classes_ for scores to be read, but is a {type(model).__name__} that "
            "does not. Give y_true and score."
        )
    order = np.argsort(labels, kind="stable")
    known = tuple(labels[order].tolist())
    probable = any(name in PROBABILITIES for name in names)
    if not probable and callable(getattr(model, "decision_function", None)):
        table = _table(model.decision_function(X))
        if table.shape[1] == 1 and len(known) == 2:
            # Of two labels it speaks for the second.
            table = np.concatenate([-table, table], axis=1)
    elif callable(getattr(model, "predict_proba", None)):
        table = _table(model.predict_proba(X))
    else:
        needed = "predict_proba" + ("" if probable else " or decision_function")
        raise BadParameter(
            f"model must have {needed} for {', '.join(names)}, but {type(model).__name__} has not. Give y_true and "
            "score."
        )
    if table.shape[1] != len(known):
        raise BadData(
            f"The model gives {table.shape[1]} scores for each row, but has {len(known)} labels."
        )
    table = table[:, order]
    if probable:
        return table, known, None
    label = positive_of(known, positive)
    return table[:, known.index(label)], known, label


def _table(scores: Any) -> Floats:
    import numpy as np

    table: Floats = np.asarray(scores, dtype=np.float64)
    return table.reshape(len(table), -1)
