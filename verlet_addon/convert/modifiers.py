"""A whole scene's Cloth, Soft Body and Collision modifiers as ours, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ...core.errors import ModelError
from ..blender import compat
from ..blender.data import any_item, mesh_of
from ..live import preview
from ..properties import bake_record
from ..properties.kinds import KINDS
from ..properties.objects import group_of, kind_of, settings_of
from ..properties.participants import simulated_objects
from ..properties.scenes import start_frame
from ..properties.tunable_properties import PAINT_SUFFIX
from . import soft
from .bodies import is_same
from .report import Report
from .soft import GOAL_GROUP, Found, Size

TYPES = ("CLOTH", "SOFT_BODY", "COLLISION")
"""Modifiers that are taken over; of several on one object the first of these counts."""

SIMULATED = (bpy.types.ClothModifier, bpy.types.SoftBodyModifier)
"""Those of them that have frames of their own."""

MODIFIER_OF_KIND = {"CLOTH": "CLOTH", "SOFT_BODY": "SOFT_BODY", "COLLIDER": "COLLISION"}
"""Our kinds with the modifier that they become."""


def of(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The object's modifiers of these types that are switched on, in their order of preference."""
    shown = [m for m in ob.modifiers if m.type in TYPES and (m.show_viewport or m.show_render)]
    return sorted(shown, key=lambda modifier: TYPES.index(modifier.type))


