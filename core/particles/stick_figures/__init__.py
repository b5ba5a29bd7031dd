"""Stick figures: sticks of particles that meet as capsules, and what figures wear (Jakobsen §7)."""
