"""What drives the simulation in a frame: pins, colliders, bodies, meshes and keyed factors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.arrays import Floats, Ints
from ...core.geometry.affine import inverse
from ...core.model import FrameInputs
from ...core.settings import AnimatedSettings, WindSettings
from ..blender.data import mesh_of
from ..extract import mesh as meshes
from ..extract import own_motion
from ..inputs.participant import Participant
from ..inputs.pin_input import PinInput
from ..joints.joint_inputs import read_motors
from ..properties import bake_record
from ..properties.kinds import RAGDOLL
from ..properties.participants import find_object, find_objects
from ..properties.scenes import frame_duration
from ..properties.tunable_properties import settings_from
from ..ragdoll import bone_bodies, bone_pins, driving, stick_figures
from ..session import Session
from ..transforms import affine
from .reading import gravity, matrix_of_carrier, read_all_fields, read_animated


def read_frame(
    session: Session, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> FrameInputs:
    """What drives the simulation in the evaluated frame.

    Objects that were deleted meanwhile stay where they were last.
    """
    assert session.model is not None
    collider_position, collider_orientation = _colliders(session, depsgraph)
    body_position, body_orientation = _bodies(session, depsgraph)
    fields, _ = read_all_fields(scene, depsgraph, has_notes=False)
    joint_speed, joint_target = read_motors(session, depsgraph)
    inputs = FrameInputs(
        duration=frame_duration(scene),
        gravity=gravity(scene),
        wind=settings_from(scene.verlet.wind, WindSettings),
        fields=fields,
        pin_position=_pin_positions(session, scene, depsgraph),
        pin_weight=session.model.pins.weight,
        animated=_animated(session, depsgraph),
        collider_position=collider_position,
        collider_orientation=collider_orientation,
        body_position=body_position,
        body_orientation=body_orientation,
        mesh_vertex=_mesh_vertices(session, depsgraph, collider_position, collider_orientation),
        joint_speed=joint_speed,
        joint_target=joint_target,
    )
    session.is_unread = False
    session.returning = {}
    inputs = stick_figures.drive(session, depsgraph, inputs)
    return driving.drive(session, depsgraph, inputs)


def _animated(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[AnimatedSettings, ...]:
    """The keyed factors of all that moves, in the order of the model."""
    moving = session.inputs.moving
    objects = find_objects(moving)
    rows = session.restless_rows(moving, objects)
    if not rows:
        return session.once(factors_at_start)
    found = [participant.animated for participant in moving]
    for row in rows:
        if objects[row].verlet.kind == moving[row].kind:
            found[row] = read_animated(objects[row], depsgraph)
            if session.is_unread and found[row] != moving[row].animated:
                session.restless.add(moving[row].uid)
    return spread_out(moving, found)


def factors_at_start(session: Session) -> tuple[AnimatedSettings, ...]:
    """The keyed factors of all that moves as they were in the start frame."""
    moving = session.inputs.moving
    return spread_out(moving, [participant.animated for participant in moving])


def spread_out(
    moving: Sequence[Participant], factors: Iterable[AnimatedSettings]
) -> tuple[AnimatedSettings, ...]:
    """One for each object of the model from one for each participant: ragdolls have many."""
    if not any(participant.kind == RAGDOLL for participant in moving):
        return tuple(factors)
    found: list[AnimatedSettings] = []
    for participant, own in zip(moving, factors):
        is_ragdoll = participant.kind == RAGDOLL
        found += bone_bodies.animated(participant, own) if is_ragdoll else [own]
    return tuple(found)


def _pin_positions(
    session: Session, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> Floats:
    """World positions (p, 3) of all pins, in the order of the model."""
    held = session.once(_held_rows)
    wanted = session.once(_pinned)
    if not wanted:
        return np.zeros((0, 3))
    positions = []
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
        matrix = None if ob is None else affine.solid_matrix(ob, depsgraph)
        if participant.carrier:
            target = find_object(participant.carrier)
            bone = participant.carrier_bone
            there = None if target is None else matrix_of_carrier(target, bone, depsgraph)
            if there is None:
                there = participant.carrier_matrix
            matrix = there @ inverse(participant.carrier_matrix) @ participant.matrix
        elif matrix is None:
            matrix = session.placements[-1].local[participant.uid]
        positions.append(affine.transformed(matrix, points))
    return np.concatenate(positions)


def _pinned(session: Session) -> list[Participant]:
    """The objects that the model pins anywhere."""
    held = session.once(_held_rows)
    return [p for p in session.particle_objects() if len(held[p.uid])]


def _held_rows(session: Session) -> dict[int, Ints]:
    """By session id the particles of each object that the model pins: a plant roots itself."""
    pinned = session.model.pins.particle
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
        own_motion.moves_vertices(ob)
        and not bake_record.is_baked(ob)
        and len(mesh_of(ob).vertices) == len(participant.points)
    )


def _colliders(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Where colliders, and behind them handles, stand (k, 3) and how they are turned (k, 4)."""
    model, last = session.model, session.last_inputs
    places = model.colliders.position.copy(), model.colliders.orientation.copy()
    before = None if last is None else (last.collider_position, last.collider_orientation)
    return _carried(session.once(_carrying_colliders), depsgraph, places, before)


