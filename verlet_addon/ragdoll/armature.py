"""Armatures as arrays: rest pose, pose, the skin that hangs on them, choices for bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.arrays import Floats
from ...core.errors import ModelError
from ...core.geometry.affine import inverse
from ...core.recipes.skeleton import NO_SKIN, Skeleton, Skin
from ...core.settings import BoneSettings
from ..blender import compat
from ..blender.data import armature_of, mesh_of
from ..extract.mesh import FARTHEST_VERTEX, places_of, read_matrix
from ..inputs.armature_arrays import ArmatureArrays
from ..properties.bones import animated_of_bone, bone_channel
from ..properties.kinds import is_particles
from ..properties.tunable_properties import settings_from
from ..transforms import affine
from . import bone_pins
from .bone_pins import read_pins
from .bone_weights import BoneWeights, bone_weights, hung_weights, joined_weights


def read_armature(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, change: Floats | None
) -> ArmatureArrays:
    """Everything about an armature in the evaluated frame, which is the start frame.

    change (b, 4, 4): what carried its bones there from the frame before, see `past_poses`. Raises
    ModelError that names the object where nothing can be made of it.
    """
    require_suitable(ob)
    world = read_matrix(ob, depsgraph)
    bones = list(armature_of(ob).bones)
    rest = world @ np.array([bone.matrix_local for bone in bones], dtype=np.float64)
    now = posed(ob, depsgraph, world)
    held = {bone.name for bone in ob.pose.bones if bone.constraints}
    row = {bone.name: number for number, bone in enumerate(bones)}
    own_parent = [-1 if bone.parent is None else row[bone.parent.name] for bone in bones]
    return ArmatureArrays(
        skeleton=read_skeleton(ob, world),
        rest=rest,
        pose=now,
        before=None if change is None else inverse(change) @ now,
        skin=read_skin(ob, flesh(ob), world),
        choices=tuple(settings_from(bone.verlet, BoneSettings) for bone in _pose_bones(ob)),
        has_muscles=_has_muscles(ob),
        own_parent=np.array(own_parent, dtype=np.int32),
        hard=hard_bones(ob),
        pins=read_pins(ob, depsgraph),
        held=frozenset(held),
        moved_ids=frozenset(
            uid
            for moved in (ob, *skinned_meshes(ob))
            for uid in (moved.session_uid, moved.data.session_uid)
        ),
    )


def require_suitable(ob: bpy.types.Object) -> None:
    """Raise ModelError for an armature that cannot be a ragdoll."""
    if ob.mode == "EDIT":
        raise ModelError(ob.name, "its bones are being edited. Leave Edit Mode first")
    if not len(armature_of(ob).bones):
        raise ModelError(ob.name, "it has no bones. Add some in Edit Mode")
    if not any(bone.use_deform for bone in armature_of(ob).bones):
        raise ModelError(
            ob.name,
            "none of its bones deforms anything. Switch on Deform in Properties › Bone for those "
            "that are to move",
        )


def _pose_bones(ob: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """The pose bones in the order of the armature's data."""
    return [ob.pose.bones[bone.name] for bone in armature_of(ob).bones]


def posed(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, world: Floats) -> Floats:
    """Pose bones (b, 4, 4) in the world as they are seen; ``world`` (4, 4) is the armature's."""
    bones = ob.evaluated_get(depsgraph).pose.bones
    local = np.array([bones[bone.name].matrix for bone in armature_of(ob).bones], dtype=np.float64)
    if not (np.abs(local) < FARTHEST_VERTEX).all():
        raise ModelError(
            ob.name,
            "its pose holds values that are not numbers. Clear it (Pose › Clear Transform › All)",
        )
    return world @ local


