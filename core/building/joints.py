"""Joints of rigid bodies in a model in the making, and what is tied to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..checks import indices, numbers, unit_quaternion, vector
from ..coupling.attachment import Attachments
from ..errors import ModelError
from ..model.joint_table import End, joint_columns
from ..model.shared_point_table import ONE_PLACE
from ..particles.particle_bodies.shared_point import check_shared, places_of, weights_at
from ..settings import JointSettings
from ..vector import rotation_matrix
from .bodies import WORLD, BodyBuilder
from .body_parts import BODY, COLLIDER, PARTICLE_BODY

_DEFAULT = JointSettings()


class JointBuilder(BodyBuilder):
    """The same with joints and ties."""

    def __init__(self) -> None:
        super().__init__()
        self._joint: list[dict[str, Any]] = []
        self._columns: dict[tuple[JointSettings, float], dict[str, object]] = {}
        self._apart: list[tuple[int, int]] = []
        self._shared: list[dict[str, Any]] = []

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
        settings = settings or _DEFAULT
        if not isinstance(settings, JointSettings):
            raise ModelError(name, f"settings are no JointSettings: {settings!r}")
        place = vector(name, "position", position)
        q = unit_quaternion(name, orientation)
        other = place
        if second_position is not None:
            other = vector(name, "second position", second_position)
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
                **self._columns_of(name, settings, distance),
            }
        )
        return len(self._joint) - 1

    def _columns_of(self, name: str, settings: JointSettings, distance: float) -> dict[str, object]:
        """What settings say of a joint, worked out once for all joints that share them."""
        key = (settings, distance)
        if key not in self._columns:
            self._columns[key] = joint_columns(name, settings, distance)
        return self._columns[key]

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
        length = ONE_PLACE
        if settings.kind == "DISTANCE":
            length = settings.length or float(np.linalg.norm(places[1] - places[0]))
        axes = rotation_matrix(q)
        pairs = zip(
            *(places_of(settings.kind, place, axes, lever) for place in places), strict=True
        )
        for pair in pairs:
            row: dict[str, Any] = {"name": name, "owner": list(ends), "length": length}
            row |= {"collides": settings.collides, "first_particle": [], "anchor": [], "weight": []}
            for (kind, number), place in zip(ends, pair, strict=True):
                anchor, _ = self._seen_from(kind, number, place, q)
                is_cluster = kind == PARTICLE_BODY
                cluster = self._particle_bodies[number] if is_cluster else None
                row["first_particle"].append(cluster.first_particle if cluster else -1)
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
        tied = indices("", "tied particles", particles, self.particle_count)
        if not tied.size:
            raise ModelError("", "a tie names no particle")
        tied = tied.reshape(len(tied), -1) if tied.ndim else tied.reshape(1, 1)
        name = self._name_of(tied)
        share = np.full(tied.shape, 1.0 / tied.shape[1])
        if weights is not None:
            share = numbers(name, "weight", weights, tied.shape)
        if not np.allclose(share.sum(axis=1), 1.0):
            raise ModelError(name, "weights of a tied point must be 1 in sum")
        points = np.einsum("ak,aki->ai", share, self.position[tied])
        if place is not None:
            points = numbers(name, "place", place, points.shape)
        kind, row = self._end(name, body)
        if kind == PARTICLE_BODY:
            other = self._name_of(np.array([self._particle_bodies[row].first_particle]))
            raise ModelError(name, f"{other} is made of particles; give it the model Quaternion")
        if kind != BODY:
            raise ModelError(name, "only a rigid body can be tied to; pin the particles instead")
        centre, turn = self._rigid.bodies[row]["position"], self._rigid.bodies[row]["orientation"]
        anchor = np.ascontiguousarray((points - centre) @ rotation_matrix(turn))
        owner = next(n for n, span in enumerate(self.objects) if span.name == name)
        body_row = np.full(len(tied), row, dtype=np.int32)
        tie = Attachments(owner, body_row, anchor, tied, share, number)
        self.touch_nothing(tied)
        self.add_constraint(tie)

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
