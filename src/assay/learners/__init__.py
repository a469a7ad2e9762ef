"""Scikit-learn estimators, a folder per family, a file per learner."""
