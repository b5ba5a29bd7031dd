"""`ModelBuilder`: collects particles, constraints, bodies and colliders, checks them, and hands
out a `Model` whose arrays lie in the order in which the solver walks through them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..coincidence import part_coinciding
from ..coupling.attachment import Attachments
from ..errors import ModelError
from ..model import Model, ObjectSpan
from ..model.joint_table import joint_table
from ..model.limbs import Limbs
from ..model.model import OTHERS
from ..model.particle_table import ParticleTable, PinTable
from ..pairs import distinct
from ..particles.constraints.strand import Strands
from ..particles.particle_bodies.shared_point import shared_table
from ..particles.schedule import make_schedule
from .particles import joined
from .tearing import TearBuilder

if TYPE_CHECKING:
    from ..particles.constraints.base import Constraint


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
        stick = joined(self._stick, (0, 2), np.int32)
        spring = joined(self._spring, (0, 2), np.int32)
        pins = self._pins()
        tears = self._tear_table(weld)
        idle = np.zeros(0, dtype=np.int32) if tears is None else tears.idle
        particles = self._particle_table(pins, idle)
        stick_rest = joined(self._stick_rest, (0,), np.float64)
        spring_rest = joined(self._spring_rest, (0,), np.float64)
        compliance = joined(self._spring_compliance, (0,), np.float64)
        damping = joined(self._spring_damping, (0,), np.float64)
        for pairs, rest in ((stick, stick_rest), (spring, spring_rest)):
            x = particles.position
            part_coinciding(x, x.copy(), particles.inverse_mass, pairs, rest)
        turn = joined(self._spring_turn, (0,), np.int32)
        schedule = make_schedule(self.particle_count, stick, spring, turn)
        rigid, clusters = self._rigid, self._particle_bodies
        among = joined(self._self_colliding, (0,), np.int32)
        meets = ~self._marked(idle)[among]
        return Model(
            objects=tuple(self._numbered(span) for span in self.objects),
            particles=particles,
            pins=pins,
            self_colliding=among[meets],
            self_collision_group=self._self_collision_groups()[meets],
            self_collision_radius=joined(self._self_collision_radius, (0,), np.float64)[meets],
            stick=np.ascontiguousarray(stick[schedule.stick_order]),
            stick_rest_length=stick_rest[schedule.stick_order],
            spring=np.ascontiguousarray(spring[schedule.spring_order]),
            spring_rest_length=spring_rest[schedule.spring_order],
            spring_compliance=compliance[schedule.spring_order],
            spring_damping=damping[schedule.spring_order],
            task_stick=schedule.task_stick,
            task_spring=schedule.task_spring,
            phase_task=schedule.phase_task,
            first_net_spring=schedule.first_net_spring,
            **self._tethers(pins, particles),
            constraints=self._constraints(),
            forces=tuple(self._force),
            triangle=joined(self._triangle, (0, 3), np.int32),
            surface=joined(self._surface, (0, 3), np.int32),
            surface_meets=joined(self._surface_meets, (0,), np.int32),
            wire=joined(self._wire, (0, 2), np.int32),
            wire_diameter=joined(self._wire_diameter, (0,), np.float64),
            limbs=self._limb_table(),
            bodies=rigid.body_table(),
            joints=joint_table(self._with_owners(self._joint)),
            apart=np.array(self._apart, dtype=np.int32).reshape(-1, 2),
            shared=shared_table(self._with_owners(self._shared)),
            shapes=rigid.shape_table(),
            body_first_particle=np.array([c.first_particle for c in clusters], dtype=np.int32),
            body_extent=np.array([c.extent for c in clusters]).reshape(-1, 3),
            body_form=np.array([c.form for c in clusters], dtype=np.int32),
            body_mass=np.array([c.mass for c in clusters], dtype=np.float64),
            tears=tears,
            collider_names=tuple(rigid.collider_names),
            collider_position=np.array(rigid.collider_position).reshape(-1, 3),
            collider_orientation=np.array(rigid.collider_orientation).reshape(-1, 4),
        )

    def _self_collision_groups(self) -> Ints:
        """Groups of particles that meet as balls; surfaces meet each other by their triangles."""
        group = joined(self._self_collision_group, (0,), np.int32)
        surfaces = np.concatenate([np.zeros((0, 3), dtype=np.int32), *self._surface])
        meets = joined(self._surface_meets, (0,), np.int32) & OTHERS != 0
        is_surface = self._marked(surfaces[meets])
        group[is_surface[joined(self._self_colliding, (0,), np.int32)]] = len(self.objects)
        return group

    def _marked(self, particles: Ints) -> NDArray[np.bool_]:
        """Which of all particles (n,) are among these."""
        mark = np.zeros(self.particle_count, dtype=bool)
        mark[particles] = True
        return mark

    def _tethers(self, pins: PinTable, particles: ParticleTable) -> dict[str, Any]:
        """Tethers of what is not held, particle by particle, as the model's arrays."""
        tether = joined(self._tether, (0, 2), np.int32)
        held = self._marked(pins.particle)
        if len(tether) and not held[tether[:, 1]].all():
            loose = tether[int(np.argmin(held[tether[:, 1]])), 1]
            raise ModelError(self._name_of(np.array([loose])), "a tether hangs on a loose vertex")
        length = joined(self._tether_length, (0,), np.float64)
        hangs = particles.inverse_mass[tether[:, 0]] > 0.0
        order = np.argsort(tether[hangs, 0], kind="stable")
        tether, length = tether[hangs][order], length[hangs][order]
        size = np.bincount(tether[:, 0])
        tethered = np.flatnonzero(size)
        return {
            "tethered": tethered.astype(np.int32),
            "tether_start": np.append(0, np.cumsum(size[tethered])).astype(np.int32),
            "tether_anchor": np.ascontiguousarray(tether[:, 1]),
            "tether_length": length,
        }

    def _constraints(self) -> tuple[Constraint, ...]:
        """All constraints; strands learn which bodies hang on them."""
        ties = [c for c in self._constraint if isinstance(c, Attachments)]
        return tuple(c.tied_by(ties) if isinstance(c, Strands) else c for c in self._constraint)

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
        )
