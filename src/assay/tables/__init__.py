"""From a table to a certified model: fit, predict and compare."""
