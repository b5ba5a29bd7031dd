"""Bakes ragdolls: from simulated frames to the tracks of bones, and of the armature object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.geometry.affine import inverse
from ..blender.data import armature_of
from ..live import preview
from ..properties.kinds import RAGDOLL
from ..ragdoll import armature, bone_preview
from ..ragdoll.bone_constraints import constraints_on
from ..transforms import affine, parents
from ..transforms.bone_space import parents_first
from . import pose_bones, transforms
from .bone_tracks import SeenPoses, fitted_tracks, full_tracks
from .control_tracks import control_tracks
from .errors import BakeError
from .key_reduction import Tolerance

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session


@dataclass(frozen=True)
class BoneOptions:
    """What a bake of bones is asked for."""

    tolerance: Tolerance | None = None
    root_motion: str = "BONES"
    root_height: bool = False
    to_controls: bool = False

    @property
    def needs_seen(self) -> bool:
        """Whether it wants more than the own transforms that the preview has kept."""
        return self.to_controls or self.tolerance is not None or self.root_motion != "BONES"


@dataclass(frozen=True, eq=False)
class Seen:
    """One armature in all frames of a bake."""

    poses: SeenPoses
    parent: Floats | None  # (F, 4, 4) what stands between it and the world; None without a parent


def look(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], frames: range
) -> dict[int, Seen]:
    """What armatures show in simulated frames, by session id; the user's frame comes back."""
    shown = scene.frame_current, scene.frame_subframe
    found: dict[int, list[tuple[Floats, ...]]] = {ob.session_uid: [] for ob in objects}
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for ob in objects:
            evaluated = ob.evaluated_get(depsgraph)
            bones = [evaluated.pose.bones[bone.name] for bone in armature_of(ob).bones]
            found[ob.session_uid].append(
                (
                    affine.matrix_of(evaluated),
                    np.array([bone.matrix for bone in bones], dtype=np.float64),
                    np.array([bone.matrix_basis for bone in bones], dtype=np.float64),
                    parents.parent_matrix(ob, depsgraph),
                )
            )
    scene.frame_set(shown[0], subframe=shown[1])
    seen = {}
    for ob in objects:
        world, placed, basis, parent = (np.stack(a) for a in zip(*found[ob.session_uid]))
        has_parent = ob.parent is not None
        seen[ob.session_uid] = Seen(SeenPoses(world, placed, basis), parent if has_parent else None)
    return seen


def write(
    scene: bpy.types.Scene,
    session: Session,
    ob: bpy.types.Object,
    frames: range,
    options: BoneOptions,
    seen: Seen | None,
) -> list[str]:
    """Bake one ragdoll and return warnings. Raises BakeError before anything has changed."""
    pose_bones.require_bakeable(ob)
    if seen is None:
        names, basis, silenced = bone_preview.pose_curves(session, ob, frames)
        preview.clear(ob)
        pose_bones.write(ob, list(frames), full_tracks(ob, names, basis), silenced)
        return []
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    names = session.moved_bones[ob.session_uid]
    if options.to_controls:
        return _write_to_controls(scene, ob, frames, names, seen)
    wanted = {name: seen.poses.pose[:, row[name]] for name in names}
    root_motion, warnings = _possible(ob, names, options.root_motion)
    worlds, tolerance = None, options.tolerance
    if root_motion != "BONES":
        top = _topmost(ob, names)
        carried = _main_bone(session, ob)
        heads = np.einsum("fij,fbj->fbi", seen.poses.world, seen.poses.pose[..., 3])[..., :3]
        own = heads[:, row[top]] if root_motion == "ROOT" else seen.poses.world[:, :3, 3]
        away = (heads[:, carried] - heads[0, carried]) - (own - own[0])
        if not options.root_height:
            away[:, 2] = 0.0
        if root_motion == "ROOT":
            wanted[top] = _moved(seen.poses.pose[:, row[top]], _inside(seen.poses.world, away))
        else:
            worlds = _moved(seen.poses.world, away)
            back = _inside(seen.poses.world, -away)
            wanted = {name: _moved(placed, back) for name, placed in wanted.items()}
            if tolerance is not None:  # the object and its bones are both off
                tolerance = replace(
                    tolerance, place=0.5 * tolerance.place, angle=0.5 * tolerance.angle
                )
    silenced = constraints_on(ob, frozenset(wanted))
    numbers = np.array(frames, dtype=np.int64)
    preview.clear(ob)
    tracks = fitted_tracks(ob, numbers, wanted, seen.poses, tolerance)
    moves_object = worlds is not None
    taken = pose_bones.write(ob, list(frames), tracks, silenced, moves_object=moves_object)
    if moves_object:
        warning = transforms.write(ob, list(frames), worlds, seen.parent, tolerance, taken)
        warnings += [warning] if warning else []
    return warnings


