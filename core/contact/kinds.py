"""Kinds of collision shapes, as kernels know them."""

PLANE, BOX, ROOM, SPHERE, CAPSULE, CYLINDER, HULL, MESH = range(8)
