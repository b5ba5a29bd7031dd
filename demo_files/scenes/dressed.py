"""Somebody of 46,000 triangles in shirt, skirt and cape walks, turns round and sits down."""

import math

import bpy
from characters import PERSON, add_character
from gait import sit_down, turn_round, walk
from garments import add_cape, add_shirt, add_skirt
from mathutils import Vector
from scene_parts import TEAL, WOOD, add_box, add_floor, make, new_scene

WALKED, TURNED, SEATED, FRAMES = 100, 130, 180, 250  # frames in which it has
RAMP, STILL = 25, 5
AWAY = 4.4  # m, of the camera
THIGH, ROOM = 0.105, 0.008  # m, radius of its flesh, and what is left for clothes under it


def build() -> None:
    """Set it up."""
    new_scene(FRAMES, (0.0, -AWAY, 1.5), (0.0, 0.0, 0.95), lens=40.0)
    add_floor()
    rig, skin = add_character("Walker", PERSON, TEAL)
    walk(rig, WALKED, ramp=RAMP, still=STILL)
    turn_round(rig, WALKED, TURNED)
    sit_down(rig, TURNED, SEATED)
    _add_seat(rig)
    _go_round(rig)
    bpy.context.scene.frame_set(1)
    subdivision = skin.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = subdivision.render_levels = 1  # what is drawn is what cloth lies on
    make("collider", skin)
    skin.verlet.collider.shape = "MESH"
    skin.verlet.collider.friction = 0.4
    add_shirt(rig)
    add_skirt(rig)
    add_cape(rig)


def _add_seat(rig: bpy.types.Object) -> None:
    """A block behind its calves where it has sat down, with room under it for skirt and cape."""
    hips, thigh = rig.location + rig.data.bones["hips"].head_local, rig.data.bones["thigh.L"]
    under = rig.location.z + thigh.head_local.z - THIGH - ROOM
    seat = add_box("Seat", (0.6, 0.42, under), WOOD)
    seat.location = (hips.x, hips.y - 0.02, 0.5 * under)
    make("collider", seat)


def _go_round(rig: bpy.types.Object) -> None:
    """Let the camera go along with it, from its front to its back, which then is its front."""
    scene = bpy.context.scene
    camera = scene.camera
    camera.rotation_mode = "QUATERNION"
    turn = camera.rotation_quaternion.copy()
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        target = Vector((0.0, rig.location.y, 0.95))
        angle = math.radians(-30.0 + 250.0 * (frame - 1) / (FRAMES - 1))
        camera.location = target + Vector((AWAY * math.sin(angle), -AWAY * math.cos(angle), 0.55))
        camera.rotation_quaternion = (target - camera.location).to_track_quat("-Z", "Y")
        camera.rotation_quaternion.make_compatible(turn)
        turn = camera.rotation_quaternion.copy()
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
