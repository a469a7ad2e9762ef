"""Data that know their own constants: the margin, the concept, the noise, the best expert, the gaps.

Everything is drawn from a seed; the same seed gives the same data.
"""
