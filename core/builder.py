"""`ModelBuilder`: collects particles, constraints, bodies and colliders, checks them, and hands
out a `Model` whose arrays lie in the order in which the solver walks through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .bodies import CORNER_SIGNS, FORMS, frame_extent
from .coincidence import part_coinciding
from .constraints.attachment import Attachments
from .constraints.shared_point import POINT, check_shared, places_of, shared_table, weights_at
from .constraints.strand import Strands
from .contact.limbs import Limbs
from .errors import ModelError
from .jit import plain
from .model import Floats, Ints, Model, ObjectSpan
from .rigid.inertia import inertia_of
from .rigid.joint_table import End, OnCollider, joint_columns, joint_table
from .rigid.parts import BODY, COLLIDER, PARTICLE_BODY, RigidParts, Surfaces
from .rigid.rotation import product
from .rigid.shape import Shape, finite, unit_quaternion
from .rigid.table import FOLLOWS
from .schedule import make_schedule
from .settings import JointSettings
from .vector import rotation_matrix

if TYPE_CHECKING:
    from .constraints.base import Constraint
    from .forces.base import Force

BODY_MODELS = ("QUATERNION", *FORMS)

WORLD = -1
"""In place of a kind of owner: a joint's end that is fixed in space."""


@dataclass
class _Body:
    first_particle: int
    extent: Floats
    form: int
    mass: float
    centre: Floats
    orientation: Floats


