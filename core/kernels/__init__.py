"""Compiling: Numba where it is there, how what it makes is linked, and where that is kept."""
