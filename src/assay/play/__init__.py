"""The games: online, experts, bandit, delayed feedback; conversions and adversaries."""
