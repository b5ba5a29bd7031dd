"""Rigid bodies and colliders of a model in the making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..checks import index_rows, indices, number, numbers, places, unit_quaternion, vector
from ..collision.shape import Shape, Surface
from ..errors import ModelError
from ..model import ObjectSpan
from ..model.body_table import FOLLOWS
from ..model.joint_table import End, OnBody, OnCollider
from ..particles.particle_bodies.four_particles import BODY_FORMS, CORNER_SIGNS, frame_extent
from ..rigid.inertia import inertia_of
from ..rotation import conjugate, product
from ..vector import rotation_matrix
from .body_parts import BODY, COLLIDER, PARTICLE_BODY, Carried, RigidParts, ShapeMaterial
from .particles import LIGHTEST, ParticleBuilder

BODY_MODEL_NAMES = ("QUATERNION", *BODY_FORMS)

WORLD = -1
"""In place of a kind of owner: a joint's end that is fixed in space."""


@dataclass
class ParticleBody:
    """A body of four particles, see `four_particles`."""

    first_particle: int
    extent: Floats
    form: int
    mass: float
    centre: Floats
    orientation: Floats


class BodyBuilder(ParticleBuilder):
    """The same with rigid bodies, of quaternions or of particles, and colliders."""

    def __init__(self) -> None:
        super().__init__()
        self._rigid = RigidParts()
        self._particle_bodies: list[ParticleBody] = []

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
        surface: Surface | None = None,
    ) -> int:
        """Add a rigid body of any shapes; returns its index in `objects`.

        position (3,) m: centre of mass; orientation (4,): principal axes; mass kg; inertia (3,)
        kg·m²: principal moments; shapes: placed in that frame; velocity (3,) m/s;
        angular_velocity (3,) rad/s in the world; drag, angular_drag 1/s; layers: bits. model:
        QUATERNION, or four particles held by six sticks (TETRAHEDRON) or as a frame of three axes
        (AXES), which know no angular_drag, static_friction and sleep and are always ACTIVE and
        gyroscopic. surface: how it is drawn, in the same frame as the shapes: cloth does not pass
        through that of a QUATERNION body, whatever the shapes are.
        """
        mass = self._mass_of(name, mass)
        moments = vector(name, "inertia", inertia)
        if not (moments > 0.0).all():
            raise ModelError(name, f"inertia {moments.tolist()} kg·m² must be above 0; thicken it")
        if model not in BODY_MODEL_NAMES:
            raise ModelError(name, f"model {model!r} is none of {', '.join(BODY_MODEL_NAMES)}")
        if follows not in FOLLOWS:
            raise ModelError(name, f"follows {follows!r} is none of {', '.join(FOLLOWS)}")
        centre = vector(name, "position", position)
        quaternion = unit_quaternion(name, orientation)
        v = vector(name, "velocity", velocity)
        spin = vector(name, "angular velocity", angular_velocity)
        drag = number(name, "drag", drag, least=0.0)
        angular_drag = number(name, "angular drag", angular_drag, least=0.0)
        material = ShapeMaterial.of(name, friction, static_friction, restitution, layers)
        self._rigid.require_shapes(name, shapes)
        row = {
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
        if model in BODY_FORMS:
            return self._add_particle_body(name, BODY_FORMS[model], shapes, row, material)
        body = len(self._rigid.bodies)
        self._rigid.bodies.append(row)
        self._rigid.add_shapes(BODY, body, shapes, material)
        if surface is not None:
            self._rigid.add_drawn(body, surface, material.friction)
        self.objects.append(ObjectSpan(name, self.particle_count, 0, body))
        return len(self.objects) - 1

    def _add_particle_body(
        self,
        name: str,
        form: int,
        shapes: Sequence[Shape],
        row: dict[str, Any],
        material: ShapeMaterial,
    ) -> int:
        """A body of four particles with the same mass, centre and inertia (`four_particles`).

        row: of the table of bodies, as if it was one of place and rotation.
        """
        mass, centre, turn = row["mass"], row["position"], row["orientation"]
        extent = frame_extent(name, form, mass, row["inertia"])
        offset = (CORNER_SIGNS * extent) @ rotation_matrix(turn).T
        body = len(self._particle_bodies)
        span = ObjectSpan(name, self.particle_count, 4, body)
        self._append_particles(
            centre + offset,
            row["velocity"] + np.cross(row["angular_velocity"], offset),
            *(
                np.full(4, value)
                for value in (mass / 4.0, row["drag"], 0.0, material.friction, material.restitution)
            ),
        )
        self._particle_bodies.append(
            ParticleBody(span.first_particle, extent, form, mass, centre, turn)
        )
        self._rigid.add_shapes(PARTICLE_BODY, body, shapes, material)
        self.objects.append(span)
        return len(self.objects) - 1

    def add_skin(
        self,
        name: str,
        bodies: Sequence[int],
        points: ArrayLike,
        triangles: ArrayLike,
        vertex: ArrayLike,
        body: ArrayLike,
        weight: ArrayLike,
        carried: ArrayLike | None = None,
        friction: float = 0.5,
    ) -> None:
        """Draw a skin over rigid bodies: cloth does not pass through it, whatever their shapes are.

        bodies: indices in `objects`; points (v, 3) m at the start; triangles (f, 3). Each row of
        vertex, body and weight (h,) says what share of a point a body carries, a number among
        ``bodies``; those of a point are made 1 together. carried (h, 3) m: where that body alone
        would have the point at the start, which is the point itself by default. Raises `ModelError`
        for numbers that are no such indices, places or weights, for what is no rigid body of place
        and rotation, and for points that nothing carries.
        """
        carriers = indices(name, "bodies", bodies, len(self.objects)).reshape(-1).tolist()
        spans = [self.objects[index] for index in carriers]
        if not spans or any(span.body < 0 or span.particle_count > 0 for span in spans):
            raise ModelError(name, "its skin needs rigid bodies of place and rotation to carry it")
        x = places(name, "points", points)
        faces = index_rows(name, "triangles", triangles, 3, len(x))
        held = indices(name, "vertex", vertex, len(x)).reshape(-1)
        by = indices(name, "body", body, len(spans)).reshape(-1)
        if by.shape != held.shape:
            raise ModelError(name, f"{len(held)} vertices of weights come with {len(by)} bodies")
        share = numbers(name, "weight", weight, held.shape, least=0.0)
        total = np.bincount(held, share, len(x))
        if not (total > 0.0).all():
            raise ModelError(name, "some points of its skin have no weight for any of the bodies")
        place = x[held] if carried is None else numbers(name, "carried", carried, (len(held), 3))
        order = np.argsort(held, kind="stable")
        held = held[order]
        parts = Carried(held, by[order], share[order] / total[held], place[order])
        rough = number(name, "friction", friction, least=0.0)
        self._rigid.add_skin([span.body for span in spans], Surface(x, faces), rough, parts)

    def _mass_of(self, name: str, mass: float) -> float:
        found = number(name, "mass", mass)
        if found < LIGHTEST:
            raise ModelError(name, f"mass = {found} kg must be above 0")
        return found

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
        place = vector(name, "position", position)
        q = unit_quaternion(name, orientation)
        material = ShapeMaterial.of(name, friction, static_friction, restitution, layers)
        rigid.require_shapes(name, shapes)
        rigid.collider_position.append(place)
        rigid.collider_orientation.append(q)
        rigid.collider_names.append(name)
        row = len(rigid.collider_names) - 1
        rigid.add_shapes(COLLIDER, row, shapes, material)
        return row

    def add_handle(self, name: str, position: ArrayLike, orientation: ArrayLike) -> int:
        """Add a place that only `FrameInputs` moves and that touches nothing: joints hold on to it.

        position (3,) m; orientation (4,); returns its index among the colliders.
        """
        return self.add_collider_shapes(name, [], position, orientation)

    # ------------------------------------------------------------------ what others hold on to

    def _end(self, name: str, end: End) -> tuple[int, int]:
        """Kind and row of what a joint holds."""
        if end is None:
            return WORLD, 0
        if isinstance(end, OnCollider):
            if not 0 <= end.collider < len(self._rigid.collider_names):
                raise ModelError(name, f"there is no collider {end.collider}")
            return COLLIDER, end.collider
        if not isinstance(end, OnBody):
            raise ModelError(name, f"holds {end!r}, expected OnBody, OnCollider or None")
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
        return (place - centre) @ rotation_matrix(turn), np.array(product(conjugate(turn), q))
