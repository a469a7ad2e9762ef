"""How many rows, or labels, each kind of promise takes: a file for each kind."""
