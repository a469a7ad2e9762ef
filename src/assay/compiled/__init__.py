"""Numba loops: arrays in, arrays out, no classes. The only room that imports numba."""
