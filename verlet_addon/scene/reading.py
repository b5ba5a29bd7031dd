"""Reads what takes part in a scene's simulation at the start frame."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.errors import ModelError, VerletError
from ...core.model.field import Field
from ...core.settings import (
    AnimatedSettings,
    ColliderSettings,
    ImpulseSettings,
    SolverSettings,
    WindSettings,
)
from ..extract import drawn_diameter, own_motion, pins, steadiness, tearable
from ..extract import mesh as meshes
from ..extract.fields import read_fields
from ..extract.garment import read_garment
from ..extract.own_velocity import keyed_velocity
from ..extract.particles import read_particles
from ..inputs.participant import Participant
from ..inputs.scene_inputs import SceneInputs
from ..joints.joint_inputs import read_joints
from ..joints.ties import read_ties
from ..problem import Problem
from ..properties import bake_record
from ..properties.kinds import KINDS, RAGDOLL, Kind, is_particles
from ..properties.objects import settings_of
from ..properties.participants import impulses, is_moved, simulated_objects
from ..properties.scenes import frame_duration, start_frame, time_stretch
from ..properties.tunable_properties import number_of, settings_from, shared_values
from ..ragdoll import bone_bodies, past_poses
from ..ragdoll.armature import read_armature
from ..ragdoll.drawn_skin import read_drawn_skin
from ..transforms import affine
from .named_errors import about
from .problems import doubts, mendable, problem_of

STRONGEST = 1e9
"""m/s² of gravity; Blender turns an infinite number into 3.4e38."""


def gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """The scene's gravity in m/s², zero when it is switched off."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    x, y, z = scene.gravity
    if not abs(x) + abs(y) + abs(z) < STRONGEST:  # true for NaN too
        raise VerletError(
            f"The gravity of {scene.name} is infinite or not a number. Set it anew in Scene "
            "Properties › Gravity, and look at its keys and drivers"
        )
    return x, y, z


def read_inputs(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    known: Mapping[int, Participant],
) -> tuple[SceneInputs, list[Problem]]:
    """Read everything at the start frame; problems name each object that cannot take part.

    A baked object plays its bake and cannot be read anew: it stays what it was when it is
    ``known``, otherwise a baked body counts as a collider and baked cloth is left out.
    """
    participants: list[Participant] = []
    problems: list[Problem] = []
    objects = simulated_objects(scene)
    carried = own_motion.read_carried_points(
        [ob for ob in objects if not bake_record.is_baked(ob) and _is_carried(ob)],
        scene,
        depsgraph,
        start_frame(scene),
    )
    posed = [ob for ob in objects if ob.verlet.kind == RAGDOLL and not bake_record.is_baked(ob)]
    carried |= past_poses.read_changes(posed, scene, start_frame(scene))
    has_cloth = any(ob.verlet.kind == "CLOTH" for ob in objects)
    for ob in objects:
        try:
            with about(ob.name):
                if not bake_record.is_baked(ob):
                    motion = carried.get(ob.session_uid)
                    settings = drawn_diameter.counted(ob, settings_of(ob))
                    made = _read(ob, depsgraph, ob.verlet.kind, settings, motion)
                    participants.append(_with_skin(made, ob, depsgraph) if has_cloth else made)
                    problems += doubts(ob, scene)
                elif ob.session_uid in known:
                    participants.append(known[ob.session_uid])
                elif KINDS[ob.verlet.kind].moves != "BONES" and not is_particles(ob.verlet.kind):
                    settings = shared_values(settings_of(ob), ColliderSettings)
                    participants.append(_read(ob, depsgraph, "COLLIDER", settings))
        except ModelError as error:
            problems.append(mendable(ob) or problem_of(error, ob.session_uid))
    problems += _unseen(scene, objects) + _stretched(scene, objects)
    participants.sort(
        key=lambda p: 0 if p.kind != RAGDOLL else 1 if bone_bodies.is_sticks(p) else 2
    )
    solver = settings_from(scene.verlet.solver, SolverSettings)
    wind = settings_from(scene.verlet.wind, WindSettings)
    start = start_frame(scene)
    duration = frame_duration(scene)
    fields, notes = read_all_fields(scene, depsgraph)
    problems += [Problem(note) for note in notes]
    kinds = {p.uid: p.kind for p in participants}
    joints, wrong = read_joints(scene, depsgraph, kinds)
    ties = read_ties(scene, depsgraph, kinds)
    problems += wrong
    inputs = SceneInputs(
        tuple(participants),
        tuple(joints),
        tuple(ties),
        solver,
        wind,
        fields,
        gravity(scene),
        duration,
        start,
        tuple(notes),
    )
    return inputs, problems