@dataclass(frozen=True, eq=False)
class Carriers:
    """Objects that carry rows of the model along, and where they stood at the start."""

    rows: list[int]
    objects: Sequence[Participant | PinInput]
    start: Floats  # (k, 4, 4)

    @classmethod
    def of(cls, objects: Sequence[Participant | PinInput], rows: list[int]) -> Carriers:
        """Those objects, and the row that each carries."""
        return cls(rows, objects, np.array([one.matrix for one in objects]).reshape(-1, 4, 4))


def _carrying_colliders(session: Session) -> Carriers:
    objects: list[Participant | PinInput] = [*session.participants("COLLIDER")]
    objects += bone_pins.handles(session.inputs.participants)
    return Carriers.of(objects, list(range(len(objects))))


def _mesh_vertices(
    session: Session, depsgraph: bpy.types.Depsgraph, position: Floats, orientation: Floats
) -> Floats:
    """Vertices (v, 3) of all mesh shapes, seen from the colliders at position and orientation.

    Those of an object that is gone, flat or has another number of vertices stay as they were.
    """
    model, last = session.model, session.last_inputs
    table = model.shapes
    vertex = known = table.meshes.vertex if last is None else last.mesh_vertex
    wanted = session.participants("COLLIDER")
    shapes = session.once(_mesh_shapes)
    objects = find_objects(wanted) if shapes else []
    grown = {track.uid for track in session.takes if track.path.endswith("scale")}  # by hand
    for shape in shapes:
        collider = table.owner[shape] - len(model.bodies)
        ob = objects[collider]
        if ob is None or not (
            wanted[collider].uid in grown
            or own_motion.may_deform(ob)
            or not wanted[collider].keeps_form
        ):
            continue
        matrix = affine.solid_matrix(ob, depsgraph)
        points = meshes.visible_coordinates(ob, depsgraph)
        seen = session.seen_meshes.get(shape)
        if seen is not None and np.array_equal(seen[0], points) and np.array_equal(seen[1], matrix):
            continue
        session.seen_meshes[shape] = points, matrix
        first, end = table.meshes.first_vertex[table.mesh[shape] :][:2]
        if matrix is None or len(points) != end - first or not np.isfinite(points).all():
            continue
        axes = affine.rotation_of(orientation[collider])
        places = affine.transformed(matrix, points.astype(np.float64))
        vertex = known.copy() if vertex is known else vertex
        vertex[first:end] = (places - position[collider]) @ axes
    return vertex


def _mesh_shapes(session: Session) -> list[int]:
    """The collision shapes that are meshes: of colliders, which alone may deform."""
    found: list[int] = np.flatnonzero(session.model.shapes.mesh >= 0).tolist()
    return found


def _bodies(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Where the own animation of bodies takes them (b, 3) and how it turns them (b, 4).

    Those that do not follow it stay where they started.
    """
    model, last = session.model, session.last_inputs
    wanted = session.once(_led_bodies)
    places = model.bodies.position.copy(), model.bodies.orientation.copy()
    before = None if last is None else (last.body_position, last.body_orientation)
    return _carried(wanted, depsgraph, places, before)


def _led_bodies(session: Session) -> Carriers:
    """Those that may follow their animation, with their rows in the model."""
    pairs = zip(session.body_rows, session.participants("BODY"))
    led = [(row, p) for row, p in pairs if p.settings.type != "ACTIVE"]
    return Carriers.of([p for _, p in led], [row for row, _ in led])


def _carried(
    carriers: Carriers,
    depsgraph: bpy.types.Depsgraph,
    places: tuple[Floats, Floats],
    before: tuple[Floats, Floats] | None,
) -> tuple[Floats, Floats]:
    """Places (k, 3) and turns (k, 4) carried along by objects since the start, by their row.

    Of an object that is gone or flat, those ``before`` count.
    """
    position, orientation = places
    if not carriers.rows:
        return places
    objects = find_objects(carriers.objects)
    nowhere = np.full((4, 4), np.nan)
    seen = [nowhere if ob is None else ob.evaluated_get(depsgraph).matrix_world for ob in objects]
    matrices = np.array(seen, dtype=np.float64)
    has_moved = (matrices != carriers.start).any(axis=(1, 2))  # the others are exactly still
    for number in np.flatnonzero(has_moved).tolist():
        row, matrix = carriers.rows[number], matrices[number]
        if not affine.is_invertible(matrix):
            if before is not None:
                position[row], orientation[row] = before[0][row], before[1][row]
        else:
            change = matrix @ inverse(carriers.start[number])
            turn = affine.rotation_part(change[:3, :3])
            position[row] = affine.transformed(change, position[row])
            orientation[row] = affine.product(turn, orientation[row])
    return position, orientation
