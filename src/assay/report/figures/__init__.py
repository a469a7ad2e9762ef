"""Figures: each a function that takes plain numbers or a fitted model and returns a plotly figure.

The notebook, the report and the web use the same ones: `assay.figures` is this package. plotly is imported when
the first figure is drawn: ``pip install 'assay-ml[plots]'``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Public name -> file of this folder, which has another name: importing the file would hide the function. One line
# for each figure, in the order of the alphabet, here and below.
_PUBLIC = {
    "bias_variance_curve": "bias_variance",
    "boosted_votes": "boosting",
    "boosting_errors": "boosting_rounds",
    "bound_by_rows": "sample_size",
    "broken_against_delta": "reliability",
    "candidate_splits": "splits",
    "certificate_reliability": "reliability",
    "comparison_figure": "comparison",
    "crowd_majority": "crowd",
    "curse_of_dimensionality": "curse",
    "decision_boundary": "plane",
    "error_certificate": "certificate",
    "error_over_rounds": "mistakes",
    "fit_curves": "bias_variance",
    "growth_curve": "growth",
    "halfspace_growth": "growth",
    "hinge_loss": "losses",
    "kd_boxes": "kd_space",
    "kd_construction": "kd_cells",
    "kd_query": "kd_cells",
    "labelings": "shattering",
    "learning_curve": "bias_variance",
    "loss_curve": "regret",
    "loss_functions": "losses",
    "margin_band": "band",
    "margins_distribution": "margins",
    "mistakes_curve": "mistakes",
    "moved_points": "moved",
    "near_neighbors": "neighbors",
    "neuron_diagram": "neuron",
    "perceptron_steps": "perceptron",
    "promised_and_observed": "certificate",
    "pruning_path": "pruning",
    "radon_hulls": "radon",
    "regret_curve": "regret",
    "reliability_diagram": "reliability",
    "rows_needed": "sample_size",
    "tree_figure": "tree",
    "two_concepts": "concepts",
}

if TYPE_CHECKING:
    from assay.report.figures.band import margin_band as margin_band
    from assay.report.figures.bias_variance import bias_variance_curve as bias_variance_curve
    from assay.report.figures.bias_variance import fit_curves as fit_curves
    from assay.report.figures.bias_variance import learning_curve as learning_curve
    from assay.report.figures.boosting import boosted_votes as boosted_votes
    from assay.report.figures.boosting_rounds import boosting_errors as boosting_errors
    from assay.report.figures.certificate import error_certificate as error_certificate
    from assay.report.figures.certificate import promised_and_observed as promised_and_observed
    from assay.report.figures.comparison import comparison_figure as comparison_figure
    from assay.report.figures.concepts import two_concepts as two_concepts
    from assay.report.figures.crowd import crowd_majority as crowd_majority
    from assay.report.figures.curse import curse_of_dimensionality as curse_of_dimensionality
    from assay.report.figures.growth import growth_curve as growth_curve
    from assay.report.figures.growth import halfspace_growth as halfspace_growth
    from assay.report.figures.kd_cells import kd_construction as kd_construction
    from assay.report.figures.kd_cells import kd_query as kd_query
    from assay.report.figures.kd_space import kd_boxes as kd_boxes
    from assay.report.figures.losses import hinge_loss as hinge_loss
    from assay.report.figures.losses import loss_functions as loss_functions
    from assay.report.figures.margins import margins_distribution as margins_distribution
    from assay.report.figures.mistakes import error_over_rounds as error_over_rounds
    from assay.report.figures.mistakes import mistakes_curve as mistakes_curve
    from assay.report.figures.moved import moved_points as moved_points
    from assay.report.figures.neighbors import near_neighbors as near_neighbors
    from assay.report.figures.neuron import neuron_diagram as neuron_diagram
    from assay.report.figures.perceptron import perceptron_steps as perceptron_steps
    from assay.report.figures.plane import decision_boundary as decision_boundary
    from assay.report.figures.pruning import pruning_path as pruning_path
    from assay.report.figures.radon import radon_hulls as radon_hulls
    from assay.report.figures.regret import loss_curve as loss_curve
    from assay.report.figures.regret import regret_curve as regret_curve
    from assay.report.figures.reliability import broken_against_delta as broken_against_delta
    from assay.report.figures.reliability import certificate_reliability as certificate_reliability
    from assay.report.figures.reliability import reliability_diagram as reliability_diagram
    from assay.report.figures.sample_size import bound_by_rows as bound_by_rows
    from assay.report.figures.sample_size import rows_needed as rows_needed
    from assay.report.figures.shattering import labelings as labelings
    from assay.report.figures.splits import candidate_splits as candidate_splits
    from assay.report.figures.tree import tree_figure as tree_figure


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay.figures' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
