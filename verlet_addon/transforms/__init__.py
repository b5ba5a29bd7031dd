"""Rotations, matrices and the spaces they lie in, as reading and writing share them."""
