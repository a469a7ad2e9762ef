"""Learning from the nearest examples."""
