"""Shapes for tests of the narrow phase, and what is known of them without it."""

import numpy as np

from verlet_physics.collision.broad_phase import ITEM
from verlet_physics.collision.kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, PLANE, ROOM, SPHERE
from verlet_physics.collision.manifold import manifold_room
from verlet_physics.collision.mesh_edges import mesh_edges
from verlet_physics.collision.narrow_phase import narrow_phase, narrow_phase_scratch
from verlet_physics.collision.shapes import Shapes
from verlet_physics.geometry.hull import convex_hull

UPRIGHT = np.eye(3)


def turned(w, x, y, z):
    """Rotation matrix of a quaternion."""
    w, x, y, z = np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z])
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis, angle):
    """Rotation by an angle about an axis."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return turned(np.cos(angle / 2), *(np.sin(angle / 2) * axis))


class Scene:
    """Shapes that are added one by one, and the narrow phase over pairs of them."""

    def __init__(self):
        self.rows = []
        self.hulls = []
        self.meshes = []

    def add(self, kind, size=(0, 0, 0), centre=(0, 0, 0), rotation=UPRIGHT, table=-1):
        size = np.concatenate([np.asarray(size, dtype=float), np.zeros(3)])[:3]
        self.rows.append((kind, size, np.array(centre, dtype=float), np.array(rotation), table))
        return len(self.rows) - 1

    def hull(self, points, centre=(0, 0, 0), rotation=UPRIGHT):
        hull = points if hasattr(points, "vertex") else convex_hull(points)
        self.hulls.append(hull)
        half = np.abs(hull.vertex).max(axis=0)
        return self.add(HULL, half, centre, rotation, len(self.hulls) - 1)

    def mesh(self, vertex, triangle, centre=(0, 0, 0), rotation=UPRIGHT, two_sided=False):
        self.meshes.append((np.array(vertex, dtype=float), np.array(triangle), two_sided))
        return self.add(MESH, (1, 1, 1), centre, rotation, len(self.meshes) - 1)

    def shapes(self):
        def stacked(parts, width, kind):
            shape = (-1,) if width is None else (-1, width)
            whole = np.concatenate([np.asarray(p).reshape(shape) for p in parts] or [np.zeros(0)])
            return np.ascontiguousarray(whole.reshape(shape), dtype=kind)

        def starts(counts):
            return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

        kinds = np.array([r[0] for r in self.rows], dtype=np.int32)
        tables = np.array([r[4] for r in self.rows], dtype=np.int32)
        first = starts([len(h.vertex) for h in self.hulls])
        faces = starts([len(h.face_normal) for h in self.hulls])
        corners = [np.diff(h.face_start) for h in self.hulls]
        rows = starts([len(v) for v, _, _ in self.meshes])
        number, place = np.zeros(len(kinds)), np.zeros((len(kinds), 3))
        row, turn = np.zeros(len(kinds), dtype=np.int32), np.zeros((len(kinds), 3, 3))
        return Shapes(  # the engine's own record: its compiled code serves here too
            kind=kinds,
            size=np.array([r[1] for r in self.rows]),
            centre=np.array([r[2] for r in self.rows]),
            rotation=np.array([r[3] for r in self.rows]),
            hull=np.where(kinds == HULL, tables, -1).astype(np.int32),
            hull_first_vertex=first,
            hull_vertex=stacked([h.vertex for h in self.hulls], 3, np.float64),
            hull_first_face=faces,
            hull_face_first_corner=starts(np.concatenate(corners) if corners else []),
            hull_face_corner=stacked(
                [h.face_corner + f for h, f in zip(self.hulls, first)], None, np.int32
            ),
            hull_face_normal=stacked([h.face_normal for h in self.hulls], 3, np.float64),
            hull_face_offset=stacked([h.face_offset for h in self.hulls], None, np.float64),
            mesh=np.where(kinds == MESH, tables, -1).astype(np.int32),
            mesh_first_triangle=starts([len(t) for _, t, _ in self.meshes]),
            mesh_triangle=stacked([t + f for (_, t, _), f in zip(self.meshes, rows)], 3, np.int32),
            mesh_vertex=stacked([v for v, _, _ in self.meshes], 3, np.float64),
            mesh_two_sided=np.array([two for _, _, two in self.meshes], dtype=np.int32),
            owner=row,
            particle_body=row,
            offset=place,
            turn=turn,
            friction=number,
            static_friction=number,
            restitution=number,
            layers=row,
            hull_first_edge=np.zeros(len(self.hulls) + 1, dtype=np.int32),
            hull_edge=np.zeros((0, 4), dtype=np.int32),
            pressed=row.copy(),
            centre_before=place,
            rotation_before=turn,
            lower=place,
            upper=place,
        )

    def run(self, items, reach):
        """Manifolds of items (a, b) or (a, b, sub)."""
        item = np.array([(i[:2], (*i, -1)[2]) for i in items], dtype=ITEM)
        shapes = self.shapes()
        manifolds = manifold_room(len(item))
        most = max([len(h.vertex) for h in self.hulls], default=0)
        narrow_phase(
            item,
            len(item),
            shapes,
            np.broadcast_to(np.asarray(reach, dtype=float), len(item)).copy(),
            mesh_edges(shapes.mesh_triangle, len(shapes.mesh_vertex)),
            manifolds,
            narrow_phase_scratch(most),
        )
        return manifolds

    def collide(self, a, b, sub=-1, reach=0.0):
        """(normal, on_a, on_b, gaps, features) of one pair; nothing but None apart."""
        m = self.run([(a, b, sub)], reach)
        n = m.count[0]
        gap = ((m.on_a[0, :n] - m.on_b[0, :n]) * m.normal[0]).sum(axis=1)
        if n == 0:
            return None
        return m.normal[0], m.on_a[0, :n], m.on_b[0, :n], gap, m.feature[0, :n]

    def support(self, s, directions, sub=-1):
        """How far shape s reaches along directions (d, 3), from the world's origin."""
        kind, size, centre, r, _ = self.rows[s]
        d = np.atleast_2d(directions)
        local = d @ r
        length = np.linalg.norm(local, axis=1)
        if kind == SPHERE:
            h = size[0] * length
        elif kind == BOX:
            h = np.abs(local) @ size
        elif kind == CAPSULE:
            h = size[0] * length + size[1] * np.abs(local[:, 2])
        elif kind == CYLINDER:
            h = size[0] * np.hypot(local[:, 0], local[:, 1]) + size[1] * np.abs(local[:, 2])
        else:
            h = (local @ self.corners(s, sub).T).max(axis=1)
        return h + d @ centre

    def corners(self, s, sub=-1):
        """Local corners of a box, a hull or one triangle of a mesh."""
        kind, size, _, _, table = self.rows[s]
        if kind == BOX:
            return np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * size
        if kind == HULL:
            return self.hulls[table].vertex
        vertex, triangle, _ = self.meshes[table]
        return vertex[triangle[sub]]

    def gap_along(self, a, b, directions, sub=-1):
        """Gap between a and b along unit directions from b to a."""
        directions = np.atleast_2d(directions)
        return -self.support(a, -directions) - self.support(b, directions, sub)


__all__ = [
    "BOX", "CAPSULE", "CYLINDER", "HULL", "MESH", "PLANE", "ROOM", "SPHERE", "UPRIGHT",
    "Scene", "about", "turned",
]  # fmt: skip
