"""What never changes while a scene is simulated.

Structure of arrays throughout: float64, C-contiguous, SI units, Z up, quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..settings.gravity import EARTH_GRAVITY
from .body_table import turned_back
from .contact_state import ContactState
from .cushion_state import CushionState
from .shared_point_table import SharedPoints
from .state import State, acting_at_first
from .stretch_state import StretchState
from .tear_table import TearState, TearTable

if TYPE_CHECKING:
    from ..arrays import Ints
    from .body_table import BodyTable, ShapeTable
    from .collider_table import ColliderTable
    from .constraint import Constraint
    from .force import Force
    from .joint_table import JointTable
    from .limbs import Limbs
    from .particle_body_table import ParticleBodyTable
    from .particle_table import ParticleTable, PinTable, SelfCollisionTable
    from .rest_table import RestTable
    from .schedule import Schedule
    from .stick_table import SpringTable, StickTable, TetherTable
    from .surface_table import BodySurfaceTable, PieceTable, SurfaceTable

SHORTEST_STEP = 1e-9
"""s; x − x* of slow things would lose its digits in a shorter one."""


@dataclass(frozen=True)
class ObjectSpan:
    """Which part of the arrays belongs to one named object."""

    name: str
    first_particle: int
    particle_count: int
    body: int = -1  # row of `bodies.body_poses`, -1 for a particle object

    @property
    def particles(self) -> slice:
        """The object's rows in every per-particle array."""
        return slice(self.first_particle, self.first_particle + self.particle_count)


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that stays constant while a scene is simulated. Made by `ModelBuilder`.

    One table for each kind of thing; what a table holds and how it is laid out stands there.
    """

    objects: tuple[ObjectSpan, ...]
    particles: ParticleTable  # those of bodies included
    pins: PinTable
    self_collision: SelfCollisionTable
    sticks: StickTable
    springs: SpringTable
    schedule: Schedule  # who solves which sticks and springs, and when
    tethers: TetherTable
    constraints: tuple[Constraint, ...]  # all other kinds, in the order of their projection
    forces: tuple[Force, ...]  # those that belong to an object
    pieces: PieceTable
    surfaces: SurfaceTable
    limbs: Limbs  # sticks of figures, which meet each other as capsules
    bodies: BodyTable  # rigid bodies of place and rotation
    colliders: ColliderTable
    particle_bodies: ParticleBodyTable
    joints: JointTable  # between bodies, colliders and the world
    shared: SharedPoints  # joints of bodies of particles
    shapes: ShapeTable  # what all that is solid collides with
    body_surfaces: BodySurfaceTable  # bodies as they are drawn
    tears: TearTable[Model] | None  # None where nothing may tear
    rests: RestTable  # which objects of particles fall asleep

    @cached_property
    def collider_shape_count(self) -> int:
        """Number of shapes that belong to colliders; they come first."""
        first, owner = len(self.bodies), self.shapes.owner
        return int(((owner >= first) & (owner < first + len(self.colliders))).sum())

    @cached_property
    def owner_count(self) -> int:
        """Number of things that carry shapes: bodies, colliders, bodies of particles."""
        return len(self.bodies) + len(self.colliders) + len(self.particle_bodies)

    @property
    def particle_object(self) -> Ints:
        """Which object each particle (n,) belongs to."""
        counts = [span.particle_count for span in self.objects]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    def object_of_particle(self, particle: int) -> ObjectSpan:
        """The object that a particle belongs to."""
        for span in self.objects:
            if span.first_particle <= particle < span.first_particle + span.particle_count:
                return span
        raise IndexError(f"particle {particle} of {len(self.particles)}")

    def initial_state(
        self,
        frame: int = 0,
        *,
        step: float = 1.0 / 480.0,
        gravity: tuple[float, float, float] = EARTH_GRAVITY,
    ) -> State:
        """The state at rest pose with the initial velocities.

        ``step`` is the substep h in seconds that x* is laid out for, x* = x − v·h + ½·a·h²:
        the start that makes position Verlet exact in free flight (Kenwright §VII). The first frame
        lays x* out anew for another integrator, step or gravity.

        Raises `ModelError` for numbers that are not finite and for steps that are not above zero.
        """
        from ..checks import number, vector  # here, for kernels are compiled anew with each import

        frame = int(number("", "frame", frame))
        step = number("", "step", step, least=SHORTEST_STEP)
        gravity = tuple(vector("", "gravity", gravity).tolist())
        particles = self.particles
        x = particles.position.copy()
        falls = (particles.inverse_mass > 0.0).astype(np.float64)
        fall = 0.5 * step**2 * np.array(gravity) * falls[:, None]
        previous = x - particles.velocity * step + fall
        bodies = self.bodies
        return State(
            position=x,
            previous=previous,
            pin_position=x[self.pins.particle],
            collider_position=self.colliders.position.copy(),
            collider_orientation=self.colliders.orientation.copy(),
            collider_velocity=np.zeros((len(self.colliders), 3)),
            body_position=bodies.position.copy(),
            body_previous=bodies.position
            - step * bodies.velocity
            + 0.5 * step**2 * np.array(gravity),
            body_orientation=bodies.orientation.copy(),
            body_previous_orientation=turned_back(bodies, step),
            body_rest=np.zeros(len(bodies)),
            body_load=np.tile(np.array(gravity, dtype=np.float64), (len(bodies), 1)),
            body_hold=np.zeros((len(bodies), 2, 3)),
            mesh_vertex=self.shapes.meshes.vertex,
            contacts=ContactState.at_start(),
            cushions=CushionState.at_start(),
            balls=self.self_collision.at_start(),
            joints=self.joints.at_start(),
            tears=TearState.at_start(self.tears),
            rest=self.rests.at_start(self.pins.weight),
            stretch=StretchState.at_start(len(self.objects)),
            acted=acting_at_first(gravity, len(self.objects)),
            step=step,
            time=0.0,
            frame=frame,
        )
