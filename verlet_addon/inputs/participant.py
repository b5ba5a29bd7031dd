"""One object that takes part, as it was read: all that the model depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.settings import AnimatedSettings
from ..transforms import affine
from .armature_arrays import ArmatureArrays
from .garment import Garment
from .particle_arrays import ParticleArrays

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
    keeps_form: bool = True  # nothing may bend or scale it; of colliders alone, as is:
    stays_level: bool = True  # nothing may turn it
    stays_put: bool = True  # nothing may move it either
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
        arrays += [self.keeps_form, self.stays_level, self.stays_put]
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
