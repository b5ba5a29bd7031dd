"""Geometry in, builder calls out: one verb of the product a file."""
