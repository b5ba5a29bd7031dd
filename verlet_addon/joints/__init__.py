"""Joints between objects and ties between what bends and what is rigid."""
