"""Particles of a model in the making, and what holds them together or acts on them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..checks import index_rows, indices, numbers, places, positive
from ..errors import ModelError
from ..model import ObjectSpan
from ..model.limbs import Limbs
from ..model.surface_table import ITSELF, MESHES, OTHERS
from ..particles.schedule import TOGETHER

if TYPE_CHECKING:
    from ..model.constraint import Constraint
    from ..model.force import Force


LIGHTEST = 1e-200
"""kg; the inverse of less comes near infinity."""


class ParticleBuilder:
    """Objects of particles. Indices of particles are counted over the whole model."""

    def __init__(self) -> None:
        self.objects: list[ObjectSpan] = []
        self._position: list[Floats] = []
        self._velocity: list[Floats] = []
        self._mass: list[Floats] = []
        self._drag: list[Floats] = []
        self._radius: list[Floats] = []
        self._friction: list[Floats] = []
        self._restitution: list[Floats] = []
        self._colliding: list[Ints] = []
        self._self_colliding: list[Ints] = []
        self._self_collision_group: list[Ints] = []
        self._self_collision_radius: list[Floats] = []
        self._pinned: list[Ints] = []
        self._pin_weight: list[Floats] = []
        self._constraint: list[Constraint] = []
        self._force: list[Force] = []
        self._stick: list[Ints] = []
        self._stick_rest: list[Floats] = []
        self._spring: list[Ints] = []
        self._spring_rest: list[Floats] = []
        self._spring_compliance: list[Floats] = []
        self._spring_damping: list[Floats] = []
        self._spring_turn: list[Ints] = []
        self._tether: list[Ints] = []
        self._tether_length: list[Floats] = []
        self._triangle: list[Ints] = []
        self._surface: list[Ints] = []
        self._quad: list[Ints] = []
        self._thread: list[Ints] = []
        self._surface_meets: list[Ints] = []
        self._line: list[Ints] = []
        self._line_meets: list[Ints] = []
        self._wire: list[Ints] = []
        self._wire_diameter: list[Floats] = []
        self._limbs: list[Limbs] = []
        self._attached: list[Ints] = []
        self.particle_count = 0

    def add_particles(
        self,
        name: str,
        position: ArrayLike,
        *,
        mass: ArrayLike,
        velocity: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        radius: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        restitution: ArrayLike = 0.0,
        self_collision: bool = False,
        meets_itself: bool = True,
        contact_radius: ArrayLike | None = None,
    ) -> int:
        """Add an object of free particles; returns its index in `objects`.

        position (n, 3) m; mass kg, above zero; velocity (n, 3) or (3,) m/s; drag 1/s; radius m, the
        distance kept from surfaces; friction; restitution: each (n,) or one number for all.
        self_collision: they also collide with other objects that do, and, when the object
        ``meets_itself``, with each other: with single particles as balls of contact_radius m, by
        default their radius, with surfaces and lines as thick as their radius.
        """
        x = places(name, "position", position)
        if len(x) == 0:
            raise ModelError(name, "has no vertices; add some, or remove the simulation from it")
        count = (len(x),)
        m = numbers(name, "mass", mass, count)
        if (m < LIGHTEST).any():
            raise ModelError(
                name, f"vertex {int(np.argmin(m))} has no mass; masses must be above 0"
            )
        v = numbers(name, "velocity", velocity, x.shape)
        surface = {
            "drag": numbers(name, "drag", drag, count, least=0.0),
            "radius": numbers(name, "radius", radius, count, least=0.0),
            "friction": numbers(name, "friction", friction, count, least=0.0),
            "restitution": numbers(name, "restitution", restitution, count, least=0.0),
        }
        ball = surface["radius"]
        if contact_radius is not None:
            ball = numbers(name, "contact radius", contact_radius, count, least=0.0)

        span = ObjectSpan(name, self.particle_count, len(x))
        self._append_particles(x, v, m, **surface)
        self._colliding.append(np.arange(span.first_particle, self.particle_count, dtype=np.int32))
        if self_collision:
            self._self_colliding.append(self._colliding[-1])
            group = -1 if meets_itself else len(self.objects)
            self._self_collision_group.append(np.full(len(x), group, dtype=np.int32))
            self._self_collision_radius.append(ball)
        self.objects.append(span)
        return len(self.objects) - 1

    def _append_particles(
        self,
        x: Floats,
        v: Floats,
        m: Floats,
        drag: Floats,
        radius: Floats,
        friction: Floats,
        restitution: Floats,
    ) -> None:
        self._position.append(x)
        self._velocity.append(v)
        self._mass.append(m)
        self._drag.append(drag)
        self._radius.append(radius)
        self._friction.append(friction)
        self._restitution.append(restitution)
        self.particle_count += len(x)

    def pin(self, particles: ArrayLike, weight: ArrayLike = 1.0) -> None:
        """Pin particles: they follow `FrameInputs.pin_position`.

        weight (p,) or one number: 1 holds them immovably, less draws them to their place as
        `weak_pin` says, 0 leaves them free. `FrameInputs` may change it frame by frame.
        A particle that is pinned twice keeps the larger weight.
        """
        pinned = self._particles("pinned particles", particles)
        name = self._name_of(pinned)
        weights = numbers(name, "pin weight", weight, pinned.shape, least=0.0, most=1.0)
        self._pinned.append(pinned)
        self._pin_weight.append(weights)

    @property
    def position(self) -> Floats:
        """Places (n, 3) m of all particles added so far."""
        return joined(self._position, (0, 3), np.float64)

    @property
    def mass(self) -> Floats:
        """Masses (n,) kg of all particles added so far."""
        return joined(self._mass, (0,), np.float64)

    def touch_nothing(self, particles: ArrayLike) -> None:
        """Let particles touch nothing themselves: what they are tied to does in their place."""
        self._attached.append(self._particles("attached particles", particles))

    # ------------------------------------------------------------------ constraints

    def add_sticks(self, pairs: ArrayLike, rest_length: ArrayLike | None = None) -> None:
        """Rigid sticks between pairs (s, 2); rest_length (s,) m, default as they stand."""
        ends, rest = self._pairs(pairs, rest_length)
        self._stick.append(ends)
        self._stick_rest.append(rest)

    def add_springs(
        self,
        pairs: ArrayLike,
        stiffness: ArrayLike,
        rest_length: ArrayLike | None = None,
        *,
        damping: ArrayLike = 0.0,
        turn: int = -1,
        together: bool = False,
    ) -> None:
        """Springs between pairs (c, 2) of stiffness (c,) or one number in N/m, above zero.

        damping (c,) or one number in N·s/m: a damper along each spring, F = −k x − b v.

        Springs of turn 0 and 1 act in every second step, with twice the impulse, at half the cost.
        At rest a particle of mass m that they bear with a force F then trembles at F h/m.

        together: all of them that hang together are solved at once, so that their order means
        nothing: what is alike on all sides stays so. For what has no sticks.
        """
        if turn not in (-1, 0, 1):
            raise ModelError("", f"turn = {turn} must be -1, 0 or 1")
        ends, rest = self._pairs(pairs, rest_length)
        name = self._name_of(ends)
        k = numbers(name, "spring stiffness", stiffness, rest.shape, least=0.0, endless=True)
        with np.errstate(divide="ignore", over="ignore"):
            compliance = 1.0 / k
        if not np.isfinite(compliance).all():
            raise ModelError(name, f"spring stiffness = {k.min():g} N/m must be above 0")
        if together and (turn != -1 or not (compliance > 0.0).all()):
            raise ModelError(name, "springs that are solved together give way, and in every step")
        b = numbers(name, "spring damping", damping, rest.shape, least=0.0)
        self._spring.append(ends)
        self._spring_rest.append(rest)
        self._spring_compliance.append(compliance)
        self._spring_damping.append(b)
        self._spring_turn.append(np.full(len(ends), TOGETHER if together else turn, dtype=np.int32))

    def add_tethers(self, particles: ArrayLike, anchors: ArrayLike, length: ArrayLike) -> None:
        """Keep particles (t,) within length (t,) m of anchors (t,), which must be pinned.

        Of particles that are pinned too, that says how long what is between the two is at rest:
        where pins are driven farther apart, all other tethers give way.
        """
        tethered = self._particles("tethered particles", particles)
        name = self._name_of(tethered)
        anchor = self._particles("anchors of tethers", anchors)
        if anchor.shape != tethered.shape:
            raise ModelError(name, f"{len(tethered)} tethers have {len(anchor)} anchors")
        reach = numbers(name, "tether length", length, tethered.shape, least=0.0)
        self._tether.append(np.stack([tethered, anchor], axis=1))
        self._tether_length.append(reach)

    def add_constraint(self, constraint: Constraint) -> None:
        """Any other constraint, see `constraints`; they are projected in the order of adding."""
        self._require_fit(constraint)
        self._constraint.append(constraint)

    def add_force(self, force: Force) -> None:
        """A force of an object's own, see `model.force`."""
        self._require_fit(force)
        self._force.append(force)

    def add_triangles(self, triangle: ArrayLike) -> None:
        """Surface (f, 3) that the wind blows on."""
        self._triangle.append(index_rows("", "triangles", triangle, 3, self.particle_count))

    def add_surface(
        self,
        triangle: ArrayLike,
        itself: bool = True,
        others: bool = True,
        meshes: bool = True,
        quads: ArrayLike = (),
        threads: ArrayLike = (),
    ) -> None:
        """Triangles (g, 3) of one object that nothing of a surface passes through.

        As thick as their particles' radius on either side; ``itself``, ``others`` and ``meshes``
        say whom they meet: each other, other surfaces, mesh colliders. quads (q, 4): corners of
        faces of which 0 1 2 and 0 2 3 are among the triangles; contacts do not fold them over 0 2
        by more than a right angle, from where on they are drawn as 0 1 3 and 1 2 3. threads (s, 2):
        particles that something else closes on each other, as if they were one.
        """
        rows = index_rows("", "triangles", triangle, 3, self.particle_count)
        faces = index_rows("", "quads", quads, 4, self.particle_count)
        bits = ITSELF * itself + OTHERS * others + MESHES * meshes
        self._surface.append(rows)
        self._quad.append(faces)
        self._thread.append(index_rows("", "threads", threads, 2, self.particle_count))
        self._surface_meets.append(np.full(len(rows), bits, dtype=np.int32))

    def add_lines(self, pairs: ArrayLike, itself: bool = False) -> None:
        """Lines (l, 2) of one object that pass through neither surfaces nor other lines.

        Those of other objects, where their particles collide with these, and with ``itself`` their
        own; as thick as their particles' radius, see `add_surface`. Where the second end of one is
        the first of the next, it is soon told that a path does not meet itself. Particles that are
        part of no surface and no line meet both one by one.
        """
        ends, _ = self._pairs(pairs, 0.0)
        self._line.append(ends)
        bits = OTHERS | ITSELF * itself
        self._line_meets.append(np.full(len(ends), bits, dtype=np.int32))

    def add_wires(self, pairs: ArrayLike, diameter: ArrayLike) -> None:
        """Lines (e, 2) that the wind blows on as round wires of diameter (e,) or one number, m.

        For what has no triangles: ropes, stalks, hair.
        """
        ends, _ = self._pairs(pairs, 0.0)
        name = self._name_of(ends)
        width = numbers(name, "wire diameter", diameter, (len(ends),), least=0.0)
        self._wire.append(ends)
        self._wire_diameter.append(width)

    def add_limbs(
        self,
        pairs: ArrayLike,
        radius: ArrayLike,
        own: ArrayLike = (),
        own_reach: ArrayLike = 0.0,
    ) -> None:
        """Sticks (e, 2) of one figure that collide as capsules of radius (e,) or one number, m.

        With those of all other figures, and with its own in ``own`` (k, 2), rows of ``pairs``,
        which keep own_reach (k,) or one number of metres between their middles. They are wires for
        the wind and for whatever has a shape as well.
        """
        ends, _ = self._pairs(pairs, 0.0)
        name = self._name_of(ends)
        thick = positive(name, "limb radius", radius, (len(ends),))
        meets = index_rows(name, "limbs that meet", own, 2, len(ends))
        reach = numbers(name, "limb reach", own_reach, (len(meets),), least=0.0)
        self.add_wires(ends, 2.0 * thick)
        self._limbs.append(Limbs(ends, thick, own=meets, own_reach=reach))

    # ------------------------------------------------------------------ checks

    def _require_fit(self, part: Constraint | Force) -> None:
        """Raise `ModelError` unless the object and the particles that it names exist."""
        what = type(part).__name__
        for attribute in ("object", "particles"):
            if not hasattr(part, attribute):
                raise ModelError("", f"{what} is no constraint and no force")
        if not 0 <= part.object < len(self.objects):
            raise ModelError("", f"{what} belongs to object {part.object} of {len(self.objects)}")
        name = self.objects[part.object].name
        indices(name, f"particles of {what}", part.particles, self.particle_count)

    def _particles(self, what: str, values: ArrayLike) -> Ints:
        """Particles (k,) that have been added already."""
        return indices("", what, values, self.particle_count).reshape(-1)

    def _pairs(self, pairs: ArrayLike, rest_length: ArrayLike | None) -> tuple[Ints, Floats]:
        ends = index_rows("", "pairs of particles", pairs, 2, self.particle_count)
        if (ends[:, 0] == ends[:, 1]).any():
            loop = ends[int(np.argmax(ends[:, 0] == ends[:, 1]))]
            raise ModelError(self._name_of(loop), "a pair joins a particle with itself")
        if rest_length is None:
            x = joined(self._position, (0, 3), np.float64)
            rest = np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1)
        else:
            name = self._name_of(ends)
            rest = numbers(name, "rest length", rest_length, (len(ends),), least=0.0)
        return ends, rest

    def _name_of(self, particles: Ints) -> str:
        if particles.size == 0:
            return ""
        particle = int(particles.reshape(-1)[0])
        # the last object that begins here or before: those without particles come before it
        after = bisect_right(self.objects, particle, key=lambda span: span.first_particle)
        return self.objects[after - 1].name


def joined(parts: list[Any], shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """All parts after one another; an empty array of that shape when there are none."""
    if not parts:
        return np.zeros(shape, dtype=dtype)
    return np.ascontiguousarray(np.concatenate(parts), dtype=dtype)
