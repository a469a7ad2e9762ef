"""Learners of boolean concepts: disjunctions, DNF, and any finite class."""
