"""Bakes simulated motion into native Blender data, and frees it without a trace."""
