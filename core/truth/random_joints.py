"""Joints of random scenes: every kind, in chains, trees, loops and between whatever there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..model import Model
from ..model.joint_table import End
from ..settings import JointSettings
from ..settings.joint import JOINT_KINDS
from .random_settings import Random, random_settings

JOINT_NAMES = [name for name, _, _ in JOINT_KINDS]

JointEnds = list[tuple[End, Floats]]
"""What a joint may hold, and where that is, (3,) m."""


def random_joints(
    random: Random, builder: ModelBuilder, bodies: JointEnds, others: JointEnds, scale: float
) -> None:
    """Join bodies in a row, in a ring, as a tree, or any two ends there are."""
    kind = str(random.choice(JOINT_NAMES)) if random.random() < 0.5 else ""
    for number, (first, second) in enumerate(_pairs(random, bodies, others)):
        settings = _settings(random, kind or str(random.choice(JOINT_NAMES)), scale)
        at = 0.5 * (first[1] + second[1]) + random.normal(0.0, 0.2, 3) * scale
        details: dict[str, Any] = {}
        if settings.kind == "DISTANCE":
            details["second_position"] = at + random.normal(0.0, 0.3, 3) * scale
        turn = random.normal(size=4)
        try:
            builder.add_joint(f"joint {number}", first[0], second[0], at, turn, settings, **details)
        except ModelError:  # named and refused
            continue


def _pairs(
    random: Random, bodies: JointEnds, others: JointEnds
) -> list[tuple[tuple[End, Floats], tuple[End, Floats]]]:
    form = random.choice(["row", "ring", "tree", "any"])
    if form == "any":
        ends = bodies + others
        count = int(random.integers(1, 2 * len(bodies) + 1))
        return [(ends[a], ends[b]) for a, b in random.integers(0, len(ends), (count, 2))]
    hold = others[random.integers(len(others))]
    pairs = [(hold, bodies[0])]
    for n in range(1, len(bodies)):
        parent = int(random.integers(0, n)) if form == "tree" else n - 1
        pairs.append((bodies[parent], bodies[n]))
    if form == "ring":
        pairs.append((bodies[-1], bodies[0]))
    elif random.random() < 0.5:
        pairs.append((bodies[-1], others[random.integers(len(others))]))
    return pairs


def _settings(random: Random, kind: str, scale: float) -> JointSettings:
    def limits(size: float) -> tuple[Any, Any]:
        low, high = random.normal(0.0, size, 3), random.normal(0.0, size, 3)
        low = np.where(random.random(3) < 0.3, 0.0, np.minimum(low, high))
        return tuple(low), tuple(np.where(low == 0.0, 0.0, np.maximum(low, high)))

    linear, angular = limits(0.2 * scale), limits(1.0)
    lower, upper = np.sort(random.normal(0.0, 1.0, 2)) * (scale if kind == "SLIDER" else 1.0)
    return random_settings(
        random,
        JointSettings,
        kind=kind,
        lower=float(lower),
        upper=float(upper),
        length=0.0 if random.random() < 0.5 else float(random.uniform(0.05, 2.0)) * scale,
        linear_lower=linear[0],
        linear_upper=linear[1],
        angular_lower=angular[0],
        angular_upper=angular[1],
        limits_linear=tuple(bool(b) for b in random.random(3) < 0.6),
        limits_angular=tuple(bool(b) for b in random.random(3) < 0.6),
        motor_speed=float(random.normal() * 10.0),
        motor_target=float(random.normal()),
        breaking_force=0.0 if random.random() < 0.7 else 10.0 ** random.uniform(0, 5),
    )


def joint_inputs(random: Random, model: Model) -> dict[str, Any]:
    """What motors are told in one frame."""
    count = len(model.joints)
    told = {
        "joint_target": random.normal(size=count),
        "joint_speed": random.normal(0.0, 10.0, count),
        "joint_pose": random.normal(size=(count, 4)),
        "joint_strength": random.uniform(0.0, 2.0, count),
    }
    return {name: value for name, value in told.items() if random.random() < 0.5}
