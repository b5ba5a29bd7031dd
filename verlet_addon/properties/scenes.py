"""``Scene.verlet``: how a scene is simulated, baked and shown."""

import math
from typing import Any

import bpy

from ...core.settings import SolverSettings, WindSettings
from ..blender import redraw
from .edits import after_edit
from .tunable_properties import group_made_of, refuse_keys

_ROOT_MOTIONS = (
    ("BONES", "Simulated Bones", "The armature object stays where it is, its bones move"),
    (
        "OBJECT",
        "Armature Object",
        "The object goes along with the body, and the bones move in place: what game engines read "
        "as root motion from the object",
    ),
    (
        "ROOT",
        "Root Bone",
        "The bone at the top of the hierarchy, if it is not simulated, goes along with the body: "
        "what game engines read as root motion from a root bone",
    ),
)

_BONE_BAKES = (
    ("BONES", "Simulated Bones", "The bones that the simulation moves; what moves them is muted"),
    (
        "CONTROLS",
        "Controls",
        "The controls of the rig that carry those bones, so that the motion can be edited with "
        "them: those of forward kinematics follow exactly, those of inverse kinematics stand by",
    ),
)

_MESH_BAKES = (
    ("ABSOLUTE", "Absolute Keys", "A shape key for each frame and one curve: plays fastest"),
    (
        "RELATIVE",
        "Relative Keys",
        "A shape key for each frame with a curve of its own: what glTF and FBX take along. Plays "
        "more slowly",
    ),
    (
        "PC2",
        "Mesh Cache PC2",
        "A file beside the blend file, which has to be saved, played by a Mesh Cache modifier: for "
        "large meshes",
    ),
    ("MDD", "Mesh Cache MDD", "The same in the other format that programs exchange"),
)

VerletSolver = group_made_of(SolverSettings, "VerletSolver")
VerletWind = group_made_of(WindSettings, "VerletWind", is_keyed=True)


def _show_again(group: Any, context: bpy.types.Context) -> None:
    redraw.everything()


class VerletScene(bpy.types.PropertyGroup):
    """How a scene is simulated."""

    solver: bpy.props.PointerProperty(type=VerletSolver)
    wind: bpy.props.PointerProperty(type=VerletWind)
    use_own_start: bpy.props.BoolProperty(
        name="Own Start Frame",
        description="Start the simulation at a frame of its own and not at the scene's first",
        update=after_edit("use_own_start"),
    )
    own_start: bpy.props.IntProperty(
        name="Start Frame",
        description="Frame in which everything is at its place and the simulation begins",
        default=1,
        update=after_edit("own_start"),
    )
    mesh_bake: bpy.props.EnumProperty(
        name="Meshes To",
        description="What the bake of cloth, ropes, soft bodies and all that bends is written to",
        items=_MESH_BAKES,
    )
    reduce_keys: bpy.props.BoolProperty(
        name="Reduce Keys",
        description="Leave out keys of rigid bodies and bones where the motion between the others "
        "is as good as straight. Off: a key in every frame",
    )
    place_tolerance: bpy.props.FloatProperty(
        name="Place",
        description="How far a body, or the head of a bone, may be off in any frame for it. In mm",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=3,
    )
    place_bound: bpy.props.FloatProperty(
        name="Place",
        description="How far a body, or the head of a bone, may be off in any frame for it",
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
        get=lambda group: group.place_tolerance / 1000.0,
        set=lambda group, value: setattr(group, "place_tolerance", value * 1000.0),
    )
    angle_tolerance: bpy.props.FloatProperty(
        name="Angle",
        description="How far a body or a bone may be turned off in any frame for it",
        default=math.radians(0.5),
        min=0.0,
        max=math.pi,
        subtype="ANGLE",
    )
    bone_bake: bpy.props.EnumProperty(
        name="Ragdolls To",
        description="What the bake of ragdolls is written to",
        items=_BONE_BAKES,
    )
    root_motion: bpy.props.EnumProperty(
        name="Root Motion",
        description="What carries a ragdoll from place to place in the bake",
        items=_ROOT_MOTIONS,
    )
    root_height: bpy.props.BoolProperty(
        name="Height Too",
        description="It also goes up and down with the body. Off: it stays at its height, as on "
        "the ground",
    )
    show_joints: bpy.props.BoolProperty(
        name="Joints",
        description="Show joints in the 3D view: their axes, their limits and what they join",
        default=True,
        update=_show_again,
    )
    show_shapes: bpy.props.BoolProperty(
        name="Collision Shapes",
        description="Show in the 3D view what really collides in place of the meshes, once it is "
        "simulated",
        update=_show_again,
    )


refuse_keys(VerletScene.__annotations__)


_first_frames: dict[int, int] = {}  # of each scene as its file has it, by session id
_held: dict[int, int] = {}  # first frames that hold while a part of a scene is rendered


def note_first_frames() -> None:
    """A file was loaded: note where its scenes begin."""
    _first_frames.clear()
    _held.clear()
    _first_frames.update((scene.session_uid, scene.frame_start) for scene in bpy.data.scenes)


def hold_first_frame(scene: bpy.types.Scene) -> bool:
    """Begin where the file does though a later part of it is rendered; whether that differs.

    ``blender -b FILE -s 100 -e 110 -a`` renders a part by moving the scene's first frame.
    """
    first = _first_frames.get(scene.session_uid, scene.frame_start)
    if scene.verlet.use_own_start or first >= scene.frame_start:
        return False
    _held[scene.session_uid] = first
    return True


def release_first_frame(scene: bpy.types.Scene) -> None:
    """The part is rendered."""
    _held.pop(scene.session_uid, None)


def start_frame(scene: bpy.types.Scene) -> int:
    """The frame in which the simulation begins."""
    if scene.verlet.use_own_start:
        return scene.verlet.own_start
    return _held.get(scene.session_uid, scene.frame_start)


def frame_duration(scene: bpy.types.Scene) -> float:
    """Seconds in a frame, of the time in which everything is animated."""
    return time_stretch(scene) / frame_rate(scene)


def frame_rate(scene: bpy.types.Scene) -> float:
    """Frames a second."""
    return scene.render.fps / scene.render.fps_base


def time_stretch(scene: bpy.types.Scene) -> float:
    """Frames of animation in one frame of the timeline: *Time Stretching* makes others of them."""
    return scene.render.frame_map_old / scene.render.frame_map_new
