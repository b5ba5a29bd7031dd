"""Keeps the user's own transform of a body or a bone safe while the preview moves it.

The preview writes location and rotation, because that alone is cheap, shows at once in every
editor and carries children along; and scale where a parent's own scale is animated or uneven. What
was there lies in ``Object.verlet.rest``, or in that of the pose bone, in the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import bpy
from mathutils import Euler, Matrix, Quaternion

from ..blender.data import any_item

_surely_stored: set[int] = set()

_ROTATION_CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_WRITTEN = {"location", "rotation_euler", *_ROTATION_CHANNELS.values()}


class VerletRestPose(bpy.types.PropertyGroup):
    """The user's own transform of a body, kept while the preview moves the object.

    It lies in the file, so that it comes back even after a crash and a recovered session.
    """

    owner: bpy.props.StringProperty(
        description="Session id of the object that the pose was taken from: a duplicate of a "
        "previewed object carries a copy that is not its own",
        options={"HIDDEN"},
    )
    location: bpy.props.FloatVectorProperty(size=3, options={"HIDDEN"})
    rotation_mode: bpy.props.StringProperty(options={"HIDDEN"})
    rotation: bpy.props.FloatVectorProperty(size=4, options={"HIDDEN"})
    scale: bpy.props.FloatVectorProperty(
        description="Set where the preview shows another one", size=3, options={"HIDDEN"}
    )
    muted_constraints: bpy.props.StringProperty(
        description="Names of the constraints that the preview switched off, one a line",
        options={"HIDDEN"},
    )
    muted_drivers: bpy.props.StringProperty(
        description="Channel and array index of each driver that it switched off, one a line",
        options={"HIDDEN"},
    )


def rotation_channel(rotation_mode: str) -> str:
    """Name of the property that holds the rotation in a rotation mode."""
    return _ROTATION_CHANNELS.get(rotation_mode, "rotation_euler")


Holder: TypeAlias = "bpy.types.Object | bpy.types.PoseBone"


def holders(ob: bpy.types.Object) -> list[Holder]:
    """The object, and the bones of an armature: all that may show a preview pose."""
    return [ob] if ob.pose is None else [ob, *ob.pose.bones]


def is_stored(ob: Holder) -> bool:
    """Whether the object shows a preview pose, and its own one is kept."""
    return bool(ob.verlet.rest.owner)


def unsure(uids: frozenset[int]) -> frozenset[int]:
    """Those objects, by session id, that may show no preview pose, or of which something was set.

    Quick: the file is not asked.
    """
    return uids - _surely_stored


def look_again(uid: int | None = None) -> None:
    """Ask the file again: this object was edited, or all of them were exchanged."""
    if uid is None:
        _surely_stored.clear()
    else:
        _surely_stored.discard(uid)


def store(ob: Holder) -> None:
    """Keep the present transform, and switch off what would fight the preview.

    Constraints, and an object's drivers of what it writes: Blender evaluates them afterwards.
    """
    if isinstance(ob, bpy.types.Object):
        _surely_stored.add(ob.session_uid)
    rest = ob.verlet.rest
    owner = str(ob.id_data.session_uid)
    if rest.owner == owner:
        return
    rest.owner = owner
    rest.property_unset("scale")  # a duplicate's is that of the original
    _keep(ob)
    active = [constraint for constraint in ob.constraints if not constraint.mute]
    for constraint in active:
        constraint.mute = True
    _note(rest, "muted_constraints", [constraint.name for constraint in active])
    muted = []
    for line, driver in _drivers(ob):
        if not driver.mute:
            driver.mute = True
            muted.append(line)
    _note(rest, "muted_drivers", muted)


def _note(rest: Any, name: str, lines: list[str]) -> None:
    """Note what was switched off; where it is nothing, there is nothing to be copied either.

    Blender copies all that an object holds whenever that has moved.
    """
    if lines:
        setattr(rest, name, "\n".join(lines))
    else:
        rest.property_unset(name)


def _drivers(ob: Holder) -> Iterator[tuple[str, bpy.types.FCurve]]:
    """Drivers of what the preview writes to an object, each with its channel and array index."""
    if isinstance(ob, bpy.types.Object) and ob.animation_data is not None:
        for driver in ob.animation_data.drivers:
            if driver.data_path in _WRITTEN:
                yield f"{driver.data_path} {driver.array_index}", driver


def _keep(ob: Holder) -> None:
    rest = ob.verlet.rest
    rest.location = ob.location
    rest.rotation_mode = ob.rotation_mode
    rotation = list(getattr(ob, rotation_channel(ob.rotation_mode)))
    rest.rotation = (rotation + [0.0])[:4]


def store_scale(ob: bpy.types.Object) -> None:
    """Keep the present scale too, for the preview shows another one."""
    rest = ob.verlet.rest
    if not rest.is_property_set("scale"):
        rest.scale = ob.scale


def own_scale(ob: bpy.types.Object) -> tuple[float, ...]:
    """The user's own scale, which the preview may show another one of."""
    rest = ob.verlet.rest
    return tuple(rest.scale if rest.is_property_set("scale") else ob.scale)


