"""Every tunable of the product, once: unit, range, default and description.

The Blender properties, the command line and the documentation are generated from these
dataclasses, so nothing about a parameter stands anywhere else.
"""

from __future__ import annotations

from .air import IMPULSE_KINDS, ImpulseSettings, WindSettings
from .animated import AnimatedSettings
from .cloth import BEND_MODELS, ClothSettings
from .joint import JOINT_KINDS, MOTORS, JointSettings
from .particles import PARTICLE_BEHAVIOURS, FlockSettings, ParticleSettings
from .plant import PlantSettings
from .ragdoll import BoneAnimatedSettings, BoneSettings, PinSettings, RagdollSettings
from .rigid import (
    BODY_MODELS,
    BODY_SHAPES,
    BODY_TYPES,
    COLLIDER_SHAPES,
    BodySettings,
    ColliderSettings,
)
from .rope import RopeSettings
from .soft_body import SoftBodySettings
from .solver import (
    ACCELERATIONS,
    INTEGRATORS,
    RELAXATIONS,
    SPRING_FORMS,
    STICK_FORMS,
    SolverSettings,
)
from .tunable import MASSES, PLANES, Tunable, tunables

__all__ = [
    "ACCELERATIONS",
    "BEND_MODELS",
    "BODY_MODELS",
    "BODY_SHAPES",
    "BODY_TYPES",
    "COLLIDER_SHAPES",
    "IMPULSE_KINDS",
    "INTEGRATORS",
    "JOINT_KINDS",
    "MASSES",
    "MOTORS",
    "PARTICLE_BEHAVIOURS",
    "PLANES",
    "RELAXATIONS",
    "SPRING_FORMS",
    "STICK_FORMS",
    "AnimatedSettings",
    "BodySettings",
    "BoneAnimatedSettings",
    "BoneSettings",
    "ClothSettings",
    "ColliderSettings",
    "FlockSettings",
    "ImpulseSettings",
    "JointSettings",
    "ParticleSettings",
    "PinSettings",
    "PlantSettings",
    "RagdollSettings",
    "RopeSettings",
    "SoftBodySettings",
    "SolverSettings",
    "Tunable",
    "WindSettings",
    "tunables",
]
