"""What of a scene is the same in every frame: when it changes, frames are out of date."""

from collections.abc import Mapping
from typing import Any

import bpy

from ...core.settings import ImpulseSettings, SolverSettings
from ..blender import control_points
from ..blender.data import curve_of, mesh_of
from ..blender.mesh_arrays import edge_vertices, vertex_positions
from ..extract import garment
from ..extract.drawn_diameter import drawn_diameter
from ..extract.vertex_groups import group_weights
from ..inputs.digests import digest_of
from ..joints.joint_inputs import timeless_parts
from ..properties import bake_record
from ..properties.kinds import KINDS, is_particles
from ..properties.objects import group_of, settings_of
from ..properties.participants import impulses, simulated_objects
from ..properties.scenes import frame_duration, start_frame
from ..properties.tunable_properties import PAINT_SUFFIX, paintable, settings_from
from ..ragdoll.armature import timeless_parts as timeless_parts_of_armature


def timeless_digests(
    scene: bpy.types.Scene, known: Mapping[int, bytes] | None = None
) -> dict[int, bytes]:
    """Settings and meshes, whatever the frame: by session id, 0 for the scene.

    Tells whether to go on is right. Wind and gravity may be keyed, and changed while it plays:
    they count at the start frame only, so that a bake has them from its first frame. A baked
    object's mesh is that of the bake: it counts as what is ``known`` of it.
    """
    world = [
        settings_from(scene.verlet.solver, SolverSettings),
        frame_duration(scene),
        start_frame(scene),
        *(
            (
                ob.session_uid,
                ob.verlet.impulse_frame,
                settings_from(ob.verlet.impulse, ImpulseSettings),
            )
            for ob in impulses(scene)
        ),
        *timeless_parts(scene),
    ]
    digests = {0: digest_of(world)}
    for ob in simulated_objects(scene):
        if bake_record.is_baked(ob):
            digests[ob.session_uid] = (known or {}).get(ob.session_uid, b"")
        else:
            digests[ob.session_uid] = _timeless_digest(ob)
    return digests


def _timeless_digest(ob: bpy.types.Object) -> bytes:
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    parts: list[Any] = [ob.verlet.kind, settings_of(ob)]
    if ob.type == "ARMATURE":
        return digest_of([*parts, *timeless_parts_of_armature(ob)])
    if ob.type == "CURVE":
        parts += [control_points.curve_coordinates(curve_of(ob)), ob.verlet.pin_points]
        parts.append(control_points.spline_switches(curve_of(ob)))
    else:
        parts += _timeless_mesh(ob)
    if is_particles(ob.verlet.kind):
        parts += garment.timeless_parts(ob)
    if ob.verlet.kind == "ROPE":
        parts.append(drawn_diameter(ob))
    return digest_of(parts)


def _timeless_mesh(ob: bpy.types.Object) -> list[Any]:
    mesh = mesh_of(ob)
    parts: list[Any] = [vertex_positions(mesh)]
    if not is_particles(ob.verlet.kind):
        return [*parts, len(mesh.polygons)]
    parts += [edge_vertices(mesh), len(mesh.polygons)]
    kind = KINDS[ob.verlet.kind]
    group = group_of(ob, kind)
    painted = [getattr(group, name + PAINT_SUFFIX) for name in paintable(kind.settings)]
    for name in (ob.verlet.pin_group, *painted):
        parts.append(name)
        if name in ob.vertex_groups:
            parts.append(group_weights(ob, name))
    return parts
