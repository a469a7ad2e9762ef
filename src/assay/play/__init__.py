"""The games: online, experts, bandit, delayed feedback; conversions and adversaries.

`assay.play` is the function of the commonest game; files of this folder are imported by their full names.
"""
