"""What takes part in a scene's simulation, as arrays; and the model made from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np

from ..core.builder import ModelBuilder
from ..core.errors import ModelError
from ..core.forces.field import Field
from ..core.integrators.carries import left_out
from ..core.model import FrameInputs, Model
from ..core.recipes.all import RECIPES
from ..core.recipes.body import add_body
from ..core.recipes.collider import add_collider
from ..core.recipes.geometry import Geometry
from ..core.rigid.joint_table import End, OnBody, OnCollider
from ..core.settings import (
    AnimatedSettings,
    ColliderSettings,
    ImpulseSettings,
    SolverSettings,
    WindSettings,
)
from . import ragdoll_drive, ragdolls, stick_figures
from .bake import control_points, restore
from .extract import bone_pins, own_motion, past_poses, pins, pose, worn
from .extract import mesh as meshes
from .extract.armature import ArmatureArrays, read_armature
from .extract.armature import timeless_parts as timeless_parts_of_armature
from .extract.bone_pins import PinInput
from .extract.fields import read_fields
from .extract.mesh import Ints
from .extract.own_velocity import keyed_velocity
from .extract.particles import ParticleArrays, read_particles
from .extract.vertex_groups import group_weights
from .extract.worn import Worn, read_worn
from .joints import JointInput, add_joint, read_joints, read_motors, timeless_parts
from .kinds import KINDS, RAGDOLL, can_be_tied, is_particles
from .participants import find_object, find_objects, impulses, is_moved, simulated_objects
from .properties import (
    PAINT_SUFFIX,
    group_of,
    paintable,
    settings_from,
    settings_of,
    shared_values,
    start_frame,
)
from .session import Floats, Problem, Session
from .ties import TieInput, add_ties, read_ties, what_holds

# Modifiers that move vertices along with something else: after cloth they move them twice.
DEFORMING_MODIFIERS = (own_motion.CARRIERS | {"CLOTH", "SOFT_BODY"}) - {
    "MESH_CACHE",
    "SHRINKWRAP",
}


SHEAR = 1e-5  # of a matrix whose axes still count as square, a share of its scale


@dataclass(frozen=True)
class Participant:
    """One object at the start frame: everything that the model depends on."""

    uid: int
    name: str
    kind: str  # see kinds.KINDS
    settings: Any
    animated: AnimatedSettings
    matrix: Floats  # (4, 4) to world space
    points: Floats  # (n, 3) local: the particles, or the visible vertices of others
    triangles: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))  # of others
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0)  # m/s, of the origin by its keys
    angular_velocity: tuple[float, ...] = (0.0, 0.0, 0.0)  # rad/s
    particles: ParticleArrays | None = None  # of an object made of particles, as are:
    pin_weight: Floats = field(default_factory=lambda: np.zeros(0))  # (n,)
    paint: Mapping[str, Floats] = field(default_factory=dict)  # (n,) by name of a parameter
    carrier: int = 0  # session id of the object that carries the pins, 0: this one
    carrier_matrix: Floats | None = None  # (4, 4), of that object, or of its bone
    carrier_bone: str = ""  # of that object, an armature
    worn: Worn | None = None  # how its pins hang on a ragdoll
    armature: ArmatureArrays | None = None  # of a ragdoll

    @property
    def world_points(self) -> Floats:
        """World positions (n, 3) at the start frame."""
        return pose.transformed(self.matrix, self.points)

    @property
    def solid_points(self) -> Floats:
        """World positions (n, 3) of a thing that is rigid.

        Blender's matrices have 32 bits: their axes are made square and their scale is rounded, so
        that copies of a mesh, however turned, are the same thing to whoever fits shapes to them.
        """
        axes = pose.rotation_of(pose.local_axes(self.matrix))
        linear = self.matrix[:3, :3]
        scale = (axes * linear).sum(axis=0)
        if np.abs(linear - axes * scale).max() > SHEAR * np.abs(scale).max():
            return self.world_points
        rounded = np.array([float(f"{number:.6g}") for number in scale.tolist()])
        return np.ascontiguousarray((self.points * rounded) @ axes.T + self.matrix[:3, 3])

    @property
    def outward_triangles(self) -> Ints:
        """Triangles (t, 3), turned round where the object is mirrored."""
        is_mirrored = np.linalg.det(self.matrix[:3, :3]) < 0.0
        return np.ascontiguousarray(self.triangles[:, ::-1] if is_mirrored else self.triangles)

    def digest(self) -> bytes:
        """Changes when anything does that the model depends on."""
        arrays: list[Any] = [self.matrix, self.points, self.triangles, self.pin_weight]
        arrays += [self.velocity, self.angular_velocity]
        if self.particles is not None:
            p = self.particles
            arrays += [p.edges, p.face_offsets, p.face_vertices]
            arrays += [p.curve.coordinates] if p.curve is not None else []
        if self.armature is not None:
            arrays += self.armature.parts()
        if self.carrier_matrix is not None:
            arrays += [self.carrier, self.carrier_bone, self.carrier_matrix]
        if self.worn is not None:
            arrays += self.worn.parts()
        for name in sorted(self.paint):
            arrays += [name, self.paint[name]]
        about = f"{self.uid} {self.name} {self.kind} {self.settings} {self.animated}"
        return _digest([about, *arrays])


@dataclass(frozen=True)
class SceneInputs:
    """All of them, and how the scene is stepped."""

    participants: tuple[Participant, ...]
    joints: tuple[JointInput, ...]
    ties: tuple[TieInput, ...]
    solver: SolverSettings
    wind: WindSettings
    fields: tuple[Field, ...]
    gravity: tuple[float, float, float]  # m/s²
    frame_duration: float  # s
    start: int
    digest: bytes

    @property
    def uids(self) -> frozenset[int]:
        """Session ids of all objects that take part."""
        return frozenset(p.uid for p in self.participants)


def _digest(parts: Iterable[Any]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else _bytes(part))
    return digest.digest()


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
    return str(part).encode()


def frame_duration(scene: bpy.types.Scene) -> float:
    """Seconds in a frame."""
    return scene.render.fps_base / scene.render.fps


def gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """The scene's gravity in m/s², zero when it is switched off."""
    return tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)


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
        [ob for ob in objects if not restore.is_baked(ob) and _is_carried(ob)],
        scene,
        depsgraph,
        start_frame(scene),
    )
    posed = [ob for ob in objects if ob.verlet.kind == RAGDOLL and not restore.is_baked(ob)]
    carried |= past_poses.read_changes(posed, scene, start_frame(scene))
    for ob in objects:
        try:
            if not restore.is_baked(ob):
                motion = carried.get(ob.session_uid)
                participants.append(_read(ob, depsgraph, ob.verlet.kind, settings_of(ob), motion))
                problems += _doubts(ob, scene)
            elif ob.session_uid in known:
                participants.append(known[ob.session_uid])
            elif KINDS[ob.verlet.kind].moves != "BONES" and not is_particles(ob.verlet.kind):
                settings = shared_values(settings_of(ob), ColliderSettings)
                participants.append(_read(ob, depsgraph, "COLLIDER", settings))
        except ModelError as error:
            problems.append(_mendable(ob) or problem_of(error, ob.session_uid))
    participants.sort(key=lambda p: 0 if p.kind != RAGDOLL else 1 if ragdolls.is_sticks(p) else 2)
    solver = settings_from(scene.verlet.solver, SolverSettings)
    wind = settings_from(scene.verlet.wind, WindSettings)
    start = start_frame(scene)
    duration = frame_duration(scene)
    fields, notes = read_all_fields(scene, depsgraph)
    problems += [Problem(note) for note in notes]
    kinds = {p.uid: p.kind for p in participants}
    joints, doubts = read_joints(scene, depsgraph, kinds)
    ties = read_ties(scene, depsgraph, kinds)
    problems += doubts
    world = f"{solver} {wind} {fields} {notes} {gravity(scene)} {duration} {start}"
    digest = _digest(
        [
            world,
            *(participant.digest() for participant in participants),
            *(part for joint in joints for part in joint.parts()),
            *(part for tie in ties for part in tie.parts()),
        ]
    )
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
        digest,
    )
    return inputs, problems


