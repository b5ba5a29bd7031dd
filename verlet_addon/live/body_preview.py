"""Shows where bodies are by their objects' location and rotation, the user's own kept.

And by their scale where a parent asks for another one.

What was shown last is kept, and only what differs from it is looked at: of a pile that sleeps what
its objects have is read and compared. What is not written is not evaluated again.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ..properties import rest_pose
from ..properties.participants import BodyColumns, find_objects, is_previewable
from ..session import Placement, Session
from ..session.shown_bodies import Columns, ShownBodies
from ..transforms.affine import inverse_or_nearest
from ..transforms.rotation_modes import numbers_by_mode, rotations_near
from ..transforms.rotations import fitted_scales, rotations_without_scale
from .moved import moved_in, parent_matrix

if TYPE_CHECKING:
    from ..inputs.participant import Participant

_DELTA = {"QUATERNION": ("delta_rotation_quaternion", 4)}


@dataclass(frozen=True, eq=False)
class MovedBodies:
    """Rows of the bodies that the preview moves: passive ones are where their keys have them."""

    rows: list[int]
    led: frozenset[int]  # those of them that may follow an animation
    active: frozenset[int]  # session ids of the others


def _moved(session: Session) -> MovedBodies:
    every = enumerate(session.participants("BODY"))
    types = {row: (p.settings.type, p.uid) for row, p in every if p.settings.type != "PASSIVE"}
    return MovedBodies(
        list(types),
        frozenset(row for row, (kind, _) in types.items() if kind != "ACTIVE"),
        frozenset(uid for kind, uid in types.values() if kind == "ACTIVE"),
    )


def _asked(session: Session) -> frozenset[int]:
    """Rows of bodies of which the file is asked: their own transform may not be kept yet."""
    moved = session.once(_moved)
    row_of_body = session.inputs.row_of_body
    return moved.led | {row_of_body[uid] for uid in rest_pose.unsure(moved.active)}


def doubtful(session: Session) -> list[Participant]:
    """The bodies whose own transform may not be kept yet, and those that follow an animation."""
    bodies = session.participants("BODY")
    return [bodies[row] for row in sorted(_asked(session))]


def show(session: Session, placement: Placement, depsgraph: bpy.types.Depsgraph) -> None:
    """Write location and rotation so that bodies stand where they are placed.

    Scale stays but under a parent that has another one, or lies otherwise in its own, and where it
    is keyed: a rigid body keeps its size. What a parent makes askew has no location, rotation and
    scale: then the place is exact and the others are the nearest, as in the bake.
    """
    rows, bodies = _taken(session)
    if not bodies:
        return
    columns, modes = BodyColumns(bodies), list(map(attrgetter("rotation_mode"), bodies))
    world = placement.bodies
    if len(rows) < len(world):
        world = world[rows]
    now = ShownBodies(rows, modes, world, _own(columns, set(modes)))
    may_differ = _differs(now, session.shown)
    # where there is animation data, what was evaluated may be something else than the property
    is_animated = _have("animation_data", bodies)
    has_parent = _have("parent", bodies)
    may_differ |= is_animated | has_parent
    parented = np.flatnonzero(has_parent).tolist()
    local = world
    if parented:
        moved = moved_in(session, placement.bodies, placement.poses)
        spaces = [parent_matrix(bodies[number], depsgraph, moved) for number in parented]
        local = local.copy()
        local[parented] = inverse_or_nearest(np.array(spaces)) @ local[parented]
    of_other_scale = np.flatnonzero(is_animated | has_parent).tolist()
    if of_other_scale:
        _fit_scales(bodies, now, of_other_scale, local)
    some = np.flatnonzero(may_differ)
    if len(some):
        if len(some) < len(bodies):
            local = local[some]
        _write(bodies, columns, now, some, local, is_animated)
    session.shown = now


def _taken(session: Session) -> tuple[list[int], list[bpy.types.Object]]:
    """Rows and objects of the bodies that are shown: their own transform is kept from now on."""
    bodies = session.participants("BODY")
    objects, asked = find_objects(bodies), _asked(session)
    rows = [row for row in session.once(_moved).rows if objects[row] is not None]
    if asked:
        rows = [row for row in rows if row not in asked or _is_taken(bodies[row], objects[row])]
    return rows, [objects[row] for row in rows]


def _is_taken(participant: Participant, ob: bpy.types.Object) -> bool:
    if not is_previewable(participant, ob):
        return False
    rest_pose.store(ob)
    return True


def _have(name: str, bodies: list[bpy.types.Object]) -> NDArray[np.bool_]:
    """Which bodies (n,) have something of this name: a parent, animation data."""
    return np.array([one is not None for one in map(attrgetter(name), bodies)], bool)


def _own(columns: BodyColumns, modes: set[str]) -> Columns:
    """All that tells where objects stand in their parents' space."""
    names = {"location": 3, "scale": 3, "delta_location": 3, "delta_scale": 3}
    for mode in modes:
        channel = rest_pose.rotation_channel(mode)
        names[channel] = 3 if channel == "rotation_euler" else 4
        names |= dict([_delta_channel(mode)])
    return {name: columns.read(name, width) for name, width in names.items()}