def read_skeleton(ob: bpy.types.Object, world: Floats) -> Skeleton:
    """The rest pose; ``world`` (4, 4) is the armature's matrix, which may scale and mirror."""
    bones = list(armature_of(ob).bones)
    row = {bone.name: number for number, bone in enumerate(bones)}
    deforms = np.array([bone.use_deform for bone in bones])
    linear = world[:3, :3] @ np.array([bone.matrix_local.to_3x3() for bone in bones])
    if np.linalg.det(world[:3, :3]) < 0.0:
        linear = linear * np.array([-1.0, 1.0, 1.0])  # mirrored: Y still runs along the bone
    u, _, vt = np.linalg.svd(linear)
    copies = _copied_by(ob, row)
    parent = [_parent_of(bone, bones, row, deforms, copies) for bone in bones]
    pose_bones = _pose_bones(ob)
    has_limit = np.array(
        [[bone.use_ik_limit_x, bone.use_ik_limit_y, bone.use_ik_limit_z] for bone in pose_bones]
    )
    lower = np.array([[b.ik_min_x, b.ik_min_y, b.ik_min_z] for b in pose_bones])
    upper = np.array([[b.ik_max_x, b.ik_max_y, b.ik_max_z] for b in pose_bones])
    return Skeleton(
        name=tuple(bone.name for bone in bones),
        parent=np.array(parent, dtype=np.int32),
        head=affine.transformed(world, np.array([bone.head_local for bone in bones])),
        tail=affine.transformed(world, np.array([bone.tail_local for bone in bones])),
        axes=u @ vt,
        deforms=deforms,
        ik_lock=np.array([[b.lock_ik_x, b.lock_ik_y, b.lock_ik_z] for b in pose_bones]),
        ik_lower=np.where(has_limit, lower, -np.inf),
        ik_upper=np.where(has_limit, upper, np.inf),
        up=world[:3, 2],
    )


def _copied_by(ob: bpy.types.Object, row: Mapping[str, int]) -> dict[int, int]:
    """Deforming bones by the bone that they copy: rigs hang theirs on bones of their own."""
    found: dict[int, int] = {}
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            copies = constraint.type in {"COPY_TRANSFORMS", "ARMATURE"} and not constraint.mute
            if not copies or not bone.bone.use_deform:
                continue
            targets: Any = (constraint,)
            if isinstance(constraint, bpy.types.ArmatureConstraint):
                targets = constraint.targets
            for target in targets:
                if target.target == ob and target.subtarget in row:
                    found.setdefault(row[target.subtarget], row[bone.name])
    return found


def _parent_of(
    bone: bpy.types.Bone,
    bones: Sequence[bpy.types.Bone],
    row: Mapping[str, int],
    deforms: Any,
    copies: Mapping[int, int],
) -> int:
    """Row of the bone's parent; of a control bone in between, the bone that deforms in its place.

    −1 for none. A bone never becomes its own ancestor by that.
    """
    own = row[bone.name]
    above = bone.parent
    while above is not None:
        number = row[above.name]
        if deforms[number]:
            return number
        stands_in = copies.get(number, own)
        if stands_in != own and not _is_ancestor(bones[stands_in], bone):
            return stands_in
        above = above.parent
    return -1 if bone.parent is None else row[bone.parent.name]


def _is_ancestor(bone: bpy.types.Bone, of: bpy.types.Bone) -> bool:
    """Whether ``of`` is among the ancestors of ``bone``."""
    return any(above == of for above in bone.parent_recursive)