def theirs_in(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects that Blender's own cloth, soft bodies and collisions concern."""
    return sorted((ob for ob in scene.objects if of(ob)), key=lambda ob: ob.name_full)


def frame_rate(scene: bpy.types.Scene) -> float:
    """Frames a second, which drag in Blender's simulations depends on."""
    return float(scene.render.fps / scene.render.fps_base)


# ------------------------------------------------------------------ to ours


def to_ours(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Report:
    """Convert them all, and switch those modifiers off."""
    report = Report()
    starts = set()
    rate = frame_rate(scene)
    for ob in theirs_in(scene):
        modifiers = of(ob)
        try:
            _require_editable(ob)
        except ModelError as error:
            report.notes.append(str(error))
            continue
        caches = [m.point_cache for m in modifiers if isinstance(m, SIMULATED)]
        starts |= {cache.frame_start for cache in caches}
        found = wanted_of(ob, modifiers[0], rate)
        notes = found.notes
        if any(cache.is_baked for cache in caches):
            notes.append("its bake stays in the file, and is not played")
        notes += [f"its {m.name} is switched off too" for m in modifiers[1:]]
        notes += _notes_on_keys(ob, modifiers)
        preview.clear(ob)
        if found.kind != "COLLIDER" or ob.verlet.kind not in {"BODY", "COLLIDER"}:
            take_over(ob, found)
        _switch_off(ob, modifiers)
        report.bodies += 1
        report.note(ob.name, notes)
    if len(starts) == 1 and start_frame(scene) not in starts:
        scene.verlet.use_own_start, scene.verlet.own_start = True, starts.pop()
    elif len(starts) > 1:
        report.notes.append(f"They began in different frames; all begin in {start_frame(scene)}")
    if starts and scene.use_gravity:
        share = soft.SLOW * rate**2
        report.notes.append(
            f"At {rate:g} frames a second Blender's cloth and soft bodies feel {share:.2g} of the "
            "gravity, and here all of it: they fall as they should, and otherwise than before"
        )
    from ..extract.fields import read_fields  # loads the kernels: not at registration

    report.notes += read_fields(depsgraph)[1]
    return report


def wanted_of(ob: bpy.types.Object, modifier: bpy.types.Modifier, rate: float) -> Found:
    """Ours for a modifier of any of the three types; rate: frames a second."""
    if isinstance(modifier, bpy.types.ClothModifier):
        return soft.from_cloth(ob, modifier, rate)
    if isinstance(modifier, bpy.types.SoftBodyModifier):
        return soft.from_soft_body(ob, modifier, rate)
    return soft.from_collision(ob)


def take_over(ob: bpy.types.Object, found: Found) -> None:
    """Make the object what it is wanted to be."""
    ob.verlet.kind = any_item(found.kind)
    group = group_of(ob, KINDS[found.kind])
    for name, value in found.values.items():
        setattr(group, name, value)
    for name, painted in found.groups.items():
        setattr(group, name + PAINT_SUFFIX, painted)
    for name, value in found.animated.items():
        setattr(ob.verlet.animated, name, value)
    if found.pin_group == GOAL_GROUP and GOAL_GROUP not in ob.vertex_groups:
        kind = bpy.types.SoftBodyModifier
        goal = next(m.settings.goal_default for m in ob.modifiers if isinstance(m, kind))
        made = ob.vertex_groups.new(name=GOAL_GROUP)
        made.add(list(range(len(mesh_of(ob).vertices))), goal, "REPLACE")
    if found.pin_group in ob.vertex_groups:
        ob.verlet.pin_group = found.pin_group


def _require_editable(ob: bpy.types.Object) -> None:
    if ob.library is not None or not ob.is_editable:
        raise ModelError(ob.name, "it is linked. Use Object › Library Override › Make")
    if ob.type != "MESH":
        raise ModelError(
            ob.name, f"it is a {ob.type.lower()} object, and only meshes are converted"
        )
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")


def _notes_on_keys(ob: bpy.types.Object, modifiers: list[bpy.types.Modifier]) -> list[str]:
    paths = [modifier.path_from_id() for modifier in modifiers]
    curves = [curve.data_path for curve in compat.fcurves_of(ob)]
    if any(curve.startswith((*paths, "collision.")) for curve in curves):
        return ["keys of its settings are left out: key the factors under Animate"]
    return []


def _switch_off(ob: bpy.types.Object, modifiers: list[bpy.types.Modifier]) -> None:
    """Switch them off, and keep in the file how they were."""
    ob.verlet.own_physics = "\n".join(
        f"{int(m.show_viewport)}{int(m.show_render)}{m.name}" for m in modifiers
    )
    for modifier in modifiers:
        modifier.show_viewport = modifier.show_render = False


# ------------------------------------------------------------------ back


def can_be_given_back(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What was converted, and what takes part here and has a counterpart there.

    A collider that Blender's rigid bodies know goes back with those.
    """
    found = [ob for ob in scene.objects if ob.verlet.own_physics]
    found += [
        ob
        for ob in simulated_objects(scene)
        if ob.type == "MESH"
        and ob.verlet.kind in MODIFIER_OF_KIND
        and not ob.verlet.own_physics
        and not (ob.verlet.kind == "COLLIDER" and ob.rigid_body is not None)
    ]
    return sorted(found, key=lambda ob: ob.name_full)


def to_theirs(scene: bpy.types.Scene) -> Report:
    """Give them all back: modifiers as they were, but for what was edited meanwhile."""
    report = Report()
    for ob in can_be_given_back(scene):
        try:
            _require_editable(ob)
        except ModelError as error:
            report.notes.append(str(error))
            continue
        preview.clear(ob)
        report.note(ob.name, give_back(ob, frame_rate(scene)))
        report.bodies += 1
    for ob in simulated_objects(scene):
        if ob.verlet.kind in {"ROPE", "PLANT", "PARTICLES"}:
            label = KINDS[ob.verlet.kind].label.lower()
            report.note(ob.name, [f"a {label} has no counterpart and stays as it is"])
    return report


def give_back(ob: bpy.types.Object, rate: float) -> list[str]:
    """Switch the object's modifiers on again, or give it a new one; returns what is lost."""
    modifiers = _switch_on(ob)
    kind = kind_of(ob)
    if kind is None or kind.identifier == "BODY":
        return []
    if kind.identifier == "COLLIDER" and ob.rigid_body is not None:
        return []  # it goes back with Blender's rigid bodies
    if modifiers and wanted_of(ob, modifiers[0], rate).kind != kind.identifier:
        ob.verlet.kind = "NONE"
        return [f"it was a {kind.label.lower()} here, and its {modifiers[0].name} is as it was"]
    is_new = not modifiers
    modifier = _new_modifier(ob, MODIFIER_OF_KIND[kind.identifier]) if is_new else modifiers[0]
    ours = settings_of(ob)
    differs = _differing(ob, modifier, ours, rate, is_new=is_new)
    notes = _write(ob, modifier, ours, differs, rate)
    _give_back_pins(ob, modifier, is_new=is_new)
    ob.verlet.kind = "NONE"
    if GOAL_GROUP in ob.vertex_groups:
        ob.vertex_groups.remove(ob.vertex_groups[GOAL_GROUP])
    return notes


def _new_modifier(ob: bpy.types.Object, kind: str) -> bpy.types.Modifier:
    label = {"CLOTH": "Cloth", "SOFT_BODY": "Softbody", "COLLISION": "Collision"}[kind]
    modifier = ob.modifiers.new(label, any_item(kind))
    if isinstance(modifier, bpy.types.SoftBodyModifier):
        modifier.settings.use_goal = False
        modifier.settings.use_stiff_quads = True  # keeps some of its volume
    return modifier


def _differing(
    ob: bpy.types.Object, modifier: bpy.types.Modifier, ours: Any, rate: float, *, is_new: bool
) -> Callable[[str], bool]:
    """Whether a parameter of ours is another one than the modifier means already."""
    known = wanted_of(ob, modifier, rate).values

    def differs(name: str) -> bool:
        if not hasattr(ours, name):
            return False
        before = known.get(name, getattr(type(ours)(), name))
        return is_new or not is_same(getattr(ours, name), before)

    return differs


def _write(
    ob: bpy.types.Object,
    modifier: bpy.types.Modifier,
    ours: Any,
    differs: Callable[[str], bool],
    rate: float,
) -> list[str]:
    if not isinstance(modifier, SIMULATED):
        return soft.to_collision(ob, ours, differs)
    size: Size = soft.size_of(ob)
    if isinstance(modifier, bpy.types.ClothModifier):
        return soft.to_cloth(modifier, ours, size, differs, rate)
    return soft.to_soft_body(modifier, ours, size, differs, rate)


def _give_back_pins(ob: bpy.types.Object, modifier: bpy.types.Modifier, *, is_new: bool) -> None:
    group = ob.verlet.pin_group
    if isinstance(modifier, bpy.types.ClothModifier):
        if modifier.settings.vertex_group_mass != group:
            modifier.settings.vertex_group_mass = group
    elif (
        isinstance(modifier, bpy.types.SoftBodyModifier)
        and group != GOAL_GROUP
        and (group or is_new)
    ):
        modifier.settings.use_goal = bool(group)
        modifier.settings.vertex_group_goal = group


def _switch_on(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Switch on again what was switched off, as far as it is still there."""
    found = []
    for line in ob.verlet.own_physics.splitlines():
        modifier = ob.modifiers.get(line[2:])
        if modifier is not None:
            modifier.show_viewport, modifier.show_render = line[0] == "1", line[1] == "1"
            found.append(modifier)
    ob.verlet.own_physics = ""
    return found