class ModelBuilder:
    """Adds things one by one; `finalize` checks the whole and returns a `Model`.

    Every ``add_`` method refuses bad numbers with a `ModelError` that names the object, and
    leaves the builder as it was. Particle indices are counted over the whole model.
    """

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
        self._crowd: list[Ints] = []
        self._crowd_group: list[Ints] = []
        self._crowd_radius: list[Floats] = []
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
        self._wire: list[Ints] = []
        self._wire_diameter: list[Floats] = []
        self._limbs: list[Limbs] = []
        self._rigid = RigidParts()
        self._joint: list[dict[str, Any]] = []
        self._apart: list[tuple[int, int]] = []
        self._shared: list[dict[str, Any]] = []
        self._attached: list[Ints] = []
        self._particle_bodies: list[_Body] = []
        self.particle_count = 0

    # ------------------------------------------------------------------ particles

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
        crowd: bool = False,
        meets_itself: bool = True,
        contact_radius: ArrayLike | None = None,
    ) -> int:
        """Add an object of free particles; returns its index in `objects`.

        position (n, 3) m; mass kg, above zero; velocity (n, 3) or (3,) m/s; drag 1/s; radius m, the
        distance kept from surfaces; friction; restitution: each (n,) or one number for all. crowd:
        they also collide with the particles of other crowds and, when the object ``meets_itself``,
        with each other, as balls of contact_radius m, by default their radius.
        """
        x = finite(name, "position", position)
        if x.ndim != 2 or x.shape[1] != 3:
            raise ModelError(name, f"positions have shape {x.shape}, expected (n, 3)")
        if len(x) == 0:
            raise ModelError(name, "has no vertices; add some, or remove the simulation from it")
        m = np.broadcast_to(finite(name, "mass", mass), (len(x),)).copy()
        if (m <= 0.0).any():
            raise ModelError(
                name, f"vertex {int(np.argmin(m))} has no mass; masses must be above 0"
            )
        v = np.broadcast_to(finite(name, "velocity", velocity), x.shape).copy()
        surface = {}
        for label, given in (
            ("drag", drag),
            ("radius", radius),
            ("friction", friction),
            ("restitution", restitution),
        ):
            values = np.broadcast_to(finite(name, label, given), (len(x),)).copy()
            if (values < 0.0).any():
                raise ModelError(name, f"{label} = {values.min()} must be 0 or more")
            surface[label] = values

        ball = surface["radius"]
        if contact_radius is not None:
            given = finite(name, "contact radius", contact_radius)
            ball = np.broadcast_to(given, (len(x),)).copy()
            if (ball < 0.0).any():
                raise ModelError(name, f"contact radius = {ball.min()} must be 0 or more")

        span = ObjectSpan(name, self.particle_count, len(x))
        self._append_particles(x, v, m, **surface)
        self._colliding.append(np.arange(span.first_particle, self.particle_count, dtype=np.int32))
        if crowd:
            self._crowd.append(self._colliding[-1])
            group = -1 if meets_itself else len(self.objects)
            self._crowd_group.append(np.full(len(x), group, dtype=np.int32))
            self._crowd_radius.append(ball)
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
        `constraints.attach` says, 0 leaves them free. `FrameInputs` may change it frame by frame.
        A particle that is pinned twice keeps the larger weight.
        """
        pinned = self._indices("", particles).reshape(-1)
        weights = np.broadcast_to(finite("", "pin weight", weight), pinned.shape).copy()
        if ((weights < 0.0) | (weights > 1.0)).any():
            raise ModelError(self._name_of(pinned), "pin weights must lie between 0 and 1")
        self._pinned.append(pinned)
        self._pin_weight.append(weights)

    @property
    def position(self) -> Floats:
        """Places (n, 3) m of all particles added so far."""
        return _joined(self._position, (0, 3), np.float64)

    @property
    def mass(self) -> Floats:
        """Masses (n,) kg of all particles added so far."""
        return _joined(self._mass, (0,), np.float64)

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
    ) -> None:
        """Springs between pairs (c, 2) of stiffness (c,) or one number in N/m, above zero.

        damping (c,) or one number in N·s/m: a damper along each spring, F = −k x − b v.

        Springs of turn 0 and 1 act in every second step, with twice the impulse: for two large
        sets of springs that only give a material its character, at half the cost.
        """
        if turn not in (-1, 0, 1):
            raise ModelError("", f"turn = {turn} must be -1, 0 or 1")
        ends, rest = self._pairs(pairs, rest_length)
        k = np.broadcast_to(np.asarray(stiffness, dtype=np.float64), rest.shape)
        if not (k > 0.0).all():
            raise ModelError(self._name_of(ends), "spring stiffness must be above 0 N/m")
        b = np.broadcast_to(np.asarray(damping, dtype=np.float64), rest.shape)
        if not ((b >= 0.0) & np.isfinite(b)).all():
            raise ModelError(self._name_of(ends), "spring damping must be 0 N·s/m or more")
        self._spring.append(ends)
        self._spring_rest.append(rest)
        self._spring_compliance.append(1.0 / k)
        self._spring_damping.append(b)
        self._spring_turn.append(np.full(len(ends), turn, dtype=np.int32))

    def add_tethers(self, particles: ArrayLike, anchors: ArrayLike, length: ArrayLike) -> None:
        """Keep particles (t,) within length (t,) m of anchors (t,), which must be pinned."""
        ends = np.stack([self._indices("", particles), self._indices("", anchors)], axis=1)
        self._tether.append(ends)
        self._tether_length.append(finite("", "tether length", length))

    def add_constraint(self, constraint: Constraint) -> None:
        """Any other constraint, see `constraints`; they are projected in the order of adding."""
        self._constraint.append(constraint)

    def add_force(self, force: Force) -> None:
        """A force of an object's own, see `forces.base`."""
        self._force.append(force)

    def add_triangles(self, triangle: ArrayLike) -> None:
        """Surface (f, 3) that the wind blows on."""
        self._triangle.append(self._indices("", triangle).reshape(-1, 3))

    def add_wires(self, pairs: ArrayLike, diameter: ArrayLike) -> None:
        """Lines (e, 2) that the wind blows on as round wires of diameter (e,) or one number, m.

        For what has no triangles: ropes, stalks, hair.
        """
        ends, _ = self._pairs(pairs, 0.0)
        width = np.broadcast_to(finite("", "wire diameter", diameter), (len(ends),)).copy()
        if (width < 0.0).any():
            raise ModelError(self._name_of(ends), "wire diameters must be 0 m or more")
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
        thick = np.broadcast_to(finite("", "limb radius", radius), (len(ends),)).copy()
        meets = self._indices("", own).reshape(-1, 2)
        reach = np.broadcast_to(finite("", "limb reach", own_reach), (len(meets),)).copy()
        if (thick <= 0.0).any() or (reach < 0.0).any():
            raise ModelError(self._name_of(ends), "limbs must be thicker than 0 m")
        if meets.size and (meets.min() < 0 or meets.max() >= len(ends)):
            raise ModelError(self._name_of(ends), "a limb meets one that does not exist")
        self.add_wires(ends, 2.0 * thick)
        self._limbs.append(Limbs(ends, thick, own=meets, own_reach=reach))

    # ------------------------------------------------------------------ bodies and colliders

    def add_body(
        self,
        name: str,
        shape: str,
        size: Sequence[float],
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        mass: float,
        model: str = "QUATERNION",
        **details: Any,
    ) -> int:
        """Add a homogeneous rigid body of one shape; returns its index in `objects`.

        shape, size: BOX (half extents), SPHERE (radius), CAPSULE (radius, half length along local
        z), CYLINDER (radius, half height), m; position: centre (3,) m; orientation: quaternion
        (4,); mass kg; model QUATERNION, TETRAHEDRON or AXES; details as in `add_rigid_body`.
        """
        one = Shape.of(name, shape, size)
        inertia = inertia_of(name, one, self._mass_of(name, mass))
        return self.add_rigid_body(
            name, [one], position, orientation, mass=mass, inertia=inertia, model=model, **details
        )

    def add_rigid_body(
        self,
        name: str,
        shapes: Sequence[Shape],
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        mass: float,
        inertia: ArrayLike,
        model: str = "QUATERNION",
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        drag: float = 0.0,
        angular_drag: float = 0.0,
        friction: float = 0.5,
        static_friction: float = 1.0,
        restitution: float = 0.0,
        gyroscopic: bool = True,
        sleeps: bool = True,
        follows: str = "ACTIVE",
        layers: int = 1,
    ) -> int:
        """Add a rigid body of any shapes; returns its index in `objects`.

        position (3,) m: centre of mass; orientation (4,): principal axes; mass kg; inertia (3,)
        kg·m²: principal moments; shapes: placed in that frame; velocity (3,) m/s;
        angular_velocity (3,) rad/s in the world; drag, angular_drag 1/s; layers: bits. model:
        QUATERNION, or four particles held by six sticks (TETRAHEDRON) or as a frame of three axes
        (AXES), which know no angular_drag, static_friction and sleep and are always ACTIVE and
        gyroscopic.
        """
        self._mass_of(name, mass)
        moments = finite(name, "inertia", inertia).reshape(3)
        if not (moments > 0.0).all():
            raise ModelError(name, f"inertia {moments.tolist()} kg·m² must be above 0; thicken it")
        if model not in BODY_MODELS:
            raise ModelError(name, f"model {model!r} is none of {', '.join(BODY_MODELS)}")
        if follows not in FOLLOWS:
            raise ModelError(name, f"follows {follows!r} is none of {', '.join(FOLLOWS)}")
        centre = finite(name, "position", position).reshape(3)
        quaternion = unit_quaternion(name, orientation)
        v = finite(name, "velocity", velocity).reshape(3)
        spin = finite(name, "angular velocity", angular_velocity).reshape(3)
        for label, number in (
            ("drag", drag),
            ("angular drag", angular_drag),
            ("friction", friction),
            ("restitution", restitution),
        ):
            if not (np.isfinite(number) and number >= 0.0):
                raise ModelError(name, f"{label} = {number} must be 0 or more")
        feel = Surfaces(friction, static_friction, restitution, layers)
        if model in FORMS:
            return self._add_particle_body(
                name, FORMS[model], shapes, centre, quaternion, mass, moments, v, spin, drag, feel
            )
        body = len(self._rigid.bodies)
        self._rigid.bodies.append(
            {
                "object": len(self.objects),
                "position": centre,
                "orientation": quaternion,
                "velocity": v,
                "angular_velocity": spin,
                "mass": mass,
                "inertia": moments,
                "drag": drag,
                "angular_drag": angular_drag,
                "gyroscopic": gyroscopic,
                "sleeps": sleeps,
                "follows": FOLLOWS[follows],
            }
        )
        self._rigid.add_shapes(BODY, body, shapes, feel)
        self.objects.append(ObjectSpan(name, self.particle_count, 0, body))
        return len(self.objects) - 1

    def _add_particle_body(
        self,
        name: str,
        form: int,
        shapes: Sequence[Shape],
        centre: Floats,
        quaternion: Floats,
        mass: float,
        moments: Floats,
        velocity: Floats,
        spin: Floats,
        drag: float,
        feel: Surfaces,
    ) -> int:
        """A body of four particles with the same mass, centre and inertia (`bodies`)."""
        extent = frame_extent(name, form, mass, moments)
        offset = (CORNER_SIGNS * extent) @ rotation_matrix(quaternion).T
        body = len(self._particle_bodies)
        span = ObjectSpan(name, self.particle_count, 4, body)
        self._append_particles(
            centre + offset,
            velocity + np.cross(spin, offset),
            *(
                np.full(4, value)
                for value in (mass / 4.0, drag, 0.0, feel.friction, feel.restitution)
            ),
        )
        self._particle_bodies.append(
            _Body(span.first_particle, extent, form, mass, centre, quaternion)
        )
        self._rigid.add_shapes(PARTICLE_BODY, body, shapes, feel)
        self.objects.append(span)
        return len(self.objects) - 1

    def _mass_of(self, name: str, mass: float) -> float:
        if not (np.isfinite(mass) and mass > 0.0):
            raise ModelError(name, f"mass = {mass} kg must be above 0")
        return mass

    def add_collider(
        self,
        name: str,
        shape: str,
        size: Sequence[float],
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        **feel: Any,
    ) -> int:
        """Add something of one shape that only `FrameInputs` moves, see `add_collider_shapes`."""
        return self.add_collider_shapes(
            name, [Shape.of(name, shape, size)], position, orientation, **feel
        )

    def add_collider_shapes(
        self,
        name: str,
        shapes: Sequence[Shape],
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        friction: float = 0.5,
        static_friction: float = 1.0,
        restitution: float = 0.0,
        layers: int = 1,
    ) -> int:
        """Add something that only `FrameInputs` moves; returns its index among the colliders.

        shapes: placed in its frame; position (3,) m; orientation (4,); layers: bits.
        """
        rigid = self._rigid
        place = finite(name, "position", position).reshape(3)
        q = unit_quaternion(name, orientation)
        rigid.collider_position.append(place)
        rigid.collider_orientation.append(q)
        rigid.collider_names.append(name)
        row = len(rigid.collider_names) - 1
        rigid.add_shapes(
            COLLIDER, row, shapes, Surfaces(friction, static_friction, restitution, layers)
        )
        return row

    def add_handle(self, name: str, position: ArrayLike, orientation: ArrayLike) -> int:
        """Add a place that only `FrameInputs` moves and that touches nothing: joints hold on to it.

        position (3,) m; orientation (4,); returns its index among the colliders.
        """
        return self.add_collider_shapes(name, [], position, orientation)

    # ------------------------------------------------------------------ joints

    def add_joint(
        self,
        name: str,
        first: End,
        second: End,
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        settings: JointSettings | None = None,
        *,
        second_position: ArrayLike | None = None,
        second_orientation: ArrayLike | None = None,
    ) -> int:
        """Join two rigid things at one place; returns the joint's index in `Model.joints`.

        −1 for joints of bodies of particles, which are in `Model.shared`: ball, hinge, fixed and
        rope, without limits, motors, friction and breaking force.

        first, second: `OnBody`, `OnCollider` or None for the world, not both without mass;
        position (3,) m and orientation (4,) in the world: place and axes of the joint as it
        stands now, X its twist or slide, Z its hinge. Angles and places are those of the second
        seen from the first. second_position (3,) m: the other end of a rope or a spring.
        second_orientation (4,): the axes of the second, where the joint does not start at its
        angles of zero.
        """
        settings = settings or JointSettings()
        place = finite(name, "position", position).reshape(3)
        q = unit_quaternion(name, orientation)
        other = place
        if second_position is not None:
            other = finite(name, "second position", second_position).reshape(3)
            if settings.kind not in ("DISTANCE", "SPRING"):
                raise ModelError(
                    name, f"a {settings.kind.lower()} joint cannot begin at two different places"
                )
        turns = [q, q]
        if second_orientation is not None:
            turns[1] = unit_quaternion(name, second_orientation)
        ends = [self._end(name, first), self._end(name, second)]
        if ends[0] == ends[1]:
            raise ModelError(name, "joins a thing with itself; choose two")
        if not {BODY, PARTICLE_BODY} & {ends[0][0], ends[1][0]}:
            raise ModelError(name, "joins nothing that moves; one of the two must be a body")
        if PARTICLE_BODY in (ends[0][0], ends[1][0]):
            self._share(name, ends, (place, other), q, settings)
            return -1
        anchors, frames = [], []
        for (kind, row), point, turn in zip(ends, (place, other), turns, strict=True):
            anchor, frame = self._seen_from(kind, row, point, turn)
            anchors.append(anchor)
            frames.append(frame)
        distance = float(np.linalg.norm(other - place))
        self._joint.append(
            {
                "name": name,
                "owner": ends,
                "anchor": anchors,
                "frame": frames,
                **joint_columns(name, settings, distance),
            }
        )
        return len(self._joint) - 1

    def keep_apart(self, name: str, first: End, second: End) -> None:
        """Let two rigid bodies, `OnBody`, never collide: parts of one character overlap."""
        (kind, row), (other_kind, other) = self._end(name, first), self._end(name, second)
        if (kind, other_kind) != (BODY, BODY):
            raise ModelError(name, "only rigid bodies can be kept from colliding")
        self._apart.append((row, other))

    def _share(
        self,
        name: str,
        ends: Sequence[tuple[int, int]],
        places: tuple[Floats, Floats],
        q: Floats,
        settings: JointSettings,
    ) -> None:
        """Join bodies of particles, with each other or others, by places that both share."""
        clusters = [self._particle_bodies[row] for kind, row in ends if kind == PARTICLE_BODY]
        check_shared(name, self._name_of(np.array([clusters[0].first_particle])), settings)
        lever = min(float(cluster.extent.max()) for cluster in clusters)
        length = POINT
        if settings.kind == "DISTANCE":
            length = settings.length or float(np.linalg.norm(places[1] - places[0]))
        axes = rotation_matrix(q)
        pairs = zip(
            *(places_of(settings.kind, place, axes, lever) for place in places), strict=True
        )
        for pair in pairs:
            row: dict[str, Any] = {"name": name, "owner": list(ends), "length": length}
            row |= {"collides": settings.collides, "first": [], "anchor": [], "weight": []}
            for (kind, number), place in zip(ends, pair, strict=True):
                anchor, _ = self._seen_from(kind, number, place, q)
                is_cluster = kind == PARTICLE_BODY
                cluster = self._particle_bodies[number] if is_cluster else None
                row["first"].append(cluster.first_particle if cluster else -1)
                row["weight"].append(weights_at(anchor, cluster.extent) if cluster else np.zeros(4))
                row["anchor"].append(anchor)
            self._shared.append(row)
        for kind, number in ends:
            if kind == BODY:
                self._rigid.bodies[number]["sleeps"] = False

    def add_attachment(
        self,
        body: End,
        particles: ArrayLike,
        place: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        number: int = -1,
    ) -> None:
        """Tie particles to places on a rigid body, both ways: a rope's end, a cloth's corner.

        body: `OnBody`; particles (a,), or (a, k) with weights (a, k), 1 in sum, for points between
        particles; place (a, 3) m in the world, by default where the points are now. Tied particles
        touch nothing themselves. A body that hangs on its ties does not sleep. number: by which
        `AnimatedSettings.loose` lets go of them.
        """
        tied = self._indices("", particles)
        tied = tied.reshape(len(tied), -1) if tied.ndim else tied.reshape(1, 1)
        if not tied.size or tied.min() < 0 or tied.max() >= self.particle_count:
            raise ModelError("", f"a tie names a particle outside 0 … {self.particle_count - 1}")
        name = self._name_of(tied)
        share = np.full(tied.shape, 1.0 / tied.shape[1])
        if weights is not None:
            share = np.broadcast_to(finite(name, "weight", weights), tied.shape).copy()
        if not np.allclose(share.sum(axis=1), 1.0):
            raise ModelError(name, "weights of a tied point must be 1 in sum")
        points = np.einsum("ak,aki->ai", share, self.position[tied])
        if place is not None:
            points = np.broadcast_to(finite(name, "place", place), points.shape)
        kind, row = self._end(name, body)
        if kind == PARTICLE_BODY:
            other = self._name_of(np.array([self._particle_bodies[row].first_particle]))
            raise ModelError(name, f"{other} is made of particles; give it the model Quaternion")
        if kind != BODY:
            raise ModelError(name, "only a rigid body can be tied to; pin the particles instead")
        centre, turn = self._rigid.bodies[row]["position"], self._rigid.bodies[row]["orientation"]
        anchor = np.ascontiguousarray((points - centre) @ rotation_matrix(turn))
        owner = next(n for n, span in enumerate(self.objects) if span.name == name)
        self.touch_nothing(tied)
        body_row = np.full(len(tied), row, dtype=np.int32)
        self.add_constraint(Attachments(owner, body_row, anchor, tied, share, number))

    def touch_nothing(self, particles: ArrayLike) -> None:
        """Let particles touch nothing themselves: what they are tied to does in their place."""
        self._attached.append(self._indices("", particles).reshape(-1))

    def _end(self, name: str, end: End) -> tuple[int, int]:
        """Kind and row of what a joint holds."""
        if end is None:
            return WORLD, 0
        if isinstance(end, OnCollider):
            if not 0 <= end.collider < len(self._rigid.collider_names):
                raise ModelError(name, f"there is no collider {end.collider}")
            return COLLIDER, end.collider
        if not 0 <= end.object < len(self.objects) or self.objects[end.object].body < 0:
            raise ModelError(name, f"object {end.object} is no rigid body; make it one")
        span = self.objects[end.object]
        return (PARTICLE_BODY if span.particle_count else BODY), span.body

    def _seen_from(self, kind: int, row: int, place: Floats, q: Floats) -> tuple[Floats, Floats]:
        """A place and an orientation of the world in the frame of a body or collider."""
        rigid = self._rigid
        if kind == WORLD:
            return place, q
        if kind == BODY:
            centre, turn = rigid.bodies[row]["position"], rigid.bodies[row]["orientation"]
        elif kind == PARTICLE_BODY:
            centre, turn = self._particle_bodies[row].centre, self._particle_bodies[row].orientation
        else:
            centre, turn = rigid.collider_position[row], rigid.collider_orientation[row]
        back = turn * (1.0, -1.0, -1.0, -1.0)
        return (place - centre) @ rotation_matrix(turn), np.array(plain(product)(*back, *q))

    def _with_owners(self, joints: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Joints whose ends are owners by number: see `rigid.owners` for their order."""
        solids = len(self._rigid.bodies) + len(self._rigid.collider_names)
        first = {
            BODY: 0,
            COLLIDER: len(self._rigid.bodies),
            PARTICLE_BODY: solids,
            WORLD: solids + len(self._particle_bodies),
        }
        return [
            {**joint, "owner": [first[kind] + row for kind, row in joint["owner"]]}
            for joint in joints
        ]

    # ------------------------------------------------------------------ the whole

    def finalize(self) -> Model:
        """Check how the parts fit together and lay them out for the solver.

        Raises `ModelError` for constraints to particles that do not exist and for an empty model.
        """
        if not self.objects:
            raise ModelError("", "nothing to simulate: add a cloth or a rigid body")
        stick = _joined(self._stick, (0, 2), np.int32)
        spring = _joined(self._spring, (0, 2), np.int32)
        pinned, pin_weight = self._pins()
        tether = _joined(self._tether, (0, 2), np.int32)
        triangle = _joined(self._triangle, (0, 3), np.int32)
        for what, index in (
            ("stick", stick),
            ("spring", spring),
            ("pin", pinned),
            ("tether", tether),
            ("triangle", triangle),
            *((type(c).__name__, c.particles) for c in self._constraint),
            *((type(f).__name__, f.particles) for f in self._force),
        ):
            if index.size and (index.min() < 0 or index.max() >= self.particle_count):
                raise ModelError(
                    "", f"a {what} names a particle outside 0 … {self.particle_count - 1}"
                )

        mass = _joined(self._mass, (0,), np.float64)
        inverse_mass = 1.0 / mass
        inverse_mass[pinned[pin_weight >= 1.0]] = 0.0
        stick_rest = _joined(self._stick_rest, (0,), np.float64)
        spring_rest = _joined(self._spring_rest, (0,), np.float64)
        compliance = _joined(self._spring_compliance, (0,), np.float64)
        damping = _joined(self._spring_damping, (0,), np.float64)
        position = _joined(self._position, (0, 3), np.float64)
        for pairs, rest in ((stick, stick_rest), (spring, spring_rest)):
            part_coinciding(position, position.copy(), inverse_mass, pairs, rest)
        held = np.zeros(self.particle_count, dtype=bool)
        held[pinned] = True
        if len(tether) and not held[tether[:, 1]].all():
            loose = tether[int(np.argmin(held[tether[:, 1]])), 1]
            raise ModelError(self._name_of(np.array([loose])), "a tether hangs on a loose vertex")
        tether_length = _joined(self._tether_length, (0,), np.float64)
        hangs = inverse_mass[tether[:, 0]] > 0.0
        order = np.argsort(tether[hangs, 0], kind="stable")
        tether, tether_length = tether[hangs][order], tether_length[hangs][order]
        tethered, tether_start = np.unique(tether[:, 0], return_index=True)

        turn = _joined(self._spring_turn, (0,), np.int32)
        schedule = make_schedule(self.particle_count, stick, spring, turn)
        rigid, clusters = self._rigid, self._particle_bodies
        return Model(
            objects=tuple(self._numbered(span) for span in self.objects),
            rest_position=position,
            initial_velocity=_joined(self._velocity, (0, 3), np.float64),
            inverse_mass=inverse_mass,
            mass=mass,
            drag=_joined(self._drag, (0,), np.float64),
            radius=_joined(self._radius, (0,), np.float64),
            friction=_joined(self._friction, (0,), np.float64),
            restitution=_joined(self._restitution, (0,), np.float64),
            pinned=pinned,
            pin_weight=pin_weight,
            colliding=np.setdiff1d(
                _joined(self._colliding, (0,), np.int32), _joined(self._attached, (0,), np.int32)
            ),
            crowd=_joined(self._crowd, (0,), np.int32),
            crowd_group=_joined(self._crowd_group, (0,), np.int32),
            crowd_radius=_joined(self._crowd_radius, (0,), np.float64),
            stick=np.ascontiguousarray(stick[schedule.stick_order]),
            stick_rest_length=stick_rest[schedule.stick_order],
            spring=np.ascontiguousarray(spring[schedule.spring_order]),
            spring_rest_length=spring_rest[schedule.spring_order],
            spring_compliance=compliance[schedule.spring_order],
            spring_damping=damping[schedule.spring_order],
            task_stick=schedule.task_stick,
            task_spring=schedule.task_spring,
            phase_task=schedule.phase_task,
            tethered=tethered.astype(np.int32),
            tether_start=np.append(tether_start, len(tether)).astype(np.int32),
            tether_anchor=np.ascontiguousarray(tether[:, 1]),
            tether_length=tether_length,
            constraints=self._constraints(),
            forces=tuple(self._force),
            triangle=triangle,
            wire=_joined(self._wire, (0, 2), np.int32),
            wire_diameter=_joined(self._wire_diameter, (0,), np.float64),
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
            collider_names=tuple(rigid.collider_names),
            collider_position=np.array(rigid.collider_position).reshape(-1, 3),
            collider_orientation=np.array(rigid.collider_orientation).reshape(-1, 4),
        )

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
            _joined([limbs.stick for limbs in self._limbs], (0, 2), np.int32),
            _joined([limbs.radius for limbs in self._limbs], (0,), np.float64),
            first,
            _joined(own, (0, 2), np.int32),
            _joined([limbs.own_reach for limbs in self._limbs], (0,), np.float64),
        )

    def _numbered(self, span: ObjectSpan) -> ObjectSpan:
        """Bodies of particles come after the others in `bodies.body_poses`."""
        if span.body < 0 or span.particle_count == 0:
            return span
        return replace(span, body=span.body + len(self._rigid.bodies))

    def _pins(self) -> tuple[Ints, Floats]:
        """Pinned particles in rising order, each once, and their weights."""
        pinned = _joined(self._pinned, (0,), np.int32)
        weight = _joined(self._pin_weight, (0,), np.float64)
        rising = np.lexsort((-weight, pinned))
        pinned, first = np.unique(pinned[rising], return_index=True)
        return pinned.astype(np.int32), weight[rising][first]

    # ------------------------------------------------------------------ checks

    def _indices(self, name: str, values: ArrayLike) -> Ints:
        array = np.asarray(values)
        if array.size and not np.issubdtype(array.dtype, np.integer):
            raise ModelError(name, "particle indices must be whole numbers")
        return np.ascontiguousarray(array, dtype=np.int32)

    def _pairs(self, pairs: ArrayLike, rest_length: ArrayLike | None) -> tuple[Ints, Floats]:
        ends = self._indices("", pairs).reshape(-1, 2)
        if ends.size and (ends.min() < 0 or ends.max() >= self.particle_count):
            raise ModelError("", f"a pair names a particle outside 0 … {self.particle_count - 1}")
        if (ends[:, 0] == ends[:, 1]).any():
            loop = ends[int(np.argmax(ends[:, 0] == ends[:, 1]))]
            raise ModelError(self._name_of(loop), "a pair joins a particle with itself")
        if rest_length is None:
            x = _joined(self._position, (0, 3), np.float64)
            rest = np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1)
        else:
            rest = np.broadcast_to(finite("", "rest length", rest_length), (len(ends),)).copy()
            if (rest < 0.0).any():
                raise ModelError(self._name_of(ends), "rest lengths must be 0 m or more")
        return ends, rest

    def _name_of(self, particles: Ints) -> str:
        if particles.size == 0:
            return ""
        particle = int(particles.reshape(-1)[0])
        for span in self.objects:
            if span.first_particle <= particle < span.first_particle + span.particle_count:
                return span.name
        return ""


def _joined(parts: list[Any], shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """All parts after one another; an empty array of that shape when there are none."""
    if not parts:
        return np.zeros(shape, dtype=dtype)
    return np.ascontiguousarray(np.concatenate(parts), dtype=dtype)
