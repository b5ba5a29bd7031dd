"""Rigid bodies that are made of four particles each (Jakobsen §5)."""
