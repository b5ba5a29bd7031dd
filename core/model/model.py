"""What never changes while a scene is simulated.

Structure of arrays throughout: float64, C-contiguous, SI units, Z up, quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .body_table import BodyTable, ShapeTable, turned_back
from .inputs import EARTH_GRAVITY
from .joint_table import JointTable
from .limbs import Limbs
from .particle_table import ParticleTable, PinTable
from .state import State, acting_at_first

if TYPE_CHECKING:
    from ..forces.base import Force
    from ..particles.constraints.base import Constraint
    from ..particles.particle_bodies.shared_point import SharedPoints
    from .tear_table import TearTable

ITSELF, OTHERS, MESHES = 1, 2, 4
"""Bits of `Model.surface_meets`: its own object, surfaces of other objects, mesh colliders."""

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

    Shapes: n particles, s sticks, c compliant sticks (springs), t tethers, f triangles,
    b rigid bodies, p rigid bodies of particles, k collision shapes.
    """

    objects: tuple[ObjectSpan, ...]

    particles: ParticleTable  # those of the bodies included
    pins: PinTable  # particles that are driven from outside
    self_colliding: Ints  # particles that also touch each other
    self_collision_group: Ints  # (self_colliding,) those of one group do not; -1 meets everyone
    self_collision_radius: Floats  # (self_colliding,) m, of the balls that touch each other

    # distance constraints, in the order in which the solver visits them
    stick: Ints  # (s, 2)
    stick_rest_length: Floats  # (s,) m
    spring: Ints  # (c, 2)
    spring_rest_length: Floats  # (c,) m
    spring_compliance: Floats  # (c,) m/N
    spring_damping: Floats  # (c,) N·s/m
    task_stick: Ints  # (tasks + 1,) first stick of each task
    # (tasks, 4) where in each task the springs of every step, of even and of odd steps begin
    task_spring: Ints
    phase_task: Ints  # (phases + 1,) first task of each phase
    first_net_spring: Ints  # (nets + 1,) behind those of tasks: springs that are solved together
    tethered: Ints  # (q,) particles that hang on tethers
    tether_start: Ints  # (q + 1,) first tether of each
    tether_anchor: Ints  # (t,) pinned particle at the far end
    tether_length: Floats  # (t,) m, along the material

    constraints: tuple[Constraint, ...]  # all other kinds, in the order of their projection
    forces: tuple[Force, ...]  # those that belong to an object

    # wind
    triangle: Ints  # (f, 3)
    surface: Ints  # (g, 3) triangles that nothing of a surface passes through
    surface_meets: Ints  # (g,) bits: `ITSELF`, `OTHERS`, `MESHES`
    wire: Ints  # (e, 2)
    wire_diameter: Floats  # (e,) m

    limbs: Limbs  # sticks of figures, which meet each other as capsules
    bodies: BodyTable  # rigid bodies of place and rotation
    joints: JointTable  # between bodies, colliders and the world
    apart: Ints  # (e, 2) rigid bodies that never collide with each other
    shared: SharedPoints  # joints of bodies of particles
    shapes: ShapeTable  # what all that is solid collides with

    # bodies of four particles each, at ±extent along the principal axes
    body_first_particle: Ints  # (p,)
    body_extent: Floats  # (p, 3) m, radius of gyration along each axis
    body_form: Ints  # (p,) bodies.TETRAHEDRON or bodies.AXES: what keeps them rigid
    body_mass: Floats  # (p,) kg

    tears: TearTable | None  # None where nothing may tear

    collider_names: tuple[str, ...]
    collider_position: Floats  # (colliders, 3) m, at the first frame
    collider_orientation: Floats  # (colliders, 4)

    @cached_property
    def particle_count(self) -> int:
        """Number of particles, those of the bodies included."""
        return len(self.particles)

    @cached_property
    def body_count(self) -> int:
        """Number of rigid bodies of place and rotation."""
        return len(self.bodies)

    @cached_property
    def particle_body_count(self) -> int:
        """Number of rigid bodies made of particles."""
        return len(self.body_mass)

    @cached_property
    def collider_shape_count(self) -> int:
        """Number of shapes that belong to colliders; they come first."""
        first = self.body_count
        owner = self.shapes.owner
        return int(((owner >= first) & (owner < first + self.collider_count)).sum())

    @cached_property
    def owner_count(self) -> int:
        """Number of things that carry shapes: bodies, colliders, bodies of particles."""
        return self.body_count + self.collider_count + self.particle_body_count

    @cached_property
    def collider_count(self) -> int:
        """Number of kinematic colliders."""
        return len(self.collider_names)

    @cached_property
    def parts_meshes(self) -> NDArray[np.bool_]:
        """Particles (n,) of surfaces that mesh colliders do not pass through."""
        found = np.zeros(self.particle_count, dtype=np.bool_)
        if self.shapes.has_meshes:
            found[self.surface[self.surface_meets & MESHES != 0]] = True
        return found

    @cached_property
    def balls(self) -> Ints:
        """Rows of `self_colliding` that are balls: they meet each other, and nothing joins them."""
        is_joined = np.zeros(self.particle_count, dtype=np.bool_)
        for rows in (self.stick, self.spring, self.triangle, self.wire, self.tethered):
            is_joined[rows] = True
        is_joined[(self.body_first_particle[:, None] + np.arange(4)).reshape(-1)] = True
        is_loose = (
            (self.self_collision_group < 0)
            & (self.self_collision_radius > 0.0)
            & ~is_joined[self.self_colliding]
        )
        return np.flatnonzero(is_loose).astype(np.int32)

    def object_of_particle(self, particle: int) -> ObjectSpan:
        """The object that a particle belongs to."""
        for span in self.objects:
            if span.first_particle <= particle < span.first_particle + span.particle_count:
                return span
        raise IndexError(f"particle {particle} of {self.particle_count}")

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
            collider_position=self.collider_position.copy(),
            collider_orientation=self.collider_orientation.copy(),
            collider_velocity=np.zeros((self.collider_count, 3)),
            body_position=bodies.position.copy(),
            body_previous=bodies.position
            - step * bodies.velocity
            + 0.5 * step**2 * np.array(gravity),
            body_orientation=bodies.orientation.copy(),
            body_previous_orientation=turned_back(bodies, step),
            body_rest=np.zeros(len(bodies)),
            body_load=np.tile(np.array(gravity, dtype=np.float64), (len(bodies), 1)),
            mesh_vertex=self.shapes.meshes.vertex,
            contact_key=np.zeros((0, 4), dtype=np.int32),
            contact_impulse=np.zeros((0, 5)),
            ball_contact=np.zeros((0, 2), dtype=np.int32),
            ball_impulse=np.zeros((0, 3)),
            ball_rest=np.zeros(len(self.balls)),
            joint_impulse=np.zeros((len(self.joints), 6)),
            joint_broken=np.zeros(len(self.joints), dtype=np.int32),
            acted=acting_at_first(gravity, len(self.objects)),
            weld=np.zeros(0, dtype=np.int32) if self.tears is None else self.tears.weld.copy(),
            tension=np.zeros(0 if self.tears is None else len(self.tears.pair)),
            step=step,
            time=0.0,
            frame=frame,
        )