def _unseen(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> list[Problem]:
    """What takes part though no viewport shows it: others bump into it, and nobody sees why."""
    in_layers = {ob.session_uid for layer in scene.view_layers for ob in layer.objects}
    found = []
    for ob in objects:
        if ob.session_uid not in in_layers:
            why = "its collection is excluded from the view layer. Tick that in the Outliner"
            button = "", ""
        elif ob.hide_viewport or any(c.hide_viewport for c in ob.users_collection):
            why = "it is disabled in viewports. Switch its screen on in the Outliner"
            button = "verlet.show_object", "Show Object"
        else:
            continue
        text = f"{ob.name} takes part unseen, for {why} to see it, or to Remove it"
        found.append(Problem(text, ob.session_uid, *button))
    return found


def _stretched(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> list[Problem]:
    """A timeline on which frames are no frames of animation: what a simulation cannot follow."""
    simulated = any(is_moved(ob) and not bake_record.is_baked(ob) for ob in objects)
    if time_stretch(scene) == 1.0 or not simulated:
        return []
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    return [
        Problem(
            f"Time Stretching (Output › Frame Range) makes {new} frames of {old}, which no "
            "simulation follows. Switch it off, bake, then stretch: bakes are stretched like all "
            "else",
            0,
            "verlet.unstretch_time",
            "Switch Off",
            is_error=True,
        )
    ]


def read_all_fields(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, has_notes: bool = True
) -> tuple[tuple[Field, ...], list[str]]:
    """Blender's force fields and our impulses in the evaluated frame, and notes for the user."""
    fields, notes = read_fields(depsgraph, has_notes=has_notes)
    pushes = []
    for ob in impulses(scene):
        try:
            pushes.append(_impulse(ob, scene, depsgraph))
        except ModelError as error:
            notes.append(str(error))
    return (*fields, *pushes), notes


def _impulse(ob: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Field:
    settings = settings_from(ob.verlet.impulse, ImpulseSettings)
    matrix = affine.matrix_of(ob.evaluated_get(depsgraph))
    if not affine.is_invertible(matrix):
        raise ModelError(ob.name, "its scale is zero along an axis, so it cannot push")
    return Field(
        name=ob.name,
        kind=settings.kind,
        position=tuple(matrix[:3, 3].tolist()),
        orientation=tuple(affine.local_axes(matrix).tolist()),
        strength=settings.strength,
        distance_max=settings.radius,
        time=(ob.verlet.impulse_frame - start_frame(scene)) * frame_duration(scene),
    )


def _is_carried(ob: bpy.types.Object) -> bool:
    """Whether modifiers of its own bring the vertices of an object of particles to their place."""
    return is_particles(ob.verlet.kind) and bool(own_motion.carriers(ob))


def _read(
    ob: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    kind: str,
    settings: Any,
    carried: Floats | None = None,
) -> Participant:
    """One object. carried: vertices (n, 3) where its own motion has them, of a ragdoll how its
    bones moved (b, 4, 4).
    """
    if ob.library is not None and kind != "COLLIDER":
        raise ModelError(
            ob.name,
            f"it is linked from {ob.library.filepath} and cannot be moved here. Use Object › "
            "Relations › Make Local, or Object › Library Override › Make",
        )
    about = ob.session_uid, ob.name, kind, settings, read_animated(ob, depsgraph)
    if kind == RAGDOLL:
        arrays = read_armature(ob, depsgraph, carried)
        matrix = meshes.read_matrix(ob, depsgraph)
        return Participant(*about, matrix, np.zeros((0, 3)), armature=arrays)
    matrix = meshes.read_matrix(ob, depsgraph)
    if not is_particles(kind):
        surface = meshes.read_visible_surface(ob, depsgraph)
        if kind != "BODY":
            return Participant(
                *about,
                matrix,
                *surface,
                keeps_form=steadiness.keeps_form(ob),
                stays_level=steadiness.stays_level(ob),
                stays_put=steadiness.stays_put(ob),
            )
        scene = depsgraph.scene
        velocity, spin = keyed_velocity(ob, start_frame(scene), frame_duration(scene))
        return Participant(*about, matrix, *surface, velocity=velocity, angular_velocity=spin)
    particles = read_particles(ob)
    if carried is not None:
        meshes.require_finite_points(ob.name, carried)
    target = ob.verlet.pin_target
    pin_weight = pins.pin_weights(ob, particles.curve)
    pin_weight = tearable.largest_of_copies(pin_weight, particles.weld)
    return Participant(
        *about,
        matrix,
        particles.points if carried is None else carried,
        particles=particles,
        pin_weight=pin_weight,
        paint=pins.paint(ob),
        carrier=0 if target is None else target.session_uid,
        carrier_matrix=None if target is None else _carrier_matrix(ob, depsgraph),
        carrier_bone=ob.verlet.pin_bone,
        garment=read_garment(ob, pin_weight),
    )


def _with_skin(
    participant: Participant, ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Participant:
    """The same with what is drawn of a ragdoll of bodies, which clothes keep off."""
    arrays = participant.armature
    if arrays is None or bone_bodies.is_sticks(participant):
        return participant
    return replace(participant, armature=replace(arrays, drawn=read_drawn_skin(ob, depsgraph)))


def _carrier_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """World matrix (4, 4) of what the pins of an object follow, which must not be flat."""
    target, bone = ob.verlet.pin_target, ob.verlet.pin_bone
    matrix = meshes.read_matrix(target, depsgraph)
    found = matrix_of_carrier(target, bone, depsgraph)
    return matrix if found is None else found


def matrix_of_carrier(
    target: bpy.types.Object, bone: str, depsgraph: bpy.types.Depsgraph
) -> Floats | None:
    """World matrix (4, 4) of an object or, where it has one of that name, of its bone.

    None when it is flat.
    """
    matrix = affine.solid_matrix(target, depsgraph)
    posed = None if target.pose is None else target.evaluated_get(depsgraph).pose.bones.get(bone)
    if matrix is None or posed is None:
        return matrix
    there = matrix @ np.array(posed.matrix, dtype=np.float64)
    return there if affine.is_invertible(there) else None


def read_animated(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> AnimatedSettings:
    """The object's keyed factors in the evaluated frame: those that mean something to its kind."""
    kind = KINDS[ob.verlet.kind]
    group = ob.evaluated_get(depsgraph).verlet.animated
    return _factors(kind, tuple([getattr(group, name) for name in kind.animated]))


@lru_cache(maxsize=10_000)
def _factors(kind: Kind, values: tuple[float, ...]) -> AnimatedSettings:
    return AnimatedSettings(**dict(zip(kind.animated, map(number_of, values))))