def read_all_fields(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> tuple[tuple[Field, ...], list[str]]:
    """Blender's force fields and our impulses in the evaluated frame, and notes for the user."""
    fields, notes = read_fields(scene, depsgraph)
    pushes = []
    for ob in impulses(scene):
        try:
            pushes.append(_impulse(ob, scene, depsgraph))
        except ModelError as error:
            notes.append(str(error))
    return (*fields, *pushes), notes


def _impulse(ob: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Field:
    settings = settings_from(ob.verlet.impulse, ImpulseSettings)
    matrix = pose.matrix_of(ob.evaluated_get(depsgraph))
    if not pose.is_invertible(matrix):
        raise ModelError(ob.name, "its scale is zero along an axis, so it cannot push")
    return Field(
        name=ob.name,
        kind=settings.kind,
        position=tuple(matrix[:3, 3].tolist()),
        orientation=tuple(pose.local_axes(matrix).tolist()),
        strength=settings.strength,
        distance_max=settings.radius,
        time=(ob.verlet.impulse_frame - start_frame(scene)) * frame_duration(scene),
    )


def problem_of(error: ModelError, uid: int = 0) -> Problem:
    """An error as the panel shows it."""
    return Problem(
        str(error), uid, "verlet.show_object" if uid else "", "Show Object", is_error=True
    )


def _mendable(ob: bpy.types.Object) -> Problem | None:
    """An error that a button mends."""
    if ob.type != "CURVE" or control_points.automatic_spline(ob.data) is None:
        return None
    return Problem(
        f"{ob.name}: it has Automatic or Vector handles, which Blender places itself and no "
        "simulation can move",
        ob.session_uid,
        "verlet.free_handles",
        "Free Handles",
        is_error=True,
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
            return Participant(*about, matrix, *surface)
        scene = depsgraph.scene
        motion = keyed_velocity(ob, start_frame(scene), frame_duration(scene))
        return Participant(*about, matrix, *surface, *motion)
    particles = read_particles(ob)
    if carried is not None:
        meshes.require_finite_points(ob.name, carried)
    target = ob.verlet.pin_target
    pin_weight = pins.pin_weights(ob, particles.curve)
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
        worn=read_worn(ob, pin_weight),
    )


def _carrier_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """World matrix (4, 4) of what the pins of an object follow, which must not be flat."""
    target, bone = ob.verlet.pin_target, ob.verlet.pin_bone
    matrix = meshes.read_matrix(target, depsgraph)
    found = _matrix_of_carrier(target, bone, depsgraph)
    return matrix if found is None else found


def _matrix_of_carrier(
    target: bpy.types.Object, bone: str, depsgraph: bpy.types.Depsgraph
) -> Floats | None:
    """World matrix (4, 4) of an object or, where it has one of that name, of its bone.

    None when it is flat.
    """
    matrix = _solid_matrix(target, depsgraph)
    posed = None if target.pose is None else target.evaluated_get(depsgraph).pose.bones.get(bone)
    if matrix is None or posed is None:
        return matrix
    there = matrix @ np.array(posed.matrix, dtype=np.float64)
    return there if pose.is_invertible(there) else None


def read_animated(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> AnimatedSettings:
    """The object's keyed factors in the evaluated frame: those that mean something to its kind."""
    kind = KINDS[ob.verlet.kind]
    settings = settings_from(ob.evaluated_get(depsgraph).verlet.animated, AnimatedSettings)
    return AnimatedSettings(**{name: getattr(settings, name) for name in kind.animated})


def _doubts(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[Problem]:
    """What will work, but perhaps not as it was meant."""
    found = []
    if ob.verlet.kind == RAGDOLL:
        show = ob.session_uid, "verlet.show_object", "Show Object"
        found += [Problem(text, *show) for text in bone_pins.doubts(ob, scene)]
    if is_particles(ob.verlet.kind):
        own = own_motion.carriers(ob)
        found += [
            Problem(
                f"{ob.name}: its {modifier.name} modifier moves it a second time. Move it up, "
                "before all others, so that pins follow it",
                ob.session_uid,
                "verlet.show_object",
                "Show Object",
            )
            for modifier in ob.modifiers
            if modifier.type in DEFORMING_MODIFIERS
            and modifier.show_viewport
            and modifier not in own
        ]
        reason = _why_not_tied(ob)
        if reason:
            found.append(
                Problem(f"{ob.name}: {reason}", ob.session_uid, "verlet.show_object", "Show Object")
            )
    world = scene.rigidbody_world
    is_on = world is not None and world.enabled
    if is_on and ob.rigid_body is not None and ob.verlet.kind == "BODY":
        found.append(
            Problem(
                f"{ob.name}: Blender's own Rigid Body moves it too",
                ob.session_uid,
                "verlet.remove_own_rigid_body",
                "Remove That",
            )
        )
    return found


def _why_not_tied(ob: bpy.types.Object) -> str:
    """Why pins that follow what is simulated itself are no ties; "" where they are, or need not."""
    target, wearer = ob.verlet.pin_target, worn.wearer(ob)
    if worn.is_bone_missing(ob):
        return (
            f"it is pinned to bone {ob.verlet.pin_bone} of {target.name}, which has none of that "
            "name: choose another Bone below Pin To"
        )
    if wearer is not None:
        if not can_be_tied(ob.verlet.kind):
            what = f"a {KINDS[ob.verlet.kind].label.lower()} stands on roots"
        else:
            return ""
        return f"its pins follow the keys of {wearer.name} alone and do not hold it: {what}"
    if target is None:
        return ""
    if is_particles(target.verlet.kind):
        what = "which bends"
    elif target.verlet.kind != "BODY" or not is_moved(target):
        return ""
    elif not can_be_tied(ob.verlet.kind):
        what = f"and a {KINDS[ob.verlet.kind].label.lower()} stands on roots"
    elif target.verlet.body.model != "QUATERNION":
        what = "which is made of particles (its Model under Advanced)"
    else:
        return ""
    return (
        f"it is pinned to {target.name}, {what}: the pins follow it a frame late and do not hold it"
    )


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
    digests = {0: _digest(world)}
    for ob in simulated_objects(scene):
        if restore.is_baked(ob):
            digests[ob.session_uid] = (known or {}).get(ob.session_uid, b"")
        else:
            digests[ob.session_uid] = _timeless_digest(ob)
    return digests


def _timeless_digest(ob: bpy.types.Object) -> bytes:
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    parts: list[Any] = [ob.verlet.kind, settings_of(ob)]
    if ob.type == "ARMATURE":
        return _digest([*parts, *timeless_parts_of_armature(ob)])
    if ob.type == "CURVE":
        parts += [control_points.curve_coordinates(ob.data), ob.verlet.pin_points]
        parts.append(control_points.spline_switches(ob.data))
    else:
        parts += _timeless_mesh(ob)
    if is_particles(ob.verlet.kind):
        parts += worn.timeless_parts(ob)
    return _digest(parts)


def _timeless_mesh(ob: bpy.types.Object) -> list[Any]:
    mesh = ob.data
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    parts: list[Any] = [positions]
    if not is_particles(ob.verlet.kind):
        return [*parts, len(mesh.polygons)]
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    parts += [edges, len(mesh.polygons)]
    kind = KINDS[ob.verlet.kind]
    group = group_of(ob, kind)
    painted = [getattr(group, name + PAINT_SUFFIX) for name in paintable(kind.settings)]
    for name in (ob.verlet.pin_group, *painted):
        parts.append(name)
        if name in ob.vertex_groups:
            parts.append(group_weights(ob, name))
    return parts


def build_model(inputs: SceneInputs) -> Model | None:
    """The model of everything that takes part; None when there is nothing that can move."""
    builder = ModelBuilder()
    ends = {}  # of joints
    by_uid = {p.uid: p for p in inputs.participants}
    held = []  # what bends: its index, and what holds it
    figures = {}
    for p in inputs.participants:
        match p.kind:
            case "BODY":
                index = add_body(
                    builder,
                    p.name,
                    p.solid_points,
                    pose.local_axes(p.matrix),
                    p.settings,
                    p.velocity,
                    p.angular_velocity,
                    p.outward_triangles,
                    p.matrix[:3, 3],
                )
                ends[p.uid] = p, index
            case "COLLIDER":
                index = add_collider(
                    builder,
                    p.name,
                    p.solid_points,
                    pose.local_axes(p.matrix),
                    p.settings,
                    p.outward_triangles,
                )
                ends[p.uid] = p, index
            case "RAGDOLL":
                pass  # after everything else
            case _:
                arrays = p.particles
                assert arrays is not None
                geometry = Geometry.of(
                    p.name,
                    p.world_points,
                    arrays.edges,
                    arrays.face_offsets,
                    arrays.face_vertices,
                )
                holds = what_holds(p, by_uid, inputs.ties)
                held.append((len(builder.objects), holds))
                RECIPES[p.kind](
                    builder, geometry, p.settings, pin_weight=holds.pin_weight, paint=p.paint
                )
    for joint in inputs.joints:
        add_joint(builder, joint, ends)
    index_of = {(uid, 0): index for uid, (_, index) in ends.items()}
    hold: dict[int, End] = {
        uid: OnCollider(index) if p.kind == "COLLIDER" else OnBody(index)
        for uid, (p, index) in ends.items()
    }
    for handle in bone_pins.handles(inputs.participants):
        turn = pose.local_axes(handle.matrix)
        hold[handle.uid] = OnCollider(builder.add_handle(handle.name, handle.matrix[:3, 3], turn))
    for p in inputs.participants:
        if p.kind == RAGDOLL:
            if ragdolls.is_sticks(p):
                figures[p.uid] = stick_figures.add(builder, p, inputs.frame_duration, ends)
            else:
                made = ragdolls.add(builder, p, inputs.frame_duration, hold)
                index_of |= {(p.uid, row): index for row, index in enumerate(made.objects)}
    for index, holds in held:
        add_ties(builder, index, holds, index_of, figures)
    return builder.finalize() if builder.objects else None


def doubts_about_integrator(model: Model, solver: SolverSettings) -> list[Problem]:
    """What of the scene the chosen integrator leaves out."""
    missing = left_out(model, solver)
    if not missing:
        return []
    message = f"{solver.integrator_label} leaves out: {'; '.join(missing)}"
    return [Problem(message, 0, "verlet.use_position_verlet", "Use Position Verlet")]


def read_frame(
    session: Session, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> FrameInputs:
    """What drives the simulation in the evaluated frame.

    Objects that were deleted meanwhile stay where they were last.
    """
    assert session.model is not None
    collider_position, collider_orientation = _colliders(session, depsgraph)
    body_position, body_orientation = _bodies(session, depsgraph)
    fields, _ = read_all_fields(scene, depsgraph)
    joint_speed, joint_target = read_motors(session, depsgraph)
    inputs = FrameInputs(
        duration=frame_duration(scene),
        gravity=gravity(scene),
        wind=settings_from(scene.verlet.wind, WindSettings),
        fields=fields,
        pin_position=_pin_positions(session, scene, depsgraph),
        pin_weight=session.model.pin_weight,
        animated=_animated(session, depsgraph),
        collider_position=collider_position,
        collider_orientation=collider_orientation,
        body_position=body_position,
        body_orientation=body_orientation,
        mesh_vertex=_mesh_vertices(session, depsgraph, collider_position, collider_orientation),
        joint_speed=joint_speed,
        joint_target=joint_target,
    )
    session.returning = {}
    inputs = stick_figures.drive(session, depsgraph, inputs)
    return ragdoll_drive.drive(session, depsgraph, inputs)


def _animated(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[AnimatedSettings, ...]:
    """The keyed factors of all that moves, in the order of the model."""
    moving = [p for p in session.inputs.participants if p.kind != "COLLIDER"]
    return spread_out(
        moving,
        [
            p.animated if ob is None or ob.verlet.kind != p.kind else read_animated(ob, depsgraph)
            for p, ob in zip(moving, find_objects(moving))
        ],
    )


def spread_out(
    moving: Iterable[Participant], factors: Iterable[AnimatedSettings]
) -> tuple[AnimatedSettings, ...]:
    """One for each object of the model from one for each participant: ragdolls have many."""
    found: list[AnimatedSettings] = []
    for participant, own in zip(moving, factors):
        is_ragdoll = participant.kind == RAGDOLL
        found += ragdolls.animated(participant, own) if is_ragdoll else [own]
    return tuple(found)


def _pin_positions(
    session: Session, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> Floats:
    """World positions (p, 3) of all pins, in the order of the model."""
    positions = [np.zeros((0, 3))]
    held = _held_rows(session)
    wanted = [p for p in session.particle_objects() if len(held[p.uid])]
    objects = find_objects(wanted)
    carried = own_motion.read_carried_points(
        [
            ob
            for p, ob in zip(wanted, objects)
            if ob is not None and not p.carrier and _follows_own_motion(ob, p)
        ],
        scene,
        depsgraph,
        scene.frame_current,
    )
    for participant, ob in zip(wanted, objects):
        points = carried.get(participant.uid, participant.points)[held[participant.uid]]
        matrix = None if ob is None else _solid_matrix(ob, depsgraph)
        if participant.carrier:
            target = find_object(participant.carrier)
            bone = participant.carrier_bone
            there = None if target is None else _matrix_of_carrier(target, bone, depsgraph)
            if there is None:
                there = participant.carrier_matrix
            matrix = there @ np.linalg.inv(participant.carrier_matrix) @ participant.matrix
        elif matrix is None:
            matrix = session.placements[-1].local[participant.uid]
        positions.append(pose.transformed(matrix, points))
    return np.concatenate(positions)


def _held_rows(session: Session) -> dict[int, Ints]:
    """By session id the particles of each object that the model pins: a plant roots itself."""
    pinned = session.model.pinned
    spans = [span for span in session.model.objects if span.body < 0]
    held = {}
    for participant, span in zip(session.particle_objects(), spans):
        end = span.first_particle + span.particle_count
        first, last = np.searchsorted(pinned, [span.first_particle, end])
        held[participant.uid] = pinned[first:last] - span.first_particle
    return held


def _follows_own_motion(ob: bpy.types.Object, participant: Participant) -> bool:
    """Whether the pins of an object follow more than its transform."""
    return (
        not restore.is_baked(ob)
        and own_motion.moves_vertices(ob)
        and len(ob.data.vertices) == len(participant.points)
    )


def _solid_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats | None:
    """World matrix (4, 4), None when it is flat."""
    matrix = pose.matrix_of(ob.evaluated_get(depsgraph))
    return matrix if pose.is_invertible(matrix) else None


def _colliders(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Where colliders, and behind them handles, stand (k, 3) and how they are turned (k, 4)."""
    model, last = session.model, session.last_inputs
    wanted: list[Participant | PinInput] = [*session.participants("COLLIDER")]
    wanted += bone_pins.handles(session.inputs.participants)
    places = model.collider_position.copy(), model.collider_orientation.copy()
    before = None if last is None else (last.collider_position, last.collider_orientation)
    return _carried(list(enumerate(wanted)), depsgraph, places, before)


def _mesh_vertices(
    session: Session, depsgraph: bpy.types.Depsgraph, position: Floats, orientation: Floats
) -> Floats:
    """Vertices (v, 3) of all mesh shapes, seen from the colliders at position and orientation.

    Those of an object that is gone, flat or has another number of vertices stay as they were.
    """
    model, last = session.model, session.last_inputs
    table = model.shapes
    vertex = (table.meshes.vertex if last is None else last.mesh_vertex).copy()
    wanted = session.participants("COLLIDER")
    objects = find_objects(wanted)
    for shape in np.flatnonzero(table.mesh >= 0).tolist():
        collider = table.owner[shape] - model.body_count
        ob = objects[collider]
        if ob is None or not own_motion.may_deform(ob):
            continue
        matrix = _solid_matrix(ob, depsgraph)
        first, end = table.meshes.first_vertex[table.mesh[shape] :][:2]
        points = meshes.visible_points(ob, depsgraph)
        if matrix is None or len(points) != end - first or not np.isfinite(points).all():
            continue
        axes = pose.rotation_of(orientation[collider])
        vertex[first:end] = (pose.transformed(matrix, points) - position[collider]) @ axes
    return vertex


def _bodies(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Where the own animation of bodies takes them (b, 3) and how it turns them (b, 4).

    Those that do not follow it stay where they started.
    """
    model, last = session.model, session.last_inputs
    rows = zip(session.body_rows, session.participants("BODY"))
    wanted = [(row, p) for row, p in rows if p.settings.type != "ACTIVE"]
    places = model.bodies.position.copy(), model.bodies.orientation.copy()
    before = None if last is None else (last.body_position, last.body_orientation)
    return _carried(wanted, depsgraph, places, before)


def _carried(
    wanted: Sequence[tuple[int, Participant | PinInput]],
    depsgraph: bpy.types.Depsgraph,
    places: tuple[Floats, Floats],
    before: tuple[Floats, Floats] | None,
) -> tuple[Floats, Floats]:
    """Places (k, 3) and turns (k, 4) carried along by objects since the start, by their row.

    Of an object that is gone or flat, those ``before`` count.
    """
    position, orientation = places
    objects = find_objects([participant for _, participant in wanted])
    for (row, participant), ob in zip(wanted, objects):
        matrix = None if ob is None else _solid_matrix(ob, depsgraph)
        if matrix is None:
            if before is not None:
                position[row], orientation[row] = before[0][row], before[1][row]
        elif not np.array_equal(matrix, participant.matrix):  # exactly still while it is still
            change = matrix @ np.linalg.inv(participant.matrix)
            turn = pose.rotation_part(change[:3, :3])
            position[row] = pose.transformed(change, position[row])
            orientation[row] = pose.product(turn, orientation[row])
    return position, orientation
