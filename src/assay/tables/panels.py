"""The figures of a report about a model that was learned from a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.report.figures.certificate import error_certificate, promised_and_observed
from assay.report.figures.comparison import comparison_figure
from assay.report.figures.confusion import confusion_figure
from assay.report.figures.predicted import predicted_figure
from assay.report.figures.reliability import reliability_diagram
from assay.report.figures.sample_size import bound_by_rows
from assay.report.figures.weights import largest_weights
from assay.report.story import Panel
from assay.tables.fit import FittedTable

# With more classes or leaves a figure cannot be read.
_MOST_CLASSES = 30
_MOST_LEAVES = 32


def panels_of(fitted: FittedTable) -> tuple[Panel, ...]:
    """The figures that say something about this fit."""
    if fitted.quantity is not None:
        told = [_predicted(fitted), _weights(fitted), _guarantees(fitted)]
        return tuple(panel for panel in told if panel is not None)
    drawn = [
        _confusion(fitted),
        _calibration(fitted),
        _certificate(fitted),
        _choice(fitted),
        _weights(fitted),
    ]
    drawn += [_tree(fitted), _guarantees(fitted), _more_rows(fitted)]
    return tuple(panel for panel in drawn if panel is not None)


def _predicted(fitted: FittedTable) -> Panel | None:
    numbers = fitted.evidence.quantities
    if numbers is None:
        return None
    claim = fitted.certificate.claims[0]
    ranked = claim.theorem == "tolerance-limit" and claim.promised is not None
    limit = float(claim.promised) if ranked and claim.promised is not None else None
    caption = "Every held-out row, or 2,000 of them, by its true and its predicted number; on the line both are equal."
    if limit is not None:
        caption += " The band is what is promised."
    figure = predicted_figure(numbers.truth, numbers.predicted, limit)
    return Panel("True and predicted", figure, caption)


def _certificate(fitted: FittedTable) -> Panel | None:
    if fitted.void:  # nothing is promised that could be drawn
        return None
    caption = (
        "The point is what was seen on the held-out rows, the bar ends at what may be promised. The textbook's bound "
        "is shown beside it, to see what exactness is worth."
    )
    return Panel("Seen and promised", error_certificate(fitted.certificate), caption)


def _confusion(fitted: FittedTable) -> Panel | None:
    tally = fitted.evidence.tally
    if tally is None or tally.confusion is None or len(tally.labels) > _MOST_CLASSES:
        return None
    caption = "Every held-out row, by its true class and by the class that was predicted for it."
    figure = confusion_figure(tally.confusion, tally.labels)
    return Panel("Which classes are confused", figure, caption)


def _calibration(fitted: FittedTable) -> Panel | None:
    if fitted.confidence is None:
        return None
    sure, right = fitted.confidence
    caption = (
        "Held-out rows by the probability that the model gave to the class it predicted, and how many of them were "
        "right. Where a bar misses the line, that probability is not how often the model is right."
    )
    return Panel(
        "Are its probabilities true", reliability_diagram(sure, right, outcome="right"), caption
    )


def _choice(fitted: FittedTable) -> Panel | None:
    if fitted.choice is None or fitted.void or fitted.evidence.units is not None:
        return None
    rows = [
        {
            "learner": one.candidate.learner,
            "error": one.errors / one.rows,
            "bound": one.promised,
            "seconds": one.seconds,
        }
        for one in fitted.choice.tried
        if one.errors is not None
    ]
    caption = (
        "Each candidate on the training rows that judged it: the point is its error, the bar ends at what its name "
        "and its errors allow to be promised. The holdout had no part in it."
    )
    return Panel("How the learner was chosen", comparison_figure(rows), caption)


def _weights(fitted: FittedTable) -> Panel | None:
    model: Any = fitted.model
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    if hasattr(model, "feature_importances_"):
        numbers, what = np.asarray(model.feature_importances_), "importance"
        caption = "How much of the impurity that the trees remove is removed by questions about each feature."
    elif hasattr(model, "coef_") and np.ndim(model.coef_) == 2 and len(model.coef_) == 1:
        numbers, what = np.asarray(model.coef_)[0], "weight"
        caption = (
            f"A weight above zero speaks for {model.classes_[1]!s}, one below zero (hatched) for "
            f"{model.classes_[0]!s}. Numbers were centred and scaled, so weights can be compared."
        )
    else:
        return None
    return Panel("What the model looks at", largest_weights(numbers, names, what=what), caption)


def _tree(fitted: FittedTable) -> Panel | None:
    if fitted.learner != "decision-tree-classifier" or fitted.model.get_n_leaves() > _MOST_LEAVES:
        return None
    from assay.report.figures.tree import tree_figure

    caption = "Every question, and the rows of training that came to it."
    return Panel("The tree", tree_figure(fitted.model), caption)


def _guarantees(fitted: FittedTable) -> Panel | None:
    if not fitted.guarantees:
        return None
    caption = "What the learner's own theorems promise about this fit, beside what was observed."
    return Panel("Theorems about the fit", promised_and_observed(fitted.guarantees), caption)


def _more_rows(fitted: FittedTable) -> Panel | None:
    if fitted.void or fitted.error >= 1 or float(fitted.delta) == 0:  # too small for a double
        return None
    rows = max(1000, 20 * fitted.evidence.rows)
    figure = bound_by_rows(round(fitted.error, 4), rows=rows, delta=float(fitted.delta))
    caption = (
        "What could be promised if the model were tested on more rows and went on to be wrong at the same rate: the "
        "distance to the observed rate shrinks with the root of their number."
    )
    return Panel("What more rows would be worth", figure, caption)
