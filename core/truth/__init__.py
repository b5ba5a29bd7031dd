"""Exact setups with exact answers: `python -m verlet_physics truth`."""
