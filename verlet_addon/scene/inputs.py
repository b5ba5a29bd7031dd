"""What takes part in a scene's simulation, as arrays: all that its model depends on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.forces.field import Field
from ...core.settings import AnimatedSettings, SolverSettings, WindSettings
from ..extract.garment import Garment
from ..extract.particles import ParticleArrays
from ..joints.joint_inputs import JointInput
from ..joints.ties import TieInput
from ..properties.kinds import is_particles
from ..ragdoll.armature import ArmatureArrays
from ..transforms import affine

STILL_SQUARE = 1e-5  # of a matrix whose axes still count as square, a share of its scale


@dataclass(frozen=True)
class Participant:
    """One object at the start frame: everything that the model depends on."""

    uid: int
    name: str
    kind: str  # see kinds.KINDS
    settings: Any
    animated: AnimatedSettings
    matrix: Floats  # (4, 4) to world space
    points: Floats  # (n, 3) local: the particles, or the visible vertices of others
    triangles: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))  # of others
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0)  # m/s, of the origin by its keys
    angular_velocity: tuple[float, ...] = (0.0, 0.0, 0.0)  # rad/s
    particles: ParticleArrays | None = None  # of an object made of particles, as are:
    pin_weight: Floats = field(default_factory=lambda: np.zeros(0))  # (n,)
    paint: Mapping[str, Floats] = field(default_factory=dict)  # (n,) by name of a parameter
    carrier: int = 0  # session id of the object that carries the pins, 0: this one
    carrier_matrix: Floats | None = None  # (4, 4), of that object, or of its bone
    carrier_bone: str = ""  # of that object, an armature
    garment: Garment | None = None  # how its pins hang on a ragdoll
    armature: ArmatureArrays | None = None  # of a ragdoll

    @property
    def world_points(self) -> Floats:
        """World positions (n, 3) at the start frame."""
        return affine.transformed(self.matrix, self.points)

    @property
    def solid_points(self) -> Floats:
        """World positions (n, 3) of a thing that is rigid.

        Blender's matrices have 32 bits: their axes are made square and their scale is rounded, so
        that copies of a mesh, however turned, are the same thing to whoever fits shapes to them.
        """
        axes = affine.rotation_of(affine.local_axes(self.matrix))
        linear = self.matrix[:3, :3]
        scale = (axes * linear).sum(axis=0)
        if np.abs(linear - axes * scale).max() > STILL_SQUARE * np.abs(scale).max():
            return self.world_points
        rounded = np.array([float(f"{number:.6g}") for number in scale.tolist()])
        return np.ascontiguousarray((self.points * rounded) @ axes.T + self.matrix[:3, 3])

    @property
    def outward_triangles(self) -> Ints:
        """Triangles (t, 3), turned round where the object is mirrored."""
        is_mirrored = np.linalg.det(self.matrix[:3, :3]) < 0.0
        return np.ascontiguousarray(self.triangles[:, ::-1] if is_mirrored else self.triangles)

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        arrays: list[Any] = [self.matrix, self.points, self.triangles, self.pin_weight]
        arrays += [self.velocity, self.angular_velocity]
        if self.particles is not None:
            p = self.particles
            arrays += [p.edges, p.face_offsets, p.face_vertices]
            arrays += [p.curve.coordinates] if p.curve is not None else []
            arrays += [p.weld] if p.weld is not None else []
        if self.armature is not None:
            arrays += self.armature.parts()
        if self.carrier_matrix is not None:
            arrays += [self.carrier, self.carrier_bone, self.carrier_matrix]
        if self.garment is not None:
            arrays += self.garment.parts()
        for name in sorted(self.paint):
            arrays += [name, self.paint[name]]
        about = f"{self.uid} {self.name} {self.kind} {self.settings} {self.animated}"
        return [about, *arrays]


@dataclass(frozen=True)
class SceneInputs:
    """All of them, and how the scene is stepped."""

    participants: tuple[Participant, ...]
    joints: tuple[JointInput, ...]
    ties: tuple[TieInput, ...]
    solver: SolverSettings
    wind: WindSettings
    fields: tuple[Field, ...]
    gravity: tuple[float, float, float]  # m/s²
    frame_duration: float  # s
    start: int
    notes: tuple[str, ...]  # on the fields that do not act as they do in Blender

    def is_same_as(self, other: "SceneInputs") -> bool:
        """Whether the same model follows from them, to the last bit."""
        return _are_same(self._parts(), other._parts())

    def _parts(self) -> list[Any]:
        world = f"{self.solver} {self.wind} {self.fields} {self.notes} {self.gravity}"
        return [
            f"{world} {self.frame_duration} {self.start}",
            *(part for one in self.participants for part in one.parts()),
            *(part for joint in self.joints for part in joint.parts()),
            *(part for tie in self.ties for part in tie.parts()),
        ]

    @property
    def uids(self) -> frozenset[int]:
        """Session ids of all objects that take part."""
        return frozenset(p.uid for p in self.participants)

    @cached_property
    def by_kind(self) -> dict[str, list[Participant]]:
        """The participants of each kind, in the order of the model."""
        found: dict[str, list[Participant]] = {}
        for participant in self.participants:
            found.setdefault(participant.kind, []).append(participant)
        return found

    @cached_property
    def row_of_body(self) -> dict[int, int]:
        """Row of each rigid body among them in the order of the model, by session id."""
        return {body.uid: row for row, body in enumerate(self.by_kind.get("BODY", []))}

    @cached_property
    def of_particles(self) -> list[Participant]:
        """What is made of particles, in the order of the model."""
        return [p for p in self.participants if is_particles(p.kind)]

    @cached_property
    def moving(self) -> list[Participant]:
        """What has factors that may be keyed, in the order of the model."""
        return [p for p in self.participants if p.kind != "COLLIDER"]


def _are_same(parts: list[Any], others: list[Any]) -> bool:
    """Whether two lists of parts would have one digest; several times as quick as making two."""
    return len(parts) == len(others) and all(map(_is_same, parts, others))


def _is_same(part: Any, other: Any) -> bool:
    if not (isinstance(part, np.ndarray) and isinstance(other, np.ndarray)):
        return bool(_bytes(part) == _bytes(other))
    return part.shape == other.shape and np.array_equal(_bits(part), _bits(other))


def _bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def digest_of(parts: Iterable[Any]) -> bytes:
    """Changes when any of the parts does: arrays, bytes, or what its text tells."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else _bytes(part))
    return digest.digest()


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
    return str(part).encode()
