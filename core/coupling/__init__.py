"""Particles and bodies of place and rotation: what ties them, and what one is to the other."""
