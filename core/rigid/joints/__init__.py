"""Joints: their rows, the sparse factor that solves all of them, what they remember."""
