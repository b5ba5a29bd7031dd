"""Kernels made ahead: what Numba compiles, for several processors and systems, in one library each.

`python -m tools.ahead` with the interpreter that has the engine, Numba and Zig (`dev.py library`).
"""
