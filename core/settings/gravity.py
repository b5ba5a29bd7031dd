"""Gravity on Earth."""

GRAVITY = 9.81
"""m/s², that artist parameters are scaled with, whatever the scene's gravity is."""

EARTH_GRAVITY = (0.0, 0.0, -GRAVITY)
"""m/s², of a scene that says nothing else."""
