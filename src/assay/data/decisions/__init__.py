"""Logs of decisions: what was known, what was done and with which probability, and what it cost."""
