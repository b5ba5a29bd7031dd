"""Clothes of the demo scenes: a shirt, a skirt and a cape that fit a person of `characters`."""

import bmesh
import bpy
import numpy as np
from characters import PERSON, flesh
from mathutils import Vector
from scene_parts import BLUE, GOLD, RED, add_mesh, linked, make, paint

DETAIL = 0.026  # m, edges of the shirt
CUFF = Vector((0.47, 0.005, 1.155))  # m, in the rest pose
ALONG_ARM = Vector((0.68, -0.11, -0.72))
COLLAR, HEM = 1.572, 1.01  # m, heights at which the shirt ends
SKIRT_HEIGHT = (0.62, 0.97, 1.05, 1.11)  # m
SKIRT_WIDE = (0.40, 0.225, 0.19, 0.165)  # m, from the middle to the side
SKIRT_DEEP = (0.36, 0.185, 0.155, 0.135)  # m, to the front
AROUND, DOWN = 56, 22  # vertices of the skirt
CAPE_COLUMNS, CAPE_ROWS = 29, 42


def add_shirt(rig: bpy.types.Object) -> None:
    """A thicker body without head, hands and legs, over the skirt; only its collar is pinned."""
    mesh = flesh("Garment", PERSON, False, DETAIL, 0.018)
    shape = bmesh.new()
    shape.from_mesh(mesh)
    _cut(shape, Vector((0.0, 0.0, COLLAR)), Vector((0.0, 0.0, 1.0)))
    _cut(shape, Vector((0.0, 0.0, HEM)), Vector((0.0, 0.0, -1.0)))
    for side in (1.0, -1.0):
        mirror = Vector((side, 1.0, 1.0))
        _cut(shape, CUFF * mirror, ALONG_ARM * mirror)
    shape.to_mesh(mesh)
    shape.free()
    x = np.array([v.co for v in mesh.vertices])
    wide, deep = _skirt_size(x[:, 2])
    inside = np.hypot(x[:, 0] / (wide + 0.014), x[:, 1] / (deep + 0.014))
    low = x[:, 2] < SKIRT_HEIGHT[-1] + DETAIL
    x[low, :2] /= np.minimum(1.0, inside[low])[:, None]
    mesh.vertices.foreach_set("co", x.ravel())
    mesh.name = "Shirt"
    shirt = linked(bpy.data.objects.new("Shirt", mesh))
    shirt.color = BLUE
    _wear(rig, shirt, "chest", x[:, 2] > COLLAR - 0.8 * DETAIL)


def _cut(shape: bmesh.types.BMesh, place: Vector, normal: Vector) -> None:
    """Cut off what lies beyond a plane; vertices near it are laid on it, for no slivers."""
    normal = normal.normalized()
    near = [v for v in shape.verts if abs((v.co - place).dot(normal)) < 0.4 * DETAIL]
    for vertex in near:
        vertex.co -= (vertex.co - place).dot(normal) * normal
    bmesh.ops.remove_doubles(shape, verts=near, dist=0.4 * DETAIL)
    geometry = [*shape.verts, *shape.edges, *shape.faces]
    bmesh.ops.bisect_plane(
        shape, geom=geometry, dist=1e-5, plane_co=place, plane_no=normal, clear_outer=True
    )


def add_skirt(rig: bpy.types.Object) -> None:
    """It lies on the hips, which hold its waist."""
    turn = np.arange(AROUND) * 2.0 * np.pi / AROUND
    z = np.linspace(SKIRT_HEIGHT[-1], SKIRT_HEIGHT[0], DOWN)[:, None]
    wide, deep = _skirt_size(z)
    x, y, z = np.broadcast_arrays(wide * np.cos(turn), deep * np.sin(turn), z)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    faces = _sheet(AROUND, DOWN, is_closed=True)
    skirt = add_mesh("Skirt", vertices, faces, GOLD, smooth=True)
    _wear(rig, skirt, "hips", np.arange(len(vertices)) < AROUND)


def _skirt_size(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half axes in m of the skirt's ellipse at heights."""
    return np.interp(z, SKIRT_HEIGHT, SKIRT_WIDE), np.interp(z, SKIRT_HEIGHT, SKIRT_DEEP)


def add_cape(rig: bpy.types.Object) -> None:
    """A sheet that lies round the neck and hangs down behind; the chest holds its collar."""
    across, down = np.meshgrid(
        np.linspace(-1.0, 1.0, CAPE_COLUMNS), np.linspace(0.0, 1.0, CAPE_ROWS)
    )
    over = np.sin(0.5 * np.pi * np.minimum(1.0, down / 0.16))  # the way over the shoulders
    collar = 0.155 * np.sin(1.5 * across), 0.01 + 0.085 * np.cos(1.5 * across)
    x = collar[0] + over * (0.22 * across - collar[0]) + 0.24 * across * down
    y = collar[1] + over * (0.16 + 0.06 * (1.0 - across**2) - collar[1]) + 0.22 * down
    z = 1.585 - 0.01 * across**2 - 0.03 * over**2 - 1.1 * np.maximum(0.0, down - 0.1)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    cape = add_mesh("Cape", vertices, _sheet(CAPE_COLUMNS, CAPE_ROWS), RED, smooth=True)
    _wear(rig, cape, "chest", np.arange(len(vertices)) < CAPE_COLUMNS)


def _sheet(across: int, down: int, *, is_closed: bool = False) -> np.ndarray:
    """Four-cornered faces (n, 4) between rows of vertices, which run on where it is closed."""
    row = np.arange(down - 1)[:, None] * across
    left = np.arange(across if is_closed else across - 1)
    i, k = (row + left).ravel(), (row + (left + 1) % across).ravel()
    return np.stack([i, i + across, k + across, k], axis=1)


def _wear(rig: bpy.types.Object, garment: bpy.types.Object, bone: str, pinned: np.ndarray) -> None:
    """Make a garment cloth, whose pinned vertices (n,) go with a bone."""
    for group in ("Pin", bone):
        paint(garment, group, pinned.astype(float))
    garment.parent = rig
    garment.modifiers.new("Armature", "ARMATURE").object = rig
    make("cloth", garment, preset="COTTON")
    garment.verlet.pin_group = "Pin"
    garment.verlet.cloth.damping = 0.4  # no fold quivers once the walker stands