def _differs(now: ShownBodies, shown: ShownBodies | None) -> NDArray[np.bool_]:
    """Which bodies (n,) are to go elsewhere, or are no longer what they were shown as."""
    count = len(now.rows)
    if shown is None or (shown.rows, shown.modes) != (now.rows, now.modes):
        return np.ones(count, bool)
    found = (now.world != shown.world).reshape(count, 16).any(axis=1)
    if found.all():
        return found
    for name, values in now.own.items():
        found |= (values != shown.own[name]).any(axis=1)
    return found


def _fit_scales(
    bodies: list[bpy.types.Object], now: ShownBodies, some: list[int], local: Floats
) -> None:
    """Give some of the bodies the scale that they need in their own space; noted in ``now``."""
    own = np.array([rest_pose.own_scale(bodies[number]) for number in some], np.float64)
    delta = now.own["delta_scale"][some].astype(np.float64)
    wanted = fitted_scales(local[some, :3, :3], own * delta)
    wanted = (wanted / np.where(delta == 0.0, 1.0, delta)).astype(np.float32)
    for row in np.flatnonzero((wanted != now.own["scale"][some]).any(axis=1)).tolist():
        ob = bodies[some[row]]
        rest_pose.store_scale(ob)
        ob.scale = wanted[row].tolist()
    now.own["scale"][some] = wanted


def _write(
    bodies: list[bpy.types.Object],
    columns: BodyColumns,
    now: ShownBodies,
    some: NDArray[np.intp],
    local: Floats,
    is_animated: NDArray[np.bool_],
) -> None:
    """Bring ``some`` (m,) of the bodies to local places (m, 4, 4) where they are not there yet.

    What they have then is noted in ``now``.
    """
    own = now.own
    if len(some) < len(now.rows):
        own = {name: values[some] for name, values in own.items()}
    scale = np.multiply(own["scale"], own["delta_scale"], dtype=np.float64)
    turned = rotations_without_scale(local[:, :3, :3], scale)
    place = (local[:, :3, 3] - own["delta_location"]).astype(np.float32)
    is_new = is_animated[some] | (place != own["location"]).any(axis=1)
    found = []
    for mode, part in numbers_by_mode([now.modes[number] for number in some.tolist()]):
        channel = rest_pose.rotation_channel(mode)
        before = own[channel][part]
        turns = _without_delta(bodies, some[part], own, part, mode, turned)
        values = rotations_near(mode, turns, before.astype(np.float64)).astype(np.float32)
        is_new[part] |= (values != before).any(axis=1)
        found.append((channel, part, values))
    _place(bodies, columns, some[is_new], place[is_new])
    now.own["location"][some] = place
    for channel, part, values in found:
        written = is_new[part]
        for number, value in zip(some[part][written].tolist(), values[written].tolist()):
            setattr(bodies[number], channel, value)
        now.own[channel][some[part]] = values


def _place(
    bodies: list[bpy.types.Object],
    columns: BodyColumns,
    some: NDArray[np.intp],
    place: NDArray[np.float32],
) -> None:
    """Write the locations of some of the bodies; their rotations are written after it.

    That a rotation is set tells Blender of the location too, at half the price of two.
    """
    if columns.is_whole and len(some):
        columns.write("location", some, place)
        return
    for number, value in zip(some.tolist(), place.tolist()):
        bodies[number].location = value


def _delta_channel(mode: str) -> tuple[str, int]:
    return _DELTA.get(mode, ("delta_rotation_euler", 3))


def _without_delta(
    bodies: list[bpy.types.Object],
    some: NDArray[np.intp],
    own: Columns,
    part: NDArray[np.intp],
    mode: str,
    turned: Floats,
) -> Floats:
    """Rotations (n, 3, 3) of bodies that come before their delta rotations in a rotation mode.

    ``some`` (n,): which of the bodies; ``part`` (n,): their rows in ``own`` and ``turned``.
    """
    if mode == "AXIS_ANGLE":  # Blender's own delta for it, which nobody can set
        return turned[part]
    name = _delta_channel(mode)[0]
    none = (1.0, 0.0, 0.0, 0.0) if mode == "QUATERNION" else (0.0, 0.0, 0.0)
    if (own[name][part] == none).all():
        return turned[part]
    deltas = [getattr(bodies[number], name).to_matrix() for number in some.tolist()]
    return np.swapaxes(np.array(deltas, dtype=np.float64), -1, -2) @ turned[part]
