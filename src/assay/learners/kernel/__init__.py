"""Learners that see examples through a kernel."""
