"""Blender itself: its version, its window and threads, its data as arrays both ways."""
