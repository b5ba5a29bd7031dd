"""A whole scene: from Blender's Rigid Body World to ours, and back."""

from __future__ import annotations

from dataclasses import asdict

import bpy
import numpy as np

from ...core.errors import ModelError
from ..live import preview
from ..properties import bake_record
from ..properties.participants import joints, simulated_objects
from ..properties.scenes import start_frame
from . import bodies, constraints
from .layers import LayerMap
from .report import Report


def their_bodies(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects that Blender's own simulation moves or lets others bump into."""
    world = scene.rigidbody_world
    if world is None or world.collection is None:
        return []
    found = [ob for ob in world.collection.objects if ob.rigid_body is not None]
    return sorted((ob for ob in found if _is_in(ob, scene)), key=lambda ob: ob.name_full)


def their_constraints(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects that carry a constraint of Blender's own simulation."""
    world = scene.rigidbody_world
    if world is None or world.constraints is None:
        return []
    found = [ob for ob in world.constraints.objects if ob.rigid_body_constraint is not None]
    return sorted((ob for ob in found if _is_in(ob, scene)), key=lambda ob: ob.name_full)


def _is_in(ob: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    return ob.name in scene.objects and scene.objects[ob.name] == ob


def _step(scene: bpy.types.Scene) -> float:
    """Seconds in a step of Blender's simulation."""
    world = scene.rigidbody_world
    duration = scene.render.fps_base / scene.render.fps * world.time_scale
    return duration / max(world.substeps_per_frame, 1)


def _layer_map(scene: bpy.types.Scene) -> LayerMap:
    used = {
        number
        for ob in their_bodies(scene)
        for number, is_on in enumerate(ob.rigid_body.collision_collections)
        if is_on
    }
    return LayerMap.of(used)


# ------------------------------------------------------------------ to ours


def to_ours(scene: bpy.types.Scene) -> Report:
    """Convert all of Blender's rigid bodies and constraints, and switch its simulation off."""
    report = Report()
    layers = _layer_map(scene)
    if not layers.is_complete:
        report.notes.append(
            f"Collision collections: {len(layers.collections)} are used and there are eight "
            "layers, so the last ones share one"
        )
    for ob in their_bodies(scene):
        try:
            _require_editable(ob)
        except ModelError as error:
            report.notes.append(str(error))
            continue
        if _is_part_of_compound(ob):
            report.note(ob.name, ["it is a part of its parent's compound shape and is left out"])
            continue
        wanted = bodies.wanted_of(ob, layers)
        preview.clear(ob)
        bodies.take_over(ob, wanted)
        report.bodies += 1
        report.note(ob.name, wanted.notes)
    _joints_to_ours(scene, report)
    world = scene.rigidbody_world
    first = world.point_cache.frame_start
    if first != scene.frame_start:
        scene.verlet.use_own_start, scene.verlet.own_start = True, first
    if world.time_scale != 1.0:
        report.notes.append(f"The world's speed of {world.time_scale:g} is left out")
    world.enabled = False
    return report


def _require_editable(ob: bpy.types.Object) -> None:
    if ob.library is not None or not ob.is_editable:
        raise ModelError(ob.name, "it is linked. Use Object › Library Override › Make")
    if ob.type != "MESH":
        raise ModelError(ob.name, f"it is a {ob.type.lower()} object, which has no shape")
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")


def _is_part_of_compound(ob: bpy.types.Object) -> bool:
    parent = ob.parent
    while parent is not None:
        if parent.rigid_body is not None and parent.rigid_body.collision_shape == "COMPOUND":
            return True
        parent = parent.parent
    return False


def _joints_to_ours(scene: bpy.types.Scene, report: Report) -> None:
    step = _step(scene)
    motors, driven = [], []
    for source in their_constraints(scene):
        theirs = source.rigid_body_constraint
        pair = theirs.object1, theirs.object2
        if not theirs.enabled:
            report.note(source.name, ["it is switched off and is left out"])
        elif not all(one is not None and one.verlet.kind != "NONE" for one in pair):
            report.note(source.name, ["it joins no two rigid bodies and is left out"])
        elif source.library is not None or not source.is_editable:
            report.note(source.name, ["it is linked. Use Object › Library Override › Make"])
        elif theirs.type == "MOTOR":
            motors.append(source)
        else:
            settings, notes = constraints.wanted_of(theirs, step)
            ob = _joint_at(source, scene)
            for name, value in asdict(settings).items():
                setattr(ob.verlet.joint, name, value)
            ob.verlet.joint.object_a, ob.verlet.joint.object_b = pair
            ob.verlet.is_joint = True
            driven.append(ob)
            report.joints += 1
            report.note(source.name, notes)
    for source in motors:
        if not _drive(source, driven, step):
            report.note(
                source.name,
                ["its motor is left out: it needs a hinge or slider between the same two objects"],
            )


def _joint_at(source: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object:
    """The empty that stands where a constraint does: itself, or a new one on its object."""
    if source.type == "EMPTY":
        return source
    known = [ob for ob in joints(scene) if ob.verlet.joint.source == source]
    if known:
        return known[0]
    ob = bpy.data.objects.new(f"{source.name} Joint", None)
    ob.empty_display_type, ob.empty_display_size = "ARROWS", 0.2
    seen = {scene.collection, *scene.collection.children_recursive}  # not those of Blender's world
    home = next((one for one in source.users_collection if one in seen), scene.collection)
    home.objects.link(ob)
    ob.parent = source
    ob.verlet.joint.source = source
    return ob


def _drive(source: bpy.types.Object, driven: list[bpy.types.Object], step: float) -> bool:
    """Give a motor to the joint of the same two objects; whether there is one that it fits."""
    theirs = source.rigid_body_constraint
    along = np.array(source.matrix_world)[:3, 0]
    for ob in driven:
        joint = ob.verlet.joint
        pair = joint.object_a, joint.object_b
        if joint.kind not in constraints.MOTORED or {*pair} != {theirs.object1, theirs.object2}:
            continue
        axis = np.array(ob.matrix_world)[:3, 2 if joint.kind == "HINGE" else 0]
        cosine = float(along @ axis / (np.linalg.norm(along) * np.linalg.norm(axis) or 1.0))
        if abs(cosine) < constraints.ALIGNED:
            continue
        # Both the axis and the order of the objects may be reversed. A turn of B seen from A about
        # an axis is the same turn of A seen from B the other way round, and so is a slide.
        sign = np.sign(cosine) * (1.0 if joint.object_a == theirs.object1 else -1.0)
        values = constraints.motor_of(theirs, joint.kind, float(sign), step)
        if values is not None:
            for name, value in values.items():
                setattr(joint, name, value)
            return True
    return False


# ------------------------------------------------------------------ back


def can_be_given_back(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What takes part here and could be a rigid body of Blender."""
    return [ob for ob in simulated_objects(scene) if ob.verlet.kind in {"BODY", "COLLIDER"}]


def to_theirs(context: bpy.types.Context, scene: bpy.types.Scene) -> Report:
    """Convert all our rigid bodies, colliders and joints, and switch Blender's simulation on."""
    report = Report()
    if scene.rigidbody_world is None:
        with context.temp_override(scene=scene):
            bpy.ops.rigidbody.world_add()
    layers = _layer_map(scene)
    step = _step(scene)
    found = can_be_given_back(scene)
    members = {ob.session_uid for ob in their_bodies(scene)}
    for ob in found:
        try:
            _require_editable(ob)
        except ModelError as error:
            report.notes.append(str(error))
            continue
        is_new = ob.rigid_body is None
        if ob.session_uid not in members:
            _add(context, scene, ob, "rigidbody.object_add")
        preview.clear(ob)
        report.note(ob.name, bodies.give_back(ob, layers, is_new=is_new))
        report.bodies += 1
    carriers = {ob.session_uid for ob in their_constraints(scene)}
    for ob in joints(scene):
        _joint_to_theirs(context, scene, ob, carriers, step, report)
    world = scene.rigidbody_world
    world.enabled = True
    world.point_cache.frame_start = start_frame(scene)
    return report


def _joint_to_theirs(
    context: bpy.types.Context,
    scene: bpy.types.Scene,
    ob: bpy.types.Object,
    carriers: set[int],
    step: float,
    report: Report,
) -> None:
    joint = ob.verlet.joint
    problem = ""
    if ob.library is not None or not ob.is_editable:
        problem = "it is linked and is left as it is"
    elif any(one is None or one.rigid_body is None for one in (joint.object_a, joint.object_b)):
        problem = "it is left as it is: Blender joins two rigid bodies and nothing else"
    elif joint.kind == "DISTANCE":
        problem = "it is left as it is: Blender has no joint like a rope"
    if problem:
        report.note(ob.name, [problem])
        return
    target = ob.verlet.joint.source or ob
    is_new = target.rigid_body_constraint is None
    if target.session_uid not in carriers:
        _add(context, scene, target, "rigidbody.constraint_add")
    notes = constraints.give_back(ob, target.rigid_body_constraint, step, is_new=is_new)
    has_motor = any(
        {one.rigid_body_constraint.object1, one.rigid_body_constraint.object2}
        == {joint.object_a, joint.object_b}
        for one in their_constraints(scene)
        if one.rigid_body_constraint.type == "MOTOR"
    )
    if joint.motor != "NONE" and not has_motor:
        notes.append("its motor is left out: Blender's is a constraint of its own")
    report.note(target.name, notes)
    report.joints += 1
    ob.verlet.is_joint = False
    if target != ob:
        bpy.data.objects.remove(ob)


def _add(
    context: bpy.types.Context, scene: bpy.types.Scene, ob: bpy.types.Object, operator: str
) -> None:
    """Let Blender's own operator add its settings to an object."""
    group, name = operator.split(".")
    with context.temp_override(
        scene=scene,
        object=ob,
        active_object=ob,
        selected_objects=[ob],
        selected_editable_objects=[ob],
    ):
        getattr(getattr(bpy.ops, group), name)()
