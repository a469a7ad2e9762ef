"""Linear learners that see one example at a time."""
