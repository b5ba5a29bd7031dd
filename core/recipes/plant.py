"""Plants: a tree of nodes found along the mesh from its roots, and joints that bring it back.

How fast a plant sways decides how it looks, and what an artist knows of it; so that is what
`PlantSettings.stiffness` says. The rigidities of its branches follow from the masses that they
carry, and one common factor is found such that the whole plant sways as fast as it should,
whatever its mesh, its size and its mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..forces.weight import Weight
from ..geometry.surface import connected_parts
from ..particles.constraints.branch import Branches
from ..settings import PlantSettings
from .fasten import fasten_loose_parts
from .geodesic import surface_distances
from .geometry import Geometry, Paint
from .vertices import add_vertices, no_vertex_without

SWAY = (0.6, 3.6)
"""Hz of a plant one metre long at stiffness 0 and 1, growing by equal ratios between; one four
times as long sways half as fast, as a pendulum does."""

LEAF_SWAY = (12.0, 2.5)
"""How many times as fast as the plant its leaves flap, at leaf softness 0 and 1."""

RECOVERY_DAMPING = (0.02, 0.6)
"""Share of the critical damping at recovery 0 and 1; between, it grows with the square."""

ROOTED = 0.1
"""Share of the object's height, from its lowest vertex up, in which a part that has no pins must
begin to be rooted; other parts are fastened to it."""

ROOT_HEIGHT = 0.02
"""Share of a part's height, from its lowest vertex up, that is its root when it has no pins."""

WOOD = 600.0
"""kg/m³ of bare edges."""

BRANCH_DIAMETER = 0.004
"""Diameter of bare branches in the size of the plant, where it is left to the recipe."""

MOST_RINGS = 48
"""Nodes that follow each other along a part made of faces, at most."""


def add_plant(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: PlantSettings,
    *,
    pin_weight: ArrayLike = 0.0,
    velocity: ArrayLike = 0.0,
    paint: Paint = MappingProxyType({}),
) -> int:
    """Add a mesh as plants; returns the object's index in ``builder.objects``.

    pin_weight (n,): roots are where it is above 0. Without any, each part that begins at the foot
    of the object is rooted at its lowest vertices, which are pinned. Parts without roots (leaves)
    are fastened to the nearest others. velocity (n, 3) or (3,) m/s; paint: factors on
    ``stiffness``, ``drag`` and ``friction``. It stands as modelled: gravity is taken as part of
    its shape for as long as it is pinned.

    Raises `ModelError` for a mesh without edges.
    """
    if len(geometry.edges) == 0:
        raise ModelError(geometry.name, "has no edges or faces to make a plant of; add some")
    pins = _roots(geometry, pin_weight)
    skeleton = _skeleton(geometry, pins > 0.0)
    size = float(np.linalg.norm(np.ptp(geometry.positions, axis=0)))
    diameter = settings.diameter or BRANCH_DIAMETER * size
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=_masses(geometry, settings.area_density, diameter, skeleton),
        radius=0.5 * diameter,
        pin_weight=pins,
        velocity=velocity,
        paint=paint,
    )
    everything = np.arange(first, first + geometry.count, dtype=np.int32)
    mass = builder.mass[first:]
    rigidity, time = _rigidity(geometry, settings, skeleton, mass, paint)
    builder.add_constraint(
        Branches.of(
            builder,
            index,
            [node + first for node in skeleton.nodes],
            skeleton.parent,
            rigidity,
            damping_time=time,
            other=skeleton.other,
            share=skeleton.share,
            root=_turning(geometry.positions, np.flatnonzero(pins >= 1.0).astype(np.int32)) + first,
        )
    )
    builder.add_force(Weight(index, everything, 0.0, while_pinned=True))
    builder.add_triangles(geometry.triangles + first)
    bare = geometry.edges[~skeleton.has_face[geometry.edges].all(axis=1)]
    builder.add_wires(bare + first, diameter)
    builder.add_lines(geometry.edges + first)
    return index


def _roots(geometry: Geometry, pin_weight: ArrayLike) -> Floats:
    """Pin weights (n,): those given, or else of the lowest vertices of the parts at the foot."""
    pins = np.broadcast_to(np.asarray(pin_weight, dtype=np.float64), (geometry.count,)).copy()
    if (pins > 0.0).any():
        return pins
    height = geometry.positions[:, 2]
    part = connected_parts(geometry.count, geometry.edges)
    low = np.full(part.max() + 1, np.inf)
    high = np.full(part.max() + 1, -np.inf)
    np.minimum.at(low, part, height)
    np.maximum.at(high, part, height)
    at_foot = low <= height.min() + ROOTED * np.ptp(height)
    rooted = at_foot[part] & (height <= (low + ROOT_HEIGHT * (high - low))[part])
    pins[rooted] = 1.0
    return pins


