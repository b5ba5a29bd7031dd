"""A walker in a cape, with a lantern on a rope, steps off a roof."""

import bpy
import numpy as np
from characters import PERSON, add_character
from gait import walk
from scene_parts import (
    BROWN,
    GOLD,
    RED,
    TEAL,
    WOOD,
    add_box,
    add_curve,
    add_floor,
    add_mesh,
    make,
    new_scene,
    select,
)

ROOF = 1.7  # m, its height
EDGE = 16  # frame in which the walker treads into the void
COLUMNS, ROWS = 17, 36
SHOULDER = (0.16, 0.02, 1.55)  # m, where the collar ends, in the rest pose
ROPE = 0.3  # m


def build() -> None:
    """Set it up."""
    new_scene(64, (6.4, -4.8, 2.5), (0.0, -0.75, 1.5), lens=33.0)
    add_floor()
    roof = add_box("Roof", (1.6, 2.4, ROOF), WOOD)
    roof.location = (0.0, 1.2, 0.5 * ROOF)
    make("collider", roof)
    rig, _ = add_character("Walker", PERSON, TEAL)
    rig.location = (0.0, 0.55, ROOF + 0.01)
    walk(rig, EDGE + 2)
    bpy.context.scene.frame_set(1)
    make("ragdoll", rig)
    select(rig)
    bpy.ops.verlet.ragdoll_between(first=EDGE, comes_back=False)
    _add_cape(rig)
    _add_lantern(rig)


def _add_cape(rig: bpy.types.Object) -> None:
    """A sheet that lies on the shoulders and hangs down behind; its collar follows the chest."""
    across, down = np.meshgrid(np.linspace(-1.0, 1.0, COLUMNS), np.linspace(0.0, 1.0, ROWS))
    width = SHOULDER[0] + 0.2 * down
    over = np.minimum(1.0, down / 0.12)  # the share of the way over the shoulder
    x = across * width
    y = SHOULDER[1] + 0.07 * (1.0 - across**2) + 0.17 * np.sin(0.5 * np.pi * over) + 0.1 * down
    z = SHOULDER[2] - 0.02 * across**2 - 0.04 * over**2 - 1.12 * np.maximum(0.0, down - 0.06)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    a = (np.arange(ROWS - 1)[:, None] * COLUMNS + np.arange(COLUMNS - 1)).reshape(-1)
    faces = np.stack([a, a + COLUMNS, a + COLUMNS + 1, a + 1], axis=1)
    cape = add_mesh("Cape", vertices, faces, RED, smooth=True)
    collar = list(range(COLUMNS))
    for name in ("Pin", "chest"):
        cape.vertex_groups.new(name=name).add(collar, 1.0, "REPLACE")
    cape.parent = rig
    cape.modifiers.new("Armature", "ARMATURE").object = rig
    make("cloth", cape, preset="COTTON")
    cape.verlet.pin_group = "Pin"


def _add_lantern(rig: bpy.types.Object) -> None:
    """A box on a rope that is joined to the hand."""
    bpy.context.view_layer.update()
    hand = rig.matrix_world @ rig.pose.bones["hand.R"].tail
    places = [(hand.x, hand.y, hand.z - share * ROPE) for share in np.linspace(0.0, 1.0, 9)]
    rope = add_curve("Rope", np.array(places), 0.008, BROWN)
    make("rope", rope)
    lantern = add_box("Lantern", (0.12, 0.12, 0.16), GOLD)
    lantern.location = (hand.x, hand.y, hand.z - ROPE - 0.08)
    make("rigid_body", lantern, preset="STEEL")
    lantern.verlet.body.mass_by, lantern.verlet.body.mass = "MASS", 0.5
    for ob in (rig, lantern):
        select(ob, rope)
        bpy.ops.verlet.join()
