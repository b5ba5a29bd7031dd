"""Settings of Blender's Cloth, Soft Body and Collision as ours, and back.

Cloth of Blender's stretches and ours does not, so its tension has no counterpart but Stretch of
what is as soft as rubber; masses are those of each vertex there and of an area or volume here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bmesh
import bpy
import numpy as np

from ..blender.data import mesh_of
from .bodies import Wanted
from .scales import BEND_SCALE, FRICTION_SCALE, SHEAR

SOFTEST = 5.0  # tension from which on cloth counts as woven
AIR = 0.01
"""kg of a vertex of which Air Viscosity and Friction of 1 take all speed, in a frame; measured.

Both simulations of Blender's know no seconds: a frame is 1/√1000 of one, whatever the frame rate.
"""

SLOW = 1e-3
"""s², times the square of the frame rate the share of gravity that they feel; measured."""

GOAL_GROUP = "Verlet Goal"
"""Vertex group that is made for a goal without one."""


@dataclass(frozen=True)
class Size:
    """What of a mesh in the world masses depend on."""

    vertices: int
    edge: float  # m, mean
    area: float  # m²
    volume: float  # m³, 0 where it is not closed
    has_faces: bool = True


def drag_of(number: float, mass: float, rate: float) -> float:
    """Drag in 1/s of a viscosity on vertices of a mass (kg), at a frame rate (1/s)."""
    return min(AIR * number * rate / max(mass, 1e-6), 1000.0)


def viscosity_of(drag: float, mass: float, rate: float) -> float:
    """The viscosity that brakes vertices of a mass (kg) by a drag (1/s)."""
    return drag * mass / (AIR * rate)


def size_of(ob: bpy.types.Object) -> Size:
    """The object's own mesh, as it is simulated."""
    mesh = bmesh.new()
    try:
        mesh.from_mesh(mesh_of(ob))
        mesh.transform(ob.matrix_world)
        lengths = [edge.calc_length() for edge in mesh.edges]
        is_closed = bool(mesh.edges) and all(len(edge.link_faces) == 2 for edge in mesh.edges)
        return Size(
            len(mesh.verts),
            float(np.mean(lengths)) if lengths else 0.0,
            sum(face.calc_area() for face in mesh.faces),
            abs(mesh.calc_volume()) if is_closed else 0.0,
            bool(mesh.faces),
        )
    finally:
        mesh.free()


@dataclass
class Found(Wanted):
    """What an object is to be, with its pins and what of the world acts on it."""

    pin_group: str = ""
    groups: dict[str, str] = field(default_factory=dict)  # painted, by parameter
    animated: dict[str, float] = field(default_factory=dict)


# ------------------------------------------------------------------ cloth


def from_cloth(ob: bpy.types.Object, modifier: bpy.types.ClothModifier, rate: float) -> Found:
    """Ours for a Cloth modifier; what is closed and under pressure is a soft body.

    rate: frames a second.
    """
    theirs, touch, size = modifier.settings, modifier.collision_settings, size_of(ob)
    total = theirs.mass * size.vertices
    notes = _notes_on_cloth(theirs, touch)
    common = {
        "drag": drag_of(theirs.air_damping, theirs.mass, rate),
        "friction": FRICTION_SCALE * touch.friction,
        "thickness": min(touch.distance_min / size.edge, 10.0) if size.edge else 0.1,
    }
    about: dict[str, Any] = {
        "pin_group": theirs.vertex_group_mass,
        "animated": _of_weights(theirs.effector_weights, notes),
    }
    if theirs.use_pressure and size.volume:
        swells = theirs.uniform_pressure_force > 0.0
        notes.append(
            "its pressure is a force in Blender and a factor on the volume here: it is set to "
            f"{1.2 if swells else 1.0:g}"
        )
        values = {
            **common,
            "density": _within(total / size.volume, 1e-3, 1e5),
            "pressure": 1.2 if swells else 1.0,
            "shape": 0.0,
        }
        return Found("SOFT_BODY", values, notes, **about)
    groups = {}
    values = {
        **common,
        "area_density": _within(total / size.area, 1e-4, 1e4) if size.area else 0.3,
        "stretch": _stretch_of(theirs.tension_stiffness),
        "sewing": 1.0 if theirs.use_sewing_springs else 0.0,
        "meets_itself": touch.use_self_collision,
    }
    for name, scale, stiffness, group in (
        ("bend", BEND_SCALE, "bending_stiffness", theirs.vertex_group_bending),
        ("shear", SHEAR, "shear_stiffness", theirs.vertex_group_shear_stiffness),
    ):
        number = getattr(theirs, stiffness)
        if group:
            groups[name] = group
            number = max(number, getattr(theirs, f"{stiffness}_max"))
        values[name] = scale.to_ours(number)
    return Found("CLOTH", values, notes, groups=groups, **about)