def _turning(x: Floats, pins: Ints) -> Ints:
    """The pins that tell how the roots are turned: none where they lie on one line."""
    none = np.zeros(0, dtype=np.int32)
    if len(pins) < 3:
        return none
    spread = np.linalg.svd(x[pins] - x[pins].mean(axis=0), compute_uv=False)
    return pins if spread[1] > 1e-3 * spread[0] else none


@dataclass(frozen=True, eq=False)
class PlantTree:
    """The tree of nodes of a plant, parents first; m = n: each vertex belongs to one node."""

    nodes: list[Ints]  # vertices of each
    parent: Ints  # (q,) −1 at roots
    centre: Floats  # (q, 3) m
    depth: Ints  # (q,) nodes between it and the root
    is_leaf: np.ndarray  # (q,) bool: part of a leaf
    has_face: np.ndarray  # (n,) bool: the vertex belongs to a face
    other: Ints  # (n,) in the order of nodes: the next node toward which the vertex stands
    share: Floats  # (n,) of that


def _skeleton(geometry: Geometry, is_root: np.ndarray) -> PlantTree:
    """Cut the mesh into nodes along the ways from its roots.

    A bare vertex is a node; vertices of faces that are about as far from the roots and joined with
    each other make one: a ring of a stem, a cross-section of a blade of grass.
    """
    x, edge, count = geometry.positions, geometry.edges, geometry.count
    part = connected_parts(count, edge)
    parts = int(part.max()) + 1
    rooted = np.zeros(parts, dtype=bool)
    rooted[part[is_root]] = True
    ties = fasten_loose_parts(x, part, rooted)
    ways = np.concatenate([edge, ties]).astype(np.int32)
    roots = np.flatnonzero(is_root).astype(np.int32)
    none = np.zeros((0, 3), dtype=np.int32)
    distance, _ = surface_distances(x, ways, none, roots)

    has_face = np.zeros(count, dtype=bool)
    has_face[geometry.face_vertices] = True
    label = _nodes(geometry, is_root, part, distance, has_face)
    nodes = int(label.max()) + 1
    above = _nodes_above(x, ways, label, distance, is_root)
    depth = _depths(above)
    in_order = np.argsort(depth, kind="stable")
    rank = np.empty(nodes, dtype=np.int32)
    rank[in_order] = np.arange(nodes)
    parent = above[in_order]
    parent = np.where(parent >= 0, rank[parent], -1).astype(np.int32)
    node_of = rank[label]
    by_node = np.argsort(node_of, kind="stable")
    start = np.searchsorted(node_of[by_node], np.arange(nodes + 1))
    members = [by_node[start[k] : start[k + 1]].astype(np.int32) for k in range(nodes)]
    size = np.diff(start)
    centre = np.stack([np.bincount(node_of, x[:, k], nodes) / size for k in range(3)], axis=1)
    is_loose = ~rooted[part]
    is_leaf = np.zeros(nodes, dtype=bool)
    has_wire = np.zeros(parts, dtype=bool)
    has_wire[part[~has_face]] = True
    # leaves: faces on a skeleton of bare edges, and loose parts that are flat
    leafy = has_face & (has_wire[part] | (is_loose & _flat_parts(x, part)[part]))
    is_leaf[node_of[leafy]] = True
    other, share = _neighbours(distance, node_of, parent, size)
    other[is_leaf[node_of]] = -1  # leaves are stiff in themselves
    return PlantTree(
        members, parent, centre, depth[in_order], is_leaf, has_face, other[by_node], share[by_node]
    )


def _nodes(
    geometry: Geometry, is_root: np.ndarray, part: Ints, distance: Floats, has_face: np.ndarray
) -> Ints:
    """Node (n,) of each vertex: vertices of faces about as far from the roots and joined are one.

    part (n,) of the mesh; distance (n,) m along the mesh from its roots.
    """
    edge = geometry.edges
    parts = int(part.max()) + 1
    near = np.full(parts, np.inf)
    far = np.zeros(parts)
    np.minimum.at(near, part, distance)
    np.maximum.at(far, part, distance)
    edges_of = np.bincount(part[edge[:, 0]], minlength=parts)
    mean_edge = np.bincount(part[edge[:, 0]], geometry.edge_lengths, parts) / np.maximum(
        edges_of, 1
    )
    extent = far - near
    ring = np.maximum(1.5 * mean_edge, extent / MOST_RINGS)
    rings = np.maximum(1.0, np.round(extent / np.where(ring > 0.0, ring, 1.0)))
    level = np.minimum(
        np.floor((distance - near[part]) / np.where(extent > 0.0, extent, 1.0)[part] * rings[part]),
        rings[part] - 1.0,
    )
    level[is_root] = -1.0
    together = (level[edge[:, 0]] == level[edge[:, 1]]) & has_face[edge].all(axis=1)
    return connected_parts(geometry.count, edge[together])


