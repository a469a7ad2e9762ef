"""The experiments of the lecture notes.

Functions are named as their modules are, so they are bound here at once: a name bound when first used would be the
module's if that was imported before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.lab.against_bayes import against_bayes as against_bayes
from assay.lab.bias_variance import bias_variance as bias_variance
from assay.lab.cross_validation import cross_validation as cross_validation
from assay.lab.error_decomposition import error_decomposition as error_decomposition
from assay.lab.error_tail import error_tail as error_tail
from assay.lab.ghost_sample import ghost_sample as ghost_sample
from assay.lab.no_free_lunch import no_free_lunch as no_free_lunch
from assay.lab.rademacher_complexity import rademacher_complexity as rademacher_complexity
from assay.lab.ridge_crossover import ridge_crossover as ridge_crossover
from assay.lab.separator_margins import separator_margins as separator_margins
from assay.lab.shattering import shattering as shattering
from assay.lab.smallest_tree import smallest_tree as smallest_tree
from assay.lab.support_path import support_path as support_path
from assay.lab.tail_bounds import tail_bounds as tail_bounds
from assay.lab.top_of_range import top_of_range as top_of_range
from assay.lab.truth_table import truth_table as truth_table
from assay.lab.weak_learners import weak_learners as weak_learners
from assay.lab.well_posedness import well_posedness as well_posedness

if TYPE_CHECKING:
    from assay.learners.ensembles.stump_game import stump_game as stump_game


def __getattr__(name: str) -> Any:
    if name != "stump_game":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from assay.learners.ensembles.stump_game import stump_game

    return stump_game


def __dir__() -> list[str]:
    here = (name for name, held in globals().items() if _is_experiment(held))
    return sorted([*here, "stump_game"])


def _is_experiment(held: Any) -> bool:
    return callable(held) and held.__module__.startswith(f"{__name__}.")
