"""Scenes that are timed and measured: `python -m verlet_physics bench`."""