def _nodes_above(x: Floats, ways: Ints, label: Ints, distance: Floats, is_root: np.ndarray) -> Ints:
    """The node (q,) toward the roots that each one hangs on, −1 for roots.

    ways (e, 2): edges; label (n,): node of each vertex.
    """
    # each node hangs on that of the vertex through which its nearest vertex was reached
    nodes = int(label.max()) + 1
    nearest = np.full(nodes, np.inf)
    np.minimum.at(nearest, label, distance)
    root_node = np.zeros(nodes, dtype=bool)
    root_node[label[is_root]] = True
    both = np.concatenate([ways, ways[:, ::-1]])
    crossing = both[label[both[:, 0]] != label[both[:, 1]]]
    inner, outer = label[crossing[:, 0]], label[crossing[:, 1]]
    step = np.linalg.norm(x[crossing[:, 1]] - x[crossing[:, 0]], axis=1)
    down = (nearest[inner] < nearest[outer]) | (root_node[inner] & ~root_node[outer])
    down &= ~root_node[outer]
    cost = (distance[crossing[:, 0]] + step)[down]
    inner, outer = inner[down], outer[down]
    order = np.lexsort((inner, cost, outer))
    chosen, which = np.unique(outer[order], return_index=True)
    above = np.full(nodes, -1, dtype=np.int32)
    above[chosen] = inner[order][which]
    return above


def _depths(above: Ints) -> Ints:
    """Nodes (q,) between each one and its root."""
    nodes = len(above)
    depth = np.zeros(nodes, dtype=np.int32)
    while True:
        deeper = np.where(above >= 0, depth[above] + 1, 0)
        if (deeper == depth).all():
            break
        depth = deeper.astype(np.int32)
    return depth


def _flat_parts(x: Floats, part: Ints) -> np.ndarray:
    """Which parts (parts,) are flat: hardly any extent along one direction."""
    parts = int(part.max()) + 1
    size = np.bincount(part, minlength=parts)
    mean = np.stack([np.bincount(part, x[:, k], parts) / size for k in range(3)], axis=1)
    away = x - mean[part]
    spread = np.zeros((parts, 3, 3))
    for a in range(3):
        for b in range(3):
            spread[:, a, b] = np.bincount(part, away[:, a] * away[:, b], parts)
    width = np.linalg.eigvalsh(spread)
    return width[:, 0] < 0.04 * width[:, 1]


def _neighbours(distance: Floats, node_of: Ints, parent: Ints, size: Ints) -> tuple[Ints, Floats]:
    """A second node (n,) for each vertex of a node with several, and its share (n,), ½ at most.

    Vertices that stand farther out than their node follow its first child too, others its parent:
    a stem then bends round, not in steps.
    """
    nodes = len(parent)
    mean = np.bincount(node_of, distance, nodes) / size
    child = np.full(nodes, -1, dtype=np.int32)
    inner = np.flatnonzero(parent >= 0)[::-1]
    child[parent[inner]] = inner
    outward = distance > mean[node_of]
    other = np.where(outward, child[node_of], parent[node_of])
    other = np.where((size[node_of] > 1) & (other >= 0), other, -1).astype(np.int32)
    gap = np.abs(mean[other] - mean[node_of])
    share = np.abs(distance - mean[node_of]) / np.where(gap > 0.0, gap, np.inf)
    return other, np.where(other >= 0, np.minimum(share, 0.5), 0.0)


def _masses(
    geometry: Geometry, area_density: float, diameter: float, skeleton: PlantTree
) -> Floats:
    """Mass (n,) kg: of faces by their area, of bare edges by their thickness."""
    x, triangle = geometry.positions, geometry.triangles
    mass = np.zeros(geometry.count)
    cross = np.cross(x[triangle[:, 1]] - x[triangle[:, 0]], x[triangle[:, 2]] - x[triangle[:, 0]])
    area = np.linalg.norm(cross, axis=1) / 6.0
    np.add.at(mass, triangle, area_density * area[:, None])
    bare = ~skeleton.has_face[geometry.edges].all(axis=1)
    per_length = WOOD * 0.25 * np.pi * diameter**2
    np.add.at(mass, geometry.edges[bare], 0.5 * per_length * geometry.edge_lengths[bare][:, None])
    return no_vertex_without(mass)