def _write_to_controls(
    scene: bpy.types.Scene,
    ob: bpy.types.Object,
    frames: range,
    names: Sequence[str],
    seen: Seen,
) -> list[str]:
    """Bake one ragdoll to the controls of its rig, with a key in every frame; return warnings."""
    bones = armature_of(ob).bones
    row = {bone.name: number for number, bone in enumerate(bones)}
    moved = [bone.name for bone in parents_first(bones[name] for name in names)]
    wanted = {name: seen.poses.pose[:, row[name]] for name in moved}
    world_scale = float(np.linalg.norm(seen.poses.world[:, :3, :3], 2, axis=(1, 2)).max())
    preview.clear(ob)
    found = control_tracks(scene, ob, frames, wanted, world_scale)
    if not found.tracks:
        raise BakeError(
            ob.name,
            "nothing that can be posed carries its simulated bones. Choose Bake › Keys › Ragdolls "
            "To: Simulated Bones.",
        )
    pose_bones.write(ob, list(frames), found.tracks, switches=found.switches)
    return found.warnings


def _possible(
    ob: bpy.types.Object, names: Sequence[str], root_motion: str
) -> tuple[str, list[str]]:
    """The root motion that can be had, and why it is another one than was asked for."""
    if root_motion == "ROOT" and not _topmost(ob, names):
        return "BONES", [
            f"{ob.name}: {names[0]} is at the top of the hierarchy and is simulated, so there is "
            "no root bone that could go along. Parent it to a new bone without Deform, or choose "
            "Armature Object"
        ]
    if root_motion == "OBJECT":
        loose = [m.name for m in armature.skinned_meshes(ob) if not _hangs_on(m, ob)]
        if loose:
            return "BONES", [
                f"{ob.name}: the object cannot go along, for {loose[0]} follows its bones and is "
                "not its child. Parent the mesh to the armature (Ctrl P, Object)"
            ]
    return root_motion, []


def _hangs_on(mesh: bpy.types.Object, ob: bpy.types.Object) -> bool:
    above = mesh.parent
    while above is not None and above != ob:
        above = above.parent
    return above is not None


def _topmost(ob: bpy.types.Object, names: Sequence[str]) -> str:
    """The bone above the first simulated one that has no parent; "" where that is simulated."""
    bone = armature_of(ob).bones[names[0]]
    top = [bone, *bone.parent_recursive][-1].name
    return "" if top in names else top


def _main_bone(session: Session, ob: bpy.types.Object) -> int:
    """Row of the bone that leads the body on which the others hang."""
    from ..ragdoll import bone_bodies  # loads the kernels

    participant = next(p for p in session.participants(RAGDOLL) if p.uid == ob.session_uid)
    plan = bone_bodies.plan_of(participant)
    roots = [row for row, part in enumerate(plan.parts) if part.parent < 0]
    return plan.parts[max(roots, key=lambda row: plan.mass[row])].bone


def _inside(world: Floats, away: Floats) -> Floats:
    """Ways (F, 3) in the world as ways in the space of matrices (F, 4, 4)."""
    return np.asarray(np.einsum("fij,fj->fi", inverse(world)[:, :3, :3], away))


def _moved(matrices: Floats, away: Floats) -> Floats:
    """Matrices (F, 4, 4) moved by ways (F, 3)."""
    moved = matrices.copy()
    moved[:, :3, 3] += away
    return moved
