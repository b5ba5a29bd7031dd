"""Everything that the 3D view shows of a scene, as coloured lines: numbers only, no drawing."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...core.geometry.affine import inverse
from .. import session
from ..joints import joint_inputs
from ..properties import participants
from ..properties.kinds import RAGDOLL, is_ragdoll
from ..session import Session
from ..transforms import affine
from .joint_lines import axis_lines, key_of, limit_lines
from .ragdoll_lines import pin_lines, ragdoll_lines, stick_lines
from .shape_lines import shape_lines

AXIS = (1.0, 0.6, 0.1, 0.9)
LIMIT = (1.0, 0.9, 0.3, 0.8)
TO_A = (1.0, 0.45, 0.4, 0.7)
TO_B = (0.4, 0.65, 1.0, 0.7)
PIN_COLOUR = (1.0, 0.2, 0.9, 0.95)
LOOSE = (0.6, 0.5, 0.6, 0.5)  # a pin that lets go just now
WRONG = (1.0, 0.15, 0.1, 0.9)  # broken, or it cannot work
SHAPE = (0.3, 1.0, 0.6, 0.45)
MOST_IN_DETAIL = 300  # joints: of more of them only what they join is drawn

Lines = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Points (2 n, 3) in m, two a segment, and colours (2 n, 4)."""


def lines_of(context: bpy.types.Context) -> Lines:
    """All lines that are to be seen in the present frame."""
    scene = context.scene
    running = session.of(scene)
    found: list[tuple[Floats, tuple[float, ...]]] = []
    if scene.verlet.show_joints:
        found += _joints(context, running)
        if running is not None and running.is_ready and _has_ragdolls(running):
            frame = _shown_frame(scene, running)
            axes, limits = ragdoll_lines(running, frame)
            found += [(axes, AXIS), (limits, LIMIT), (stick_lines(running, frame), AXIS)]
            holding, loose = pin_lines(running, frame)
            found += [(holding, PIN_COLOUR), (loose, LOOSE)]
    if scene.verlet.show_shapes and running is not None and running.is_ready:
        state = running.cache[_shown_frame(scene, running)]
        found.append((shape_lines(running.model, state), SHAPE))
    found = [(lines, colour) for lines, colour in found if len(lines)]
    if not found:
        return np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32)
    points = np.concatenate([lines.reshape(-1, 3) for lines, _ in found])
    colours = np.concatenate(
        [np.tile(np.array(colour, np.float32), (2 * len(lines), 1)) for lines, colour in found]
    )
    return points.astype(np.float32), colours


def _has_ragdolls(running: Session) -> bool:
    """Whether any ragdoll is left of those that are simulated."""
    wanted = running.participants(RAGDOLL)
    return any(is_ragdoll(ob) for ob in participants.find_objects(wanted))


def _shown_frame(scene: bpy.types.Scene, running: Session) -> int:
    return min(max(scene.frame_current, running.start), running.last)


def _joints(
    context: bpy.types.Context, running: Session | None
) -> list[tuple[Floats, tuple[float, ...]]]:
    scene = context.scene
    everything = [ob for ob in participants.joints(scene) if ob.visible_get()]
    broken = joint_inputs.broken(scene)
    start = {}
    if running is not None and running.inputs is not None:
        start = {p.uid: p.matrix for p in running.inputs.participants}
    depsgraph = context.evaluated_depsgraph_get()
    in_detail = len(everything) <= MOST_IN_DETAIL
    found: list[tuple[Floats, tuple[float, ...]]] = []
    for ob in everything:
        pair = joint_inputs.joined(ob)
        own = affine.matrix_of(ob.evaluated_get(depsgraph))
        now = [
            None if one is None else affine.matrix_of(one.evaluated_get(depsgraph)) for one in pair
        ]
        frames = [_carried(own, one, matrix, start) for one, matrix in zip(pair, now)]
        if joint_inputs.is_tie(ob):  # where the body has it: what bends goes there by itself
            rigid = 0 if pair[0] is not None and pair[0].verlet.kind in {"BODY", RAGDOLL} else 1
            frames, now[1 - rigid] = [frames[rigid]] * 2, None
            rig = pair[rigid]
            if rig is not None and rig.verlet.kind == RAGDOLL:
                frames, now[rigid] = [_on_ragdoll(own, rig, scene, running)] * 2, None
        is_wrong = ob.session_uid in broken or (in_detail and bool(joint_inputs.trouble(ob, scene)))
        for frame, matrix, colour in zip(frames, now, (TO_A, TO_B)):
            if matrix is not None:
                link = np.stack([frame[:3, 3], matrix[:3, 3]])[None]
                found.append((link, WRONG if is_wrong else colour))
        if in_detail:
            key = ("BALL",) if joint_inputs.is_tie(ob) else key_of(ob.verlet.joint)
            size = float(ob.empty_display_size)
            found.append((_placed(axis_lines(key, size), frames[1]), WRONG if is_wrong else AXIS))
            found.append((_placed(limit_lines(key, size), frames[0]), WRONG if is_wrong else LIMIT))
    return found


def _carried(
    own: Floats, ob: bpy.types.Object | None, now: Floats | None, start: dict[int, Floats]
) -> Floats:
    """The joint's frame (4, 4) as one of its objects has carried it along since the start."""
    if ob is None or ob.session_uid not in start or np.array_equal(now, start[ob.session_uid]):
        return own
    return now @ inverse(start[ob.session_uid]) @ own


def _on_ragdoll(
    own: Floats, rig: bpy.types.Object, scene: bpy.types.Scene, running: Session | None
) -> Floats:
    """A tie's frame (4, 4) as the body that holds it has carried it along since the start."""
    if running is None or not running.is_ready:
        return own
    from ..joints.ties import carried_by_ragdoll  # loads the kernels, which are there by now

    return carried_by_ragdoll(running, rig.session_uid, own, _shown_frame(scene, running))


def _placed(lines: Floats, frame: Floats) -> Floats:
    """Lines in the world, of true size however the empty is scaled."""
    rotation = (
        affine.rotation_of(affine.local_axes(frame)) if affine.is_invertible(frame) else np.eye(3)
    )
    return lines @ rotation.T + frame[:3, 3]
