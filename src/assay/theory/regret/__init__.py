"""Bounds on regret: how far behind the best expert, arm or comparator a learner can fall."""
