"""Rigid bodies of place and rotation: how they turn, touch, hang together and fall asleep."""
