"""Verlet Physics: cloth, ropes and rigid bodies in one position-Verlet solver, without Blender.

    from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance

    builder = ModelBuilder()
    builder.add_particles("ball", [(0, 0, 2)], mass=1.0, radius=0.1, restitution=0.5)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state, figures = advance(model, state, FrameInputs(duration=1 / 24), SolverSettings())

What stands in ``__all__`` is the public surface, described in docs/API.md. It is kept stable: a
name or an argument goes only with a new major version, after one in which it warned. Modules inside
the package are free to move.

Names are imported when they are first used: importing the package imports neither NumPy nor Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Floats, Ints
    from .building.builder import ModelBuilder
    from .building.tearing import Seams
    from .cache import FrameCache
    from .collision.shape import Shape, Surface
    from .diagnostics import measure_stretch
    from .errors import ModelError, SimulationDiverged, VerletError
    from .forces.flock import Flock
    from .geometry.closest_shape import Fit, closest_shape
    from .geometry.hull import Hull, convex_hull
    from .geometry.mass_properties import MassProperties, mesh_mass_properties, principal_axes
    from .geometry.parts import convex_parts
    from .model import Diagnostics, FrameInputs, Model, ObjectSpan, State
    from .model.constraint import Constraint
    from .model.diagnostics import Crossing, Forcing
    from .model.field import Field
    from .model.force import Force
    from .model.grab import Grab
    from .model.joint_table import End, OnBody, OnCollider
    from .model.pull import Pull
    from .particles.constraints.angle_limit import AngleLimits
    from .particles.constraints.hinge_bend import HingeBends
    from .particles.constraints.link import Links
    from .particles.constraints.plane import Planes
    from .particles.constraints.rod import Rods
    from .particles.constraints.shape_match import ShapeMatches
    from .particles.constraints.volume import Volumes
    from .particles.particle_bodies.four_particles import body_poses
    from .presets import PRESETS, Preset
    from .recipes.all import RECIPES
    from .recipes.body import add_body
    from .recipes.bone_pins import BonePin
    from .recipes.cloth import add_cloth
    from .recipes.collider import add_collider
    from .recipes.drawn_skin import DrawnSkin, carry_skin
    from .recipes.figure import Figure
    from .recipes.figure_clothes import tie_to_limb
    from .recipes.figure_pins import pin_weights, pinned_particles, pinned_places
    from .recipes.garment import garment_parts, nearest_parts
    from .recipes.geometry import Geometry
    from .recipes.limb_frames import figure_pose
    from .recipes.particles import add_particles
    from .recipes.pieces import piece_joints
    from .recipes.plant import add_plant
    from .recipes.ragdoll import Ragdoll, add_ragdoll, turned_pose
    from .recipes.ragdoll_plan import Plan
    from .recipes.ragdoll_planning import plan_ragdoll
    from .recipes.rope import add_rope
    from .recipes.skeleton import Skeleton, Skin
    from .recipes.soft_body import add_soft_body
    from .recipes.stick_figure import add_stick_figure, plan_figure
    from .settings import (
        AnimatedSettings,
        BodySettings,
        BoneAnimatedSettings,
        BoneSettings,
        ClothSettings,
        ColliderSettings,
        FlockSettings,
        ImpulseSettings,
        JointSettings,
        ParticleSettings,
        PinSettings,
        PlantSettings,
        RagdollSettings,
        RopeSettings,
        SoftBodySettings,
        SolverSettings,
        Tunable,
        WindSettings,
        tunables,
    )
    from .stages.grab import grab_body, grab_particle
    from .stages.surfaces import crossings_at_start
    from .step import advance
    from .vector import rotation_matrix, rotation_quaternion

_HOME = {
    "body_poses": "particles.particle_bodies.four_particles",
    "ModelBuilder": "building.builder",
    "Seams": "building.tearing",
    "FrameCache": "cache",
    "AngleLimits": "particles.constraints.angle_limit",
    "Constraint": "model.constraint",
    "HingeBends": "particles.constraints.hinge_bend",
    "Links": "particles.constraints.link",
    "Planes": "particles.constraints.plane",
    "Rods": "particles.constraints.rod",
    "ShapeMatches": "particles.constraints.shape_match",
    "Volumes": "particles.constraints.volume",
    "measure_stretch": "diagnostics",
    "ModelError": "errors",
    "SimulationDiverged": "errors",
    "VerletError": "errors",
    "Force": "model.force",
    "Field": "model.field",
    "Flock": "forces.flock",
    "Grab": "model.grab",
    "Pull": "model.pull",
    "Fit": "geometry.closest_shape",
    "closest_shape": "geometry.closest_shape",
    "Hull": "geometry.hull",
    "convex_hull": "geometry.hull",
    "MassProperties": "geometry.mass_properties",
    "mesh_mass_properties": "geometry.mass_properties",
    "principal_axes": "geometry.mass_properties",
    "convex_parts": "geometry.parts",
    "Diagnostics": "model",
    "Crossing": "model.diagnostics",
    "Forcing": "model.diagnostics",
    "crossings_at_start": "stages.surfaces",
    "Floats": "arrays",
    "FrameInputs": "model",
    "Ints": "arrays",
    "Model": "model",
    "ObjectSpan": "model",
    "State": "model",
    "PRESETS": "presets",
    "Preset": "presets",
    "RECIPES": "recipes.all",
    "add_body": "recipes.body",
    "BonePin": "recipes.bone_pins",
    "add_cloth": "recipes.cloth",
    "add_collider": "recipes.collider",
    "Figure": "recipes.figure",
    "tie_to_limb": "recipes.figure_clothes",
    "pin_weights": "recipes.figure_pins",
    "pinned_particles": "recipes.figure_pins",
    "pinned_places": "recipes.figure_pins",
    "Geometry": "recipes.geometry",
    "figure_pose": "recipes.limb_frames",
    "add_particles": "recipes.particles",
    "piece_joints": "recipes.pieces",
    "add_plant": "recipes.plant",
    "Plan": "recipes.ragdoll_plan",
    "Ragdoll": "recipes.ragdoll",
    "add_ragdoll": "recipes.ragdoll",
    "plan_ragdoll": "recipes.ragdoll_planning",
    "turned_pose": "recipes.ragdoll",
    "add_rope": "recipes.rope",
    "Skeleton": "recipes.skeleton",
    "Skin": "recipes.skeleton",
    "DrawnSkin": "recipes.drawn_skin",
    "carry_skin": "recipes.drawn_skin",
    "add_soft_body": "recipes.soft_body",
    "add_stick_figure": "recipes.stick_figure",
    "plan_figure": "recipes.stick_figure",
    "nearest_parts": "recipes.garment",
    "garment_parts": "recipes.garment",
    "End": "model.joint_table",
    "OnBody": "model.joint_table",
    "OnCollider": "model.joint_table",
    "Shape": "collision.shape",
    "Surface": "collision.shape",
    "AnimatedSettings": "settings",
    "BodySettings": "settings",
    "BoneAnimatedSettings": "settings",
    "BoneSettings": "settings",
    "ClothSettings": "settings",
    "ColliderSettings": "settings",
    "FlockSettings": "settings",
    "ImpulseSettings": "settings",
    "JointSettings": "settings",
    "ParticleSettings": "settings",
    "PinSettings": "settings",
    "PlantSettings": "settings",
    "RagdollSettings": "settings",
    "RopeSettings": "settings",
    "SoftBodySettings": "settings",
    "SolverSettings": "settings",
    "Tunable": "settings",
    "WindSettings": "settings",
    "tunables": "settings",
    "grab_body": "stages.grab",
    "grab_particle": "stages.grab",
    "advance": "step",
    "rotation_matrix": "vector",
    "rotation_quaternion": "vector",
}
"""The module in which each public name stands."""

__all__ = [
    "PRESETS",
    "RECIPES",
    "AngleLimits",
    "AnimatedSettings",
    "BodySettings",
    "BoneAnimatedSettings",
    "BonePin",
    "BoneSettings",
    "ClothSettings",
    "ColliderSettings",
    "Constraint",
    "Crossing",
    "Diagnostics",
    "DrawnSkin",
    "End",
    "Field",
    "Figure",
    "Fit",
    "Floats",
    "Flock",
    "FlockSettings",
    "Force",
    "Forcing",
    "FrameCache",
    "FrameInputs",
    "Geometry",
    "Grab",
    "HingeBends",
    "Hull",
    "ImpulseSettings",
    "Ints",
    "JointSettings",
    "Links",
    "MassProperties",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ObjectSpan",
    "OnBody",
    "OnCollider",
    "ParticleSettings",
    "PinSettings",
    "Plan",
    "Planes",
    "PlantSettings",
    "Preset",
    "Pull",
    "Ragdoll",
    "RagdollSettings",
    "Rods",
    "RopeSettings",
    "Seams",
    "Shape",
    "ShapeMatches",
    "SimulationDiverged",
    "Skeleton",
    "Skin",
    "SoftBodySettings",
    "SolverSettings",
    "State",
    "Surface",
    "Tunable",
    "VerletError",
    "Volumes",
    "WindSettings",
    "add_body",
    "add_cloth",
    "add_collider",
    "add_particles",
    "add_plant",
    "add_ragdoll",
    "add_rope",
    "add_soft_body",
    "add_stick_figure",
    "advance",
    "body_poses",
    "carry_skin",
    "closest_shape",
    "convex_hull",
    "convex_parts",
    "crossings_at_start",
    "figure_pose",
    "garment_parts",
    "grab_body",
    "grab_particle",
    "measure_stretch",
    "mesh_mass_properties",
    "nearest_parts",
    "piece_joints",
    "pin_weights",
    "pinned_particles",
    "pinned_places",
    "plan_figure",
    "plan_ragdoll",
    "principal_axes",
    "rotation_matrix",
    "rotation_quaternion",
    "tie_to_limb",
    "tunables",
    "turned_pose",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
