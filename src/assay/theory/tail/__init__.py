"""Bounds from the tail of a distribution: the certificates of a holdout."""
