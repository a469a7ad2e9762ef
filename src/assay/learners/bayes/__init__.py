"""Learners that take features to be independent within each class."""
