from .normal_equations import left_over as left_over
