"""Kinds of collision shapes."""

PLANE, BOX, ROOM, SPHERE, CAPSULE, CYLINDER, HULL, MESH = range(8)
SHAPE_KINDS = {
    "PLANE": PLANE,
    "BOX": BOX,
    "ROOM": ROOM,
    "SPHERE": SPHERE,
    "CAPSULE": CAPSULE,
    "CYLINDER": CYLINDER,
    "HULL": HULL,
    "MESH": MESH,
}
"""By name, as settings and shapes call them."""
