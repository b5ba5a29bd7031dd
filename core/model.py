"""The three things a simulation is made of: what never changes, what moves, what drives it.

Structure of arrays throughout: float64, C-contiguous, SI units, Z up, quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .contact.limbs import Limbs
from .rigid.joint_table import Joints
from .rigid.table import Bodies, ShapeTable, turned_back
from .settings import AnimatedSettings, WindSettings

if TYPE_CHECKING:
    from .constraints.base import Constraint
    from .constraints.shared_point import SharedPoints
    from .forces.base import Force
    from .forces.field import Field
    from .forces.pull import Pull

EARTH_GRAVITY = (0.0, 0.0, -9.81)  # m/s²

SHORTEST_STEP = 1e-9
"""s; x − x* of slow things would lose its digits in a shorter one."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


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

    # particles
    rest_position: Floats  # (n, 3) m
    initial_velocity: Floats  # (n, 3) m/s
    inverse_mass: Floats  # (n,) 1/kg, 0 = driven from outside (pinned)
    mass: Floats  # (n,) kg, also of pinned particles
    drag: Floats  # (n,) 1/s
    radius: Floats  # (n,) m, distance kept from surfaces
    friction: Floats  # (n,)
    restitution: Floats  # (n,)
    pinned: Ints  # (p,) particles that FrameInputs.pin_position moves
    pin_weight: Floats  # (p,) 1 = immovable, between = drawn there, 0 = free
    colliding: Ints  # particles that touch shapes themselves (all but those of bodies)
    crowd: Ints  # particles that also touch each other
    crowd_group: Ints  # (crowd,) those of one group do not; -1 meets everyone
    crowd_radius: Floats  # (crowd,) m, of the balls that touch each other

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
    tethered: Ints  # (q,) particles that hang on tethers
    tether_start: Ints  # (q + 1,) first tether of each
    tether_anchor: Ints  # (t,) pinned particle at the far end
    tether_length: Floats  # (t,) m, along the material

    constraints: tuple[Constraint, ...]  # all other kinds, in the order of their projection
    forces: tuple[Force, ...]  # those that belong to an object

    # wind
    triangle: Ints  # (f, 3)
    wire: Ints  # (e, 2)
    wire_diameter: Floats  # (e,) m

    limbs: Limbs  # sticks of figures, which meet each other as capsules
    bodies: Bodies  # rigid bodies of place and rotation
    joints: Joints  # between bodies, colliders and the world
    apart: Ints  # (e, 2) rigid bodies that never collide with each other
    shared: SharedPoints  # joints of bodies of particles
    shapes: ShapeTable  # what all that is solid collides with

    # bodies of four particles each, at ±extent along the principal axes
    body_first_particle: Ints  # (p,)
    body_extent: Floats  # (p, 3) m, radius of gyration along each axis
    body_form: Ints  # (p,) bodies.TETRAHEDRON or bodies.AXES: what keeps them rigid
    body_mass: Floats  # (p,) kg

    collider_names: tuple[str, ...]
    collider_position: Floats  # (colliders, 3) m, at the first frame
    collider_orientation: Floats  # (colliders, 4)

    @cached_property
    def particle_count(self) -> int:
        """Number of particles, those of the bodies included."""
        return len(self.inverse_mass)

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
        lays x* out anew for another integrator or step, given the same gravity.

        Raises `ModelError` for numbers that are not finite and for steps that are not above zero.
        """
        from .checks import number, vector  # here, for kernels are compiled anew with each import

        frame = int(number("", "frame", frame))
        step = number("", "step", step, least=SHORTEST_STEP)
        gravity = tuple(vector("", "gravity", gravity).tolist())
        x = self.rest_position.copy()
        falls = (self.inverse_mass > 0.0).astype(np.float64)
        fall = 0.5 * step**2 * np.array(gravity) * falls[:, None]
        previous = x - self.initial_velocity * step + fall
        bodies = self.bodies
        return State(
            position=x,
            previous=previous,
            pin_position=x[self.pinned],
            collider_position=self.collider_position.copy(),
            collider_orientation=self.collider_orientation.copy(),
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
            joint_impulse=np.zeros((len(self.joints), 6)),
            joint_broken=np.zeros(len(self.joints), dtype=np.int32),
            step=step,
            time=0.0,
            frame=frame,
        )


@dataclass
class State:
    """What moves. `advance` reads one state and returns another; it never writes to its input."""

    position: Floats  # (n, 3) m
    # (n, 3) m, x*. (x − x*)/step is the velocity half a substep ago, so that x* is the place one
    # substep ago (Verlet, leapfrog), or the velocity at x itself (the other integrators).
    previous: Floats
    pin_position: Floats  # (p, 3) m, where pins were driven last
    collider_position: Floats  # (colliders, 3) m
    collider_orientation: Floats  # (colliders, 4)
    body_position: Floats  # (b, 3) m, x: centres of mass
    body_previous: Floats  # (b, 3) m, x*
    body_orientation: Floats  # (b, 4), q: principal axes
    body_previous_orientation: Floats  # (b, 4), q*: the turn from it to q is the spin
    body_rest: Floats  # (b,) s for which the body has been still, `HELD` where animation leads it
    body_load: Floats  # (b, 3) m/s², gravity and forces on the body when it was last awake
    mesh_vertex: Floats  # (v, 3) m, of all mesh shapes, in the frames of the shapes
    contact_key: Ints  # (c, 4) shapes, sub-shape and feature of each contact of the last substep
    # (c, 5) N·s, its push and its friction along the axes of the world; m, what is left of the
    # overlap that it began with
    contact_impulse: Floats
    joint_impulse: Floats  # (j, 6) N·s and N·m·s of the last substep, by degree of freedom
    joint_broken: Ints  # (j,) 1: broken for good
    step: float  # s, the substep that separates previous from position
    time: float  # s since the start
    frame: int

    def copy(self) -> State:
        """An independent copy."""
        twin = object.__new__(State)
        copied = vars(twin)
        for name, value in vars(self).items():
            copied[name] = value.copy() if isinstance(value, np.ndarray) else value
        return twin


@dataclass
class FrameInputs:
    """What the outside world does during one frame. None means: stays where it is.

    Targets are reached at the end of the frame, substeps move on a straight line to them.
    """

    duration: float = 1.0 / 24.0  # s
    gravity: tuple[float, float, float] = EARTH_GRAVITY  # m/s²
    wind: WindSettings = field(default_factory=WindSettings)
    fields: tuple[Field, ...] = ()  # force fields, as they are in this frame
    pin_position: Floats | None = None  # (p, 3) m, in the order of Model.pinned
    pin_weight: Floats | None = None  # (p,) in place of Model.pin_weight
    animated: tuple[AnimatedSettings, ...] | None = None  # one for each of Model.objects
    collider_position: Floats | None = None  # (colliders, 3) m
    collider_orientation: Floats | None = None  # (colliders, 4)
    body_position: Floats | None = None  # (b, 3) m, read for bodies that follow their animation
    body_orientation: Floats | None = None  # (b, 4), likewise
    mesh_vertex: Floats | None = None  # (v, 3) m, of mesh shapes, in the frames of the shapes
    joint_target: Floats | None = None  # (j,) rad or m, what pose motors aim at
    joint_speed: Floats | None = None  # (j,) rad/s or m/s of speed motors
    joint_pose: Floats | None = None  # (j, 4) the second's frame in the first's, for pose motors
    joint_strength: Floats | None = None  # (j,) factor on all motors, 0: limp
    joint_hold: Floats | None = None  # (j,) 0: lets go as long as it is so, 1: holds
    pull: Pull | None = None  # draws bodies to where their animation has them


@dataclass
class Diagnostics:
    """Figures about one advanced frame."""

    kinetic_energy: float = 0.0  # J
    potential_energy: float = 0.0  # J, m·g·z
    elastic_energy: float = 0.0  # J, in springs that are taken as forces
    stretch_mean: float = 0.0  # share of the rest length, longer sticks only
    stretch_max: float = 0.0
    penetration: float = 0.0  # m, deepest vertex or body contact
    residual: float = 0.0  # m, largest stick error that the last pass left
    contact_count: int = 0
    substeps: int = 0
    passes: int = 0  # relaxation passes, of all substeps
    is_cut: bool = False  # passes were left out because the time budget was spent
    threads: int = 1
    stage_seconds: dict[str, float] = field(default_factory=dict)
