from .nonnegative import least_squares_above_zero as least_squares_above_zero
from .normal_equations import left_over as left_over
from .proximal_newton import steepness as steepness
