"""Bounds on the number of mistakes, one file per algorithm."""
