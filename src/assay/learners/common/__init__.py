"""What learners of all families share."""
