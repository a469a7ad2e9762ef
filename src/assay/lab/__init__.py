"""The experiments of the lecture notes."""
