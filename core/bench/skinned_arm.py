"""Two thin limbs with an elbow, and a thick skin over both that they carry together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model.joint_table import OnBody
from ..settings import JointSettings

ARM_RADIUS, HALF_ARM = 0.08, 0.4
"""Of the skin, m."""

AROUND_ARM, ALONG_ARM = 12, 24
"""Vertices of the skin."""


def tube() -> tuple[Floats, Ints]:
    """A closed tube along X: points (n, 3) m and triangles (f, 3)."""
    x = np.repeat(np.linspace(-HALF_ARM, HALF_ARM, ALONG_ARM), AROUND_ARM)
    turn = np.tile(2.0 * np.pi * np.arange(AROUND_ARM) / AROUND_ARM, ALONG_ARM)
    points = np.stack([x, ARM_RADIUS * np.cos(turn), ARM_RADIUS * np.sin(turn)], axis=1)
    points = np.concatenate([points, [(-HALF_ARM, 0.0, 0.0), (HALF_ARM, 0.0, 0.0)]])
    faces = []
    for i in range(ALONG_ARM - 1):
        for j in range(AROUND_ARM):
            a, b = i * AROUND_ARM + j, i * AROUND_ARM + (j + 1) % AROUND_ARM
            faces += [(a, b, b + AROUND_ARM), (a, b + AROUND_ARM, a + AROUND_ARM)]
    last = ALONG_ARM * AROUND_ARM
    for j in range(AROUND_ARM):
        k = (j + 1) % AROUND_ARM
        faces += [(last, k, j), (last + 1, last - AROUND_ARM + j, last - AROUND_ARM + k)]
    return points, np.array(faces, dtype=np.int32)


def add_arm(
    builder: ModelBuilder,
    place: Sequence[float],
    mass: float = 4.0,
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
) -> list[int]:
    """An arm along X whose elbow is at a place (m); mass in kg, velocity in m/s; its objects."""
    limbs = [
        builder.add_body(
            f"limb {k}",
            "BOX",
            (0.2, 0.02, 0.02),
            np.add(place, (0.2 * side, 0.0, 0.0)),
            mass=0.5 * mass,
            velocity=velocity,
        )
        for k, side in enumerate((-1, 1))
    ]
    ends = OnBody(limbs[0]), OnBody(limbs[1])
    joint = JointSettings(kind="BALL")
    builder.add_joint("elbow", *ends, place, (1.0, 0.0, 0.0, 0.0), joint)
    points, faces = tube()
    share = np.clip(0.5 + points[:, 0] / 0.2, 0.0, 1.0)
    row = np.tile(np.arange(len(points)), 2)
    both = np.repeat((0, 1), len(points))
    weight = np.concatenate([1.0 - share, share])
    builder.add_skin("arm", limbs, points + np.array(place), faces, row, both, 3.0 * weight)
    return limbs
