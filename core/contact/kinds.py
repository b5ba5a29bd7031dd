"""Kinds of collision shapes."""

PLANE, BOX, ROOM, SPHERE, CAPSULE, CYLINDER, HULL, MESH = range(8)
