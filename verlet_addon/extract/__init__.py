"""Blender data in, numpy arrays out; each error names the object and the way out."""