def multiply(ob: bpy.types.Object, before: Mapping[str, Sequence[float]], change: Matrix) -> None:
    """Multiply the transform that is kept by a matrix.

    ``before``: what the object had beside it when it was shown, its scale and deltas.
    """
    now = {name: tuple(getattr(ob, name)) for name in before} | shown(ob)
    _set(ob, before)
    _write(ob, ob.verlet.rest)
    basis = ob.matrix_basis @ change
    _set(ob, now)
    ob.matrix_basis = basis
    _keep(ob)
    if ob.verlet.rest.is_property_set("scale"):
        ob.verlet.rest.scale = ob.scale
    _set(ob, now)


def _set(ob: bpy.types.Object, values: Mapping[str, Sequence[float]]) -> None:
    for name, value in values.items():
        setattr(ob, name, value)


def shown(ob: bpy.types.Object) -> dict[str, tuple[float, ...]]:
    """What the preview shows of an object in place of its own transform, by property."""
    names = ["location", rotation_channel(ob.rotation_mode)]
    names += ["scale"] if ob.verlet.rest.is_property_set("scale") else []
    return {name: tuple(getattr(ob, name)) for name in names}


def show_again(ob: bpy.types.Object, values: dict[str, tuple[float, ...]]) -> None:
    """Show what was `shown` before the object got its own transform again."""
    store(ob)
    if "scale" in values:
        store_scale(ob)
    _set(ob, values)


def put_back(ob: Holder) -> bool:
    """Give the object or bone its own transform again; False when the preview has not touched it.

    A duplicate of a previewed object is not sent back to where the original started: it stays
    where its user put it.
    """
    if isinstance(ob, bpy.types.Object):
        _surely_stored.discard(ob.session_uid)
    rest = ob.verlet.rest
    if not rest.owner:
        return False
    is_own = rest.owner == str(ob.id_data.session_uid)
    rest.owner = ""
    for name in rest.muted_constraints.split("\n"):
        if name in ob.constraints:
            ob.constraints[name].mute = False
    rest.property_unset("muted_constraints")
    muted = rest.muted_drivers.split("\n")
    for line, driver in _drivers(ob):
        if line in muted:
            driver.mute = False
    rest.property_unset("muted_drivers")
    if is_own:
        _write(ob, rest)
    rest.property_unset("scale")
    return is_own


def forget(ob: Holder) -> None:
    """The object or bone has its own transform already: nothing is kept of it any more."""
    rest = ob.verlet.rest
    rest.owner = ""
    for name in ("muted_constraints", "muted_drivers", "scale"):
        rest.property_unset(name)


def adopt_after_load(ob: Holder) -> None:
    """Session ids are new in every session: a pose that lies in the file is the object's own."""
    if ob.verlet.rest.owner:
        ob.verlet.rest.owner = str(ob.id_data.session_uid)
        put_back(ob)


def _write(ob: Holder, rest: Any) -> None:
    ob.location = rest.location
    if rest.is_property_set("scale"):
        ob.scale = rest.scale
    channel = rotation_channel(rest.rotation_mode)
    size = 3 if channel == "rotation_euler" else 4
    rotation = tuple(rest.rotation)[:size]
    if ob.rotation_mode == rest.rotation_mode:
        setattr(ob, channel, rotation)
        return
    match channel:  # the user chose another rotation mode while the preview ran: keep that choice
        case "rotation_quaternion":
            quaternion = Quaternion(rotation)
        case "rotation_axis_angle":
            quaternion = Quaternion(rotation[1:], rotation[0])
        case _:
            quaternion = Euler(rotation, rest.rotation_mode).to_quaternion()
    write_rotation(ob, quaternion)


def write_rotation(ob: Holder, quaternion: Quaternion) -> None:
    """Set the rotation in whatever rotation mode the object has."""
    match rotation_channel(ob.rotation_mode):
        case "rotation_quaternion":
            if ob.rotation_quaternion.dot(quaternion) < 0.0:
                quaternion = -quaternion
            ob.rotation_quaternion = quaternion
        case "rotation_axis_angle":
            axis, angle = quaternion.to_axis_angle()
            ob.rotation_axis_angle = (angle, *axis)
        case _:
            ob.rotation_euler = quaternion.to_euler(any_item(ob.rotation_mode), ob.rotation_euler)
