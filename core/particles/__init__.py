"""Particles: how they move, what keeps them together, and what they touch."""
