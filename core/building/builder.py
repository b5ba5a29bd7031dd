"""`ModelBuilder`: collects particles, constraints, bodies and colliders, checks them, and hands
out a `Model` whose arrays lie in the order in which the solver walks through them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..coincidence import part_coinciding
from ..coupling.tying import ties_of
from ..errors import ModelError
from ..model import Model, ObjectSpan
from ..model.joint_table import joint_table
from ..model.limbs import Limbs
from ..model.particle_body_table import ParticleBodyTable
from ..model.particle_table import ParticleTable, PinTable, SelfCollisionTable
from ..model.shared_point_table import shared_table
from ..model.stick_table import SpringTable, StickTable, TetherTable
from ..model.surface_table import MESHES, OTHERS, PieceTable, SurfaceTable
from ..pairs import distinct
from ..particles.constraints.carrying import Carrying
from ..particles.schedule import make_schedule
from .particles import joined
from .rests import NOTHING_SLEEPS, with_rests
from .rooted import find_rooted
from .tearing import TearBuilder

if TYPE_CHECKING:
    from ..model.constraint import Constraint


class ModelBuilder(TearBuilder):
    """Adds things one by one; `finalize` checks the whole and returns a `Model`.

    Every ``add_`` method refuses bad numbers with a `ModelError` that names the object, and
    leaves the builder as it was. Particle indices are counted over the whole model.
    """

    def finalize(self) -> Model:
        """Check how the parts fit together and lay them out for the solver.

        Raises `ModelError` for an empty model, and for tethers that hang on what is not pinned.
        """
        return self._finalized(None)

    def _finalized(self, weld: Ints | None) -> Model:
        """The model, with copies welded as weld (n,) says; as they were added where it is None."""
        if not self.objects:
            raise ModelError("", "nothing to simulate: add a cloth or a rigid body")
        pins = self._pins()
        tears = self._tear_table(weld)
        idle = np.zeros(0, dtype=np.int32) if tears is None else tears.idle
        particles = self._particle_table(pins, idle)
        sticks, springs = self._stick_table(), self._spring_table()
        for table in (sticks, springs):
            x = particles.position
            part_coinciding(x, x.copy(), particles.inverse_mass, table.pair, table.rest_length)
        turn = joined(self._spring_turn, (0,), np.int32)
        schedule = make_schedule(self.particle_count, sticks.pair, springs.pair, turn)
        rigid, shapes = self._rigid, self._rigid.shape_table()
        tethers, pieces = self._tether_table(pins, particles), self._piece_table()
        particle_bodies = self._particle_body_table()
        four = particle_bodies.first_particle[:, None] + np.arange(4)
        joins = (sticks.pair, springs.pair, pieces.triangle, pieces.wire, tethers.particle, four)
        model = Model(
            objects=tuple(self._numbered(span) for span in self.objects),
            particles=particles,
            pins=pins,
            self_collision=self._self_collision_table(idle, joins),
            sticks=sticks.in_order(schedule.stick_order),
            springs=springs.in_order(schedule.spring_order),
            schedule=schedule,
            tethers=tethers,
            constraints=self._constraints(),
            forces=tuple(self._force),
            pieces=pieces,
            surfaces=self._surface_table(shapes.has_meshes, idle),
            limbs=self._limb_table(),
            bodies=rigid.body_table(self._apart),
            colliders=rigid.collider_table(),
            particle_bodies=particle_bodies,
            joints=joint_table(self._with_owners(self._joint)),
            shared=shared_table(self._with_owners(self._shared)),
            shapes=shapes,
            body_surfaces=rigid.body_surface_table(),
            tears=tears,
            rests=NOTHING_SLEEPS,
        )
        rooted_in = find_rooted(model)
        colliding = particles.colliding[rooted_in[particles.colliding] < 0]
        particles = replace(particles, colliding=colliding, rooted_in=rooted_in)
        return with_rests(replace(model, particles=particles))

    def _self_collision_table(self, idle: Ints, joins: tuple[Ints, ...]) -> SelfCollisionTable:
        """Single particles, which meet as balls; all others meet as `SurfaceTable` says.

        Those in ``joins`` are no balls of heaps.
        """
        particle = joined(self._self_colliding, (0,), np.int32)
        group = joined(self._self_collision_group, (0,), np.int32)
        radius = joined(self._self_collision_radius, (0,), np.float64)
        stretch = joined(self._line, (0, 2), np.int32)
        is_met = ~(self._marked(idle) | self._is_of_surface() | self._marked(stretch))[particle]
        particle, group, radius = particle[is_met], group[is_met], radius[is_met]
        is_joined = np.zeros(self.particle_count, dtype=bool)
        for rows in joins:
            is_joined[rows] = True
        is_loose = (group < 0) & (radius > 0.0) & ~is_joined[particle]
        balls = np.flatnonzero(is_loose).astype(np.int32)
        return SelfCollisionTable(particle, group, radius, balls)

    def _whom_surfaces_meet(self) -> Ints:
        """Bits (g,) as in `SurfaceTable`: where only one object meets others, it meets none."""
        meets = joined(self._surface_meets, (0,), np.int32)
        surfaces = joined(self._surface, (0, 3), np.int32)[meets & OTHERS != 0, 0]
        meeting = np.concatenate([joined(self._self_colliding, (0,), np.int32), surfaces])
        return meets if self._are_of_several(meeting) else meets & ~OTHERS

    def _are_of_several(self, particles: Ints) -> bool:
        """Whether some particles are of more than one object."""
        starts = [span.first_particle for span in self.objects]
        return len(np.unique(np.searchsorted(starts, particles, side="right"))) > 1

    def _is_of_surface(self) -> NDArray[np.bool_]:
        """Which of all particles (n,) are corners of surfaces that meet those of other objects."""
        triangle = joined(self._surface, (0, 3), np.int32)
        return self._marked(triangle[self._whom_surfaces_meet() & OTHERS != 0])

    def _lines(self, idle: Ints) -> tuple[Ints, Ints]:
        """What has no face, and whom it meets, as in `SurfaceTable`; single ones not each other."""
        is_idle, is_of_surface = self._marked(idle), self._is_of_surface()
        stretch = joined(self._line, (0, 2), np.int32)
        bits = joined(self._line_meets, (0,), np.int32)
        bits = np.where(is_idle[stretch].any(axis=1), 0, bits)
        meets = self._marked(joined(self._self_colliding, (0,), np.int32)) & ~is_idle
        meeting = meets[stretch].all(axis=1)
        met = np.flatnonzero(meets | is_of_surface).astype(np.int32)
        if not ((meeting.any() or is_of_surface.any()) and self._are_of_several(met)):
            meets[:] = meeting[:] = False
        bits = np.where(meeting, bits, bits & ~OTHERS)
        meets &= ~self._marked(stretch[meeting]) & ~is_of_surface
        single = np.flatnonzero(meets).astype(np.int32)
        line = np.concatenate([stretch[bits > 0][:, [0, 1, 1]], np.stack([single] * 3, axis=1)])
        whom = np.concatenate([bits[bits > 0], np.full(len(single), OTHERS)])
        return line.astype(np.int32), whom.astype(np.int32)

    def _surface_table(self, has_meshes: bool, idle: Ints) -> SurfaceTable:
        """All surfaces; has_meshes: whether any collider is a mesh; idle: what meets nothing."""
        triangle = joined(self._surface, (0, 3), np.int32)
        meets = self._whom_surfaces_meet()
        parts = triangle[meets & MESHES != 0] if has_meshes else triangle[:0]
        quad = joined(self._quad, (0, 4), np.int32)
        thread = joined(self._thread, (0, 2), np.int32)
        return SurfaceTable(triangle, meets, *self._lines(idle), quad, thread, self._marked(parts))

    def _marked(self, particles: Ints) -> NDArray[np.bool_]:
        """Which of all particles (n,) are among these."""
        mark = np.zeros(self.particle_count, dtype=bool)
        mark[particles] = True
        return mark

    def _tether_table(self, pins: PinTable, particles: ParticleTable) -> TetherTable:
        """Tethers of what is not held, particle by particle, and those of what is."""
        tether = joined(self._tether, (0, 2), np.int32)
        held = self._marked(pins.particle)
        if len(tether) and not held[tether[:, 1]].all():
            loose = tether[int(np.argmin(held[tether[:, 1]])), 1]
            raise ModelError(self._name_of(np.array([loose])), "a tether hangs on a loose vertex")
        length = joined(self._tether_length, (0,), np.float64)
        hangs = particles.inverse_mass[tether[:, 0]] > 0.0
        span, span_length = tether[~hangs], length[~hangs]
        order = np.argsort(tether[hangs, 0], kind="stable")
        tether, length = tether[hangs][order], length[hangs][order]
        size = np.bincount(tether[:, 0])
        tethered = np.flatnonzero(size)
        return TetherTable(
            particle=tethered.astype(np.int32),
            start=np.append(0, np.cumsum(size[tethered])).astype(np.int32),
            anchor=np.ascontiguousarray(tether[:, 1]),
            length=length,
            span=span,
            span_length=span_length,
        )

    def _constraints(self) -> tuple[Constraint, ...]:
        """All constraints; those that carry bodies learn which hang on them."""
        ties = ties_of(self._constraint)
        return tuple(c.tied_by(ties) if isinstance(c, Carrying) else c for c in self._constraint)

    def _limb_table(self) -> Limbs:
        """The sticks of all figures."""
        counts = [len(limbs) for limbs in self._limbs]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        own = [limbs.own + start for limbs, start in zip(self._limbs, first)]
        return Limbs(
            joined([limbs.stick for limbs in self._limbs], (0, 2), np.int32),
            joined([limbs.radius for limbs in self._limbs], (0,), np.float64),
            first,
            joined(own, (0, 2), np.int32),
            joined([limbs.own_reach for limbs in self._limbs], (0,), np.float64),
        )

    def _numbered(self, span: ObjectSpan) -> ObjectSpan:
        """Bodies of particles come after the others in `bodies.body_poses`."""
        if span.body < 0 or span.particle_count == 0:
            return span
        return replace(span, body=span.body + len(self._rigid.bodies))

    def _stick_table(self) -> StickTable:
        """All sticks as they were added."""
        return StickTable(
            joined(self._stick, (0, 2), np.int32), joined(self._stick_rest, (0,), np.float64)
        )

    def _spring_table(self) -> SpringTable:
        """All springs as they were added."""
        return SpringTable(
            joined(self._spring, (0, 2), np.int32),
            joined(self._spring_rest, (0,), np.float64),
            joined(self._spring_compliance, (0,), np.float64),
            joined(self._spring_damping, (0,), np.float64),
        )

    def _piece_table(self) -> PieceTable:
        """All triangles and wires."""
        return PieceTable(
            joined(self._triangle, (0, 3), np.int32),
            joined(self._wire, (0, 2), np.int32),
            joined(self._wire_diameter, (0,), np.float64),
        )

    def _particle_body_table(self) -> ParticleBodyTable:
        """All bodies of particles."""
        bodies = self._particle_bodies
        return ParticleBodyTable(
            np.array([body.first_particle for body in bodies], dtype=np.int32),
            np.array([body.extent for body in bodies]).reshape(-1, 3),
            np.array([body.form for body in bodies], dtype=np.int32),
            np.array([body.mass for body in bodies], dtype=np.float64),
        )

    def _pins(self) -> PinTable:
        """Pinned particles in rising order, each once, and their weights."""
        pinned = joined(self._pinned, (0,), np.int32)
        weight = joined(self._pin_weight, (0,), np.float64)
        rising = np.lexsort((-weight, pinned))
        pinned, first = np.unique(pinned[rising], return_index=True)
        return PinTable(pinned.astype(np.int32), weight[rising][first])

    def _particle_table(self, pins: PinTable, idle: Ints) -> ParticleTable:
        """All particles; what is pinned hard or idle is immovable, what is tied touches nothing."""
        mass = joined(self._mass, (0,), np.float64)
        inverse_mass = 1.0 / mass
        inverse_mass[pins.particle[pins.weight >= 1.0]] = 0.0
        inverse_mass[idle] = 0.0
        colliding = joined(self._colliding, (0,), np.int32)
        touches = ~self._marked(joined([*self._attached, idle], (0,), np.int32))
        return ParticleTable(
            position=joined(self._position, (0, 3), np.float64),
            velocity=joined(self._velocity, (0, 3), np.float64),
            inverse_mass=inverse_mass,
            mass=mass,
            drag=joined(self._drag, (0,), np.float64),
            radius=joined(self._radius, (0,), np.float64),
            friction=joined(self._friction, (0,), np.float64),
            restitution=joined(self._restitution, (0,), np.float64),
            colliding=distinct(colliding[touches[colliding]]),
            rooted_in=np.full(len(mass), -1, dtype=np.int32),
        )
