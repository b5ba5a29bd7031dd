"""Blender's own Rigid Body settings and constraints as ours, and back.

What Blender holds is left where it is and its simulation is only switched off, so that nothing is
lost which we have no word for. On the way back only what was changed meanwhile is written.
"""