def _rigidity(
    geometry: Geometry,
    settings: PlantSettings,
    skeleton: PlantTree,
    vertex_mass: Floats,
    paint: Paint,
) -> tuple[Floats, Floats]:
    """Rigidity EI (q,) N·m² and damping time (q,) s of each branch.

    Branches that carry little bend easily: with I the moment of inertia of all that a joint
    carries, about it, and L the way from there to the farthest tip, EI ∝ I/L at taper 1 makes
    every branch alone sway as fast as the whole.
    """
    parent, depth = skeleton.parent, skeleton.depth
    count = len(parent)
    mass = np.array([vertex_mass[node].sum() for node in skeleton.nodes])
    x = skeleton.centre
    child = parent >= 0
    length = np.where(child, np.linalg.norm(x - x[parent], axis=1), 0.0)
    length = np.maximum(length, 1e-3 * float(np.ptp(geometry.positions, axis=0).max()))
    # Σ m, Σ m x and Σ m x² of each node and all that it carries
    carried, moment, square = mass.copy(), mass[:, None] * x, mass * (x**2).sum(axis=1)
    reach = np.zeros(count)
    for level in range(int(depth.max()), 0, -1):
        row = np.flatnonzero(depth == level)
        for total in (carried, moment, square):
            np.add.at(total, parent[row], total[row])
        np.maximum.at(reach, parent[row], reach[row] + length[row])
    about = x[parent]
    inertia = square - 2.0 * (moment * about).sum(axis=1) + carried * (about**2).sum(axis=1)
    top = np.arange(count, dtype=np.int32)
    for level in range(1, int(depth.max()) + 1):
        row = np.flatnonzero(depth == level)
        top[row] = top[parent[row]]
    size = np.maximum(reach[top], 1e-9)  # of the plant that a node belongs to
    sway = SWAY[0] * (SWAY[1] / SWAY[0]) ** settings.stiffness / np.sqrt(size)
    omega = 2.0 * np.pi * sway
    full = np.maximum(inertia, 1e-12 * mass * length**2) / (reach + length)
    strongest = np.zeros(count)
    np.maximum.at(strongest, top, np.where(child, full, 0.0))
    profile = full**settings.taper * strongest[top] ** (1.0 - settings.taper)
    painted = geometry.painted(paint, "stiffness")
    profile *= np.array([max(painted[node].mean(), 1e-6) for node in skeleton.nodes])
    stiff = skeleton.is_leaf & child
    rigidity = np.where(child, profile, 0.0)
    stiffened = np.where(stiff, 1e3, 1.0) * rigidity
    softness = np.divide(length, stiffened, out=np.zeros(count), where=child)
    factor = _sway_factor(skeleton, softness, carried, moment, top, omega)
    rigidity = factor[top] * rigidity
    times = LEAF_SWAY[0] * (LEAF_SWAY[1] / LEAF_SWAY[0]) ** settings.leaf_softness
    rigidity[stiff] = ((times * omega) ** 2 * 0.5 * full * (reach + length))[stiff]
    damping = (
        RECOVERY_DAMPING[0] + (RECOVERY_DAMPING[1] - RECOVERY_DAMPING[0]) * settings.recovery**2
    )
    own = np.where(stiff, times, 1.0) * omega
    return rigidity, 2.0 * damping / own


def _sway_factor(
    skeleton: PlantTree,
    softness: Floats,
    carried: Floats,
    moment: Floats,
    top: Ints,
    omega: Floats,
) -> Floats:
    """Factor (q,) on the rigidities of each root's tree with which it sways at omega (q,) rad/s.

    Rayleigh's method: under a level load a in proportion to its masses a structure moves by u, and
    sways at ω² ≈ Σ m a·u/Σ m u². A tree is statically determinate: the load beyond a joint, of
    which carried (q,) kg is Σ m and moment (q, 3) kg·m is Σ m x, bends it, by softness (q,) L/EI.
    """
    parent, depth, x = skeleton.parent, skeleton.depth, skeleton.centre
    child = parent >= 0
    mass = carried.copy()
    np.subtract.at(mass, parent[child], carried[child])
    arm = moment - carried[:, None] * x[parent]
    work = np.zeros(len(parent))
    inertia = np.zeros(len(parent))
    for load in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
        turn = np.cross(arm, load) * softness[:, None]
        move = np.zeros_like(x)
        for level in range(1, int(depth.max()) + 1):
            row = np.flatnonzero(depth == level)
            above = parent[row]
            turn[row] += turn[above] * (parent[above] >= 0)[:, None]
            move[row] = move[above] + np.cross(turn[row], x[row] - x[above])
        work += np.bincount(top, mass * (move @ np.array(load)), len(parent))
        inertia += np.bincount(top, mass * (move**2).sum(axis=1), len(parent))
    squared = np.divide(work, inertia, out=np.ones(len(parent)), where=inertia > 0.0)
    return omega**2 / squared