def skinned_meshes(ob: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes that an armature deforms, in an order that does not change from run to run."""
    found = [
        mesh
        for mesh in bpy.data.objects
        if mesh.type == "MESH"
        and mesh.users_scene
        and (
            any(
                isinstance(m, bpy.types.ArmatureModifier) and m.object == ob for m in mesh.modifiers
            )
            or (mesh.parent == ob and mesh.parent_type == "ARMATURE")
        )
    ]
    return sorted(found, key=lambda mesh: mesh.name_full)


def hung_on(mesh: bpy.types.Object, ob: bpy.types.Object) -> tuple[str, Matrix] | None:
    """The bone that an object hangs on, by itself or by its parents, and where that has it at rest.

    The matrix is in the armature's space. None for what does not hang on this armature, and "" as
    the bone of what hangs on the armature itself.
    """
    place = Matrix.Identity(4)
    above: bpy.types.Object | None = mesh
    while above is not None:
        place = above.matrix_parent_inverse @ above.matrix_basis @ place
        if above.parent == ob:
            if above.parent_type == "OBJECT":
                return "", place
            bone = armature_of(ob).bones.get(above.parent_bone)
            if above.parent_type != "BONE" or bone is None:
                return None
            if bone.use_relative_parent:
                return bone.name, place
            end = Matrix.Translation((0.0, bone.length, 0.0))
            return bone.name, bone.matrix_local @ end @ place
        above = above.parent
    return None


def stiff_meshes(ob: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes that hang on a bone, or on the armature, as they are: most parts of most robots.

    Not what takes part in the simulation by itself, nor what no render shows.
    """
    found = [
        mesh
        for mesh in bpy.data.objects
        if mesh.type == "MESH"
        and mesh.users_scene
        and not mesh.hide_render
        and mesh.parent is not None
        and mesh.parent_type != "ARMATURE"
        and mesh.verlet.kind == "NONE"
        and not any(modifier.type == "ARMATURE" for modifier in mesh.modifiers)
        and hung_on(mesh, ob) is not None
    ]
    return sorted(found, key=lambda mesh: mesh.name_full)


def flesh(ob: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes by which the bodies of a ragdoll are shaped: no clothes, that bend by themselves.

    Those that hang on a bone belong to it. A soft body counts where there is nothing else: then it
    is the character.
    """
    skins = skinned_meshes(ob)
    firm = [mesh for mesh in skins if not is_particles(mesh.verlet.kind)]
    firm += [mesh for mesh in stiff_meshes(ob) if hung_on(mesh, ob)[0]]
    return firm or [mesh for mesh in skins if mesh.verlet.kind == "SOFT_BODY"]


def hard_bones(ob: bpy.types.Object) -> tuple[bool, ...]:
    """Whether each bone (b,) of an armature has meshes that hang on it, and deforms none."""
    hung = {bone[0] for mesh in stiff_meshes(ob) if (bone := hung_on(mesh, ob)) is not None}
    soft = {group.name for mesh in skinned_meshes(ob) for group in mesh.vertex_groups}
    return tuple(bone.name in hung - soft for bone in armature_of(ob).bones)


def in_hulls(
    choices: Sequence[BoneSettings], hard: Sequence[bool], shape: str
) -> tuple[BoneSettings, ...]:
    """Choices for bones where a hard part is wrapped tightly unless somebody has chosen a shape.

    What is seen of it is rigid, so that corners which stick out of a capsule sink into the floor.
    ``shape``: what is chosen for the whole figure.
    """
    return tuple(
        replace(one, shape="HULL") if is_hard and one.shape == shape == "AUTO" else one
        for one, is_hard in zip(choices, hard, strict=True)
    )


def read_skin(ob: bpy.types.Object, skins: Sequence[bpy.types.Object], world: Floats) -> Skin:
    """Points and weights of the meshes that an armature moves, in the rest pose."""
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    points: list[Floats] = []
    weights: list[BoneWeights] = []
    skinned = set(skinned_meshes(ob))
    for mesh in skins:
        own = places_of(mesh_of(mesh))
        if not (np.abs(own) < FARTHEST_VERTEX).all():
            continue
        hung = None if mesh in skinned else hung_on(mesh, ob)
        if hung is not None:
            to_world = world @ np.array(hung[1])
            weights.append(hung_weights(len(own), row[hung[0]]))
        else:
            # the mesh is bound where it stands beside the armature now, whatever pose that is in
            to_world = world @ inverse(affine.matrix_of(ob)) @ affine.matrix_of(mesh)
            weights.append(bone_weights(mesh, mesh_of(mesh), row))
        points.append(affine.transformed(to_world, own))
    if not points:
        return NO_SKIN
    return Skin(np.concatenate(points), *joined_weights([len(p) for p in points], weights))


def timeless_parts(ob: bpy.types.Object) -> list[Any]:
    """What of an armature counts whatever the frame: bones and choices, not what may be keyed."""
    bones = armature_of(ob).bones
    rest = np.array([bone.matrix_local for bone in bones], dtype=np.float64)
    lengths = np.array([bone.length for bone in bones])
    choices = [settings_from(bone.verlet, BoneSettings) for bone in _pose_bones(ob)]
    names = [(bone.name, bone.use_deform) for bone in bones]
    skins = [(mesh.session_uid, len(mesh_of(mesh).vertices)) for mesh in flesh(ob)]
    about = f"{names} {choices} {skins} {_has_muscles(ob)}"
    return [rest, lengths, about, *bone_pins.timeless_parts(ob)]


# ---------------------------------------------------------------------- muscles


def _has_muscles(ob: bpy.types.Object) -> bool:
    """Whether any bone follows its keys, in this frame or, being keyed, perhaps in another."""
    if any(animated_of_bone(bone).limp < 1.0 for bone in ob.pose.bones):
        return True
    drivers = ob.animation_data.drivers if ob.animation_data is not None else ()
    curves = [*compat.fcurves_of(ob), *drivers]
    return any(curve.data_path.endswith("." + bone_channel("limp")) for curve in curves)


def read_limp(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """How limp each bone (b,) is in the evaluated frame: 0 follows its keys."""
    bones = ob.evaluated_get(depsgraph).pose.bones
    return np.array([animated_of_bone(bones[bone.name]).limp for bone in armature_of(ob).bones])
