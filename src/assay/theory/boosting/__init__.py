"""Bounds for ensembles: boosting, crowds, bootstrap samples."""
