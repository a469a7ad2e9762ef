"""Bounds on the error on new examples: finite classes, Occam, VC, Rademacher, conversions."""
