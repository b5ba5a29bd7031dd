"""Integrators that see only forces: one step each, what they carry, and when they blow up."""
