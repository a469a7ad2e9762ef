"""Evaluation logs as the tools write them: one small reader for each format, found by what a file holds."""
