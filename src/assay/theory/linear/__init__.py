"""Identities and bounds for linear models: least squares, ridge, losses that bound the error."""
