"""Data that know their own constants: the margin, the concept, the noise, the best expert, the gaps.

Everything is drawn from a seed; the same seed gives the same data.
"""

# At once, because files and functions share their names, and the functions must win.
from assay.data.synthetic.arms import Arms, arms
from assay.data.synthetic.disjunction import Disjunction, disjunction
from assay.data.synthetic.dnf import DNF, dnf
from assay.data.synthetic.expert_losses import ExpertLosses, expert_losses
from assay.data.synthetic.gaussian_classes import GaussianClasses, gaussian_classes
from assay.data.synthetic.joint_table import JointTable
from assay.data.synthetic.label_noise import NoisyLabels, noisy_labels
from assay.data.synthetic.noisy_function import NoisyFunction
from assay.data.synthetic.separable import Separable, separable
from assay.data.synthetic.weak_learning import (
    CoinFlipLearner,
    ReluctantLearner,
    WeaklyLearnable,
    weakly_learnable,
)

__all__ = [
    "DNF",
    "Arms",
    "CoinFlipLearner",
    "Disjunction",
    "ExpertLosses",
    "GaussianClasses",
    "JointTable",
    "NoisyFunction",
    "NoisyLabels",
    "ReluctantLearner",
    "Separable",
    "WeaklyLearnable",
    "arms",
    "disjunction",
    "dnf",
    "expert_losses",
    "gaussian_classes",
    "noisy_labels",
    "separable",
    "weakly_learnable",
]