def _notes_on_cloth(
    theirs: bpy.types.ClothSettings, touch: bpy.types.ClothCollisionSettings
) -> list[str]:
    return [
        text
        for is_used, text in (
            (theirs.time_scale != 1.0, f"its speed of {theirs.time_scale:g} is left out"),
            (theirs.shrink_min != 0.0, "it does not shrink here"),
            (theirs.use_internal_springs, "its internal springs are left out"),
            (theirs.use_dynamic_mesh, "its rest shape does not follow its animation here"),
            (theirs.rest_shape_key is not None, "its rest shape is that of its start here"),
            (
                bool(theirs.vertex_group_structural_stiffness),
                "its painted tension is left out: paint Stretch in its place",
            ),
            (not touch.use_collision, "it collides here all the same"),
            (touch.collection is not None, "it collides with all colliders, not with a collection"),
            (
                bool(touch.vertex_group_self_collisions or touch.vertex_group_object_collisions),
                "all of it collides, whatever group is left out there",
            ),
            (theirs.sewing_force_max > 0.0, "its seams close at a speed and not by a force"),
        )
        if is_used
    ]


def _stretch_of(tension: float) -> float:
    """Our Stretch: 0 of woven cloth, 1 of what gives like thin rubber."""
    if tension >= SOFTEST:
        return 0.0
    return float(np.clip(1.0 - np.log(max(tension, 0.05) / 0.05) / np.log(SOFTEST / 0.05), 0, 1))


def to_cloth(
    modifier: bpy.types.ClothModifier,
    ours: Any,
    size: Size,
    differs: Callable[[str], bool],
    rate: float,
) -> list[str]:
    """Write what ``differs`` of our cloth to a Cloth modifier; returns what has no counterpart."""
    theirs, touch = modifier.settings, modifier.collision_settings
    if differs("area_density") and size.vertices:
        theirs.mass = ours.area_density * size.area / size.vertices
    if differs("drag"):
        theirs.air_damping = min(viscosity_of(ours.drag, theirs.mass, rate), 10.0)
    if differs("friction"):
        touch.friction = min(ours.friction / FRICTION_SCALE, 80.0)
    if differs("thickness"):
        touch.distance_min = _within(ours.thickness * size.edge, 0.001, 1.0)
    if differs("meets_itself"):
        touch.use_self_collision = ours.meets_itself
    if differs("bend"):
        theirs.bending_stiffness = BEND_SCALE.to_theirs(ours.bend)
    if differs("shear"):
        theirs.shear_stiffness = SHEAR.to_theirs(ours.shear)
    if differs("stretch") and ours.stretch > 0.0:
        theirs.tension_stiffness = float(0.05 * (SOFTEST / 0.05) ** (1.0 - ours.stretch))
    if differs("sewing"):
        theirs.use_sewing_springs = ours.sewing > 0.0
    notes = []
    if ours.slack > 0.0:
        notes.append("its slack is left out")
    if ours.restitution > 0.0:
        notes.append("it does not bounce in Blender")
    if ours.plane != "FREE":
        notes.append("nothing keeps it in its plane in Blender")
    return notes


# ------------------------------------------------------------------ soft bodies


