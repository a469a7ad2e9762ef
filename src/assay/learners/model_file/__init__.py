"""A learner on disk: what a file may hold, and how it is read back."""
