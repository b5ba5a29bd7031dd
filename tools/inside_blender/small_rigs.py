"""Small ragdolls for tests, and what is seen of their bones."""

import json
import subprocess
import sys

import bpy
import numpy as np
from mathutils import Vector
from small_scenes import addon, select, session_of


def armature(bones, name="Rig", location=(0, 0, 0)):
    """An armature of bones (name, parent, head, tail, roll), in the scene and in Object Mode."""
    data = bpy.data.armatures.new(name)
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = location
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, parent, head, tail, roll in bones:
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return ob


def person(name="Person", location=(0, 0, 0)):
    """A small human of odd axes: trunk, head, arms and legs."""
    bones = [
        ("pelvis", None, (0, 0, 1.0), (0, 0, 1.2), 0.3),
        ("chest", "pelvis", (0, 0, 1.2), (0, 0, 1.5), -0.7),
        ("head", "chest", (0, 0, 1.55), (0, 0, 1.8), 1.0),
    ]
    for side, x in (("L", 1), ("R", -1)):
        bones += [
            (f"upper_arm.{side}", "chest", (0.2 * x, 0, 1.45), (0.45 * x, 0, 1.4), 0.4 * x),
            (f"forearm.{side}", f"upper_arm.{side}", (0.45 * x, 0, 1.4), (0.7 * x, -0.03, 1.35), 2),
            (f"thigh.{side}", "pelvis", (0.1 * x, 0, 1.0), (0.1 * x, -0.02, 0.55), 0.2),
            (f"shin.{side}", f"thigh.{side}", (0.1 * x, -0.02, 0.55), (0.1 * x, 0, 0.1), -0.5),
            (f"foot.{side}", f"shin.{side}", (0.1 * x, 0, 0.1), (0.1 * x, -0.18, 0.02), 0.1),
        ]
    return armature(bones, name, location)


LIMBS = tuple(
    (f"{upper}.{side}", f"{lower}.{side}")
    for upper, lower in (("upper_arm", "forearm"), ("thigh", "shin"))
    for side in "LR"
)


def person_with_controls(name="Puppet", location=(0, 0, 0)):
    """A person whose bones copy a chain of controls, or one of inverse kinematics with poles.

    ``pose.bones["fk_pelvis"]["ik"]`` blends to the latter, 1 is inverse.
    """
    ob = person(name, location)
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = ob.data.edit_bones
    limbs = {bone for limb in LIMBS for bone in limb}
    for bone in list(bones):
        for prefix in ("fk_", "ik_") if bone.name in limbs else ("fk_",):
            copy = bones.new(prefix + bone.name)
            copy.head, copy.tail, copy.roll = bone.head, bone.tail, bone.roll
            copy.use_deform = False
    for bone in [bone for bone in bones if bone.use_deform and bone.parent]:
        bones["fk_" + bone.name].parent = bones["fk_" + bone.parent.name]
        if bone.name in limbs:
            chain_name = "ik_" + bone.parent.name
            bones["ik_" + bone.name].parent = (
                bones.get(chain_name) or bones[chain_name.replace("ik_", "fk_", 1)]
            )
    for upper, lower in LIMBS:
        for role, head, away in (
            ("hand", bones[lower].tail, (0, 0, 0.1)),
            (
                "pole",
                bones[lower].head + 0.5 * Vector((0, 1 if "arm" in upper else -1, 0)),
                (0, 0, 0.1),
            ),
        ):
            control = bones.new(f"{role}_{lower}")
            control.head, control.tail = head, head + Vector(away)
            control.use_deform = False
    bpy.ops.object.mode_set(mode="OBJECT")
    ob.pose.bones["fk_pelvis"]["ik"] = 0.0
    for bone in ob.pose.bones:
        if not bone.bone.use_deform:
            continue
        for prefix in ("fk_", "ik_"):
            if prefix + bone.name in ob.pose.bones:
                copied = bone.constraints.new("COPY_TRANSFORMS")
                copied.target, copied.subtarget = ob, prefix + bone.name
        if bone.name in limbs:
            driver = copied.driver_add("influence").driver
            variable = driver.variables.new()
            variable.targets[0].id = ob
            variable.targets[0].data_path = 'pose.bones["fk_pelvis"]["ik"]'
            driver.type = "AVERAGE"
    for _, lower in LIMBS:
        solver = ob.pose.bones["ik_" + lower].constraints.new("IK")
        solver.target, solver.subtarget = ob, "hand_" + lower
        solver.pole_target, solver.pole_subtarget = ob, "pole_" + lower
        solver.chain_count = 2
    return ob


def chain(count=3, **options):
    """Bones one after another along X, each 0.4 m long."""
    return armature(
        [
            (
                f"Bone {i}",
                f"Bone {i - 1}" if i else None,
                (0.4 * i, 0, 1),
                (0.4 * (i + 1), 0, 1),
                0.3 * i,
            )
            for i in range(count)
        ],
        **options,
    )


def ragdoll(ob):
    """The armature, set up."""
    select(ob)
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    return ob


def seen_bones(ob):
    """World matrices of all pose bones as they are seen, by name."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {b.name: np.array(evaluated.matrix_world @ b.matrix) for b in evaluated.pose.bones}


def simulated_bones(scene, ob, frame):
    """World matrices of the moved bones as the core has them, by name."""
    ragdolls, running = addon("ragdoll.bone_bodies"), session_of(scene)
    rows = next(r for r in ragdolls.rows_of(running) if r.participant.uid == ob.session_uid)
    change = ragdolls.changes(running.model, running.cache[frame], rows.bodies)
    placed = ragdolls.placed_bones(rows.participant, change)
    return dict(zip(running.moved_bones[ob.session_uid], placed))


def largest_difference(a, b, names):
    """Largest difference between the matrices of these names."""
    return max(np.abs(a[name] - b[name]).max() for name in names)


def own_values(ob):
    """Location and rotation of each pose bone as they stand in the file."""
    return [
        (b.name, tuple(b.location), tuple(b.rotation_quaternion), tuple(b.rotation_euler))
        for b in ob.pose.bones
    ]


def plays_elsewhere(folder, ob, wanted):
    """Largest difference of any baked bone matrix in a Blender without the add-on."""
    path, told = folder / "baked.blend", folder / "seen.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    script = f"""
import bpy, json
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
bpy.ops.wm.open_mainfile(filepath={str(path)!r})
assert not hasattr(bpy.types.Object, "verlet")
ob = bpy.data.objects[{ob.name!r}]
seen = {{}}
for frame in range({min(wanted)}, {max(wanted) + 1}):
    bpy.context.scene.frame_set(frame)
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    seen[frame] = {{b.name: [list(r) for r in evaluated.matrix_world @ b.matrix]
                    for b in evaluated.pose.bones}}
open({str(told)!r}, "w").write(json.dumps(seen))
"""
    environment = {"BLENDER_USER_RESOURCES": str(folder / "nobody"), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=120)
    seen = json.loads(told.read_text())
    return max(
        largest_difference(
            {name: np.array(m) for name, m in seen[str(frame)].items()},
            bones,
            [name for name in bones if name != "head"],
        )
        for frame, bones in wanted.items()
    )


def select_bones(ob, names):
    """Select these bones and no others, in Pose Mode."""
    for bone in ob.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # before Blender 5.0
        holder.select = bone.name in names


def key_bend(bone, *keys):
    """Key a pose bone to angles about its X: (frame, rad) each."""
    bone.rotation_mode = "XYZ"
    for frame, angle in keys:
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
