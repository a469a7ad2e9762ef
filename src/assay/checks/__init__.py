"""The contract, shipped: whether a bound, anyone's, keeps what it promises."""

from assay.checks import attacks, experiments, reports
from assay.checks.bound import BoundCheck, Experiment, check_bound

__all__ = ["BoundCheck", "Experiment", "attacks", "check_bound", "experiments", "reports"]