def from_soft_body(
    ob: bpy.types.Object, modifier: bpy.types.SoftBodyModifier, rate: float
) -> Found:
    """Ours for a Soft Body modifier: cloth where the mesh is open, a rope where it has no faces."""
    theirs, size = modifier.settings, size_of(ob)
    notes = [
        text
        for is_used, text in (
            (theirs.plastic > 0, "it does not stay deformed here"),
            (theirs.spring_length > 0, "its spring length is left out"),
            (theirs.speed != 1.0, f"its speed of {theirs.speed:g} is left out"),
            (bool(theirs.vertex_group_mass), "its painted mass is left out"),
            (bool(theirs.vertex_group_spring), "its painted springs are left out: paint Skin"),
            (theirs.collision_collection is not None, "it collides with all colliders"),
            (theirs.use_goal and theirs.goal_min > 0.0, "its least goal is left out"),
        )
        if is_used
    ]
    total = theirs.mass * size.vertices
    values: dict[str, Any] = {"drag": drag_of(theirs.friction, theirs.mass, rate)}
    about: dict[str, Any] = {"animated": _of_weights(theirs.effector_weights, notes)}
    if theirs.use_goal:
        about["pin_group"] = theirs.vertex_group_goal or GOAL_GROUP
    if size.volume:
        values |= {
            "density": _within(total / size.volume, 1e-3, 1e5),
            "stiffness": theirs.pull,
            "bend": min(theirs.bend / 10.0, 1.0),
            "damping": theirs.damping / (theirs.damping + 2.0),
        }
        if not theirs.use_stiff_quads and theirs.bend == 0.0:
            values["shape"] = 0.1
        return Found("SOFT_BODY", values, notes, **about)
    if not size.has_faces:
        return Found("ROPE", values, notes, **about)
    notes.append("its mesh is open, so it is cloth")
    values["stretch"] = 1.0 - theirs.pull
    values["meets_itself"] = theirs.use_self_collision
    if size.area:
        values["area_density"] = _within(total / size.area, 1e-4, 1e4)
    return Found("CLOTH", values, notes, **about)


def to_soft_body(
    modifier: bpy.types.SoftBodyModifier,
    ours: Any,
    size: Size,
    differs: Callable[[str], bool],
    rate: float,
) -> list[str]:
    """Write what ``differs`` of ours to a Soft Body modifier; returns what is lost.

    ours: of a soft body, or of what an open one became.
    """
    theirs = modifier.settings
    if differs("density") and size.volume:
        theirs.mass = ours.density * size.volume / size.vertices
    if differs("drag"):
        theirs.friction = min(viscosity_of(ours.drag, theirs.mass, rate), 50.0)
    if differs("stiffness"):
        theirs.pull = theirs.push = min(ours.stiffness, 0.999)
    if size.volume and differs("bend"):
        theirs.bend = 10.0 * ours.bend
    if differs("damping"):
        theirs.damping = min(2.0 * ours.damping / max(1.0 - ours.damping, 1e-3), 50.0)
    if differs("stretch"):
        theirs.pull = theirs.push = min(1.0 - ours.stretch, 0.999)
    if differs("meets_itself"):
        theirs.use_self_collision = ours.meets_itself
    if differs("area_density") and size.area:
        theirs.mass = ours.area_density * size.area / size.vertices
    keeps_volume = getattr(ours, "volume", 0.0) > 0.0
    return ["nothing keeps its volume in Blender but its stiff quads"] if keeps_volume else []


# ------------------------------------------------------------------ colliders


def from_collision(ob: bpy.types.Object) -> Found:
    """Ours for a Collision modifier."""
    theirs = ob.collision
    notes = [
        text
        for is_used, text in (
            (not theirs.use, "its collision is switched off, and it collides here"),
            (theirs.absorption > 0.0, "it shields nothing from force fields here"),
            (theirs.use_particle_kill, "it kills no particles here"),
            (theirs.use_normal, "it collides from both sides unless Two-Sided is off"),
        )
        if is_used
    ]
    return Found("COLLIDER", {"friction": FRICTION_SCALE * theirs.cloth_friction}, notes)


def to_collision(ob: bpy.types.Object, ours: Any, differs: Callable[[str], bool]) -> list[str]:
    """Write what ``differs`` of our collider to a Collision modifier."""
    if differs("friction"):
        ob.collision.cloth_friction = min(ours.friction / FRICTION_SCALE, 80.0)
    return []


# ------------------------------------------------------------------


def _of_weights(weights: bpy.types.EffectorWeights, notes: list[str]) -> dict[str, float]:
    """Our factors of what acts on it from afar."""
    if weights.gravity != 1.0:
        notes.append(f"its share of gravity, {weights.gravity:g}, is left out")
    if weights.collection is not None:
        notes.append("all force fields act on it, not those of a collection")
    return {"fields": float(np.clip(weights.all, 0.0, 1.0)) if weights.all != 1.0 else 1.0}


def _within(value: float, least: float, most: float) -> float:
    return float(min(max(value, least), most))
