"""Scratch memory for contacts between surfaces."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision.mesh_pairs import find_mesh_pairs
from ...collision.near_patches import CHUNKS, MovingTriangles, NearPatches, open_all
from ...collision.propped import (
    UNMET,
    Props,
    note_kept,
    note_mesh_normals,
    props_room,
    with_longer_lists,
)
from ...collision.straight_paths import straight_places
from ...collision.surface_bounds import gather_boxes, gather_normals
from ...collision.surface_crossings import CROSSING, ClosedParts, all_crossings
from ...collision.surface_pairs import PAIR, Flight, append_pairs, find_pairs, keep_pairs
from ...collision.surface_tree import (
    HANGS,
    IS_MESH,
    IS_SKIN,
    MEETS_MESHES,
    MEETS_OTHERS,
    CollisionSurface,
    SurfaceTree,
    owned_features,
    surface_tree,
)
from ...collision.turned_patches import note_turned, open_turned
from ...geometry.surface import connected_parts
from ...model import Model
from ...model.surface_table import ITSELF, MESHES, OTHERS, BodySurfaceTable
from ...records import Records
from .body_surfaces import hanging, met_bodies
from .crossed_cloth import CrossedCloth
from .mesh_ground import mesh_ground_room
from .mesh_neighbours import neighbours_room
from .surface_contact import SURFACE_CONTACT, Course, SurfaceVertices, strays_room
from .surface_couple import pieces_of
from .surface_meshes import AWAY, NEAR, MeshSurfaces, box_of
from .surface_stops import stopping_room
from .surface_tangle import find_tangle, tangle_room
from .surface_watch import watch_room


class SurfacePairs:
    """Pairs of a model's cloth and lines with one kind of partner: each other, or meshes."""

    def __init__(self, near: NearPatches) -> None:
        self.near, self.is_self = near, near.is_self
        self.pairs: Records = np.zeros(16, dtype=PAIR)
        self.count = 0  # of them
        self.runs: Records = np.zeros(16 * CHUNKS, dtype=PAIR)  # of those just found
        self.crossings: Records = np.zeros(16, dtype=CROSSING)
        self.crossing_count = 0  # rows of crossings
        self.crossing_pairs = 0  # pairs of triangles that intersect

    def append(self, found: Ints) -> None:
        """Take up the pairs found (CHUNKS,) in ``runs``."""
        first = self.count
        self.count += int(found.sum())
        if self.count > len(self.pairs):
            pairs = np.zeros(self.count * 3 // 2, dtype=PAIR)
            pairs[:first] = self.pairs[:first]
            self.pairs = pairs
        append_pairs(self.pairs, first, self.runs, found)

    def grow_runs(self, found: Ints) -> bool:
        """Make room for runs of so many pairs, if there is none; whether there was not."""
        most = int(found.max())
        if most * CHUNKS <= len(self.runs):
            return False
        self.runs = np.zeros((most * 3 // 2 + 16) * CHUNKS, dtype=PAIR)
        return True


class SurfaceRoom:
    """Surfaces of a model and the mesh colliders that they meet, trees, room for contacts.

    Arrays of n vertices hold those of all particles and, from ``led`` on, those of the meshes.
    """

    def __init__(self, model: Model, bodies: BodySurfaceTable) -> None:
        """bodies: those that cloth is kept out of, see `met_bodies`."""
        cloth, line = model.surfaces.triangle, model.surfaces.line
        triangle = np.concatenate([cloth, line])
        self.led = led = len(model.particles)
        has_meshes = model.surfaces.parts_meshes.any() or len(bodies) > 0
        self.meshes = MeshSurfaces(model, bodies) if has_meshes else None
        count = led if self.meshes is None else led + self.meshes.count
        self.cloth: Ints = np.unique(cloth).astype(np.int32)
        self.rows: Ints = np.unique(triangle).astype(np.int32)  # of cloth and lines
        x = model.particles.position
        ends = x[cloth] - x[np.roll(cloth, 1, axis=1)] if len(cloth) else _ways_along(line, x)
        self.edge = float(np.linalg.norm(ends, axis=-1).mean())
        self.inverse_mass = np.zeros(count)  # 1/kg, in the present frame
        self.inverse_mass[:led] = model.particles.inverse_mass
        self.friction = np.zeros(count)
        part, meets = _who_meets(model, count)
        self.tree = surface_tree(triangle, x, part, meets)
        self.quad = np.ascontiguousarray(model.surfaces.quad)
        self.sharp: Ints = np.zeros(len(self.quad), dtype=np.int32)  # rows of those folded sharply
        self.near_itself = NearPatches(self.tree, self.tree, True)
        self.partners_before = np.zeros(len(self.tree.root), dtype=np.int32)
        self.partners: list[SurfacePairs] = []
        if len(line) or (model.surfaces.meets & (ITSELF | OTHERS)).any():
            self.partners.append(SurfacePairs(self.near_itself))
        self.lines: Ints = np.unique(line).astype(np.int32)  # vertices of lines
        self.mesh_tree: SurfaceTree | None = None
        self.thickest = float(model.particles.radius[self.cloth].max(initial=0.0))
        meets[hanging(model, bodies)] |= HANGS
        self.surface = self._surface(model, triangle, part, meets)
        self.found = np.zeros(CHUNKS, dtype=np.int32)
        self.contacts: Records = np.zeros(256, dtype=SURFACE_CONTACT)
        self.x = np.zeros((count, 3))  # m, places at the end of the substep
        self.previous = np.zeros((count, 3))  # m, x*
        self.start = np.zeros((count, 3))  # m, places at the start of the substep
        self.parted = np.zeros((count, 3))  # m, likewise, once layers are parted
        self.before = np.zeros((count, 3))  # m, places at the start of the last one
        self.older = np.zeros((led, 3))  # m, and of the one before, of cloth
        self.now = np.zeros((count, 3))  # m, places now
        self.origin = np.zeros((count, 3))  # m, places when pairs were looked for
        self.speed = np.zeros((count, 3))  # m a substep, then
        self.still = np.zeros((count, 3))  # m a substep, of what stands still
        self.strays = strays_room(count)
        self.width = np.zeros(count)  # m, room around each vertex
        self.stale = np.zeros(count, dtype=np.int32)  # 1 where pairs are to be looked for
        by_itself = count if self.meshes is None else led + self.meshes.collider_count
        self.by_itself = by_itself  # vertices from it on go where bodies move by themselves
        self.mesh_rows = np.arange(led, by_itself, dtype=np.int32)
        self.body_rows = np.arange(
            by_itself, count, dtype=np.int32
        )  # of those that cloth may reach
        self.box = np.zeros((2, 3))  # m, around cloth in a substep
        self.first_hold, self.hold = bodies.first_hold, bodies.hold  # of the vertices from there on
        self.pushed = np.zeros((len(model.bodies), 2, 3))  # kg·m, kg·m²: see `PushedBack`
        # what does not go where it is led: it may stray from its flight
        self.flying = np.concatenate([self.rows, self.body_rows])
        self.has_bodies = len(self.body_rows) > 0
        self.stopping = stopping_room(count)
        self.sheets = pieces_of(cloth, line, led)
        self.watch = watch_room(count, len(self.contacts))
        self.have_turned = False  # patches in this substep: see `turned_patches`
        self.neighbours = neighbours_room(count, len(self.contacts))
        self.tangle = tangle_room(count)
        self.triangle_count = len(triangle)  # of cloth and lines
        self.props = self._props()
        self.cloth_tangle = CrossedCloth(self.near_itself, self.surface, len(cloth))
        self.layer_contacts = 0  # first so many are of cloth with cloth
        self.ground = mesh_ground_room(led if self.meshes is not None and len(model.bodies) else 0)
        self.are_boxes_wide = True  # those of meshes: for their motion, or for another place
        self.deepest = 0.0  # m, deepest vertex inside a mesh
        self.pierced: tuple[tuple[int, int, int], ...] = ()  # objects, and pairs that intersect
        self.clear: Floats | None = None  # places (n, 3) handed out where nothing intersects

    def _surface(self, model: Model, triangle: Ints, part: Ints, meets: Ints) -> CollisionSurface:
        """Triangles (g, 3) of cloth and lines, and after them meshes."""
        led, meshes, count = self.led, self.meshes, len(part)
        owned = owned_features(triangle)
        rest = np.zeros((count, 3))
        rest[:led] = model.particles.position
        rows, straight = _straight_ropes(model)
        rest[rows] = straight
        thickness = np.zeros(count)
        thickness[:led] = model.particles.radius
        self.solid = np.zeros(len(triangle), dtype=np.int32)
        if meshes is not None:
            first = len(triangle)
            rest[led:] = meshes.rest
            part[led:] = -2 - len(model.objects) - meshes.owner
            meets[led:] = np.where(meshes.is_skin, IS_MESH | IS_SKIN, IS_MESH)
            tree = surface_tree(meshes.triangle, meshes.rest, part[led:], meets[led:])
            leaf = np.where(tree.leaf >= 0, tree.leaf + first, -1).astype(np.int32)
            self.mesh_tree = tree._replace(leaf=leaf)
            near = NearPatches(self.tree, self.mesh_tree, False)
            self.partners.append(SurfacePairs(near))
            owned = np.concatenate([owned, meshes.owned])
            triangle = np.concatenate([triangle, meshes.triangle + led]).astype(np.int32)
            self.solid = np.concatenate([self.solid, meshes.solid])
            self.friction[led:] = meshes.friction
        seam = connected_parts(count, model.surfaces.thread)
        return CollisionSurface(
            triangle, seam, owned, part, meets, rest, thickness, self.inverse_mass
        )

    def _props(self) -> Props:
        """Room for which triangles of cloth and lines are propped on meshes."""
        patches = 0 if self.mesh_tree is None else len(self.mesh_tree.root)
        sizes = (self.led, self.by_itself, patches, CHUNKS)
        return props_room(self.surface.triangle, len(self.x), self.tangle.mark, sizes)

    def expect_all(self) -> None:
        """Have the pairs of all cloth looked for."""
        self.stale[: self.led] = 1
        self.stale[self.led :] = 0  # what it meets is found from the side of the cloth
        self.stale[self.by_itself :] = 1  # but its flight is laid anew

    def course(self, ahead: int) -> Course:
        """The course that pairs were looked for along, for so many substeps."""
        return Course(self.origin, self.speed, ahead)

    def vertices(self, beyond: float) -> SurfaceVertices:
        """What contacts ask of the vertices; beyond: see `SurfaceVertices`."""
        flight = (self.start, self.speed, self.strays.step)
        known = (self.inverse_mass, self.friction, self.tangle.mark, self.cloth_tangle.crossed)
        return SurfaceVertices(*flight, *known, beyond, self.by_itself)

    def gather(self, horizon: float, threads: int, mesh_moves: bool) -> MovingTriangles:
        """Bound where all are in the coming substeps, horizon many; returns what pairs ask for."""
        strays, stale = self.strays, self.stale
        np.add(self.surface.thickness, strays.slack, out=self.width)
        self.width += strays.now
        moving = (self.surface.triangle, self.start, self.speed, self.width, stale)
        gather_boxes(self.tree, *moving, threads)
        if self.partners[0].is_self and stale[: self.led].all():
            # which patches are flat holds until all pairs are looked for
            gather_normals(self.tree, *moving[:3], strays.slack, horizon, threads)
            if self.have_turned:
                self.look_into_turned()
        if self.mesh_tree is not None and (mesh_moves or self.are_boxes_wide):
            gather_boxes(self.mesh_tree, *moving, threads)
            self.are_boxes_wide = mesh_moves
            self.props.known[:] = 0
        return moving

    def find(self, horizon: float, threads: int, mesh_moves: bool) -> None:
        """Look for the pairs of what is ``stale``, at ``start``; all others in ``partners`` stay.

        horizon: substeps from now on.
        """
        self.find_gathered(self.gather(horizon, threads, mesh_moves), horizon, threads)

    def find_gathered(self, moving: MovingTriangles, horizon: float, threads: int) -> None:
        """The same of what has been gathered for that."""
        stale = self.stale
        flight = Flight(self.start, self.speed, self.width, stale, horizon)
        for partners in self.partners:
            partners.count = int(keep_pairs(partners.pairs, partners.count, stale))
            partners.near.find(moving, horizon, threads)
            if partners.is_self:
                self._find_among_cloth(partners, flight, threads)
            else:
                self._find_with_meshes(partners, flight, threads)
            partners.append(self.found)

    def _find_among_cloth(self, partners: SurfacePairs, flight: Flight, threads: int) -> None:
        near, tree = partners.near.pairs[:2]
        find_pairs.on(threads)(partners.runs, self.found, near, tree, self.surface, flight)
        if partners.grow_runs(self.found):
            self._find_among_cloth(partners, flight, threads)

    def _find_with_meshes(self, partners: SurfacePairs, flight: Flight, threads: int) -> None:
        """With triangles that their corners hold off: see `mesh_pairs`."""
        if flight.stale[: self.led].all():
            self.props.state[:] = UNMET
        near, tree, mesh_tree = partners.near.pairs
        places = (self.surface.triangle, flight.start, flight.speed)
        note_mesh_normals.on(threads)(mesh_tree, self.props, *places, flight.horizon)
        while True:
            into = (partners.runs, self.found, near, tree, mesh_tree)
            find_mesh_pairs.on(threads)(*into, self.surface, flight, self.props)
            if self.props.most.max() > self.props.listed.shape[1]:
                self.props = with_longer_lists(self.props)
            elif not partners.grow_runs(self.found):
                break
        note_kept(self.props, self.surface.triangle, self.triangle_count)

    def has_turned(self, x: Floats, strayed: float) -> bool:
        """Whether a patch that nobody looked into may be flat no longer at x (n, 3) m.

        strayed: see `note_turned`.
        """
        if not self.partners[0].is_self or strayed <= self.tree.calm[0]:
            return False
        has_any: bool = note_turned(self.tree, strayed, self.surface.triangle, x) > 0
        self.have_turned |= has_any
        return has_any

    def forget_turned(self) -> None:
        """A substep begins: what turned in the last one counts no more."""
        if self.have_turned:
            self.have_turned = False
            self.tree.turned[:] = 0

    def look_into_turned(self) -> None:
        """Have the pairs of such patches looked for; what else is ``stale`` stays so."""
        open_turned(self.tree, self.partners_before, self.surface.triangle, self.stale)

    def find_crossings(self, x: Floats, only_meshes: bool) -> None:
        """Where triangles intersect at x (n, 3) m, in ``partners``; boxes are for that place.

        Cloth is looked at as the crossings that are taken apart are found: see `uneven`.
        """
        uneven = x if only_meshes else self.cloth_tangle.uneven(x)
        hardly = self.stopping.nearest
        hardly[:] = np.abs(uneven - x).max()
        self.expect_all()
        resting = (self.surface.triangle, x, self.still, hardly, self.stale)
        gather_boxes(self.tree, *resting)
        if self.partners[0].is_self and not only_meshes:
            gather_normals(self.tree, *resting[:3], hardly, 0.0)
        if self.mesh_tree is not None:
            gather_boxes(self.mesh_tree, *resting)
            self.are_boxes_wide = True  # not for where they are in the substep
        for partners in self.partners:
            if only_meshes and partners.is_self:
                continue
            places = uneven if partners.is_self else x
            partners.near.find(resting, 0.0)
            found = all_crossings(partners.crossings, partners.near, self.surface, places)
            partners.crossings, partners.crossing_count, partners.crossing_pairs = found

    def find_tangle(self, x: Floats, known: int) -> tuple[int, float]:
        """What has to come out of meshes at x (n, 3) m, in ``tangle``: how many, deepest in m.

        Crossings have just been found there.
        """
        assert self.mesh_tree is not None
        partners = self.partners[-1]
        hardly = self.stopping.nearest
        open_all(self.mesh_tree, (self.surface.triangle, x, self.still, hardly, self.stale))
        if known < 0:
            self.tangle.row[:] = -1
        crossings = partners.crossings[: partners.crossing_count]
        parts = ClosedParts(self.mesh_tree, self.surface, self.solid, x)
        found = find_tangle(self.tangle, known, self.cloth, crossings, parts, self.led)
        tangled, deepest = found
        return int(tangled), float(deepest)

    def look_for_near(self, x: Floats, ends: tuple[Floats, Floats], is_first: bool) -> bool:
        """Leave out what is drawn of bodies that no cloth can reach; whether more can than before.

        x (n, 3) m: where particles get to in the substep; ends (b, 3) m: where bodies are, and get
        to. Asked in each substep, for the first time in a frame when is_first.
        """
        assert self.meshes is not None
        box_of(self.cloth, self.start, x, self.box)
        away = NEAR * self.edge + 2.0 * self.thickest
        more = self.meshes.look_for_near(self.box, away, *ends, is_first)
        if more or is_first:
            near, others = self.meshes.rows_of_near()
            self.body_rows = near + np.int32(self.by_itself)
            self.flying = np.concatenate([self.rows, self.body_rows])
            self.x[others + self.by_itself] = AWAY
            self.start[others + self.by_itself] = AWAY
        return more

    def note_crossings(self, x: Floats) -> None:
        """See what has passed through what at x (n, 3) m, the end of a frame."""
        self.x[: self.led] = x
        self.find_crossings(self.x, only_meshes=False)
        self.note_clear(x)
        if not any(partners.crossing_count for partners in self.partners):
            return
        self.clear = None
        if self.mesh_tree is not None and self.partners[-1].crossing_count:
            self.deepest = self.find_tangle(self.x, -1)[1]
        found = [partners.crossings[: partners.crossing_count] for partners in self.partners]
        self.pierced = pierced_parts(np.concatenate(found), self.surface)

    def note_clear(self, x: Floats) -> None:
        """Note that nothing has passed through anything at x (n, 3) m, the end of a frame."""
        self.deepest, self.pierced, self.clear = 0.0, (), x

    def pierced_objects(self, count: int) -> list[int]:
        """Which of ``count`` objects something has passed through."""
        parts = {part for a, b, _ in self.pierced for part in (a, b)}
        return sorted({part if part >= 0 else -1 - part for part in parts} & set(range(count)))

    def note_start(self, x: Floats) -> None:
        """The same for places x (n, 3) m at rest, and meshes at rest."""
        if self.meshes is not None:
            self.x[self.led :] = self.meshes.rest
            self.meshes.forget_bodies()
        self.note_crossings(x)
        self.clear = None

    def is_known_clear(self, x: Floats) -> bool:
        """Whether these very places were handed out last, and nothing intersects there."""
        return x is self.clear

    def grow_contacts(self, count: int) -> None:
        """Make room for that many contacts."""
        self.contacts = np.zeros(count * 3 // 2, dtype=SURFACE_CONTACT)
        self.watch = watch_room(len(self.x), len(self.contacts))
        self.neighbours = neighbours_room(len(self.x), len(self.contacts))


def _straight_ropes(model: Model) -> tuple[Ints, Floats]:
    """Particles of ropes that meet themselves, and their places: see `straight_places`."""
    line = model.surfaces.line[model.surfaces.line_meets & ITSELF != 0, :2]
    faces = np.unique(model.surfaces.triangle)
    return straight_places(line, faces, model.particles.position, model.particles.radius)


def _ways_along(line: Ints, x: Floats) -> Floats:
    """Ways (l, 3) m along those of lines (k, 3), as triangles, that are no single vertices."""
    i, j = line[line[:, 0] != line[:, 1], :2].T
    return x[j] - x[i]


def _who_meets(model: Model, count: int) -> tuple[Ints, Ints]:
    """`part` and `meets` (n,) of `CollisionSurface`; meshes among ``count`` vertices still none."""
    surfaces = model.surfaces
    part = np.full(count, -1, dtype=np.int32)
    for number, span in enumerate(model.objects):
        part[span.particles] = number
    bits = np.zeros(count, dtype=np.int32)
    np.bitwise_or.at(bits, surfaces.triangle.reshape(-1), np.repeat(surfaces.meets, 3))
    np.bitwise_or.at(bits, surfaces.line.reshape(-1), np.repeat(surfaces.line_meets, 3))
    meets_itself = np.unique(part[bits & ITSELF != 0])  # with its fringe
    part = np.where(np.isin(part, meets_itself), part, -1 - part).astype(np.int32)
    meets = np.where(bits & OTHERS, MEETS_OTHERS, 0) + np.where(bits & MESHES, MEETS_MESHES, 0)
    return part, meets.astype(np.int32)


def pierced_parts(
    crossings: Records, surface: CollisionSurface
) -> tuple[tuple[int, int, int], ...]:
    """Which two parts (`CollisionSurface.part`) cross, and by how many pairs each."""
    pairs: dict[tuple[int, int], set[tuple[int, int]]] = {}
    part = surface.part[surface.triangle[:, 0]]
    for row in crossings:
        t, u = sorted((int(row["of"]), int(row["through"])))
        pairs.setdefault((int(part[t]), int(part[u])), set()).add((t, u))
    return tuple((a, b, len(found)) for (a, b), found in sorted(pairs.items()))


def surface_room(model: Model) -> SurfaceRoom | None:
    """Scratch memory for a model's surfaces; None where nothing meets any of them."""
    bodies = met_bodies(model)
    line = model.surfaces.line
    has_stretches = bool((line[:, 0] != line[:, 1]).any())  # single vertices meet no single ones
    meets_cloth = has_stretches or (model.surfaces.meets & (ITSELF | OTHERS)).any()
    meets_meshes = model.surfaces.parts_meshes.any() or len(bodies) > 0
    return SurfaceRoom(model, bodies) if meets_cloth or meets_meshes else None
